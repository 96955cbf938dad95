//! Which document is kept rather: the order behind `--keep`.

use std::cmp::{Ordering, Reverse};

use retold_core::document::Ordinal;
use retold_report::{counted, grouped};

use super::collection::Collection;
use crate::error::Error;
use crate::keep::Keep;

impl Collection {
    /// Ranks all documents by a policy: `preference[ordinal]`, smaller is better, no ties.
    ///
    /// Values of records are held while they are sorted if they take no more than `most_bytes`;
    /// else they are read as often as they are compared.
    pub(crate) fn preference(&self, keep: &Keep, most_bytes: usize) -> Result<Vec<u32>, Error> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        // What is sorted last decides first, since equal documents stay in their order.
        for step in keep.steps().iter().rev() {
            self.sort(&mut order, most_bytes, keep, step)?;
        }
        let mut preference = vec![0; self.len()];
        for (rank, doc) in order.into_iter().enumerate() {
            preference[doc as usize] = rank as u32;
        }
        Ok(preference)
    }

    /// Says which policies of `keep` cannot tell documents apart, because no document has what they look
    /// at, and how many times nobody can read.
    pub(crate) fn unranked(&self, keep: &Keep) -> Result<Vec<String>, Error> {
        let mut notes = Vec::new();
        for step in keep.steps() {
            let (what, hint) = match step {
                Keep::Field(name) | Keep::FieldDescending(name) => {
                    (format!("the field `{name}`"), "fields are named as in the records")
                }
                Keep::Score(name) => (
                    format!("a number in the field `{name}`"),
                    "fields are named as in the records",
                ),
                Keep::Oldest | Keep::Newest => {
                    ("a time".to_owned(), "--time-field names the field that holds it")
                }
                Keep::Source(_) => (
                    "one of the sources listed".to_owned(),
                    "--source-field names the field that holds it",
                ),
                Keep::Longest | Keep::First | Keep::Then(_) => continue,
            };
            let is_time = matches!(step, Keep::Oldest | Keep::Newest);
            let (mut n_with, mut n_odd) = (0_u64, 0_u64);
            for doc in self.documents() {
                let ranks = self.ranks(doc)?;
                let has_time = is_time && ranks.time.is_some();
                match (ranks.by(keep, step), step) {
                    (Some(value), Keep::Source(list)) => {
                        n_with += u64::from(list.iter().any(|source| **source == *value));
                    }
                    (Some(_), _) => n_with += 1,
                    (None, _) => n_odd += u64::from(has_time),
                }
            }
            if n_with == 0 && self.len() > 0 {
                let step = String::from(step.clone());
                notes.push(format!(
                    "no document has {what}: `{step}` of --keep decides nothing, and what comes next \
                     does, at last the order of reading; {hint}"
                ));
            }
            if n_odd > 0 {
                notes.push(format!(
                    "{} of {} cannot be read, and their documents come last: write them as 2026-03-05T10:00:00Z",
                    grouped(n_odd),
                    counted(n_with + n_odd, "time")
                ));
            }
        }
        Ok(notes)
    }

    /// Sorts documents by one of the policies of `keep`; equal ones stay in their order.
    fn sort(
        &self,
        order: &mut [u32],
        most_bytes: usize,
        keep: &Keep,
        step: &Keep,
    ) -> Result<(), Error> {
        let both = (keep, step);
        match step {
            Keep::First => order.sort_unstable(),
            Keep::Longest => order.sort_by_key(|&doc| Reverse(self.n_words(Ordinal(doc)))),
            Keep::Oldest | Keep::Field(_) => self.by_rank(order, most_bytes, both, false)?,
            Keep::Newest | Keep::FieldDescending(_) | Keep::Score(_) => {
                self.by_rank(order, most_bytes, both, true)?;
            }
            Keep::Source(list) => {
                let mut places = Vec::with_capacity(order.len());
                for doc in self.documents() {
                    let source = self.rank(doc, keep, step)?;
                    let place = list.iter().position(|known| Some(&**known) == source.as_deref());
                    places.push(place.unwrap_or(list.len()) as u32);
                }
                order.sort_by_key(|&doc| places[doc as usize]);
            }
            // Policies are not nested where they are read.
            Keep::Then(steps) => {
                for step in steps.iter().rev() {
                    self.sort(order, most_bytes, keep, step)?;
                }
            }
        }
        Ok(())
    }

    fn by_rank(
        &self,
        order: &mut [u32],
        most_bytes: usize,
        (keep, step): (&Keep, &Keep),
        is_descending: bool,
    ) -> Result<(), Error> {
        let mut held = Ranks::default();
        let mut fits = true;
        for doc in self.documents() {
            let rank = self.rank(doc, keep, step)?;
            fits = fits && held.texts.len() + held.ends.len() * 8 < most_bytes.min(1 << 31);
            if fits {
                held.push(rank.as_deref());
            }
        }
        let compare = |x: Option<&str>, y: Option<&str>| by_rank(x, y, is_descending);
        if fits {
            order.sort_by(|&x, &y| compare(held.get(x), held.get(y)));
        } else {
            drop(held);
            // Each was read a moment ago.
            let read = |doc: &u32| self.rank(Ordinal(*doc), keep, step).unwrap_or_default();
            order.sort_by(|x, y| compare(read(x).as_deref(), read(y).as_deref()));
        }
        Ok(())
    }
}

