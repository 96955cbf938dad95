//! Passages as the XML of PAN.
//!
//! ```xml
//! <document reference="suspicious-document00005.txt">
//!   <feature name="plagiarism" this_offset="3593" this_length="698"
//!            source_reference="source-document01090.txt" source_offset="1300" source_length="698"/>
//! </document>
//! ```
//!
//! Detections have the same form and the name `detected-plagiarism`. Places count characters
//! (Unicode scalar values).

use std::borrow::Cow;
use std::io::{BufRead, Write};

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::error::ListError;
use super::passages::PassageLine;
use crate::measures::passages::{Part, Passage};

/// Reads the passages of one file and hands each to `each`; returns how many had no source and
/// were passed over (passages found by style alone).
///
/// Names lose a `.txt` at their end, since documents are known without it.
pub fn read_pan<E: From<ListError>>(
    input: impl BufRead,
    mut each: impl FnMut(&PassageLine<'_>) -> Result<(), E>,
) -> Result<u64, E> {
    let mut reader = Reader::from_reader(input);
    let mut buffer = Vec::new();
    let mut copy: Option<String> = None;
    let mut n_without_source = 0;
    loop {
        buffer.clear();
        let place = reader.buffer_position();
        let wrong = |reason: String| ListError::Byte { byte: place, reason };
        let event = reader.read_event_into(&mut buffer);
        match event.map_err(|error| wrong(error.to_string()))? {
            Event::Eof => return Ok(n_without_source),
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                "document" => {
                    let name = attribute(&tag, "reference").map_err(wrong)?;
                    copy =
                        Some(
                            stem(&name.ok_or_else(|| {
                                wrong("the document has no `reference`".to_owned())
                            })?)
                            .to_owned(),
                        );
                }
                "feature" => {
                    let name = attribute(&tag, "name").map_err(wrong)?.unwrap_or_default();
                    if !name.ends_with("plagiarism") {
                        continue;
                    }
                    let Some(source) = attribute(&tag, "source_reference").map_err(wrong)? else {
                        n_without_source += 1;
                        continue;
                    };
                    let Some(copy) = &copy else {
                        return Err(wrong("a feature outside of a document".to_owned()).into());
                    };
                    let part = |side: &str| -> Result<Part, String> {
                        let start = number(&tag, &format!("{side}_offset"))?;
                        Ok(Part::of_length(start, number(&tag, &format!("{side}_length"))?))
                    };
                    let label = attribute(&tag, "obfuscation").map_err(wrong)?;
                    each(&PassageLine {
                        copy: Cow::Borrowed(copy),
                        source: Cow::Borrowed(stem(&source)),
                        in_copy: part("this").map_err(wrong)?,
                        in_source: part("source").map_err(wrong)?,
                        label: label.map(Cow::Owned),
                    })?;
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// Writes the passages of a pair of documents as detections. Names get back the `.txt` of their files.
pub fn write_pan(
    mut out: impl Write,
    copy: &str,
    source: &str,
    passages: &[Passage],
) -> std::io::Result<()> {
    let named = |id: &str| quick_xml::escape::escape(format!("{}.txt", stem(id))).into_owned();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<document reference=\"{}\">", named(copy))?;
    for Passage { in_copy, in_source, .. } in passages {
        writeln!(
            out,
            "<feature name=\"detected-plagiarism\" this_offset=\"{}\" this_length=\"{}\" \
             source_reference=\"{}\" source_offset=\"{}\" source_length=\"{}\"/>",
            in_copy.start,
            in_copy.len(),
            named(source),
            in_source.start,
            in_source.len()
        )?;
    }
    writeln!(out, "</document>")
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    let found = tag.try_get_attribute(name).map_err(|error| error.to_string())?;
    found
        .map(|attribute| {
            let text =
                quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?;
            Ok(text.into_owned())
        })
        .transpose()
}

fn number(tag: &BytesStart<'_>, name: &str) -> Result<u64, String> {
    let value = attribute(tag, name)?.ok_or_else(|| format!("`{name}` is missing"))?;
    value.trim().parse().map_err(|_| format!("`{name}` must be a whole number, got `{value}`"))
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".txt").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(xml: &str) -> Result<(Vec<String>, u64), String> {
        let mut seen = Vec::new();
        let n = read_pan(xml.as_bytes(), |passage| {
            let PassageLine { copy, source, in_copy, in_source, label } = passage;
            let (n, m) = (in_copy.len(), in_source.len());
            let label = label.as_deref().unwrap_or("-");
            seen.push(format!(
                "{copy}@{} {source}@{} {n}:{m} {label}",
                in_copy.start, in_source.start
            ));
            Ok::<(), ListError>(())
        })
        .map_err(|error| error.to_string())?;
        Ok((seen, n))
    }

    #[test]
    fn cases_and_detections_are_read() {
        let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
<document xmlns="http://www.uni-weimar.de" reference="s&amp;1.txt">
<feature name="about" authors="x" />
<feature name="plagiarism" obfuscation="none" source_length="8" source_offset="3" source_reference="d1.txt" this_length="7" this_offset="2" />
<feature name="detected-plagiarism" this_offset="0" this_length="4" source_reference="d2" source_offset="1" source_length="5"></feature>
<feature name="intrinsic-plagiarism" this_offset="0" this_length="4" />
</document>"#;
        let expected = ["s&1@2 d1@3 7:8 none", "s&1@0 d2@1 4:5 -"].map(str::to_owned);
        assert_eq!(read(xml), Ok((expected.to_vec(), 1)));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let of = |start, length| Part::of_length(start, length);
        let passages = [(of(2, 7), of(3, 8)), (of(40, 5), of(0, 6))]
            .map(|(in_copy, in_source)| Passage { copy: 0, source: 1, in_copy, in_source });
        let mut xml = Vec::new();
        write_pan(&mut xml, "s&1", "d<\"1", &passages).expect("memory takes it");
        let expected = ["s&1@2 d<\"1@3 7:8 -", "s&1@40 d<\"1@0 5:6 -"].map(str::to_owned);
        assert_eq!(read(&String::from_utf8(xml).expect("text")), Ok((expected.to_vec(), 0)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let missing = r#"<document reference="s"><feature name="plagiarism" source_reference="d" this_offset="1"/></document>"#;
        assert_eq!(read(missing).err().as_deref(), Some("byte 24: `this_length` is missing"));
        let lone = r#"<feature name="plagiarism" source_reference="d"/>"#;
        assert_eq!(read(lone).err().as_deref(), Some("byte 0: a feature outside of a document"));
        assert!(read("<document reference='s'><feature name='x'").is_err());
        assert!(read("<document>").is_err());
    }
}
