use std::collections::BTreeSet;
use std::fs;

use retold::{Document, METHODS, Profile, ReadOptions};

use super::*;
use crate::judging::{
    Answer, Judgement, JudgementFile, Judgements, PoolDocuments, Tally, judgement_path,
    judgements_beside, permissive, read_judgements,
};

/// Returns the sample collection.
fn samples() -> Vec<PathBuf> {
    vec![retold_samples::samples().join("news")]
}

fn job(method: &str, profile: Profile) -> Job {
    Job::of(method, profile).expect("a method")
}

/// Returns a job loosened.
fn loosened(job: &Job) -> Job {
    permissive(job).expect("it can be loosened").0
}

/// Returns what one method nominates in the samples.
fn claims(job: &Job, plan: PoolPlan) -> BTreeSet<Subject> {
    let builder = PoolBuilder::new([job.clone()]).paths(samples()).plan(plan);
    builder.nominate().expect("samples").0.subjects().cloned().collect()
}

/// Returns a plan that asks this.
fn asking(question: Question) -> PoolPlan {
    PoolPlan { question, ..PoolPlan::default() }
}

#[test]
fn what_a_method_says_selectively_it_says_permissively_too() {
    // The methods of the CoDet paper; `dsc` is the other method of that name.
    let names = ["codet", "dsc-positional", "dsc", "ffp", "imatch", "simhash"];
    for profile in Profile::ALL {
        let mut n_wider = 0;
        for name in names {
            let own = job(name, profile);
            let plan = asking(Question::Containment);
            let (own, loose) = (claims(&own, plan), claims(&loosened(&own), plan));
            assert!(!own.is_empty(), "{name} finds something in the samples");
            let lost: Vec<_> = own.difference(&loose).collect();
            assert!(lost.is_empty(), "{name} in profile {}: {lost:?}", profile.name());
            n_wider += usize::from(loose.len() > own.len());
        }
        assert!(n_wider >= 4, "only {n_wider} methods nominate more in {}", profile.name());
    }
}

