//! Documents and questions about them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use retold::{Document, ReadOptions};
use retold_core::hash::{Random, bytes};
use retold_read::{Reader, discover};

use crate::Result;

/// Documents of some files, each text once.
pub struct Corpus {
    pub documents: Vec<Document>,
    by_id: HashMap<String, usize>,
}

/// A stretch of a document.
pub struct Question {
    pub document: Document,
    /// Id of the document it is from.
    pub from: String,
}

impl Corpus {
    pub fn read(files: &[PathBuf]) -> Result<Self> {
        let (mut documents, mut by_id) = (Vec::new(), HashMap::new());
        let mut texts: HashSet<(u64, u64)> = HashSet::new();
        for file in files {
            let name = file.file_name().map_or(file.as_path(), Path::new).display().to_string();
            let mut reader =
                Reader::new(discover(std::slice::from_ref(file))?.files, ReadOptions::default());
            while let Some(batch) = reader.next_batch() {
                batch.parse(&mut |record| {
                    let Ok(record) = record else { return };
                    let document = record.document;
                    let text = document.text.as_bytes();
                    let id = format!("{name}:{}", document.id);
                    if by_id.contains_key(&id) || !texts.insert((bytes(text, 1), bytes(text, 2))) {
                        return;
                    }
                    by_id.insert(id.clone(), documents.len());
                    documents.push(Document { id, ..document });
                });
            }
        }
        Ok(Self { documents, by_id })
    }

    pub fn n_bytes(&self) -> u64 {
        self.documents.iter().map(|document| document.text.len() as u64).sum()
    }

    /// Returns the bytes of the text of a document.
    pub fn bytes_of(&self, id: &str) -> usize {
        self.by_id.get(id).map_or(0, |&at| self.documents[at].text.len())
    }

    /// Returns stretches of words, each from a document taken at random that has so many; the same
    /// in every run.
    pub fn questions(&self, n: usize, n_words: usize) -> Vec<Question> {
        let mut random = Random::new(1_000);
        let mut questions = Vec::new();
        // Few documents of some collections are long enough.
        for _ in 0..n * 1_000 {
            if questions.len() == n {
                break;
            }
            let from = &self.documents[random.below(self.documents.len())];
            let words: Vec<&str> = from.text.split_whitespace().collect();
            if words.len() < n_words {
                continue;
            }
            let start = random.below(words.len() - n_words + 1);
            let text = words[start..start + n_words].join(" ");
            let document = Document {
                language: from.language.clone(),
                markup: from.markup,
                ..Document::plain(format!("question {}", questions.len()), text)
            };
            questions.push(Question { document, from: from.id.clone() });
        }
        questions
    }
}
