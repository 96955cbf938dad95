use proptest::prelude::*;

use super::*;
use crate::measures::{Costs, Direction};
use crate::statistics::Level;

fn pair(a: &str, b: &str) -> Subject {
    Subject::pair(Direction::Ordered, a, b).expect("two documents")
}

fn said(by: &str, subject: &Subject, answer: Answer) -> Judgement {
    Judgement {
        subject: subject.clone(),
        question: if subject.b.is_some() { Question::Containment } else { Question::Duplicate },
        answer,
        by: by.to_owned(),
        breaks_tie: false,
    }
}

fn judgements(list: &[Judgement]) -> Judgements {
    let text: String = list.iter().map(Judgement::line).collect();
    read(&[("all", &text)])
}

fn read(files: &[(&str, &str)]) -> Judgements {
    let mut judgements = Judgements::default();
    for (file, text) in files {
        judgements.read(file, text.as_bytes()).expect("good files");
    }
    judgements
}

fn pool_of(pairs: &[(&str, &str)]) -> Pool {
    let mut pool = Pool::new(Question::Containment, 1, 3);
    let mut nominations = Nominations::default();
    for (a, b) in pairs {
        nominations.add("codet", pair(a, b));
    }
    pool.take(nominations);
    pool
}

/// A file as it would be written: header, then what taking in returned.
fn file_of(pool: &Pool, entries: &[Entry]) -> String {
    let mut lines = vec![serde_json::to_string(&pool.header).expect("plain data")];
    lines.extend(entries.iter().map(|entry| serde_json::to_string(entry).expect("plain data")));
    lines.join("\n") + "\n"
}

#[test]
fn a_new_method_adds_only_pairs_nobody_nominated() {
    let mut pool = Pool::new(Question::Containment, 7, 4);
    let mut first = Nominations::default();
    for (a, b) in [("a", "b"), ("b", "a"), ("c", "d")] {
        assert!(first.add("codet", pair(a, b)));
    }
    let before = pool.take(first).entries;
    assert_eq!(before.len(), 3);
    let groups: Vec<_> = pool.entries().iter().map(|entry| entry.group).collect();

    let mut second = Nominations::default();
    for (a, b) in [("c", "d"), ("d", "c"), ("e", "f")] {
        second.add("ffp", pair(a, b));
    }
    let added = pool.take(second.clone());
    assert_eq!((added.n_new, added.n_known), (2, 1));
    let fresh = added.entries.iter().filter(|entry| entry.group.is_some()).count();
    assert_eq!((fresh, added.entries.len()), (2, 3));
    let kept: Vec<_> = pool.entries()[..3].iter().map(|entry| entry.group).collect();
    assert_eq!(kept, groups, "what was there stays where it was");
    let both = &pool.entries()[pool.find(&pair("c", "d")).expect("nominated twice")];
    assert_eq!(both.by, ["codet", "ffp"]);
    assert!(pool.take(second).entries.is_empty(), "the same once more changes nothing");

    // The file that grew is the pool that grew.
    let text = file_of(&pool, &[before, added.entries].concat());
    let again = Pool::read("pool", text.as_bytes()).expect("a pool");
    assert_eq!((again.entries(), again.bad.len()), (pool.entries(), 0));
    assert_eq!(again.group_sizes(), pool.group_sizes());
}

