//! Counts of values in pages whose numbers are stored as differences.
//!
//! The data of such a page begins with a count of values, and the library allocates memory for that
//! many. Here that count is first compared with the number of values in the header of the page.

/// Checks a page of numbers, of lengths and texts (`n_lists` 1) or of prefixes, lengths and texts
/// (`n_lists` 2).
pub(super) fn check(mut bytes: &[u8], n_values: u64, n_lists: u32) -> Result<(), String> {
    for _ in 0..n_lists {
        let (stated, end) = list(bytes).ok_or("a list of differences ends too early")?;
        if stated > n_values {
            return Err(format!("a page of {n_values} values states {stated}"));
        }
        bytes = &bytes[end..];
    }
    Ok(())
}

/// Returns how many values a list states, and where it ends.
///
/// The layout is that of `DELTA_BINARY_PACKED` in the Parquet format: a header, then blocks of
/// miniblocks, each with a width of its own. Miniblocks after the last value are not stored.
fn list(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut at = 0;
    let block = number(bytes, &mut at)?;
    let n_miniblocks = number(bytes, &mut at)?;
    let stated = number(bytes, &mut at)?;
    number(bytes, &mut at)?;
    let per_miniblock = block.checked_div(n_miniblocks)?;
    if per_miniblock == 0 {
        return None;
    }
    let mut left = stated.saturating_sub(1);
    while left > 0 {
        number(bytes, &mut at)?;
        let widths = at..at.checked_add(usize::try_from(n_miniblocks).ok()?)?;
        at = widths.end;
        for &width in bytes.get(widths)? {
            if left == 0 {
                break;
            }
            let bits = per_miniblock.checked_mul(u64::from(width))?;
            at = at.checked_add(usize::try_from(bits / 8).ok()?)?;
            left = left.saturating_sub(per_miniblock);
        }
    }
    // The last miniblock may be cut where the values end.
    Some((stated, at.min(bytes.len())))
}

/// Reads a number in seven bits a byte, the lowest first.
fn number(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_after_its_last_miniblock() {
        // Blocks of 128 in 4 miniblocks, 34 values, first 0; width 1 twice, then nothing.
        let mut bytes = vec![0x80, 1, 4, 34, 0, 0, 1, 1, 0, 0];
        bytes.extend([0; 8]);
        assert_eq!(list(&bytes), Some((34, 18)));
        assert!(check(&bytes, 34, 1).is_ok());
        assert!(check(&bytes, 33, 1).is_err());
    }

    #[test]
    fn a_count_beyond_the_page_is_refused_at_once() {
        let mut bytes = vec![0x80, 1, 4];
        bytes.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0]);
        assert!(check(&bytes, 1000, 1).is_err());
    }
}
