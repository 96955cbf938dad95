//! What a cluster has in common: the words that stand in every member.

use std::collections::HashSet;
use std::sync::Arc;

use retold_core::document::Ordinal;
use retold_core::features::shingles::Shingles;
use retold_core::verify::Profile;

use super::library::Library;

/// Members that are read for it; a larger cluster is described by these.
const MOST_MEMBERS: usize = 50;
/// Bytes of text quoted.
const MOST_BYTES: usize = 300;

/// The text all members of a cluster share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    /// Words of the representative that lie in runs of words which every member has.
    pub(crate) n_words: u32,
    /// The longest of these stretches as it stands in the representative, cut if it is long.
    pub(crate) text: String,
}

/// Returns what the members of a cluster share; `None` if a member cannot be read again, or
/// nothing is shared.
pub(crate) fn shared(
    library: &Library<'_>,
    members: &[Ordinal],
    representative: Ordinal,
    shingles: Shingles,
) -> Option<Shared> {
    let of_kept = library.profile(representative).ok()?;
    let runs = |profile: &Arc<Profile>| shingles.of(&profile.words.hashes);
    let of_representative = runs(&of_kept);
    let mut common: HashSet<u64> = of_representative.iter().copied().collect();
    let others = members.iter().filter(|&&doc| doc != representative).take(MOST_MEMBERS - 1);
    for &doc in others {
        let theirs: HashSet<u64> = runs(&library.profile(doc).ok()?).into_iter().collect();
        common.retain(|run| theirs.contains(run));
    }
    let k = shingles.k();
    // Stretches of words covered by common runs; runs that overlap or touch make one.
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    for (at, run) in of_representative.iter().enumerate() {
        if !common.contains(run) {
            continue;
        }
        match stretches.last_mut() {
            Some(last) if last.1 >= at => last.1 = at + k,
            _ => stretches.push((at, at + k)),
        }
    }
    let n_words = stretches.iter().map(|(start, end)| end - start).sum::<usize>() as u32;
    let longest =
        stretches.into_iter().max_by_key(|&(start, end)| (end - start, usize::MAX - start));
    let (start, end) = longest?;
    let span = of_kept.span(start as u32, end as u32);
    let document = library.document(representative).ok()?;
    let text = document.text.get(span.start as usize..span.end as usize)?;
    Some(Shared { n_words, text: quoted(text) })
}

/// Returns a text on one line, cut at a word if it is long.
fn quoted(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() + word.len() > MOST_BYTES {
            if line.is_empty() {
                line.extend(word.chars().take(MOST_BYTES / 4));
            }
            line.push('…');
            return line;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_one_line_and_ends_at_a_word() {
        assert_eq!(quoted(" a\n\n b\tc "), "a b c");
        let long = quoted(&"word ".repeat(100));
        assert!(long.len() <= MOST_BYTES + 3 && long.ends_with("word…"), "{long}");
        assert_eq!(quoted(&"x".repeat(1000)).chars().count(), MOST_BYTES / 4 + 1);
    }
}
