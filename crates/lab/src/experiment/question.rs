//! Questions put together from parts of documents, and which documents answer them.

use std::collections::{HashMap, HashSet};

use retold::Document;
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, TextSettings, Words};

/// A question and what should be found for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Question {
    /// Its text.
    pub(super) document: Document,
    /// Documents that should be found: those it was put together from.
    pub(super) relevant: Vec<u32>,
    /// Documents that hold a passage of it as well, because collections have copies of their own.
    /// To find them is neither right nor wrong.
    pub(super) excused: HashSet<u32>,
}

impl Question {
    /// Makes a question of a text and the documents it was put together from.
    pub(super) fn new(document: Document, relevant: Vec<u32>) -> Self {
        Self { document, relevant, excused: HashSet::new() }
    }

    /// Takes the excused documents out of an answer.
    pub(super) fn judged(&self, ranking: &[u32]) -> Vec<u32> {
        ranking.iter().copied().filter(|document| !self.excused.contains(document)).collect()
    }
}

/// Excuses the documents that hold `n_words` words in a row of a question but are none of its
/// sources. Words are compared in lower case, all runs of all documents.
pub(super) fn excuse_copies(questions: &mut [Question], documents: &[Document], n_words: usize) {
    if n_words == 0 || questions.is_empty() {
        return;
    }
    let featurizer = Featurizer::new(TextSettings::default(), 0);
    let passages = Shingles::new(n_words);
    let mut words = Words::default();
    let mut asked: HashMap<u64, Vec<usize>> = HashMap::new();
    for (number, question) in questions.iter().enumerate() {
        featurizer.words(&question.document, &mut words);
        for passage in passages.of(&words.hashes) {
            let among = asked.entry(passage).or_default();
            if among.last() != Some(&number) {
                among.push(number);
            }
        }
    }
    for (document, held) in documents.iter().zip(0..) {
        featurizer.words(document, &mut words);
        for passage in passages.of(&words.hashes) {
            for &number in asked.get(&passage).into_iter().flatten() {
                questions[number].excused.insert(held);
            }
        }
    }
    for Question { relevant, excused, .. } in questions {
        excused.retain(|document| !relevant.contains(document));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_with_a_passage_of_the_question_is_neither_right_nor_wrong() {
        let texts = ["one two three four five", "Two, three, four!", "two three five", "six"];
        let documents = texts.map(|text| Document::plain("d", text));
        let question = Document::plain("q", "one two three four seven");
        let mut questions = [Question::new(question, vec![0])];
        excuse_copies(&mut questions, &documents, 0);
        assert!(questions[0].excused.is_empty());
        excuse_copies(&mut questions, &documents, 3);
        assert_eq!(questions[0].excused, HashSet::from([1]));
        assert_eq!(questions[0].judged(&[1, 0, 2]), [0, 2]);
    }
}
