//! Pairs in the shape of those that Uyar's thesis shows, and the collection that they stand in.
//!
//! The texts are our own and lie in `testdata/thesis`.

use retold::Document;
use retold_samples::testdata;
use serde::Deserialize;

/// Sentences in a text of the collection.
const SENTENCES: usize = 3;

/// Steps through the sentences, one for each time that all are dealt out. They have no divisor in
/// common with the number of sentences, so every step deals each of them once.
const STEPS: [usize; 5] = [5, 7, 11, 13, 17];

/// Returns the two texts of a pair.
pub fn pair(name: &str) -> [Document; 2] {
    #[derive(Deserialize)]
    struct Pair {
        name: String,
        left: String,
        right: String,
    }
    #[derive(Deserialize)]
    struct File {
        pair: Vec<Pair>,
    }
    let file: File = toml::from_str(&read("pairs.toml")).expect("the file holds pairs");
    let pair = file.pair.into_iter().find(|pair| pair.name == name);
    let Pair { left, right, .. } = pair.unwrap_or_else(|| panic!("no pair is called {name}"));
    [turkish("left", &left), turkish("right", &right)]
}

/// Returns the collection: texts of three sentences, each sentence in five of them.
pub fn collection() -> Vec<Document> {
    let sentences = read("sentences.txt");
    let sentences: Vec<&str> = sentences.lines().collect();
    let dealt: Vec<&str> = STEPS
        .iter()
        .flat_map(|step| (0..sentences.len()).map(move |i| i * step))
        .map(|i| sentences[i % sentences.len()])
        .collect();
    let texts = dealt.chunks_exact(SENTENCES).map(|text| text.join(" "));
    texts.enumerate().map(|(i, text)| turkish(&i.to_string(), &text)).collect()
}

fn turkish(id: &str, text: &str) -> Document {
    Document { language: Some("tr".to_owned()), ..Document::plain(id, text) }
}

fn read(name: &str) -> String {
    let path = testdata().join("thesis").join(name);
    std::fs::read_to_string(path).expect("the file is in the repository")
}