proptest! {
    #[test]
    fn groups_are_about_equal_and_hold_a_pair_with_its_reverse(
        rounds in prop::collection::vec(prop::collection::vec((0u8..40, 0u8..40), 0..60), 1..4),
        n_groups in 1u32..8,
        seed in any::<u64>(),
    ) {
        let mut pool = Pool::new(Question::Containment, seed, n_groups);
        let mut entries = Vec::new();
        for round in &rounds {
            let mut nominations = Nominations::default();
            for (a, b) in round {
                if let Some(pair) =
                    Subject::pair(Direction::Ordered, &a.to_string(), &b.to_string())
                {
                    nominations.add("m", pair);
                }
            }
            let before: Vec<_> = pool.entries().to_vec();
            entries.extend(pool.take(nominations).entries);
            prop_assert_eq!(&pool.entries()[..before.len()], before.as_slice());
        }
        // A reverse that comes in a later round joins its pair, so sizes may differ by those.
        let mut n_late = 0;
        for (i, entry) in pool.entries().iter().enumerate() {
            let b = entry.subject.b.as_deref().expect("a pair");
            if let Some(other) = pool.find(&pair(b, &entry.subject.a)) {
                prop_assert_eq!(entry.group, pool.entries()[other].group);
                n_late += u64::from(other < i);
            }
        }
        let sizes = pool.group_sizes();
        let (least, most) = (sizes.iter().min(), sizes.iter().max());
        prop_assert!(most.unwrap() - least.unwrap() <= 1 + n_late);
        let again = Pool::read("pool", file_of(&pool, &entries).as_bytes()).expect("a pool");
        prop_assert_eq!(again.entries(), pool.entries());
    }

    #[test]
    fn any_bytes_may_stand_in_a_file(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Pool::read("p", bytes.as_slice()).is_err());
        let mut judgements = Judgements::default();
        judgements.read("j", bytes.as_slice()).expect("memory can be read");
        prop_assert_eq!(judgements.iter().count(), 0);
    }
}

#[test]
fn the_seed_deals_and_equal_seeds_deal_alike() {
    let names: Vec<String> = (0..60).map(|i| format!("d{i}")).collect();
    let dealt = |seed: u64| {
        let mut pool = Pool::new(Question::NearDuplicate, seed, 5);
        let mut nominations = Nominations::default();
        for two in names.windows(2) {
            let pair = Subject::pair(Direction::Unordered, &two[0], &two[1]);
            nominations.add("m", pair.expect("two documents"));
        }
        pool.take(nominations);
        pool.entries().to_vec()
    };
    assert_eq!(dealt(1), dealt(1));
    assert_ne!(dealt(1), dealt(2));
}

#[test]
fn a_pool_is_refused_unless_it_begins_as_one() {
    for (text, reason) in [
        ("", "there is no header"),
        ("{\"a\":\"x\",\"b\":\"y\",\"by\":[]}\n", "there is no header"),
        ("{\"retold_pool\":9}\n", "format 9 is newer than this version reads (1)"),
        ("{\"retold_pool\":1}\n", "missing field `question`"),
        ("{\"retold_pool\":1,\"question\":\"partial\",\"seed\":1,\"n_groups\":0}", "n_groups must"),
        ("{\"retold_po", "ends in the middle"),
        ("nonsense\n", "not JSON"),
    ] {
        let error = Pool::read("p.jsonl", text.as_bytes()).expect_err("not a pool").to_string();
        assert!(error.starts_with("p.jsonl, line 1: ") && error.contains(reason), "{error}");
    }
}

#[test]
fn a_torn_line_of_a_pool_is_named_and_the_rest_is_used() {
    let pool = pool_of(&[("a", "b"), ("c", "d")]);
    let text = file_of(&pool, pool.entries());
    for cut in text[..text.len() - 1].rfind('\n').expect("several lines") + 1..text.len() - 1 {
        let torn = Pool::read("p", &text.as_bytes()[..cut]).expect("the header is whole");
        assert_eq!(torn.entries(), &pool.entries()[..1]);
        let is_empty_line = text.as_bytes()[cut - 1] == b'\n';
        assert_eq!(torn.bad.len(), usize::from(!is_empty_line), "{cut}");
    }
    let foreign =
        text + "{\"a\":\"x\",\"by\":[\"m\"]}\n{\"a\":\"x\",\"b\":\"y\",\"by\":[],\"group\":9}\n";
    let read = Pool::read("p", foreign.as_bytes()).expect("the header is whole");
    let lines: Vec<u64> = read.bad.iter().map(|bad| bad.line).collect();
    assert_eq!((read.entries().len(), lines), (2, vec![4, 5]));
}

