//! Passages against passages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use retold_read::{Reader, discover};

use super::{
    Compared, EvaluateError, EvaluateSettings, Evaluated, EvaluatedResult, Figures, PlaceUnit,
    Request, details,
};
use crate::error::Error;
use crate::measures::evaluation::{LabelledPassages, PairedTests, PassageFigures};
use crate::measures::passages::{OfCase, Part, Passage, of_cases};
use crate::reference::{
    Evidence, Halt, ListFileError, ListKind, Names, PassageLine, Source, held, kind_of, open,
    read_pairs, read_pan, read_passages, xml_files,
};

/// Passages of a list, with what their places count.
#[derive(Debug)]
struct List {
    passages: Vec<Passage>,
    labels: Vec<Option<String>>,
    unit: PlaceUnit,
    remarks: Vec<String>,
}

/// By which part of their ids documents are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ids {
    /// All of it.
    Whole,
    /// What is left of the path of a file without its folders and the ending `.txt`.
    FileNames,
}

fn file_stem(id: &str) -> &str {
    let name = id.rsplit(['/', '\\']).next().unwrap_or(id);
    name.strip_suffix(".txt").unwrap_or(name)
}

/// Evaluates results against a truth of passages.
pub(super) fn evaluate(request: Request<'_>, evaluated: &mut Evaluated) -> Result<(), Error> {
    let Request { found, reference, settings } = request;
    let mut names = Names::default();
    let source = match (evaluated.kind, reference.is_dir()) {
        (ListKind::Pan, true) => Source::Pan(xml_files(reference)?),
        (kind, _) => Source::File(reference.to_owned(), kind),
    };
    // PAN names documents by their files, without folder and ending.
    let ids = if evaluated.kind == ListKind::Pan { Ids::FileNames } else { Ids::Whole };
    let mut truth = read(&source, reference, settings, ids, &mut names)?;
    if let Some(unit) = settings.unit {
        truth.unit = unit;
    }
    if truth.passages.is_empty() {
        return Err(EvaluateError::EmptyTruth(reference.to_owned()).into());
    }
    evaluated.facts.n_lines = truth.passages.len() as u64;
    evaluated.facts.n_true = truth.passages.len() as u64;
    let labels = by_label(&truth);
    let mut columns: Vec<Vec<OfCase>> = Vec::new();
    let mut detections: Vec<Vec<Passage>> = Vec::new();
    for path in found {
        let source = Source::of(path, settings.found_kind)?;
        let mut ours = read(&source, path, settings, ids, &mut names)?;
        orient(&mut ours.passages, &truth.passages);
        if settings.is_listed_only {
            let listed: BTreeSet<(u32, u32)> =
                truth.passages.iter().map(|case| (case.copy, case.source)).collect();
            ours.passages.retain(|found| listed.contains(&(found.copy, found.source)));
        }
        if ours.unit != truth.unit {
            if settings.texts.is_empty() {
                let (reference, found) = (truth.unit.name(), ours.unit.name());
                return Err(EvaluateError::Units { reference, found }.into());
            }
            convert(&mut ours, truth.unit, settings, ids, &names)?;
        }
        let figures =
            PassageFigures::of(&truth.passages, &ours.passages, &labels, &settings.bootstrap);
        columns.push(of_cases(&truth.passages, &ours.passages));
        let mut remarks = truth.remarks.clone();
        remarks.extend(ours.remarks);
        detections.push(ours.passages);
        evaluated.results.push(EvaluatedResult {
            found: path.display().to_string(),
            figures: Figures::Passages(figures),
            remarks,
        });
    }
    if let [one, two] = &columns[..] {
        let of = |cases: &[OfCase]| -> Vec<f64> { cases.iter().map(OfCase::share).collect() };
        let over = "share of each passage that was found";
        evaluated.comparison =
            PairedTests::of(over, &of(one), &of(two), &settings.bootstrap).map(Compared::Paired);
    }
    if let Some(output) = &settings.output {
        let columns = details::PassageColumns {
            cases: &truth.passages,
            of_cases: &columns,
            // Places of PAN's form are characters.
            detections: (truth.unit == PlaceUnit::Characters).then_some(&detections[..]),
        };
        details::write_passages(output, settings, &columns, &names, evaluated)?;
    }
    Ok(())
}