#[test]
fn no_method_loses_a_nomination_when_it_is_loosened() {
    let mut failed = Vec::new();
    for spec in METHODS {
        for profile in Profile::ALL {
            let own = job(spec.name, profile);
            let (loose, changed) = permissive(&own).expect("it can be loosened");
            if changed.is_empty() {
                continue;
            }
            for question in [Question::NearDuplicate, Question::Partial] {
                let plan = asking(question);
                let (own, loose) = (claims(&own, plan), claims(&loose, plan));
                let lost: Vec<_> = own.difference(&loose).collect();
                if !lost.is_empty() {
                    failed.push(format!("{} {} {question}: {lost:?}", spec.name, profile.name()));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_method_can_be_loosened_and_stays_buildable() {
    let mut n_loosened = 0;
    for spec in METHODS {
        for profile in Profile::ALL {
            let own = job(spec.name, profile);
            let before = own.all_parameters().expect("defaults are good");
            let (loose, changed) = permissive(&own).expect("loosened values are accepted");
            for changed in changed {
                assert_eq!(before[changed.name], changed.from);
                assert_ne!(changed.from, changed.to);
                n_loosened += 1;
            }
            let again = permissive(&loose).expect("loosened values are accepted");
            assert_eq!(again.1, [], "{}: once is enough", spec.name);
        }
    }
    assert!(n_loosened > METHODS.len());
}

#[test]
fn published_values_are_the_permissive_ones() {
    for (method, name, value) in [
        ("codet", "threshold", 0.3),
        ("dsc-positional", "threshold", 0.3),
        ("ffp", "containment", 0.3),
        ("imatch", "take", 5.0),
        ("simhash", "distance", 7.0),
    ] {
        let loose = loosened(&job(method, Profile::Paper));
        let parameters = loose.all_parameters().expect("loosened values are accepted");
        assert_eq!(parameters[name].as_f64(), Some(value), "{method}");
    }
}

#[test]
fn a_pool_grows_by_what_nobody_nominated() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("pool.jsonl");
    let plan = PoolPlan { n_groups: 4, ..PoolPlan::default() };
    let make = || {
        let methods = ["imatch", "ffp"].map(|name| job(name, Profile::Paper));
        PoolBuilder::new(methods).paths(samples()).plan(plan).write(&file)
    };
    let made = make().expect("a pool");
    assert_eq!((made.n_new, made.n_known), (made.pool.entries().len(), 0));
    let before = fs::read_to_string(&file).expect("it was written");
    assert!(!before.contains(" the "), "no text of a document is copied");
    let read = read_pool(&file).expect("a pool");
    assert_eq!((read.entries(), &read.runs), (made.pool.entries(), &made.runs));
    assert!(make().is_err_and(|error| error.to_string().contains("not there yet")));

    let add = || {
        let loose = loosened(&job("codet", Profile::Paper));
        PoolBuilder::new([loose]).plan(plan).add_to(&file).expect("the same samples")
    };
    let added = add();
    assert!(added.n_new > 0 && added.n_known > 0);
    let after = fs::read_to_string(&file).expect("it was written");
    let rest = after.strip_prefix(&before).expect("what was there stays as it was");
    let n_dealt = rest.lines().filter(|line| line.contains("\"group\"")).count();
    assert_eq!(n_dealt, added.n_new);
    let read = read_pool(&file).expect("a pool");
    assert_eq!(read.entries(), added.pool.entries());
    let sizes = read.group_sizes();
    assert!(sizes.iter().max() <= sizes.iter().min().map(|n| n + 2).as_ref(), "{sizes:?}");
    assert_eq!(add().n_new, 0);
}

#[test]
fn exact_copies_can_be_left_out() {
    let find = |with_exact| {
        let plan = PoolPlan { with_exact, ..PoolPlan::default() };
        claims(&job("exact", Profile::Paper), plan).len()
    };
    // Five planted pairs of exact copies, in both directions.
    assert_eq!((find(true), find(false)), (10, 0));
}

#[test]
fn an_answer_survives_whatever_is_torn_behind_it() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let path = dir.path().join("ann.judgements.jsonl");
    let said = |name: &str, answer| Judgement {
        subject: Subject { a: name.to_owned(), b: Some("ş\n".to_owned()) },
        question: Question::Containment,
        answer,
        by: "ann".to_owned(),
        breaks_tie: false,
    };
    let list = [said("one", Answer::Yes), said("two", Answer::No), said("three", Answer::Unsure)];
    let mut file = JudgementFile::open(&path).expect("a new file");
    for judgement in &list {
        file.append(judgement).expect("it can be written");
    }
    drop(file);
    let whole = fs::read(&path).expect("it was written");
    let start = whole.len() - list[2].line().len();
    for cut in start..=whole.len() {
        fs::write(&path, &whole[..cut]).expect("a file for a test");
        let next = said("four", Answer::Yes);
        JudgementFile::open(&path).and_then(|mut file| file.append(&next)).expect("it goes on");
        let read = read_judgements(std::slice::from_ref(&path)).expect("it can be read");
        let is_whole = cut + 1 >= whole.len();
        let mut expected: Vec<&Judgement> = list[..if is_whole { 3 } else { 2 }].iter().collect();
        expected.push(&next);
        assert_eq!(read.iter().collect::<Vec<_>>(), expected, "cut at {cut}");
        let n_bad = usize::from(!is_whole && cut > start);
        assert_eq!(read.bad.len(), n_bad, "cut at {cut}");
        if let Some(bad) = read.bad.first() {
            let place = format!("{}, line 4: ends in the middle", path.display());
            assert_eq!(bad.to_string(), place);
        }
    }
}

#[test]
fn judgements_stand_beside_the_pool() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let pool = dir.path().join("pool.jsonl");
    let path = judgement_path(&pool, "ann").expect("a name");
    assert_eq!(path, dir.path().join("ann.judgements.jsonl"));
    JudgementFile::open(&path).expect("a new file");
    JudgementFile::open(&path).expect("the same file");
    assert_eq!(fs::read_to_string(&path).expect("it was written").lines().count(), 1);
    fs::write(dir.path().join("notes.jsonl"), "").expect("a file for a test");
    assert_eq!(judgements_beside(&pool).expect("a folder"), [path]);
    assert!(judgement_path(&pool, "../ann").is_err());
}

#[test]
fn documents_of_files_and_archives_are_found_by_their_ids() {
    let mut pool = Pool::new(Question::Containment, 1, 1);
    let folder = samples().remove(0);
    pool.header.paths = vec![folder.display().to_string()];
    let ids = ["cw-2101", "archive-2024-0912", "rg-01"];
    let zipped = format!("{}/parish-notes.zip!duck-race.txt", folder.display());
    let mut wanted: BTreeSet<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    wanted.insert(zipped.clone());
    wanted.insert("nobody".to_owned());
    let held = PoolDocuments::open(&pool, &[], &wanted, &Resources::new()).expect("samples");
    assert_eq!(held.missing(), ["nobody"]);
    for id in ids.into_iter().chain([zipped.as_str()]) {
        let document = held.document(id).expect("it is there");
        assert_eq!(document.id, id);
        assert!(document.text.len() > 200, "{id}");
    }
    let error = held.document("nobody").err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("nobody: no document of the collection has this id"));
}

#[test]
fn only_the_difference_of_two_methods_is_asked_about() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("difference.jsonl");
    let methods = ["imatch", "5ne5"].map(|name| job(name, Profile::Paper));
    let one = [methods[0].clone()];
    let made = PoolBuilder::new(methods).paths(samples()).write_difference(&file).expect("samples");
    let between = made.pool.header.between.clone().expect("it is about two methods");
    let n = made.pool.entries().len() as u64 + between.n_both + between.n_neither;
    assert_eq!(n, made.runs[0].n_documents, "every document is on one side");
    assert!(between.n_both > 0 && !made.pool.entries().is_empty());
    for entry in made.pool.entries() {
        assert_eq!(entry.by.len(), 1, "documents that both found are not asked about");
        assert!(!entry.mates.is_empty() && !entry.mates.contains(&entry.subject.a));
    }
    let read = read_pool(&file).expect("a pool");
    assert_eq!(read.entries(), made.pool.entries());
    let refused = PoolBuilder::new(one).add_to(&file).err();
    assert!(
        refused.is_some_and(|error| error.to_string().starts_with("pool must be one of pairs"))
    );
    let tally = Tally::of(&read, &Judgements::default());
    let open = Difference::of_pool(&read).expect("it is about two methods").settle(|_| None);
    assert_eq!(open.map_err(|open| open.documents.len()), Err(tally.open_to("ann", None).len()));
}

