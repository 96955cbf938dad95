//! The main content of a page: navigation, link lists and other boilerplate left out.
//!
//! # What it finds
//! The blocks of a page that are written to be read: articles, comments, their headlines.
//! # How it works
//! A decision tree over three numbers of each block and its neighbours: words, and the share of
//! it that is link text. Long blocks with few links are content; short ones are content among
//! others of their kind. Blocks in `nav`, `aside`, `footer`, `select` and the like are
//! boilerplate; a headline is content when the next block that is no headline is. Between the first
//! and the last block that is content so far, every block with few links is: items of lists, cells of
//! tables, lines of code.
//! # Parameters
//! The thresholds of the paper, learnt there on 621 news pages.
//! # Cost
//! One pass over the text of the page.
//! # Where we differ from the paper
//! The share of link text is counted in bytes; text written without spaces counts two characters
//! as a word; elements tell (the paper is older than `nav`); short blocks inside the text are content,
//! as other extractors have them (`bench/formats/main-content`); a page with no content by these
//! rules keeps all its text.
//! # Reference
//! Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010,
//! algorithm 2 (number of words and link density).

use std::borrow::Cow;

use super::alignment::{Alignment, Builder};
use super::html::{Block, Blocks, Page, visible};

/// Returns the main content of a page, or its visible text if none of it looks like content.
pub(super) fn main_content(source: &str) -> (Cow<'_, str>, Alignment) {
    let page = Page::read(source, Blocks::Keep);
    let is_content = classify(&page.text, &page.blocks);
    if !is_content.contains(&true) {
        return visible(source);
    }
    let mut text = String::new();
    let mut selection = Builder::default();
    let mut end = 0;
    for (block, _) in page.blocks.iter().zip(is_content).filter(|(_, keep)| *keep) {
        if !text.is_empty() {
            text.push_str("\n\n");
            selection.replaced(2, end..block.range.start);
        }
        text.push_str(&page.text[block.range.clone()]);
        selection.in_step(block.range.len(), block.range.start);
        end = block.range.end;
    }
    (Cow::Owned(text), selection.finish().through(page.alignment.finish()))
}

/// Largest share of link text in content.
const MOST_LINKS: f64 = 0.333_333;

/// What the tree looks at.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    n_words: usize,
    link_density: f64,
}

impl Shape {
    fn of(text: &str, block: &Block) -> Self {
        let text = &text[block.range.clone()];
        let link_density = block.link_bytes as f64 / text.len().max(1) as f64;
        Self { n_words: count_words(text), link_density }
    }
}

/// Returns for each block whether it is content.
fn classify(text: &str, blocks: &[Block]) -> Vec<bool> {
    let shapes: Vec<_> = blocks.iter().map(|block| Shape::of(text, block)).collect();
    let at = |index: Option<usize>| index.and_then(|i| shapes.get(i)).copied().unwrap_or_default();
    let by_tree = |i: usize| is_content(at(i.checked_sub(1)), shapes[i], at(i.checked_add(1)));
    let mut kept: Vec<_> = (0..blocks.len()).map(|i| !blocks[i].is_around && by_tree(i)).collect();
    // Backwards, so that a headline above a headline follows it.
    for i in (0..kept.len().saturating_sub(1)).rev() {
        let is_headline = blocks[i].is_heading && !blocks[i].is_around;
        kept[i] |= is_headline && kept[i + 1];
    }
    // Items of lists, cells and lines of code are short, yet stand inside the text.
    let first = kept.iter().position(|kept| *kept);
    let last = kept.iter().rposition(|kept| *kept);
    if let (Some(first), Some(last)) = (first, last) {
        for i in first..=last {
            let is_text = shapes[i].n_words > 0 && shapes[i].link_density <= MOST_LINKS;
            kept[i] |= !blocks[i].is_around && is_text;
        }
    }
    kept
}

/// The tree of the paper, with its thresholds.
fn is_content(previous: Shape, current: Shape, next: Shape) -> bool {
    if current.n_words == 0 || current.link_density > MOST_LINKS {
        false
    } else if previous.link_density <= 0.555_556 {
        current.n_words > 16 || next.n_words > 15 || previous.n_words > 4
    } else {
        current.n_words > 40 || next.n_words > 17
    }
}

fn count_words(text: &str) -> usize {
    let spaced = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    let n_unspaced = text.chars().filter(|&c| is_unspaced(c)).count();
    spaced.count() + n_unspaced / 2
}

/// Returns whether `c` belongs to a script that puts no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Span;

    const LONG: &str = "The ferry to the island was late again on Monday because the harbour \
        was closed by fog, and the two hundred people who had waited since the early morning were \
        given tea and bread by the crew while the captain looked for a way around the bank.";

    fn page() -> String {
        format!(
            "<title>News</title><ul><li><a href=/>Home</a><li><a href=/s>Sports and games</a>\
             </ul><nav>Read on in the archive of the paper, where everything that was printed in \
             the last forty years can be found by day and by name of the author</nav>\
             <h1>Ferry late</h1><p>{LONG}</p><p>Nobody was hurt.</p><p>{LONG}</p>\
             <div><a href=/1>More on ferries</a> | <a href=/2>More on fog</a></div>\
             <footer>All rights reserved</footer>"
        )
    }

    #[test]
    fn the_article_stays_and_its_surroundings_go() {
        let source = page();
        let (text, alignment) = main_content(&source);
        assert_eq!(text, format!("Ferry late\n\n{LONG}\n\nNobody was hurt.\n\n{LONG}"));
        let at = text.find("Nobody").expect("it is content") as u32;
        let found = alignment.original(Span::new(at, at + 6));
        assert_eq!(found.of(&source), Some("Nobody"));
    }

    #[test]
    fn a_page_of_nothing_but_boilerplate_keeps_its_text() {
        let (text, _) = main_content("<nav><a href=/>Home</a></nav><p><a href=/>Up</a></p>");
        assert_eq!(text, "Home\n\nUp");
        assert_eq!(main_content("").0, "");
        assert_eq!(main_content("<script>x</script>").0, "");
        assert_eq!(main_content("just words").0, "just words");
    }

    #[test]
    fn words_are_counted_in_scripts_without_spaces() {
        assert_eq!(count_words("one, two — three"), 3);
        assert!(count_words("渡し船は霧のためにまた遅れた。乗客は朝から待っていた。") > 8);
    }
}
