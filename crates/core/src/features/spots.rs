//! Spots: places in running text, each named by a stop word and the content words after it.
//!
//! Stop words are frequent in sentences and rare in menus, lists and advertisements, so spots
//! tell what an article says whatever a page has put around it.
//!
//! Theobald, Siddharth, Paepcke: `SpotSigs`, SIGIR 2008, section 3.

use crate::hash;

/// What a word is to the extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A stop word that a spot starts at.
    Antecedent,
    /// A stop word that is passed over.
    Stop,
    /// A word that spots are made of.
    Content,
}

/// How spots are made: `a(d, c)` in the paper's notation, the same for all antecedents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spots {
    /// Step from the antecedent to the first content word and from each to the next, counted in
    /// content words; 1 takes those that follow.
    pub distance: usize,
    /// Content words in a spot.
    pub chain: usize,
}

impl Spots {
    /// Calls `each` with the hash of every spot, in order. An antecedent too near to the end to
    /// have a whole chain makes none.
    pub fn each(self, words: &[u64], roles: &[Role], mut each: impl FnMut(u64)) {
        debug_assert!(words.len() == roles.len(), "every word has a role");
        let content: Vec<u64> = words
            .iter()
            .zip(roles)
            .filter(|(_, role)| **role == Role::Content)
            .map(|(&word, _)| word)
            .collect();
        let mut n_passed = 0;
        for (&word, role) in words.iter().zip(roles) {
            match role {
                Role::Content => n_passed += 1,
                Role::Stop => {}
                Role::Antecedent => {
                    let place = |link: usize| {
                        let steps = (link + 1).checked_mul(self.distance)?;
                        content.get(n_passed + steps - 1)
                    };
                    if self.chain == 0 || place(self.chain - 1).is_none() {
                        continue;
                    }
                    let links = (0..self.chain).filter_map(place);
                    each(links.fold(hash::mix(word), |spot, &link| {
                        hash::mix(spot.rotate_left(17) ^ link)
                    }));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spots by name, such as `a:rally:kick`, of a text in which some words are stop words.
    fn names(text: &str, stop: &[&str], antecedents: &[&str], spots: Spots) -> Vec<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let role = |word: &&str| {
            if antecedents.contains(word) {
                Role::Antecedent
            } else if stop.contains(word) {
                Role::Stop
            } else {
                Role::Content
            }
        };
        let roles: Vec<Role> = words.iter().map(role).collect();
        let hashes: Vec<u64> = words.iter().map(|word| hash::word(word.as_bytes(), 0)).collect();
        let mut found = Vec::new();
        spots.each(&hashes, &roles, |spot| found.push(spot));
        // The name of a spot is the chain whose hash it is.
        let content: Vec<&str> = words
            .iter()
            .zip(&roles)
            .filter(|(_, role)| **role == Role::Content)
            .map(|(word, _)| *word)
            .collect();
        let mut named = Vec::new();
        for spot in found {
            for antecedent in antecedents {
                for chain in content.windows((spots.chain - 1) * spots.distance + 1) {
                    let links: Vec<&str> = chain.iter().copied().step_by(spots.distance).collect();
                    let hash_of = |word: &str| hash::word(word.as_bytes(), 0);
                    let hash = links.iter().fold(hash::mix(hash_of(antecedent)), |spot, link| {
                        hash::mix(spot.rotate_left(17) ^ hash_of(link))
                    });
                    if hash == spot {
                        named.push(format!("{antecedent}:{}", links.join(":")));
                    }
                }
            }
        }
        named
    }

    const STOP: [&str; 6] = ["at", "to", "off", "for", "that", "by"];

    #[test]
    fn a_spot_is_a_stop_word_and_the_content_words_after_it() {
        let text = "at a rally to kick off a weeklong campaign for the island that is closed \
                    by storms";
        let spots = Spots { distance: 1, chain: 2 };
        assert_eq!(
            names(text, &STOP, &["a", "the", "is"], spots),
            ["a:rally:kick", "a:weeklong:campaign", "the:island:closed", "is:closed:storms"]
        );
        let spots = Spots { distance: 1, chain: 1 };
        assert_eq!(names(text, &STOP, &["that"], spots), ["that:is"]);
    }

    #[test]
    fn distance_steps_over_content_words() {
        let spots = Spots { distance: 2, chain: 2 };
        assert_eq!(names("the one two by three four", &STOP, &["the"], spots), ["the:two:four"]);
    }

    #[test]
    fn an_antecedent_near_the_end_makes_no_spot() {
        let spots = Spots { distance: 1, chain: 2 };
        assert_eq!(names("the last", &STOP, &["the"], spots), [""; 0]);
        assert_eq!(names("", &STOP, &["the"], spots), [""; 0]);
        let far = Spots { distance: usize::MAX, chain: 3 };
        far.each(&[1, 2], &[Role::Antecedent, Role::Content], |_| panic!("there is no such word"));
    }
}
