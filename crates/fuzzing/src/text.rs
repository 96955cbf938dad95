//! Words and sentences of any text.

use std::borrow::Cow;

use retold_core::clean::{Clean, Html, Text};
use retold_core::document::{Document, Markup};
use retold_core::features::{Featurizer, TextSettings, Words};
use retold_core::segment::complex::{break_words, is_cjk, is_complex};
use retold_core::segment::paragraph::{lines, paragraphs};
use retold_core::segment::sentence::{Delimiters, sentences};

/// Cleans and cuts a text in every way; what is found lies in it, in order.
pub(crate) fn words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for markup in [Markup::Plain, Markup::Html] {
        let document = Document { text: text.clone().into_owned(), markup, ..Document::default() };
        for html in [Html::Text, Html::Main, Html::Keep] {
            let clean = Clean { html, ..Clean::default() };
            let settings = TextSettings { clean, ..TextSettings::default() };
            let mut words = Words::default();
            Featurizer::new(settings, 1).words(&document, &mut words);
            assert_eq!(words.hashes.len(), words.spans.len());
            for span in &words.spans {
                assert!(span.of(&text).is_some(), "a word lies in the text");
            }
            let firsts = words.spans.windows(2);
            firsts.for_each(|pair| assert!(pair[0].start <= pair[1].start, "words ascend"));
            cut(Text::of(&document, clean).as_str());
        }
    }
}

fn cut(text: &str) {
    for delimiters in Delimiters::ALL {
        let mut end = 0;
        let language = || Cow::Borrowed("en");
        sentences(
            text,
            delimiters,
            language,
            |_| true,
            |range| {
                assert!(
                    range.start >= end && text.get(range.clone()).is_some(),
                    "sentences ascend"
                );
                end = range.end;
            },
        );
    }
    for range in paragraphs(text).chain(lines(text)) {
        assert!(text.get(range).is_some(), "a paragraph lies in the text");
    }
    for run in text.split(|c| !is_complex(c) && !is_cjk(c)).filter(|run| !run.is_empty()) {
        let mut end = 0;
        break_words(run, &mut |range| {
            assert_eq!(range.start, end, "the words make the run");
            end = range.end;
        });
        assert_eq!(end, run.len(), "the words make the run");
    }
}
