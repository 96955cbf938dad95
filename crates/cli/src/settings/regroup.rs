//! Resolves `retold regroup`.

use std::path::PathBuf;

use retold::Resources;

use super::{Talk, resources_of, talk};
use crate::args::Regroup;

/// A result to be grouped again, resolved.
pub(crate) struct Regrouping {
    /// The folder of the result.
    pub(crate) found: PathBuf,
    /// Where to write.
    pub(crate) output: Option<PathBuf>,
    /// Whether an earlier result may be replaced.
    pub(crate) overwrite: bool,
    /// What to do it with.
    pub(crate) resources: Resources,
    /// How to talk.
    pub(crate) talk: Talk,
    /// Sets what was given.
    pub(crate) change: Box<dyn FnOnce(retold::Regroup) -> retold::Regroup>,
}

/// Sets what was given: `given!(regroup, cover(cover))`.
macro_rules! given {
    ($regroup:ident $(, $set:ident($value:expr))+) => {
        $(if let Some(value) = $value {
            $regroup = $regroup.$set(value);
        })+
    };
}

/// Resolves `retold regroup`.
pub(crate) fn regroup(args: Regroup) -> Regrouping {
    let Regroup {
        found,
        output,
        overwrite,
        format,
        containment,
        passage_words,
        shared,
        distinctive,
        keep,
        clusters,
        join,
        dedup,
        cover,
        remove_contained,
        resources,
        manner,
    } = args;
    let change = move |mut regroup: retold::Regroup| {
        given!(
            regroup,
            format(format),
            containment(containment),
            passage_words(passage_words),
            shared(shared),
            distinctive(distinctive),
            keep(keep),
            clusters(clusters),
            join(join),
            cover(cover),
            remove_contained(remove_contained.then_some(true))
        );
        regroup.deciding(dedup)
    };
    Regrouping {
        found,
        output,
        overwrite,
        resources: resources_of(resources),
        talk: talk(manner),
        change: Box::new(change),
    }
}
