//! Time of imaging and searching one file of JSON Lines: FILE [METHOD] [MEMORY].
use std::time::Duration;
/// CPU time of the process.
struct Instant(u64);
impl Instant { fn now() -> Self { let s = std::fs::read_to_string("/proc/self/schedstat").unwrap(); Self(s.split(' ').next().unwrap().parse().unwrap()) } fn elapsed(&self) -> Duration { Duration::from_nanos(Self::now().0 - self.0) } }
use retold_core::candidates::sealed::Job;
use retold_core::document::{Document, Ordinal};
use retold_core::executor::Inline;
use retold_core::features::{Featurizer, Words, identity};
use retold_core::image::images::Images;
use retold_core::methods::{Profile, make};
use retold_core::scratch::InMemory;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let method = args.get(2).map_or("anchor", String::as_str);
    let memory: usize = args.get(3).map_or(1 << 30, |m| m.parse().unwrap());
    let given = match args.get(4) { Some(j) => serde_json::from_str(j).unwrap(), None => serde_json::Map::new() };
    let detector = make(method, Profile::Retold, &given, 1).unwrap();
    let featurizer = Featurizer::new((detector.spec().text)(Profile::Retold), 1);
    let documents: Vec<Document> = text.lines().map(|line| {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let body = v["text"].as_str().or(v["body"].as_str()).unwrap_or("");
        Document::plain("d", body)
    }).collect();
    let n_bytes: usize = documents.iter().map(|d| d.text.len()).sum();
    let mut words = Words::default();
    let start = Instant::now();
    for document in &documents {
        featurizer.read(document, detector.places(), None, &mut words, |_, _| ());
    }
    let reading = start.elapsed();
    let start = Instant::now();
    let mut images = Images::new(memory);
    let mut seen = std::collections::HashSet::new();
    for (i, document) in documents.iter().enumerate() {
        let image = featurizer.read(document, detector.places(), None, &mut words, |r, _| detector.image(r));
        if !seen.insert(identity(&words.hashes, &document.text)) { continue; }
        if let Some(image) = image { images.push(Ordinal(i as u32), &image, &InMemory).unwrap(); }
    }
    let imaging = start.elapsed();
    let start = Instant::now();
    let job = Job { border: None, memory_bytes: memory, scratch: &InMemory, executor: &Inline };
    let mut n = 0u64; let mut sum = 0u64;
    let searched = detector.search(&images, &job, &mut |asker, partners| { n += partners.len() as u64;
        for p in partners { sum = sum.wrapping_add(retold_core::hash::mix(u64::from(asker.0) << 32 | u64::from(p.ordinal.0))); } Ok(()) }).unwrap();
    println!("{method}: docs {} text {n_bytes} words {reading:?} imaging {imaging:?} image/text {:.3} search {:?} candidates {n} sum {sum:x} values {} {:?}",
        documents.len(), images.n_bytes() as f64 / n_bytes as f64, start.elapsed(), searched.n_values, searched.cuts);
}
