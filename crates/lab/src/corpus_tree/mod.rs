//! The corpus tree of a few documents, as CoDet sees it, for people to look at.
//!
//! CoDet (Varol, Can, Aykanat, Kaya 2011) puts the beginnings of all sentences into one tree of
//! words; a document that passes through a node meets those that passed there before. The method
//! itself needs no such tree (`tree_paths` in `retold_core`), so this one is made for display, from
//! the images that the method makes: what is shown is what it works with, whatever its parameters.

mod text;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use retold::{Document, Job, Kind};
use retold_core::encode::from_bytes;
use retold_core::features::counts::Counts;
use retold_core::features::reading::Reading;
use retold_core::features::{Featurizer, Words};
use retold_core::image::sentence_tree::{Aggregate, SentenceTree};
use retold_core::methods::{self, Detector};
use retold_plot::{NodeMark, TreeDiagram, TreeNode, TreePanel};
use retold_read::{Reader, discover};
use serde::Deserialize;
use thiserror::Error as ThisError;

use crate::error::Error;

/// Documents that a tree may be made of: more are no picture.
pub const MOST_TREE_DOCUMENTS: usize = 20;

/// Nodes that it may have.
pub const MOST_TREE_NODES: usize = 2_000;

/// A tree that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum TreeError {
    /// A method without such a tree.
    #[error("a corpus tree is made by the method codet, got `{0}`")]
    Method(String),
    /// Too many documents.
    #[error("a corpus tree is shown of at most {MOST_TREE_DOCUMENTS} documents, got more")]
    Documents,
    /// Too many nodes.
    #[error(
        "a corpus tree is shown with at most {MOST_TREE_NODES} nodes, got {0}; fewer documents, a \
         smaller depth or fewer suffixes make a smaller one"
    )]
    Nodes(usize),
}

/// The tree of some documents, step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusTree {
    /// Names of the documents, in the order in which they came.
    pub names: Vec<String>,
    /// The nodes; a parent stands before its children, siblings in the order of the texts.
    pub nodes: Vec<CorpusNode>,
    /// What each document did, in order.
    pub steps: Vec<TreeStep>,
    /// The parameters of the method, as `NAME = VALUE`.
    pub settings: String,
}

/// A node: a word at the end of a beginning that sentences share.
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusNode {
    /// Place of its parent; none for a child of the root.
    pub parent: Option<usize>,
    /// The word, folded and stemmed as it is compared.
    pub word: String,
    /// Words from the root to here; 1 for the first of a sentence.
    pub depth: u32,
    /// The weight of the word.
    pub idf: f64,
    /// Documents that passed through, ascending, each with the number of its sentences.
    pub visitors: Vec<(usize, u32)>,
}

impl CorpusNode {
    /// Returns what a match in this node adds to CS: depth × idf.
    pub fn impact(&self) -> f64 {
        f64::from(self.depth) * self.idf
    }

    /// Returns what a step did with the node; `None` if it was not there yet.
    pub fn mark(&self, step: usize) -> Option<NodeMark> {
        let first = self.visitors.first()?.0;
        let visits = self.visitors.iter().any(|&(document, _)| document == step);
        match first.cmp(&step) {
            std::cmp::Ordering::Less if visits => Some(NodeMark::Revisited),
            std::cmp::Ordering::Less => Some(NodeMark::Left),
            std::cmp::Ordering::Equal => Some(NodeMark::New),
            std::cmp::Ordering::Greater => None,
        }
    }
}

/// What a document did when it came.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeStep {
    /// Its similarity to itself, SCS.
    pub self_similarity: f64,
    /// Nodes of the tree after it.
    pub n_nodes: usize,
    /// Nodes it made.
    pub n_new: usize,
    /// Nodes it visited that were there, as places in [`CorpusTree::nodes`].
    pub revisited: Vec<usize>,
    /// What it has in common with each earlier document that it met.
    pub pairs: Vec<TreePair>,
}

/// What a document has in common with an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreePair {
    /// The earlier one.
    pub other: usize,
    /// CS, seen from the later document and from the earlier; the same if all matches count.
    pub common: (f64, f64),
    /// Share of the later document's SCS that it has in common with the earlier.
    pub in_other: f64,
    /// Share of the earlier document's SCS that it has in common with the later.
    pub other_in: f64,
    /// How the method relates them, seen from the later; `None` if it does not.
    pub relation: Option<Kind>,
}