/// Reads passages of any form.
fn read(
    source: &Source,
    path: &Path,
    settings: &EvaluateSettings,
    ids: Ids,
    names: &mut Names,
) -> Result<List, Error> {
    let mut list = List {
        passages: Vec::new(),
        labels: Vec::new(),
        unit: PlaceUnit::Characters,
        remarks: Vec::new(),
    };
    let mut put = |line: &PassageLine<'_>| {
        list.passages.push(Passage {
            copy: names.number(&line.copy),
            source: names.number(&line.source),
            in_copy: line.in_copy,
            in_source: line.in_source,
        });
        list.labels.push(line.label.as_deref().map(str::to_owned));
        Ok::<(), Halt>(())
    };
    match source {
        Source::File(file, ListKind::Spans) => {
            read_passages(open(file)?, put).map_err(|halt| held(halt, file))?;
            if is_json(file)? {
                list.unit = PlaceUnit::Bytes;
            }
        }
        Source::File(file, ListKind::Pan) => {
            read_pan(open(file)?, put).map_err(|halt| held(halt, file))?;
        }
        Source::Pan(files) => {
            let mut n_without = 0;
            for file in files {
                n_without += read_pan(open(file)?, &mut put).map_err(|halt| held(halt, file))?;
            }
            if n_without > 0 {
                let remark = format!("{n_without} passages without a source were passed over");
                list.remarks.push(remark);
            }
        }
        Source::Folder { pairs: file, .. } | Source::File(file, ListKind::Pairs) => {
            list.unit = PlaceUnit::Bytes;
            read_evidence(file, settings, ids, names, &mut list)?;
        }
        Source::File(..) => {
            return Err(ListFileError::Unfit {
                path: path.to_owned(),
                holds: source.holds(),
                truth: "passages",
                needed: "passages, or pairs with their evidence",
            }
            .into());
        }
    }
    Ok(list)
}

/// Reads the passages that prove pairs.
fn read_evidence(
    file: &Path,
    settings: &EvaluateSettings,
    ids: Ids,
    names: &mut Names,
    list: &mut List,
) -> Result<(), Error> {
    let mut n_bare = 0u64;
    let outcome = read_pairs(open(file)?, Evidence::Read, |line| {
        if settings.counting().takes(line) {
            let (copy, source) = match ids {
                Ids::Whole => (names.number(&line.a), names.number(&line.b)),
                Ids::FileNames => {
                    (names.number(file_stem(&line.a)), names.number(file_stem(&line.b)))
                }
            };
            n_bare += u64::from(line.evidence.is_empty());
            for &(in_copy, in_source) in &line.evidence {
                list.passages.push(Passage { copy, source, in_copy, in_source });
            }
        }
        Ok::<(), Halt>(())
    });
    outcome.map_err(|halt| held(halt, file))?;
    if n_bare > 0 {
        list.remarks.push(format!("{n_bare} pairs of the result have no passages"));
    }
    Ok(())
}

/// Places in JSON Lines are ours and count bytes; those of tables and XML count characters.
fn is_json(file: &Path) -> Result<bool, Error> {
    let mut first = [0];
    let n = std::io::Read::read(&mut open(file)?, &mut first).map_err(Error::io("read", file))?;
    Ok(kind_of(file).is_ok() && n == 1 && first == *b"{")
}

/// Turns passages round whose copy is what the truth knows as a source.
fn orient(passages: &mut [Passage], truth: &[Passage]) {
    let known: BTreeSet<(u32, u32)> = truth.iter().map(|case| (case.copy, case.source)).collect();
    let copies: BTreeSet<u32> = truth.iter().map(|case| case.copy).collect();
    for passage in passages {
        let (a, b) = (passage.copy, passage.source);
        let is_turned = if known.contains(&(a, b)) {
            false
        } else {
            known.contains(&(b, a)) || (copies.contains(&b) && !copies.contains(&a))
        };
        if is_turned {
            *passage = Passage {
                copy: b,
                source: a,
                in_copy: passage.in_source,
                in_source: passage.in_copy,
            };
        }
    }
}