#[test]
fn two_judge_and_a_third_where_they_differ() {
    use Answer::{No, Unsure, Yes};
    let state = |answers: &[Answer]| {
        let votes: Vec<Vote> = answers
            .iter()
            .enumerate()
            .map(|(person, &answer)| Vote { person, answer, breaks_tie: false })
            .collect();
        State::of(&votes, Question::Containment.n_judges())
    };
    assert_eq!(state(&[]), State::Waiting);
    assert_eq!(state(&[Yes]), State::Waiting);
    assert_eq!(state(&[Yes, Yes]), State::Decided(true));
    assert_eq!(state(&[No, No]), State::Decided(false));
    assert_eq!(state(&[Yes, No]), State::Split);
    assert_eq!(state(&[Yes, Unsure]), State::Split);
    assert_eq!(state(&[Unsure, Unsure]), State::Split);
    assert_eq!(state(&[Yes, No, No]), State::Decided(false));
    assert_eq!(state(&[Yes, No, Unsure]), State::Split);
    assert_eq!(state(&[Yes, Unsure, Unsure, Yes]), State::Decided(true));
    assert_eq!(state(&[Yes, No, Yes, No]), State::Split);
    let three = Question::Duplicate.n_judges();
    let vote = |person| Vote { person, answer: Yes, breaks_tie: false };
    assert_eq!(State::of(&[vote(0), vote(1)], three), State::Waiting);
    assert_eq!(State::of(&[vote(0), vote(1), vote(2)], three), State::Decided(true));
}

