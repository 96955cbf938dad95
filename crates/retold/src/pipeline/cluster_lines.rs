//! Closed sets as the tool of 2009 wrote them: how its files are named, and a line for each cluster.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use retold_core::document::Ordinal;
use retold_core::executor::Executor;
use retold_report::escape_terminal;
use serde_json::Value;

use super::bits::Bits;
use super::closed_sets::{MinCommon, Units};
use super::collection::Collection;
use super::parallel::Pool;
use crate::error::Error;

/// Returns the name of a run as the paper forms it: `b_1_20_s_100_n1-12` for the form of the image,
/// the offset and length of its word runs, its size, and the first and last of the input files.
/// Other images are named by their method.
pub(super) fn run_name(method: &str, parameters: &Value, n_files: usize) -> String {
    let number = |name: &str| parameters[name].as_u64();
    let image = match (parameters["form"].as_str(), number("offset"), number("k"), number("size")) {
        (Some(form), Some(offset), Some(length), Some(size)) => {
            format!("{form}_{offset}_{length}_s_{size}")
        }
        _ => method.to_owned(),
    };
    format!("{image}_n1-{n_files}")
}

/// Writes the sets as the tool of 2009 did: a line is a cluster, the names of its documents and
/// then the number of units they have in common, here with tabs between them. Exact copies of a
/// document, which have one image, stand beside it; those that stand in no set make a line if
/// their image has enough units. Leaves off if the pool is asked to stop.
pub(super) fn write_lines(
    path: &Path,
    sets: &[(Vec<Ordinal>, u32)],
    (units, min_common): (&Units, MinCommon),
    collection: &Collection,
    pool: &Pool,
) -> Result<(), Error> {
    let least = match min_common {
        MinCommon::Units(units) => units as usize,
        MinCommon::Share(_) => 1,
    };
    let mut is_in_set = Bits::new(collection.len());
    let firsts = sets.iter().flat_map(|(set, _)| set);
    firsts.for_each(|&first| {
        is_in_set.insert(first);
    });
    let copies = units.sizes().filter(|&(first, n)| {
        n >= least && collection.has_copies(first) && !is_in_set.contains(first)
    });
    let mut lines = sets.to_vec();
    lines.extend(copies.map(|(first, n)| (vec![first], n as u32)));
    for (set, _) in &mut lines {
        *set = set.iter().flat_map(|&first| collection.group(first)).collect();
        set.sort_unstable();
    }
    lines.sort_unstable();

    let failed = |error| Error::io("write", path)(error);
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    for (set, n_common) in lines {
        if pool.is_stopped() {
            break;
        }
        for doc in set {
            let name = collection.id(doc)?;
            out.write_all(escape_terminal(&name).as_bytes()).map_err(failed)?;
            out.write_all(b"\t").map_err(failed)?;
        }
        writeln!(out, "{n_common}").map_err(failed)?;
    }
    out.flush().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_as_in_the_paper() {
        let parameters = serde_json::json!({ "form": "b", "offset": 1, "k": 20, "size": 100 });
        assert_eq!(run_name("minimal-elements", &parameters, 12), "b_1_20_s_100_n1-12");
        assert_eq!(run_name("lexical", &serde_json::json!({}), 3), "lexical_n1-3");
    }
}
