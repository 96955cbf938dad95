//! Samples of a collection: drawn in one pass, bounded in size, the same on every run.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use retold_core::document::Document;
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, Words};
use retold_core::hash;
use rustix::time::{ClockId, clock_gettime};

use crate::error::Error;
use crate::job::Job;
use crate::pipeline::parallel::Pool;
use crate::pipeline::sources::Sources;
use crate::progress::Stage;
use crate::resources::Resources;
use crate::source::{Content, Opening, Source};

/// Documents with the smallest draws, as many as fit.
pub(crate) struct Drawing {
    most_documents: usize,
    most_bytes: usize,
    n_bytes: usize,
    n_pushed: u64,
    drawn: BinaryHeap<Drawn>,
}

/// A document that may be drawn; the one with the largest draw goes first.
struct Drawn {
    /// By what it is drawn, and what tells it from others; of equal ones the first stays.
    draw: (u64, u128, u64),
    document: Document,
}

impl Ord for Drawn {
    fn cmp(&self, other: &Self) -> Ordering {
        self.draw.cmp(&other.draw)
    }
}

impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.draw == other.draw
    }
}

impl Eq for Drawn {}

impl Drawing {
    pub(crate) fn new(most_documents: usize, most_bytes: usize) -> Self {
        Self { most_documents, most_bytes, n_bytes: 0, n_pushed: 0, drawn: BinaryHeap::new() }
    }

    /// Takes a document if its draw is small enough.
    pub(crate) fn push(&mut self, draw: (u64, u128), document: Document) {
        self.n_pushed += 1;
        let draw = (draw.0, draw.1, self.n_pushed);
        let is_full = self.drawn.len() >= self.most_documents
            || self.n_bytes + document.text.len() > self.most_bytes;
        if is_full && self.drawn.peek().is_some_and(|largest| largest.draw < draw) {
            return;
        }
        self.n_bytes += document.text.len();
        self.drawn.push(Drawn { draw, document });
        let Self { most_documents, most_bytes, n_bytes, drawn, .. } = self;
        while drawn.len() > *most_documents || *n_bytes > *most_bytes && drawn.len() > 1 {
            *n_bytes -= drawn.pop().map_or(0, |gone| gone.document.text.len());
        }
    }

    /// Returns the documents, by their draws.
    pub(crate) fn into_documents(self) -> Vec<Document> {
        self.drawn.into_sorted_vec().into_iter().map(|drawn| drawn.document).collect()
    }
}

/// Draws by content: a document by the smallest hash of its word runs.
///
/// Two documents have the same smallest hash with the probability of their similarity, so copies are
/// drawn together.
pub(crate) struct ByContent {
    featurizer: Featurizer,
    shingles: Shingles,
}

impl ByContent {
    pub(crate) fn new(job: &Job) -> Result<Self, Error> {
        let featurizer = Featurizer::new(job.text.clone(), job.seed);
        Ok(Self { featurizer, shingles: job.detector()?.shingles() })
    }

    /// Returns by what a document is drawn, and what tells it from others; `None` if it has no words.
    /// One without a word run is drawn by its words.
    pub(crate) fn draw(&self, document: &Document) -> Option<(u64, u128)> {
        let mut words = Words::default();
        self.featurizer.words(document, &mut words);
        let identity = words.identity()?;
        let mut smallest = u64::MAX;
        self.shingles.each(&words.hashes, |hash| smallest = smallest.min(hash));
        let is_short = words.hashes.len() < self.shingles.k();
        let drawn_by = if is_short { identity as u64 } else { smallest };
        Some((hash::mix(drawn_by), identity))
    }
}

/// What was read for a sample.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadForSample {
    pub(crate) n_documents: u64,
    /// Bytes of their texts.
    pub(crate) n_bytes: u64,
    /// Bytes of the files as they are stored, and those of them that were read.
    pub(crate) stored: (u64, u64),
    /// Whether reading ended before the last document.
    pub(crate) is_cut: bool,
    /// CPU seconds of reading, on all threads.
    pub(crate) cpu_seconds: f64,
}

/// Reads a source, at most so many bytes of its files, and hands over its documents.
///
/// *Errors* if it is standard input, which cannot be read again by the search.
pub(crate) fn read_for_sample(
    source: Box<dyn Source>,
    job: &Job,
    resources: &Resources,
    most_bytes: u64,
    mut each: impl FnMut(Vec<Document>, &Pool),
) -> Result<ReadForSample, Error> {
    let (progress, stop) = (&*resources.progress, &resources.stop);
    let options = job.read_options();
    let opened = source.open(&Opening { options: &options, stop })?;
    if let Content::Files { files, .. } = &opened.content
        && files.iter().any(|file| file.path.is_none())
    {
        return Err(Error::ReadTwice);
    }
    let name = opened.name.clone();
    let pool = Pool::new(resources)?;
    let mut sources = Sources::new(opened, None, &options, stop);
    let total = sources.total();
    progress.begin(Stage::Read, total);
    let mut read = ReadForSample::default();
    loop {
        let start = cpu_seconds();
        let Some(portion) = sources.next() else { break };
        if stop.is_set() {
            let n_documents = read.n_documents;
            return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
        }
        if sources.done() > most_bytes {
            read.is_cut = true;
            break;
        }
        let mut documents = Vec::new();
        // What cannot be read is told when the search reads it.
        portion.parse(&mut |record| {
            if let Ok((document, _)) = record {
                documents.push(document.into_owned());
            }
        });
        read.cpu_seconds += cpu_seconds() - start;
        read.n_documents += documents.len() as u64;
        read.n_bytes += documents.iter().map(|document| document.text.len() as u64).sum::<u64>();
        each(documents, &pool);
        progress.at(sources.done(), read.n_documents);
    }
    if read.n_documents == 0 {
        return Err(Error::Empty(name));
    }
    read.stored = (total, sources.done());
    Ok(read)
}

/// Returns the CPU seconds that the process has taken.
pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_draws_stay_whatever_the_order() {
        let document = |n: u64| Document::plain(n.to_string(), "x".repeat(10));
        let ids = |order: &[u64]| {
            let mut drawing = Drawing::new(3, 35);
            for &n in order {
                drawing.push((n * 7 % 11, u128::from(n)), document(n));
            }
            drawing.into_documents().into_iter().map(|document| document.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), ["0", "8", "5"]);
        assert_eq!(ids(&[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]), ["0", "8", "5"]);
    }
}