/// How a tree is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeFormat {
    /// Text, a line for every node.
    #[default]
    Text,
    /// The language of Graphviz.
    Dot,
    /// A picture.
    Svg,
}

impl TreeFormat {
    /// Returns the format that the ending of a file asks for.
    pub fn of_ending(path: &Path) -> Option<Self> {
        match path.extension()?.to_ascii_lowercase().to_str()? {
            "txt" => Some(Self::Text),
            "dot" | "gv" => Some(Self::Dot),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }
}

/// Returns the letter that stands for a document.
pub(crate) fn letter(document: usize) -> char {
    (b'A'..=b'Z').nth(document).map_or('?', char::from)
}

/// Reads the documents of a tree.
///
/// *Errors* if there are more than [`MOST_TREE_DOCUMENTS`], or a record that cannot be read.
pub fn tree_documents(paths: &[PathBuf], job: &Job) -> Result<Vec<Document>, Error> {
    let found = discover(paths)?;
    if let Some(bad) = found.skipped.into_iter().next() {
        return Err(retold::Error::Input(bad).into());
    }
    let mut reader = Reader::new(found.files, job.read_options());
    let mut documents = Vec::new();
    let mut bad = None;
    while documents.len() <= MOST_TREE_DOCUMENTS
        && let Some(batch) = reader.next_batch()
    {
        batch.parse(&mut |record| match record {
            Ok(record) => documents.push(record.document),
            Err(reason) => bad = bad.take().or(Some(reason)),
        });
    }
    match bad {
        Some(bad) => Err(retold::Error::Input(bad).into()),
        None if documents.is_empty() => Err(retold::Error::Empty("the files".to_owned()).into()),
        None if documents.len() > MOST_TREE_DOCUMENTS => Err(TreeError::Documents.into()),
        None => Ok(documents),
    }
}

/// A document as the method keeps it.
struct Imaged {
    bytes: Box<[u8]>,
    tree: SentenceTree,
    /// Where each of its words stands first.
    places: HashMap<u64, usize>,
}

/// A node while the tree grows.
struct Growing {
    parent: Option<usize>,
    node: CorpusNode,
    /// Document that made it, and where its word stands first in that.
    order: (usize, usize),
}

impl CorpusTree {
    /// Makes the tree of some documents that come one after the other; words weigh what they weigh
    /// among these documents.
    ///
    /// *Errors* if the job's method is not `codet`, or if there are too many documents or nodes.
    pub fn of(documents: &[Document], job: &Job) -> Result<Self, Error> {
        let detector = methods::make(job.method(), job.profile(), job.parameters(), job.seed())?;
        if detector.spec().name != "codet" {
            return Err(TreeError::Method(job.method().to_owned()).into());
        }
        if documents.len() > MOST_TREE_DOCUMENTS {
            return Err(TreeError::Documents.into());
        }
        let (images, spellings) = imaged(documents, job, &*detector);
        let mut growing: Vec<Growing> = Vec::new();
        let mut found: HashMap<(Option<usize>, u64), usize> = HashMap::new();
        for (document, image) in images.iter().enumerate() {
            let Some(image) = image else { continue };
            let mut path: Vec<usize> = Vec::new();
            for step in image.tree.steps() {
                path.truncate(step.depth as usize - 1);
                let parent = path.last().copied();
                let at = *found.entry((parent, step.word)).or_insert_with(|| {
                    let word = spellings.get(&step.word).cloned().unwrap_or_default();
                    let place = image.places.get(&step.word).copied().unwrap_or_default();
                    let (depth, idf) = (step.depth, step.weight);
                    let node = CorpusNode { parent, word, depth, idf, visitors: Vec::new() };
                    growing.push(Growing { parent, node, order: (document, place) });
                    growing.len() - 1
                });
                growing[at].node.visitors.push((document, step.visits));
                path.push(at);
            }
        }
        if growing.len() > MOST_TREE_NODES {
            return Err(TreeError::Nodes(growing.len()).into());
        }
        let nodes = in_order(&growing);
        let parameters = detector.parameters();
        let aggregate = serde_json::from_value(parameters["aggregate"].clone());
        let aggregate = aggregate.map_err(|_| Error::internal("codet has an aggregate"))?;
        let steps = (0..images.len())
            .map(|step| TreeStep::of(step, &nodes, &images, (&*detector, aggregate)))
            .collect();
        let listed = parameters.as_object().into_iter().flatten();
        let own = ["aggregate", "depth", "idf", "min_words", "order", "splitter", "suffixes"];
        let listed = listed.filter(|(name, _)| own.contains(&name.as_str()));
        let told = |value: &serde_json::Value| match value.as_u64() {
            Some(n) if n >= u64::from(u32::MAX) => "all".to_owned(),
            _ => value.to_string().replace('"', ""),
        };
        let listed: Vec<String> =
            listed.map(|(name, value)| format!("{name} = {}", told(value))).collect();
        let names = documents.iter().map(|document| document.id.clone()).collect();
        Ok(Self { names, nodes, steps, settings: listed.join(", ") })
    }

