//! The generator as a whole.

mod folder;
mod operations;
mod queries;
mod replaying;
mod truth;

use std::fs;

use retold::{Document, Markup};

use super::*;

/// The sample news that are files of their own, and small texts in other scripts.
fn inputs() -> Vec<Document> {
    let mut documents = Vec::new();
    let samples = retold_samples::samples().join("news");
    for folder in ["en", "tr", "web", "web/tr"] {
        let mut paths: Vec<_> = fs::read_dir(samples.join(folder))
            .expect("the sample news")
            .map(|entry| entry.expect("a readable folder").path())
            .filter(|path| path.is_file())
            .collect();
        paths.sort();
        for path in paths {
            let bytes = fs::read(&path).expect("a readable file");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_page = path.extension().is_some_and(|extension| extension == "html");
            let markup = if is_page { Markup::Html } else { Markup::Plain };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let id = format!("{folder}/{name}");
            documents.push(Document { markup, ..Document::plain(id, text) });
        }
    }
    let plain = |id: &str, text: &str| Document::plain(id, text);
    documents.extend([
        plain("cjk", "東京は今日も晴れ。気温は25度まで上がる。\n\n大阪では雨が降る。風も強い！\n\n北海道は雪、最低気温は2%下がった。"),
        plain("thai", "สวัสดีชาวโลก วันนี้อากาศดี\n\nพรุ่งนี้ฝนจะตก และลมแรงมาก"),
        plain("turkic", "IŞIK ISINDI. Irmak İzmir'den ılık akar; 2% arttı.\n\nIĞDIR'da ışıklar söndü.\n\nİkinci gün başladı."),
        plain("marks", "Cafe\u{301} na\u{308}\u{131}ve 5%'a <b> x=\u{338} y ' '' z'z'.\n\n% 7% 'q' ’r’ s’t"),
        plain("one paragraph", "There is one paragraph here. It has three sentences. This is the last of them."),
        plain("one word", "Alone"),
        plain("no word", " ... \n\n --- \n"),
        plain("nothing", ""),
        Document { language: Some("tr".into()), ..plain("named", "ISI ARTTI. Irmak taşar.\n\nIsı yine düştü, ırmak çekildi.") },
        Document { language: Some("en".into()), ..plain("misnamed", "Irmak ısındı ve ISI arttı.\n\nIT IS IN ISTANBUL, İstanbul.") },
    ]);
    let numbered = |i: usize| {
        format!("Paragraph number {i} speaks of ships, of rain and of item {}.", i * 7919 % 101)
    };
    for n in [2, 3, 5, 10, 20, 40] {
        let text: Vec<String> = (0..n).map(numbered).collect();
        documents.push(plain(&format!("numbered {n}"), &text.join("\n\n")));
    }
    documents
}

fn percent(value: f64) -> Percent {
    Percent::new(value)
}

/// Ten paragraphs of three sentences, none of them alike.
fn ten() -> Document {
    let paragraph = |i: usize| {
        format!(
            "Alpha{i} banana{i} cat{i}. Delta{i} eagle{i} fan{i} and gala{i}! Has{i} it ended{i}?"
        )
    };
    Document::plain("ten", (0..10).map(paragraph).collect::<Vec<_>>().join("\n\n"))
}

/// Makes one document of `ten`, beside another document.
fn one(operation: Operation) -> (Document, Entry) {
    let other = "Foreign one. It is short.\n\nForeign two is short too.\n\nForeign three.";
    let inputs = [ten(), Document::plain("other", other)];
    let mut made = make(&Plan::of(7, [operation]), &inputs).expect("a good plan");
    (made.documents.swap_remove(2), made.log.swap_remove(0))
}

fn paragraphs(document: &Document) -> Vec<&str> {
    document.text.split("\n\n").collect()
}
