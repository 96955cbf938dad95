//! Cursors: where a page begins, in lists that may be long and servers that may begin again.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::problem::{Code, Problem};

/// A place in a list. It says which list it belongs to by a hash, so that one of another list, filter
/// or order is refused.
pub(crate) struct Cursor;

impl Cursor {
    /// Makes a cursor.
    pub(crate) fn at(position: u64, list: &str) -> String {
        let mut bytes = position.to_le_bytes().to_vec();
        bytes.extend_from_slice(&mark(list));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Returns the position of a cursor, or 0 if there is none.
    pub(crate) fn position(cursor: Option<&str>, list: &str) -> Result<u64, Problem> {
        let Some(cursor) = cursor else { return Ok(0) };
        let refused = || Problem::new(Code::BadCursor, "`after` is no cursor of this list");
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refused())?;
        let (position, given) = bytes.split_first_chunk::<8>().ok_or_else(refused)?;
        if given != mark(list) {
            return Err(refused());
        }
        Ok(u64::from_le_bytes(*position))
    }
}

fn mark(list: &str) -> [u8; 8] {
    let mut mark = [0; 8];
    mark.copy_from_slice(&blake3::hash(list.as_bytes()).as_bytes()[..8]);
    mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_belongs_to_one_list() {
        let cursor = Cursor::at(1_000_000, "pairs");
        assert_eq!(Cursor::position(Some(&cursor), "pairs").ok(), Some(1_000_000));
        assert!(Cursor::position(Some(&cursor), "clusters").is_err());
        assert!(Cursor::position(Some("x"), "pairs").is_err());
        assert_eq!(Cursor::position(None, "pairs").ok(), Some(0));
    }
}