    /// Returns which letter stands for which document, and what came of it.
    fn heading(&self, step: usize) -> String {
        let TreeStep { n_nodes, n_new, revisited, self_similarity, .. } = &self.steps[step];
        let nodes = if *n_nodes == 1 { "node" } else { "nodes" };
        format!(
            "After {} ({}): {n_nodes} {nodes}, {n_new} new, {} visited again; SCS({}) = \
             {self_similarity:.6}",
            letter(step),
            self.names[step],
            revisited.len(),
            letter(step)
        )
    }

    /// Returns the lines about the documents that a document met.
    fn pair_lines(&self, step: usize) -> Vec<String> {
        let this = letter(step);
        let line = |pair: &TreePair| {
            let other = letter(pair.other);
            let (here, there) = pair.common;
            let common = if (here - there).abs() < 1e-9 {
                format!("CS({this}, {other}) = {here:.6}")
            } else {
                format!("CS({this}, {other}) = {here:.6}, CS({other}, {this}) = {there:.6}")
            };
            let relation = match pair.relation {
                Some(kind) => format!("{this} {} {other}", spoken(kind)),
                None => "not related".to_owned(),
            };
            let (in_other, other_in) = (pair.in_other, pair.other_in);
            format!(
                "{common}; {this} in {other} {in_other:.6}, {other} in {this} {other_in:.6}: {relation}"
            )
        };
        self.steps[step].pairs.iter().map(line).collect()
    }

    /// Returns the words of the nodes that a document visited again, in order.
    fn revisited_words(&self, step: usize) -> Vec<&str> {
        self.steps[step].revisited.iter().map(|&at| self.nodes[at].word.as_str()).collect()
    }

    /// Returns what is drawn of the tree after each of some steps.
    pub fn diagram(&self, steps: impl IntoIterator<Item = usize>) -> TreeDiagram {
        let title = format!("Corpus tree ({})", self.settings);
        TreeDiagram { title, panels: steps.into_iter().map(|step| self.panel(step)).collect() }
    }

    fn panel(&self, step: usize) -> TreePanel {
        let mut places = vec![None; self.nodes.len()];
        let mut nodes = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(mark) = node.mark(step) else { continue };
            places[at] = Some(nodes.len());
            let parent = node.parent.and_then(|parent| places[parent]);
            let weight = format!("{} × {:.2} = {:.2}", node.depth, node.idf, node.impact());
            let details = vec![visitors(node, step), weight];
            nodes.push(TreeNode { parent, label: node.word.clone(), details, mark });
        }
        TreePanel { title: self.heading(step), notes: self.pair_lines(step), nodes }
    }

    /// Writes the tree after each of some steps.
    pub fn written(&self, format: TreeFormat, steps: impl IntoIterator<Item = usize>) -> String {
        match format {
            TreeFormat::Text => text::write(self, steps),
            TreeFormat::Dot => self.diagram(steps).to_dot(),
            TreeFormat::Svg => self.diagram(steps).to_svg(),
        }
    }
}

fn spoken(kind: Kind) -> &'static str {
    match kind {
        Kind::Exact | Kind::NearDuplicate => "is a near-duplicate of",
        Kind::Contains => "contains",
        Kind::Contained => "is contained in",
        Kind::Partial => "shares a passage with",
    }
}

/// Returns the letters of the documents that passed through a node up to a step, with how many
/// sentences where there are several.
fn visitors(node: &CorpusNode, step: usize) -> String {
    let shown = node.visitors.iter().filter(|&&(document, _)| document <= step);
    let shown: Vec<String> = shown
        .map(|&(document, n)| match n {
            1 => letter(document).to_string(),
            n => format!("{}×{n}", letter(document)),
        })
        .collect();
    shown.join(" ")
}