#[test]
fn hashes_of_many_files_are_one() {
    let input = |i: usize| ManifestInput {
        name: format!("{i}.txt"),
        blake3: Some("0".repeat(64)),
        ..ManifestInput::default()
    };
    let inputs: Vec<ManifestInput> = (0..=MOST_INPUTS).map(input).collect();
    assert_eq!(hashed(&inputs[1..]).len(), MOST_INPUTS);
    let all = hashed(&inputs);
    assert_eq!(all.keys().map(String::as_str).collect::<Vec<_>>(), ["all 1001 files"]);
    let mut changed = inputs.clone();
    changed[7].blake3 = Some("1".repeat(64));
    assert_ne!(hashed(&changed), all);
}

#[test]
fn a_changed_collection_is_told_and_equal_methods_are_refused() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let corpus = dir.path().join("corpus.jsonl");
    let write = |last: &str| {
        let text = "the harbour board will close the east quay for repairs from monday on";
        let rows = [("a", text), ("b", text), ("c", last)];
        let rows = rows.map(|(id, text)| {
            serde_json::to_string(&Document::plain(id, text)).expect("plain data") + "\n"
        });
        fs::write(&corpus, rows.concat()).expect("a file for a test");
    };
    write("one");
    let file = dir.path().join("pool.jsonl");
    let by = |names: &[&str]| {
        let jobs: Vec<Job> = names.iter().map(|name| job(name, Profile::Paper)).collect();
        PoolBuilder::new(jobs)
    };
    let twice = by(&["ffp", "ffp"]).paths([&corpus]).write(&file);
    assert!(twice.is_err_and(|error| error.to_string().contains("`ffp` twice")));
    let made = by(&["ffp"]).paths([&corpus]).write(&file).expect("a pool");
    assert_eq!(made.pool.entries().len(), 2);
    write("other");
    let added = by(&["codet"]).add_to(&file).expect("a pool");
    let changed = changed_inputs(&made.runs, &added.runs);
    assert_eq!(changed.len(), 1);
    assert!(changed[0].ends_with("corpus.jsonl"));
    assert_eq!(changed_inputs(&added.runs, &added.runs), [""; 0]);
}

#[test]
fn options_of_another_version_are_refused() {
    let mut header = Pool::new(Question::Containment, 1, 1).header;
    assert_eq!(header.read_options(), Ok(ReadOptions::default()));
    let options = ReadOptions { encoding: Some("latin1".to_owned()), ..ReadOptions::default() };
    header.read = serde_json::to_value(&options).expect("plain data");
    assert_eq!(header.read_options(), Ok(options));
    header.read = serde_json::json!({ "limits": { "document_bytes": 7 } });
    let refused = header.read_options().expect_err("an old name").to_string();
    assert!(refused.ends_with("got `limits`"), "{refused}");
}