/// Values by document, one behind the other.
#[derive(Default)]
struct Ranks {
    texts: String,
    /// Where each ends, and whether it is there at all.
    ends: Vec<(u32, bool)>,
}

impl Ranks {
    fn push(&mut self, rank: Option<&str>) {
        self.texts.push_str(rank.unwrap_or_default());
        self.ends.push((self.texts.len() as u32, rank.is_some()));
    }

    fn get(&self, doc: u32) -> Option<&str> {
        let (end, is_there) = self.ends[doc as usize];
        let start = doc.checked_sub(1).map_or(0, |before| self.ends[before as usize].0);
        is_there.then(|| &self.texts[start as usize..end as usize])
    }
}

/// Compares two ranks, missing ones last; numbers as numbers and before texts.
fn by_rank(x: Option<&str>, y: Option<&str>, is_descending: bool) -> Ordering {
    let (Some(x), Some(y)) = (x, y) else { return y.is_some().cmp(&x.is_some()) };
    let number = |text: &str| text.parse::<f64>().ok();
    let order = match (number(x), number(y)) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => x.cmp(y),
    };
    if is_descending { order.reverse() } else { order }
}

#[cfg(test)]
mod tests {
    use super::super::collection::tests::{empty, entry};
    use super::*;

    #[test]
    fn ranks_are_the_same_whether_they_are_held_or_read() {
        let mut collection = empty();
        for (n, rank) in [Some("10"), None, Some("9"), Some("10"), Some("2.5")].iter().enumerate() {
            collection.add(&entry("x", *rank, n as u32), Some(n as u128)).expect("there is room");
        }
        let keep = Keep::Field("f".to_owned());
        for most_bytes in [0, 1 << 20] {
            let preference = collection.preference(&keep, most_bytes).expect("it is there");
            assert_eq!(preference, [2, 4, 1, 3, 0]);
        }
        let then: Keep = "score:f then longest".parse().expect("a policy");
        let mut scored = empty();
        for (n, rank) in [Some("3"), Some("x"), Some("5"), Some("3"), None].iter().enumerate() {
            scored.add(&entry("x", *rank, n as u32), Some(n as u128)).expect("there is room");
        }
        let preference = scored.preference(&then, 0).expect("it is there");
        assert_eq!(preference, [2, 4, 0, 1, 3], "the longest of equal scores, no score last");
        let mut times = empty();
        let texts =
            ["2026-01-05", "2025", "Thu, 01 Jan 2026 23:00:00 -0500", "soon", "2026-01-02T03:00Z"];
        for (n, time) in texts.iter().enumerate() {
            times.add(&entry("x", Some(time), 1), Some(n as u128)).expect("there is room");
        }
        let newest = times.preference(&Keep::Newest, 1 << 20).expect("it is there");
        assert_eq!(
            newest,
            [0, 3, 1, 4, 2],
            "times are compared as moments, and what is none comes last"
        );
        let oldest = times.preference(&Keep::Oldest, 0).expect("it is there");
        assert_eq!(oldest, [3, 0, 2, 4, 1]);
        let notes = times.unranked(&Keep::Newest).expect("it is there");
        assert!(notes[0].starts_with("1 of 5 times cannot be read"), "{notes:?}");
        let none: Keep = "score:f then oldest".parse().expect("a policy");
        let mut plain = empty();
        plain.add(&entry("x", None, 1), Some(1)).expect("there is room");
        let notes = plain.unranked(&none).expect("it is there");
        assert!(notes[0].starts_with("no document has a number in the field `f`: `score:f`"));
        assert!(notes[1].starts_with("no document has a time: `oldest`") && notes.len() == 2);
        assert!(collection.unranked(&Keep::Field("f".to_owned())).expect("it is there").is_empty());
        let longest = collection.preference(&Keep::Longest, 0).expect("it is there");
        assert_eq!(longest, [4, 3, 2, 1, 0]);
    }
}
