//! A search engine that ranks documents by the words they share with a question.

use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value as _,
};
use tantivy::{Index, IndexReader, TantivyDocument, Term};

use crate::Result;
use crate::documents::{Corpus, Question};
use crate::spent::{Spent, Times};

/// Memory of the one thread that writes.
const MEMORY: usize = 200_000_000;

/// A tantivy index of words with their frequencies; texts are not stored.
pub struct Engine {
    index: Index,
    reader: IndexReader,
    id: Field,
    text: Field,
}

impl Engine {
    /// Builds the index on one thread and merges it to one segment.
    pub fn build(corpus: &Corpus, folder: &Path) -> Result<(Self, Spent)> {
        let mut schema = Schema::builder();
        let id = schema.add_text_field("id", STRING | STORED);
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("default")
            .set_index_option(IndexRecordOption::WithFreqs);
        let text =
            schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut spent = Spent::default();
        spent.on(|| {
            let mut writer = index.writer_with_num_threads(1, MEMORY)?;
            for document in &corpus.documents {
                let mut stored = TantivyDocument::default();
                stored.add_text(id, &document.id);
                stored.add_text(text, &document.text);
                writer.add_document(stored)?;
            }
            writer.commit()?;
            let segments = index.searchable_segment_ids()?;
            if segments.len() > 1 {
                writer.merge(&segments).wait()?;
            }
            writer.wait_merging_threads()?;
            Ok(())
        })?;
        let reader = index.reader()?;
        Ok((Self { index, reader, id, text }, spent))
    }

    /// Asks all questions for any of their words, after some of them to warm up.
    pub fn ask(&self, questions: &[Question], top: usize) -> Result<Times> {
        let searcher = self.reader.searcher();
        let mut times = Times::default();
        for asked in [&questions[..questions.len() / 10], questions] {
            times = Times::default();
            for question in asked {
                let mut spent = Spent::default();
                let ids = spent.on(|| {
                    let query = self.any_of(&question.document.text)?;
                    let best =
                        searcher.search(&query, &TopDocs::with_limit(top).order_by_score())?;
                    best.into_iter()
                        .map(|(_, address)| {
                            let stored: TantivyDocument = searcher.doc(address)?;
                            let id = stored.get_first(self.id).and_then(|id| id.as_str());
                            Ok(id.unwrap_or_default().to_owned())
                        })
                        .collect::<Result<Vec<String>>>()
                })?;
                times.add(spent, true, ids.contains(&question.from));
            }
        }
        Ok(times)
    }

    /// Makes a query for documents that have any of the words of a text.
    fn any_of(&self, text: &str) -> Result<BooleanQuery> {
        let mut tokenizer = self.index.tokenizer_for_field(self.text)?;
        let mut tokens = tokenizer.token_stream(text);
        let mut words = Vec::new();
        tokens.process(&mut |token| words.push(token.text.clone()));
        words.sort_unstable();
        words.dedup();
        let each = |word: &String| {
            let term = Term::from_field_text(self.text, word);
            let query: Box<dyn Query> =
                Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
            (Occur::Should, query)
        };
        Ok(BooleanQuery::new(words.iter().map(each).collect()))
    }
}
