//! A handmade run over news about a bridge, a library and a harvest, in English and Turkish.

use std::collections::BTreeMap;

use retold_core::document::{Markup, Span};
use retold_core::relation::{Kind, Passage, Score, Scores};
use retold_report::{
    BadRow, ClusterView, Cut, Manifest, ManifestInput, ManifestRun, MemberView, Page, PairView,
    SideView, Summary, WINDOW_BYTES, Window,
};
use serde_json::json;

const BRIDGE_WIRE: &str = "\
The harbour bridge was closed to all traffic on Tuesday after inspectors found cracks in two of \
its main bearings, the city said.

About 34,000 vehicles cross the bridge every day. The ferry between Northgate and the Old Quay \
will run every ten minutes until further notice, and tickets bought for the bridge toll are valid \
on board.

\"The bridge is safe to stand, but it is not safe to drive on,\" the head of the roads department \
told reporters. Repairs are expected to take at least three weeks.

The bridge, opened in 1964, was last inspected in full nine years ago. A report at the time \
recommended that the bearings be replaced within five years; the work was put off twice for lack \
of money.";

const BRIDGE_PORTAL: &str = "\
PORTSIDE — The harbour bridge was closed to all traffic on Tuesday morning after inspectors \
discovered cracks in two of its main bearings, the city said.

About 34,000 vehicles cross the bridge every day. The ferry between Northgate and the Old Quay \
will run every ten minutes until further notice, and tickets bought for the bridge toll are valid \
on board.

\"The bridge is safe to stand, but it is not safe to drive on,\" the head of the roads department \
told journalists. Repairs are expected to take at least three weeks.

Shops along the approach road said they feared for their trade. \"Nobody walks here,\" one owner \
said. \"They drive past, and sometimes they stop.\"

The bridge, opened in 1964, was last inspected in full nine years ago. A report at the time \
recommended that the bearings be replaced within five years.";

const BRIDGE_BRIEF: &str = "\
In brief: The ferry between Northgate and the Old Quay will run every ten minutes until further \
notice, and tickets bought for the bridge toll are valid on board.";

const LIBRARY_ONE: &str = "\
Kent kütüphanesi, iki yıl süren onarımın ardından cumartesi günü yeniden açılıyor. Okuma salonunun \
tavanı güçlendirildi, çocuk bölümü zemin kata taşındı ve bahçeye kırk kişilik bir okuma alanı \
eklendi.

Belediye, açılış haftasında üyeliğin ücretsiz olacağını duyurdu. Kütüphane hafta içi yirmi ikiye \
kadar açık kalacak.";

const LIBRARY_TWO: &str = "\
<article><h1>Kütüphane açılıyor</h1><p>Kent kütüphanesi, iki yıl süren onarımın ardından \
<b>cumartesi</b> günü yeniden açılıyor. Okuma salonunun tavanı güçlendirildi, çocuk bölümü zemin \
kata taşındı ve bahçeye altmış kişilik bir okuma alanı eklendi.</p>\
<script>track('open')</script><p>Belediye, açılış haftasında üyeliğin ücretsiz olacağını \
duyurdu.</p></article>";

const HARVEST_ONE: &str = "\
Olive growers in the valley expect the smallest harvest in a decade. A warm winter brought the \
trees into flower three weeks early, and a frost in the first days of April took most of what had \
opened. Presses that usually run day and night until January say they will close before Christmas.

Prices at the weekly market have already risen by a third.";

const HARVEST_TWO: &str = "\
The cooperative bank has put off repayments for farms in the valley for one year. Farmers asked for \
help after the spring. A warm winter brought the trees into flower three weeks early, and a frost \
in the first days of April took most of what had opened. The bank will decide on new loans in \
October, when the first figures of the harvest are known.

Members vote on the plan next month.";

/// The document stands in `source` under `title`.
fn side(id: &str, title: &str, source: &str, time: &str, text: &str, spans: &[Span]) -> SideView {
    let markup = if text.starts_with('<') { Markup::Html } else { Markup::Plain };
    SideView {
        id: id.to_owned(),
        title: Some(title.to_owned()),
        source: Some(source.to_owned()),
        time: Some(time.to_owned()),
        n_words: text.split_whitespace().count() as u32,
        markup,
        n_bytes: text.len(),
        windows: Window::around(text, spans.iter().copied(), WINDOW_BYTES),
    }
}

/// The passage from the first to the last of these words, in both texts.
fn passage(a: &str, b: &str, from: [&str; 2], to: [&str; 2], words: u32, differ: u32) -> Passage {
    let span = |text: &str, from: &str, to: &str| {
        let start = text.find(from).expect("a passage starts in its text");
        let end = start + text[start..].find(to).expect("a passage ends in its text") + to.len();
        Span::new(start as u32, end as u32)
    };
    Passage { a: span(a, from[0], to[0]), b: span(b, from[1], to[1]), words, differ, moved: 0 }
}

