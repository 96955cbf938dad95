use std::sync::Arc;

use retold_index::Writer;
use retold_index::disk::Simulated;

use super::*;
use crate::index::methods::{About, IndexMethod, MethodAbout, TextStorage};
use crate::index::writing::settings;
use crate::job::Job;

/// Opens a stream on a disk in memory.
fn watch(disk: &Simulated, forgets: bool) -> Watch {
    let method = MethodAbout::new(Job::default());
    let methods = vec![IndexMethod::new(&method, None).expect("a method")];
    let about =
        About { version: String::new(), methods: vec![method], texts: TextStorage::default() };
    let disk = Arc::new(disk.clone());
    let writer = Writer::open(disk.clone()).or_else(|_| Writer::create(disk, settings(&about)));
    let writer = writer.expect("memory takes it");
    let writer = IndexWriter::new(Path::new("in memory"), writer, about, methods.into());
    let window = TimeWindow::from(Some(9 * 3_600));
    Watch::of(writer, WatchOptions { window, forgets, ..WatchOptions::default() })
        .expect("a stream")
}

/// Stories an hour apart, every third a copy of an earlier one, some under an id that is there.
fn stories() -> Vec<Document> {
    let story = |hour: usize| {
        let of = if hour % 3 == 2 { hour - 2 } else { hour };
        let text = format!(
            "The harbour board of town {of} will close the east quay for repairs from Monday until \
             day {of} of the month, said {of} of the people who were asked about ship {of}"
        );
        let id = format!("s{}", if hour % 10 == 9 { hour - 1 } else { hour });
        Document {
            time: Some((1_700_000_000 + hour * 3_600).to_string()),
            ..Document::plain(id, text)
        }
    };
    (0..60).map(story).collect()
}

fn told(arrivals: &[Arrival]) -> Vec<String> {
    arrivals.iter().map(line).collect()
}

#[test]
fn stories_that_a_full_disk_refused_are_unknown_and_can_come_again() {
    let stories = stories();
    for forgets in [false, true] {
        let expected: Vec<String> = stories
            .chunks(4)
            .scan(watch(&Simulated::new(), forgets), |watch, some| {
                Some(told(&watch.add_all(some).expect("memory takes it")))
            })
            .flatten()
            .collect();
        let disk = Simulated::new();
        let mut stream = watch(&disk, forgets);
        let (mut lines, mut n_refused) = (Vec::new(), 0);
        for (i, some) in stories.chunks(4).enumerate() {
            let (seq, n_live) = (stream.seq(), stream.len());
            for room in [0, 100, 700] {
                disk.set_capacity(Some(disk.n_bytes() + room));
                let refused = stream.add_all(some).expect_err("the disk is full");
                assert!(matches!(&refused, Error::Index { source, .. } if source.is_no_space()));
                assert_eq!((stream.seq(), stream.len()), (seq, n_live));
                n_refused += 1;
            }
            disk.set_capacity(None);
            if i % 5 == 4 {
                drop(stream);
                stream = watch(&disk, forgets);
            }
            lines.extend(told(&stream.add_all(some).expect("there is space")));
        }
        assert_eq!(lines, expected, "forgets: {forgets}");
        assert!(n_refused > 30 && lines.iter().any(|line| line.contains("copy_of")));
    }
}

#[test]
fn a_story_that_is_too_large_takes_its_group_with_it_and_the_stream_goes_on() {
    let stories = stories();
    let expected = {
        let mut stream = watch(&Simulated::new(), false);
        told(&stories.iter().map(|story| stream.add(story).expect("taken")).collect::<Vec<_>>())
    };
    let mut stream = watch(&Simulated::new(), false);
    let mut lines = Vec::new();
    for (i, story) in stories.iter().enumerate() {
        // It would move the window, and is a copy of the stories before and after it.
        let large = Document {
            time: Some((1_700_000_000 + (i + 30) * 3_600).to_string()),
            ..Document::plain("x".repeat((1 << 20) + 1), story.text.clone())
        };
        let group = [story.clone(), stories[(i + 5) % 60].clone(), large];
        assert!(matches!(stream.add_all(&group), Err(Error::Index { .. })));
        lines.push(line(&stream.add(story).expect("taken")));
    }
    assert_eq!(lines, expected);
}

#[test]
fn as_many_lines_are_remembered_as_a_state_may_hold() {
    let line = |i: usize| format!("{i}").repeat(1 << 19);
    assert_eq!(last_of((0..3).map(line).collect()).len(), 3);
    let last = last_of((0..9).chain([8]).map(line).collect());
    assert_eq!(last.len(), 8);
    assert_eq!(last[0], line(2));
    assert!(last_of(vec!["x".repeat(MOST_LAST_BYTES + 1)]).is_empty());
}