/// Returns the cases of each label, by label.
fn by_label(truth: &List) -> Vec<LabelledPassages> {
    let mut of: BTreeMap<&str, Vec<Passage>> = BTreeMap::new();
    for (passage, label) in truth.passages.iter().zip(&truth.labels) {
        if let Some(label) = label {
            of.entry(label).or_default().push(*passage);
        }
    }
    of.into_iter().map(|(label, passages)| (label.to_owned(), passages)).collect()
}

/// Converts places between bytes and characters by the texts themselves.
fn convert(
    list: &mut List,
    to: PlaceUnit,
    settings: &EvaluateSettings,
    ids: Ids,
    names: &Names,
) -> Result<(), Error> {
    let mut places: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for passage in &list.passages {
        for (document, part) in
            [(passage.copy, passage.in_copy), (passage.source, passage.in_source)]
        {
            places.entry(document).or_default().extend([part.start, part.end]);
        }
    }
    let mut converted: BTreeMap<u32, BTreeMap<u64, u64>> = BTreeMap::new();
    let found = discover(&settings.texts)?;
    let mut reader = Reader::new(found.files, settings.read.clone());
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| {
            // A text that cannot be read is missed below if it is needed.
            let Ok(record) = record else { return };
            let id = match ids {
                Ids::Whole => &record.document.id[..],
                Ids::FileNames => file_stem(&record.document.id),
            };
            let Some(document) = names.get(id) else { return };
            if let Some(places) = places.get_mut(&document) {
                places.sort_unstable();
                places.dedup();
                converted
                    .entry(document)
                    .or_insert_with(|| counted(&record.document.text, places, to));
            }
        });
    }
    let of = |document: u32, part: Part| -> Result<Part, Error> {
        let known = converted
            .get(&document)
            .ok_or_else(|| EvaluateError::NoText(names.name(document).to_owned()))?;
        let place = |at: u64| known.get(&at).copied().unwrap_or(at);
        Ok(Part { start: place(part.start), end: place(part.end) })
    };
    for passage in &mut list.passages {
        passage.in_copy = of(passage.copy, passage.in_copy)?;
        passage.in_source = of(passage.source, passage.in_source)?;
    }
    list.unit = to;
    Ok(())
}

/// Returns for sorted places in one unit those in the other; places behind the text are its end.
fn counted(text: &str, places: &[u64], to: PlaceUnit) -> BTreeMap<u64, u64> {
    let mut found = BTreeMap::new();
    let mut places = places.iter().copied().peekable();
    let ends = std::iter::once((text.len(), None));
    let characters = text.char_indices().map(|(byte, c)| (byte, Some(c)));
    for (n, (byte, _)) in characters.chain(ends).enumerate() {
        let (here, there) = match to {
            PlaceUnit::Characters => (byte as u64, n as u64),
            PlaceUnit::Bytes => (n as u64, byte as u64),
        };
        // A place inside a character is taken for its end.
        while let Some(place) = places.next_if(|&place| place <= here) {
            found.insert(place, there);
        }
    }
    let end = match to {
        PlaceUnit::Characters => text.chars().count() as u64,
        PlaceUnit::Bytes => text.len() as u64,
    };
    found.extend(places.map(|place| (place, end)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_converted_both_ways() {
        // One, two and three bytes a character.
        let text = "aşb漢c";
        let bytes = counted(text, &[0, 1, 3, 4, 7, 8, 99], PlaceUnit::Characters);
        assert_eq!(bytes.values().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 5]);
        let characters = counted(text, &[0, 1, 2, 3, 4, 5, 9], PlaceUnit::Bytes);
        assert_eq!(characters.values().copied().collect::<Vec<_>>(), [0, 1, 3, 4, 7, 8, 8]);
        assert_eq!(counted("", &[0, 3], PlaceUnit::Bytes).len(), 2);
    }

    #[test]
    fn passages_are_turned_to_how_the_truth_knows_them() {
        let of = |copy, source, at| Passage {
            copy,
            source,
            in_copy: Part::of_length(at, 5),
            in_source: Part::of_length(at + 100, 5),
        };
        let truth = [of(1, 2, 0)];
        let mut ours = [of(2, 1, 0), of(1, 2, 0), of(9, 1, 0), of(7, 8, 0)];
        orient(&mut ours, &truth);
        assert_eq!(
            ours.map(|passage| (passage.copy, passage.in_copy.start)),
            [(1, 100), (1, 0), (1, 100), (7, 0)]
        );
    }
}