fn scores(resemblance: f64, a_in_b: f64, b_in_a: f64) -> Scores {
    let score = |value| Score::new(value).expect("shares lie between 0 and 1");
    Scores { resemblance: score(resemblance), a_in_b: score(a_in_b), b_in_a: score(b_in_a) }
}

struct Told<'a> {
    id: &'a str,
    title: &'a str,
    source: &'a str,
    time: &'a str,
    text: &'a str,
}

fn pair(
    a: &Told<'_>,
    b: &Told<'_>,
    kind: Kind,
    scores: Scores,
    passages: Vec<Passage>,
) -> PairView {
    let spans_a: Vec<Span> = passages.iter().map(|passage| passage.a).collect();
    let spans_b: Vec<Span> = passages.iter().map(|passage| passage.b).collect();
    PairView {
        a: side(a.id, a.title, a.source, a.time, a.text, &spans_a),
        b: side(b.id, b.title, b.source, b.time, b.text, &spans_b),
        relation: Some(kind),
        scores,
        passages,
        quoted: Vec::new(),
        vocabulary: None,
        n_cut: 0,
    }
}

fn member(told: &Told<'_>, n_words: u32, relation: Option<(Kind, Scores)>) -> MemberView {
    MemberView {
        id: told.id.to_owned(),
        title: Some(told.title.to_owned()),
        source: Some(told.source.to_owned()),
        time: Some(told.time.to_owned()),
        n_words,
        relation: relation.map(|(kind, _)| kind),
        scores: relation.map(|(_, scores)| scores),
    }
}

const fn told<'a>(
    id: &'a str,
    title: &'a str,
    source: &'a str,
    time: &'a str,
    text: &'a str,
) -> Told<'a> {
    Told { id, title, source, time, text }
}

fn bridge() -> ClusterView {
    let wire = told(
        "wire/0412",
        "Harbour bridge closed after cracks are found",
        "Coast Wire",
        "2024-05-14 09:12",
        BRIDGE_WIRE,
    );
    let portal = told(
        "portside.example/88231",
        "Bridge shut: what drivers need to know",
        "Portside",
        "2024-05-14 11:40",
        BRIDGE_PORTAL,
    );
    let brief = told("evening/brief-7", "In brief", "Evening Mail", "2024-05-14", BRIDGE_BRIEF);
    let radio = told(
        "radio/1551",
        "Harbour bridge closed after cracks are found",
        "Radio Quay",
        "2024-05-14 09:30",
        BRIDGE_WIRE,
    );
    let near = scores(0.83, 0.902, 0.811);
    let inside = scores(0.21, 0.96, 0.22);
    let pairs = vec![
        pair(
            &wire,
            &portal,
            Kind::NearDuplicate,
            near,
            vec![
                passage(
                    wire.text,
                    portal.text,
                    ["The harbour bridge", "The harbour bridge"],
                    ["three weeks.", "three weeks."],
                    96,
                    3,
                ),
                passage(
                    wire.text,
                    portal.text,
                    ["The bridge, opened", "The bridge, opened"],
                    ["five years", "five years"],
                    31,
                    0,
                ),
            ],
        ),
        pair(
            &brief,
            &wire,
            Kind::Contained,
            inside,
            vec![passage(
                brief.text,
                wire.text,
                ["The ferry", "The ferry"],
                ["on board.", "on board."],
                27,
                0,
            )],
        ),
    ];
    ClusterView {
        id: 17,
        size: 84,
        representative: wire.id.to_owned(),
        cohesion: 0.94,
        n_common: None,
        shared: Some(("The bridge over the canal was closed on Monday morning".to_owned(), 112)),
        members: vec![
            member(&wire, 128, None),
            member(&radio, 128, Some((Kind::Exact, Scores::EQUAL))),
            member(&portal, 146, Some((Kind::NearDuplicate, near.flipped()))),
            member(&brief, 29, Some((Kind::Contained, inside))),
        ],
        pairs,
    }
}

fn library() -> ClusterView {
    let one = told(
        "haber/2024/311",
        "Kent kütüphanesi cumartesi açılıyor",
        "Kent Haber",
        "2024-05-16",
        LIBRARY_ONE,
    );
    let two =
        told("gazete-5512.html", "Kütüphane açılıyor", "Sabah Postası", "2024-05-17", LIBRARY_TWO);
    let near = scores(0.74, 0.82, 0.95);
    let passages = vec![
        passage(
            one.text,
            two.text,
            ["Kent kütüphanesi", "Kent kütüphanesi"],
            ["eklendi.", "eklendi."],
            28,
            1,
        ),
        passage(one.text, two.text, ["Belediye", "Belediye"], ["duyurdu.", "duyurdu."], 7, 0),
    ];
    ClusterView {
        id: 3,
        size: 2,
        representative: one.id.to_owned(),
        cohesion: 0.82,
        n_common: Some(85),
        shared: None,
        members: vec![
            member(&one, 43, None),
            member(&two, 36, Some((Kind::NearDuplicate, near.flipped()))),
        ],
        pairs: vec![pair(&one, &two, Kind::NearDuplicate, near, passages)],
    }
}