/// Makes the images of documents as a run does, statistics first; and how words are spelled.
fn imaged(
    documents: &[Document],
    job: &Job,
    detector: &dyn Detector,
) -> (Vec<Option<Imaged>>, BTreeMap<u64, String>) {
    let featurizer = Featurizer::new(job.text().clone(), job.seed());
    let mut words = Words::default();
    let mut counts = Counts::default();
    let mut spellings = BTreeMap::new();
    let spelled = |reading: &Reading<'_>, spellings: &mut BTreeMap<u64, String>| {
        for (at, &word) in reading.words.hashes.iter().enumerate() {
            spellings.entry(word).or_insert_with(|| reading.word(at));
        }
    };
    for document in documents {
        let mut features = Vec::new();
        featurizer.read(document, detector.places(), None, &mut words, |reading, _| {
            detector.count(reading, &mut |feature| features.push(feature));
            spelled(reading, &mut spellings);
        });
        counts.add(features);
    }
    let mut image = |document: &Document| {
        featurizer.read(document, detector.places(), Some(&counts), &mut words, |reading, _| {
            let bytes = detector.image(reading)?;
            let tree = from_bytes(&bytes).expect("an image of codet is a tree of sentences");
            let mut places = HashMap::new();
            for (at, &word) in reading.words.hashes.iter().enumerate() {
                places.entry(word).or_insert(at);
            }
            Some(Imaged { bytes, tree, places })
        })
    };
    (documents.iter().map(&mut image).collect(), spellings)
}

/// Puts nodes in order: parents first, siblings by the document that made them and by where their
/// words stand in it.
fn in_order(growing: &[Growing]) -> Vec<CorpusNode> {
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (at, node) in growing.iter().enumerate() {
        children.entry(node.parent).or_default().push(at);
    }
    let sorted = |parent: Option<usize>| {
        let mut of: Vec<usize> = children.get(&parent).cloned().unwrap_or_default();
        of.sort_by_key(|&at| (growing[at].order, at));
        of
    };
    let mut nodes: Vec<CorpusNode> = Vec::with_capacity(growing.len());
    let mut open: Vec<(usize, Option<usize>)> =
        sorted(None).into_iter().rev().map(|at| (at, None)).collect();
    while let Some((at, parent)) = open.pop() {
        let place = nodes.len();
        nodes.push(CorpusNode { parent, ..growing[at].node.clone() });
        open.extend(sorted(Some(at)).into_iter().rev().map(|child| (child, Some(place))));
    }
    nodes
}

impl TreeStep {
    fn of(
        step: usize,
        nodes: &[CorpusNode],
        images: &[Option<Imaged>],
        (detector, aggregate): (&dyn Detector, Aggregate),
    ) -> Self {
        let marked = |wanted: NodeMark| {
            let of = move |node: &CorpusNode| node.mark(step) == Some(wanted);
            nodes.iter().enumerate().filter(move |(_, node)| of(node)).map(|(at, _)| at)
        };
        let mut this = Self {
            self_similarity: 0.0,
            n_nodes: nodes.iter().filter(|node| node.mark(step).is_some()).count(),
            n_new: marked(NodeMark::New).count(),
            revisited: marked(NodeMark::Revisited).collect(),
            pairs: Vec::new(),
        };
        let Some(image) = &images[step] else { return this };
        this.self_similarity = image.tree.self_similarity(aggregate);
        for (other, earlier) in images[..step].iter().enumerate() {
            let Some(earlier) = earlier else { continue };
            let mut have_met = false;
            image.tree.each_common(&earlier.tree, |_, _| have_met = true);
            if !have_met {
                continue;
            }
            let common = image.tree.common(&earlier.tree, aggregate);
            // Where every word weighs nothing, equal sets of sentences share everything.
            let equal = f64::from(u8::from(image.tree.sentences() == earlier.tree.sentences()));
            let ratio = |common: f64, of: &SentenceTree| match of.self_similarity(aggregate) {
                own if own > 0.0 => (common / own).min(1.0),
                _ => equal,
            };
            let relation = detector.judge(&image.bytes, &earlier.bytes).map(|found| found.kind);
            this.pairs.push(TreePair {
                other,
                common,
                in_other: ratio(common.0, &image.tree),
                other_in: ratio(common.1, &earlier.tree),
                relation,
            });
        }
        this
    }
}
