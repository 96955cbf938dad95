//! How documents become words in profile `paper`, where methods share it. Profile `retold` has the
//! same settings for all of them.

use super::Profile;
use crate::features::stem::Stem;
use crate::features::{StopList, TextSettings};

/// Returns the settings of the methods compared in the CoDet paper: without stop words, and words
/// cut to their first five letters.
pub(super) fn as_in_codet(profile: Profile) -> TextSettings {
    TextSettings { stem: profile.of(Stem::None, Stem::FirstFive), ..without_stop_words(profile) }
}

/// Returns the settings of methods that leave out the stop words of the document's language.
pub(super) fn without_stop_words(profile: Profile) -> TextSettings {
    let stop_words = profile.of(StopList::None, StopList::Language);
    TextSettings { stop_words, ..TextSettings::default() }
}