#[test]
fn a_person_is_given_what_needs_judgement_and_never_their_own() {
    let pool = pool_of(&[("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]);
    let (ab, cd, ef) = (pair("a", "b"), pair("c", "d"), pair("e", "f"));
    let held = judgements(&[
        said("ann", &ab, Answer::Yes),
        said("ben", &ab, Answer::Yes),
        said("ann", &cd, Answer::Yes),
        said("ben", &cd, Answer::No),
        said("ann", &ef, Answer::Yes),
    ]);
    let open = |who: &str| -> Vec<String> {
        let mut open: Vec<String> = Tally::of(&pool, &held)
            .open_to(who, None)
            .into_iter()
            .map(|entry| pool.entries()[entry].subject.a.clone())
            .collect();
        open.sort();
        open
    };
    assert_eq!(open("ann"), ["g"]);
    assert_eq!(open("ben"), ["e", "g"]);
    assert_eq!(open("cy"), ["c", "e", "g"]);

    let all: usize =
        (1..=3).map(|group| Tally::of(&pool, &held).open_to("cy", Some(group)).len()).sum();
    assert_eq!(all, 3, "groups share the work out");
}

#[test]
fn a_sitting_goes_on_back_and_past() {
    let pool = pool_of(&[("a", "b"), ("c", "d"), ("e", "f")]);
    let last = pool.entries()[2].subject.clone();
    let held = judgements(&[said("ben", &last, Answer::Yes), said("cy", &last, Answer::No)]);
    let mut sitting = Sitting::new(Tally::of(&pool, &held), "ann", None);
    assert_eq!((sitting.len(), sitting.position(), sitting.back()), (3, 0, false));

    let first = sitting.judgement(Answer::Yes).expect("there is something to judge");
    sitting.answered(&first);
    sitting.skip();
    let third = sitting.judgement(Answer::No).expect("there is something to judge");
    assert!(third.breaks_tie && !first.breaks_tie);
    sitting.answered(&third);
    assert_eq!(sitting.current(), None);
    assert_eq!(sitting.judgement(Answer::Yes), None);

    assert!(sitting.back());
    assert_eq!(sitting.said(), Some(Answer::No));
    let changed = sitting.judgement(Answer::Yes).expect("back at the last");
    assert!(changed.breaks_tie, "the own answer does not settle the tie");
    sitting.answered(&changed);
    assert_eq!(sitting.n_answered(), 3);
    assert!(sitting.back() && sitting.back());
    assert_eq!(sitting.said(), None, "what was passed over has no answer");
}

#[test]
fn the_last_word_of_a_person_counts_and_earlier_ones_are_kept() {
    let ab = pair("a", "b");
    let yes = said("ann", &ab, Answer::Yes).line();
    let no = said("ann", &ab, Answer::No).line();
    let header = judgements_header();
    let merged =
        read(&[("one", &format!("{header}{yes}{no}")), ("two", &format!("{header}{yes}"))]);
    assert_eq!(merged.iter().count(), 3);
    assert_eq!(merged.latest().iter().map(|said| said.answer).collect::<Vec<_>>(), [Answer::Yes]);
    let told: Vec<String> = merged.conflicts().iter().map(ToString::to_string).collect();
    assert_eq!(told, ["two, line 2: `ann` answered otherwise in one, line 3; the last counts"]);

    // Putting files one behind the other is merging them.
    let glued = format!("{header}{yes}{no}{header}{yes}");
    let glued = read(&[("all", &glued)]);
    assert_eq!(glued.latest(), merged.latest());
    assert!(glued.conflicts().is_empty(), "within a file a change of mind is no conflict");
}

#[test]
fn everything_before_a_torn_line_survives() {
    let subjects: Vec<Subject> = (0..4).map(|i| pair(&format!("ä{i}"), "b\n\"c")).collect();
    let list: Vec<Judgement> =
        subjects.iter().map(|subject| said("ann", subject, Answer::Unsure)).collect();
    let text: String = judgements_header() + &list.iter().map(Judgement::line).collect::<String>();
    let start = text.len() - list[3].line().len();
    for cut in start..=text.len() {
        let mut torn = Judgements::default();
        torn.read("f", &text.as_bytes()[..cut]).expect("memory can be read");
        let whole: Vec<&Judgement> = torn.iter().collect();
        // The line feed alone adds nothing: a line is whole with its last bracket.
        let n_whole = if cut + 1 >= text.len() { 4 } else { 3 };
        assert_eq!(whole, list[..n_whole].iter().collect::<Vec<_>>(), "cut at {cut}");
        let expected = if cut == start || n_whole == 4 { vec![] } else { vec![5] };
        assert_eq!(torn.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(), expected);

        // Whoever writes on ends the torn line first, and nothing of theirs is lost either.
        let next = said("ann", &subjects[3], Answer::Yes);
        let mut grown = text.as_bytes()[..cut].to_vec();
        if !grown.ends_with(b"\n") {
            grown.push(b'\n');
        }
        grown.extend(next.line().bytes());
        let mut read = Judgements::default();
        read.read("f", grown.as_slice()).expect("memory can be read");
        assert_eq!(read.iter().last(), Some(&next));
        assert_eq!(read.iter().count(), n_whole + 1);
    }
}

#[test]
fn a_newer_file_of_judgements_is_refused() {
    let mut judgements = Judgements::default();
    let text = "{\"retold_judgements\":2}\n";
    let error = judgements.read("f", text.as_bytes()).expect_err("2 is newer");
    assert_eq!(error.to_string(), "f, line 1: format 2 is newer than this version reads (1)");
}

#[test]
fn lines_of_another_kind_are_named() {
    let read = read(&[(
        "f",
        "{\"a\":\"x\"}\n[1]\n{\"a\":\"x\",\"question\":\"partial\",\"answer\":\"maybe\",\"by\":\"ann\"}\n",
    )]);
    assert_eq!(read.iter().count(), 0);
    assert_eq!(read.bad.len(), 3);
    assert!(read.bad.iter().all(|bad| bad.reason.starts_with("not a judgement: ")), "{read:?}");
}

/// Vector T-KAP: the example of Cohen's kappa, through files of two people.
#[test]
fn kappa_of_two_people_comes_from_their_files() {
    use Answer::{No, Yes};
    let names: Vec<String> = (0..100).map(|i| format!("d{i}")).collect();
    let pairs: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let pool = pool_of(&pairs);
    let mut list = Vec::new();
    let cells = [(Yes, Yes, 40), (Yes, No, 5), (No, Yes, 8), (No, No, 47)];
    let answers = cells.iter().flat_map(|&(one, other, n)| std::iter::repeat_n((one, other), n));
    for (name, (one, other)) in names.iter().zip(answers) {
        let subject = pair(name, "x");
        list.push(said("ann", &subject, one));
        list.push(said("ben", &subject, other));
        if one != other {
            let third = said("cy", &subject, Yes);
            list.push(Judgement { breaks_tie: true, ..third });
        }
    }
    let tally = Tally::of(&pool, &judgements(&list));
    let found = Assessors::of(&tally, Level::default());
    assert_eq!(found.pairs.len(), 1, "whoever broke ties is not compared");
    assert_eq!(found.pairs[0].confusion, [[40, 5, 0], [8, 47, 0], [0, 0, 0]]);
    let kappa = found.pairs[0].cohen.kappa.expect("answers differ");
    assert!((kappa - 0.738_956).abs() < 1e-6, "{kappa}");
    assert_eq!(found.mean_kappa, Some(kappa));
    assert_eq!(found.fleiss.keys().copied().collect::<Vec<_>>(), [2]);
    assert_eq!(found.alpha.n, 100);
    let n_yes = tally.iter().filter(|(_, _, state)| *state == State::Decided(true)).count();
    assert_eq!(n_yes, 40 + 5 + 8);
    assert!(tally.iter().all(|(_, _, state)| matches!(state, State::Decided(_))));
}

#[test]
fn judgements_of_other_pools_and_questions_are_set_aside() {
    let pool = pool_of(&[("a", "b")]);
    let mut other = said("ann", &pair("a", "b"), Answer::Yes);
    other.question = Question::Partial;
    let held = judgements(&[other, said("ann", &pair("b", "a"), Answer::Yes)]);
    let tally = Tally::of(&pool, &held);
    assert_eq!(tally.n_elsewhere, 2);
    assert_eq!(tally.state(0), State::Waiting);
}

#[test]
fn a_pool_of_ordered_pairs_can_be_asked_about_unordered_ones() {
    let pool = pool_of(&[("a", "b"), ("b", "a"), ("d", "c")]);
    let asked = pool.asked(Question::NearDuplicate).expect("order can be left out");
    let mut pairs: Vec<(&str, Option<&str>)> =
        asked.entries().iter().map(|e| (e.subject.a.as_str(), e.subject.b.as_deref())).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [("a", Some("b")), ("c", Some("d"))]);
    let back = asked.asked(Question::Containment).map(|_| ());
    assert_eq!(back, Err(NotAsked { pool: Question::NearDuplicate, asked: Question::Containment }));
    // Somebody may have written the pair the other way round.
    let mut turned = said("ann", &pair("b", "a"), Answer::Yes);
    turned.question = Question::NearDuplicate;
    assert_eq!(Tally::of(&asked, &judgements(&[turned])).n_elsewhere, 0);
}

/// The thesis' example of twenty documents, through a pool, three people and their files.
#[test]
fn twenty_documents_judged_by_three_give_the_numbers_of_the_thesis() {
    let imatch = [1, 2, 4, 5, 6, 7, 9, 11, 16, 17, 18];
    let tweezer = [2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 18, 19];
    let zero_based = |list: &[u32]| list.iter().map(|i| i - 1).collect::<Vec<_>>();
    let difference = Difference::of(20, &zero_based(&imatch), &zero_based(&tweezer));
    let methods = ["imatch".to_owned(), "tweezer".to_owned()];
    let mut pool = Pool::new(Question::Duplicate, 1, 1);
    pool.header.between = Some(Between {
        methods: methods.clone(),
        n_both: difference.n_both,
        n_neither: difference.n_neither,
    });
    let mut nominations = Nominations::default();
    for (method, only) in methods.iter().zip(&difference.only) {
        for document in only {
            nominations.add_document(method, &format!("{}", document + 1), &["2", "4"]);
        }
    }
    pool.take(nominations);
    let text = file_of(&pool, pool.entries());
    let pool = Pool::read("pool", text.as_bytes()).expect("a pool");
    assert_eq!(pool.entries().len(), 7);
    assert!(pool.entries().iter().all(|entry| entry.mates.len() == 2));

    // The third of them errs each time; the majority does not.
    let mut list = Vec::new();
    for entry in pool.entries() {
        let is_true = ["3", "11", "15"].contains(&entry.subject.a.as_str());
        for (by, errs) in [("ann", false), ("ben", false), ("cy", true)] {
            let answer = if is_true == errs { Answer::No } else { Answer::Yes };
            list.push(said(by, &entry.subject, answer));
        }
    }
    let settle = |list: &[Judgement]| {
        let tally = Tally::of(&pool, &judgements(list));
        let judged = |entry: u32| match tally.state(entry as usize) {
            State::Decided(is_duplicate) => Some(is_duplicate),
            State::Waiting | State::Split => None,
        };
        Difference::of_pool(&pool).expect("it is about a difference").settle(judged)
    };
    let missing = settle(&list[..20]).expect_err("one of three is missing");
    assert_eq!(missing.documents.len(), 1);
    let [first, second] = settle(&list).expect("everything is judged");
    assert_eq!((first.a, first.b, first.c, first.d), (9, 2, 2, 7));
    assert_eq!((second.a, second.b, second.c, second.d), (10, 2, 1, 7));
    let near = |x: f64, y: f64| assert!((x - y).abs() < 5e-7, "{x} {y}");
    near(first.normalised_cost(&Costs::default()), 3.134_199);
    near(second.normalised_cost(&Costs::default()), 3.043_290);
    near(first.miss(), 0.181_818);
    near(second.f1(), 0.869_565);
}

#[test]
fn what_is_decided_becomes_a_list_of_truth() {
    let pool = pool_of(&[("a", "b"), ("c", "d"), ("e", "f"), ("g\th", "i")]);
    let mut list = Vec::new();
    for (a, b, answers) in [
        ("a", "b", [Answer::Yes, Answer::Yes]),
        ("c", "d", [Answer::No, Answer::No]),
        ("e", "f", [Answer::Yes, Answer::No]),
        ("g\th", "i", [Answer::Yes, Answer::Yes]),
    ] {
        list.push(said("ann", &pair(a, b), answers[0]));
        list.push(said("ben", &pair(a, b), answers[1]));
    }
    let held = judgements(&list);
    let tally = Tally::of(&pool, &held);
    let (text, n_left_out) = tally.reference();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].sort_unstable();
    assert_eq!(
        lines,
        [
            "id_a\tid_b\trelation\tnote",
            "a\tb\tcontained\t2 yes, 0 no, 0 unsure",
            "c\td\tnone\t0 yes, 2 no, 0 unsure",
        ]
    );
    assert_eq!(n_left_out, 1, "an id with a tab cannot stand in such a list");
    let all = tally.standing();
    assert_eq!((all.n(), all.n_yes, all.n_no, all.n_split), (4, 2, 1, 1));
    let by_group = tally.standing_by_group();
    assert_eq!(by_group.iter().map(Standing::n).sum::<u64>(), 4);
    assert_eq!(tally.standing_by_method().get("codet"), Some(&all));
}

#[test]
fn names_become_parts_of_file_names() {
    assert!(["ann", "Ayşe", "reader-2", "a.b_c"].into_iter().all(is_name));
    assert!(!["", "../x", "a/b", ".hidden", "-x", "a b", "a\u{0}"].into_iter().any(is_name));
    assert!(!is_name(&"x".repeat(65)));
}
