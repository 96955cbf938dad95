//! A stream that an index keeps tells what a run over the same window tells, before and after
//! restarts.

use std::path::Path;

use retold::{
    Arrival, Document, Documents, Index, IndexOptions, IndexWriter, Job, Profile, Query, Resources,
    Watch, WatchOptions, check_index,
};
use retold_core::hash::Random;
use retold_testkit::corpus::{english, planted};

const HOUR: i64 = 3_600;

/// Returns stories that come an hour apart, some late, one without a time, one under an id that is
/// there already, one from before the window.
fn stories() -> Vec<Document> {
    let mut documents = planted(150, 9).documents;
    // Copies come soon after what they repeat.
    let mut random = Random::new(5);
    for i in (1..documents.len()).rev() {
        documents.swap(i, random.below(i + 1));
    }
    let mut stories: Vec<Document> = documents
        .into_iter()
        .zip(0..)
        .map(|(document, hour)| Document {
            time: Some((1_700_000_000 + hour * HOUR).to_string()),
            source: Some(format!("wire {}", hour % 3)),
            ..Document::plain(format!("s{hour}"), english(&document.text))
        })
        .collect();
    stories[11].time = Some((1_700_000_000 + 5 * HOUR).to_string());
    stories[17].time = None;
    "s20".clone_into(&mut stories[23].id);
    stories[40].time = Some(1_700_000_000.to_string());
    stories
}

fn options() -> WatchOptions {
    WatchOptions { window: Some(60 * HOUR).into(), ..WatchOptions::default() }
}

fn create(path: &Path, job: &Job) {
    IndexWriter::create(path, std::slice::from_ref(job), &IndexOptions::default())
        .expect("a new index");
}

fn told(arrivals: &[Arrival]) -> Vec<String> {
    arrivals.iter().map(|arrival| serde_json::to_string(arrival).expect("plain data")).collect()
}

#[test]
fn every_story_meets_what_a_run_over_its_window_finds() {
    let stories = stories();
    let folder = tempfile::tempdir().expect("a folder for a test");
    for method in ["anchor", "sl-fp-sd", "minhash"] {
        let job = Job::of(method, Profile::Retold).expect("a method");
        let path = folder.path().join(method);
        create(&path, &job);
        let mut watch = Watch::open(&path, options()).expect("a stream");
        let (mut newest, mut n_hits) = (i64::MIN, 0);
        let mut window: Vec<(i64, Document)> = Vec::new();
        for story in &stories {
            let time = story.time.as_deref().map_or(newest, |time| time.parse().expect("seconds"));
            newest = newest.max(time);
            window.retain(|(time, _)| *time >= newest - 60 * HOUR);
            let arrival = watch.add(story).expect("it is taken");
            let live: Vec<Document> = window.iter().map(|(_, document)| document.clone()).collect();
            let mut expected = Vec::new();
            if !live.is_empty() {
                let query = Query::new(Documents::new(vec![story.clone()]), Documents::new(live));
                let answer = query.job(job.clone()).run().expect("a run").answers.remove(0);
                expected = answer.hits;
            }
            let place = |id: &str| window.iter().position(|(_, document)| document.id == id);
            expected.sort_by_key(|hit| place(&hit.id));
            let line = |hits: &[retold::Hit]| serde_json::to_string(hits).expect("plain data");
            assert_eq!(line(&arrival.hits), line(&expected), "{method}, {}", story.id);
            assert_eq!(arrival.is_late, time < newest - 60 * HOUR, "{method}, {}", story.id);
            n_hits += expected.len();
            if !arrival.is_late {
                window.retain(|(_, document)| document.id != story.id);
                window.push((time, story.clone()));
            }
            assert_eq!(arrival.n_live, window.len() as u64, "{method}, {}", story.id);
        }
        assert!(n_hits >= 10, "{method}: {n_hits}");
    }
}

#[test]
fn restarts_change_nothing_of_what_is_told() {
    let stories = stories();
    let folder = tempfile::tempdir().expect("a folder for a test");
    let mut random = Random::new(3);
    let job = Job::default();
    let whole = folder.path().join("whole");
    create(&whole, &job);
    let mut watch = Watch::open(&whole, options()).expect("a stream");
    let expected = told(&watch.add_all(&stories).expect("they are taken"));
    for forgets in [false, true] {
        let path = folder.path().join(format!("cut-{forgets}"));
        create(&path, &job);
        let mut lines = Vec::new();
        let mut rest = &stories[..];
        while !rest.is_empty() {
            let options = WatchOptions { forgets, ..options() };
            let mut watch = Watch::open(&path, options).expect("it goes on");
            assert_eq!(watch.seq(), lines.len() as u64);
            let (now, later) = rest.split_at((1 + random.below(9)).min(rest.len()));
            lines.extend(told(&watch.add_all(now).expect("they are taken")));
            rest = later;
        }
        assert_eq!(lines, expected, "forgets: {forgets}");
        assert!(check_index(&path).expect("a report").is_sound());
        let n_documents = Index::open(&path).expect("it opens").n_documents();
        assert_eq!(n_documents < 100, forgets, "{n_documents} are left");
    }
}

#[test]
fn an_index_keeps_several_streams_apart() {
    let stories = stories();
    let folder = tempfile::tempdir().expect("a folder for a test");
    let path = folder.path().join("both");
    create(&path, &Job::default());
    let named = |name: &str| WatchOptions { name: name.to_owned(), ..options() };
    let mut watch = Watch::open(&path, named("one")).expect("a stream");
    let first = watch.add(&stories[0]).expect("it is taken");
    drop(watch);
    let mut watch = Watch::open(&path, named("two")).expect("a stream");
    let copy = Document { id: "copy".to_owned(), ..stories[0].clone() };
    let second = watch.add(&copy).expect("it is taken");
    assert_eq!((first.seq, second.seq, second.hits.len()), (Some(1), Some(1), 0));
    drop(watch);
    let mut watch = Watch::open(&path, named("one")).expect("a stream");
    let again = Document { id: "again".to_owned(), ..stories[0].clone() };
    assert_eq!(watch.add(&again).expect("it is taken").copy_of.as_deref(), Some("s0"));
}

#[test]
fn what_is_remade_in_between_changes_nothing_of_a_stream() {
    let stories = stories();
    let folder = tempfile::tempdir().expect("a folder for a test");
    let lines = |name: &str, is_remade: bool| {
        let path = folder.path().join(name);
        create(&path, &Job::default());
        let mut lines = Vec::new();
        for half in stories.chunks(stories.len() / 2) {
            let mut watch = Watch::open(&path, options()).expect("it goes on");
            lines.extend(told(&watch.add_all(half).expect("they are taken")));
            drop(watch);
            if is_remade {
                let mut writer = IndexWriter::open(&path).expect("it opens");
                writer.refresh(&Resources::new()).expect("it is remade");
            }
        }
        lines
    };
    assert_eq!(lines("remade", true), lines("left", false));
}

#[test]
fn a_stream_that_forgets_is_refused_where_others_would_be_forgotten() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let path = folder.path().join("archive");
    create(&path, &Job::default());
    let mut writer = IndexWriter::open(&path).expect("it opens");
    let old = Document { time: Some("1990-01-01".into()), ..Document::plain("old", "some text") };
    writer.add(Documents::new(vec![old]), &Resources::new()).expect("it is added");
    drop(writer);
    let forgetting = WatchOptions { forgets: true, ..options() };
    let refused = Watch::open(&path, forgetting).err().expect("it is refused").to_string();
    assert!(refused.contains("such as `old`"), "{refused}");
    Watch::open(&path, options()).expect("without forgetting it is taken");
}
