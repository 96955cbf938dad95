//! Digests: one SHA-1 value for a list of words or lines.

use sha1::{Digest, Sha1};

/// A SHA-1 value.
pub type Sha1Digest = [u8; 20];

/// Returns the SHA-1 value of items with `separator` between them; the order of items matters.
///
/// ```
/// use retold_core::image::digest::digest;
/// // Without a separator, lists that differ can look the same.
/// assert_eq!(digest(["ab", "c"], ""), digest(["a", "bc"], ""));
/// assert_ne!(digest(["ab", "c"], "\n"), digest(["a", "bc"], "\n"));
/// ```
pub fn digest<T: AsRef<str>>(items: impl IntoIterator<Item = T>, separator: &str) -> Sha1Digest {
    let mut state = Sha1::new();
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            state.update(separator);
        }
        state.update(item.as_ref());
    }
    state.finalize().into()
}

/// Returns a digest as it is usually written: 40 hexadecimal digits.
pub fn hex(digest: &Sha1Digest) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
    digest.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_specification() {
        // T-IM1.
        let tokens = ["bank", "market", "oil", "shares"];
        assert_eq!(hex(&digest(tokens, "\n")), "dbba070816ea558a08aa81203391eaefee42cdda");
        assert_eq!(hex(&digest(tokens, "")), "1538a687e802e3ca1ab39455ce3f016982b0a1b3");
        assert_eq!(hex(&digest([""; 0], "\n")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    }
}
