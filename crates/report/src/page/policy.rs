//! The style sheet and the policy that allows it and nothing else.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// Passages of a pair that are highlighted on both sides at once; later ones only have links.
pub(super) const MAX_PARTNERS: usize = 64;

/// Returns the style sheet.
///
/// Pointing at one end of a passage lights up the other: a rule a passage number, so that no
/// script is needed.
pub(super) fn style() -> String {
    let mut style = include_str!("page.css").to_owned();
    for passage in 1..=MAX_PARTNERS {
        let _ = writeln!(
            style,
            ".pair:has(.m{passage}:is(:hover,:focus,:target)) .m{passage}{{outline-color:var(--lit)}}"
        );
    }
    style
}

/// Returns the content security policy of a page with the style sheet `style`.
pub(super) fn policy(style: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}