fn harvest() -> PairView {
    let one = told(
        "valley/olives",
        "Small harvest, high prices",
        "Valley Courier",
        "2024-09-30",
        HARVEST_ONE,
    );
    let two = told(
        "bank/letter-12",
        "Bank puts off repayments",
        "Cooperative News",
        "2024-10-02",
        HARVEST_TWO,
    );
    let shared = [passage(
        one.text,
        two.text,
        ["A warm winter", "A warm winter"],
        ["had opened.", "had opened."],
        28,
        0,
    )];
    pair(&one, &two, Kind::Partial, scores(0.24, 0.42, 0.37), shared.to_vec())
}

/// The figures of the run.
pub(crate) fn summary() -> Summary {
    let mut cluster_sizes = vec![2; 812];
    for (size, count) in
        [(3, 190), (4, 81), (5, 40), (7, 32), (9, 20), (14, 12), (20, 8), (41, 4), (84, 1)]
    {
        cluster_sizes.extend(std::iter::repeat_n(size, count));
    }
    Summary {
        command: "find".to_owned(),
        method: "retold".to_owned(),
        n_files: 3,
        n_documents: 21_307,
        n_archive: 0,
        n_bytes: 190_432_000,
        n_words: 29_100_000,
        n_bad: 3,
        n_too_short: 100,
        pairs_by_kind: [1_204, 3_310, 412, 388, 990],
        n_exact_groups: 811,
        n_exact_copies: 1_033,
        n_clusters: 1_200,
        n_clustered: 6_203,
        n_kept: 1_200,
        n_in_several: 0,
        largest: vec![
            ("Harbour bridge closed after cracks are found".to_owned(), 84),
            ("Kent kütüphanesi cumartesi açılıyor".to_owned(), 41),
        ],
        cluster_sizes,
        containment_histogram: [3, 40, 120, 200, 300, 350, 400, 600, 1_100, 3_191],
        n_removed: None,
        n_review: None,
        decides_only: false,
        cuts: vec![Cut {
            what: "pairs beyond the limit per document".to_owned(),
            limit: Some(1_000),
            count: 12,
        }],
        seconds: 8.31,
        output: Some("found/".to_owned()),
    }
}

/// The figures of a run that found nothing.
pub(crate) fn empty_summary() -> Summary {
    Summary {
        command: "find".to_owned(),
        method: "retold".to_owned(),
        n_files: 1,
        n_documents: 412,
        n_bytes: 1_904_000,
        n_words: 291_000,
        seconds: 0.21,
        ..Summary::default()
    }
}

/// How the run came about.
pub(crate) fn manifest() -> Manifest {
    let input = |name: &str, kind: &str, bytes, n_documents, n_bad| ManifestInput {
        name: name.to_owned(),
        bytes,
        kind: kind.to_owned(),
        blake3: Some("9f3c1e77a0b45d21c0ffee0123456789aabbccddeeff00112233445566778899".to_owned()),
        n_documents,
        n_bad,
        copied_to: None,
    };
    Manifest {
        version: "0.1.0".to_owned(),
        command: "find".to_owned(),
        method: "retold".to_owned(),
        profile: "retold".to_owned(),
        parameters: json!({ "gram_words": 5, "threshold": 0.6, "sample": "1/8" }),
        settings: json!({ "keep": "longest", "pairs_per_document": 1000, "html": "text" }),
        seed: 42,
        hashes: BTreeMap::from([("features".to_owned(), "xxh3-64".to_owned())]),
        inputs: vec![
            input("news/", "tree of text files", 41_200_000, 8_114, 0),
            input("archive.jsonl.zst", "jsonl", 149_000_000, 13_190, 3),
            input("letters.html", "html", 232_000, 3, 0),
        ],
        approximate: vec![
            "candidates: one gram in eight is kept; a pair that shares no kept gram is missed"
                .to_owned(),
        ],
        bad_records: vec![BadRow {
            file: "archive.jsonl.zst".to_owned(),
            record: 9_120,
            offset: Some(88_120_331),
            reason: "line is not JSON: expected `,` at column 812".to_owned(),
        }],
        n_bad: 3,
        finished: true,
        run: ManifestRun {
            threads: 2,
            timings: BTreeMap::from([("read".to_owned(), 2.1), ("verify".to_owned(), 3.9)]),
            ..ManifestRun::default()
        },
        ..Manifest::default()
    }
}

/// The whole page.
pub(crate) fn page(manifest: &Manifest) -> Page<'_> {
    Page {
        summary: summary(),
        manifest,
        clusters: vec![bridge(), library()],
        partials: vec![harvest()],
    }
}
