//! The stage as a whole: promises about places, pages nobody may choke on, and a second opinion.

use html2text::render::TrivialDecorator;
use proptest::prelude::*;

use super::*;

const MAIN: Clean = Clean { html: Html::Main, form: Form::Nfc };

fn html(source: &str) -> Text<'_> {
    Text::new(source, Markup::Html, Clean::default())
}

fn shown(source: &str) -> String {
    html(source).as_str().to_owned()
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// Words of the clean text with the stretch of the original they came from.
fn words_and_sources<'a>(text: &'a Text<'_>, original: &'a str) -> Vec<(&'a str, &'a str)> {
    let start = |word: &str| (word.as_ptr() as usize - text.as_str().as_ptr() as usize) as u32;
    let mut cursor = text.cursor();
    let mut source = |word: &str| {
        let span = Span::new(start(word), start(word) + word.len() as u32);
        let found = cursor.original(span);
        assert_eq!(found, text.original(span), "cursor and single answer agree");
        found.of(original).expect("spans lie on character borders")
    };
    words(text.as_str()).into_iter().map(|word| (word, source(word))).collect()
}

#[test]
fn plain_text_in_form_is_borrowed() {
    for original in ["", "Plain.", "Işıklar söndü.", "Дом", "<b>kept</b> &amp;"] {
        let text = Text::new(original, Markup::Plain, Clean::default());
        assert!(matches!(text.text, Cow::Borrowed(same) if same == original));
        assert!(text.is_original());
    }
}

#[test]
fn markup_is_text_if_it_is_to_be_kept() {
    let clean = Clean { html: Html::Keep, form: Form::Nfc };
    assert_eq!(Text::new("<b>x</b>", Markup::Html, clean).as_str(), "<b>x</b>");
}

#[test]
fn blocks_become_blank_lines_and_breaks_become_newlines() {
    assert_eq!(
        shown("<h1>Head</h1>\n<p>One\ntwo</p><p>three<br>four"),
        "Head\n\nOne two\n\nthree\nfour"
    );
    assert_eq!(shown("<ul><li>a<li>b</ul>c"), "a\n\nb\n\nc");
    assert_eq!(shown("<table><tr><td>a<td>b</table>"), "a\n\nb");
    assert_eq!(shown("a<div><div></div> </div><div>b</div>"), "a\n\nb", "empty blocks add nothing");
    assert_eq!(shown("foo<b>bar</b> <i>baz</i>"), "foobar baz", "inline tags part no words");
    assert_eq!(shown("<pre>a\n  b</pre>c\r\nd"), "a\n  b\n\nc  d");
}

#[test]
fn what_is_not_shown_is_left_out() {
    for source in [
        "a<script>x < y; '</p>'</script>b",
        "a<style>p { color: red }</style>b",
        "a<noscript><p>x</p></noscript>b",
        "a<template>x<b>y</b></template>b",
        "a<!-- x <p> -->b",
        "a<iframe>x</iframe>b",
        "a<span hidden>x<i>y</i></span>b",
        "a<svg><title>x</title><style/><script/></svg>b",
        "a<select hidden><option>x<option>y</select>b",
        "a<video>x</video>b",
        "<!doctype html><title>x</title>ab",
        "a<?x y?>b",
        "a</>b",
    ] {
        let text = shown(source);
        assert_eq!(text.split_whitespace().collect::<String>(), "ab", "{source}");
    }
    assert_eq!(shown("<p hidden>x<p>y"), "y");
    assert_eq!(shown("<input hidden>y"), "y");
    assert_eq!(shown("<svg><text>y</text></svg>"), "y");
}

#[test]
fn references_are_decoded_and_lead_back_to_themselves() {
    let source = "<p>caf&eacute;s &amp; b&#252;ro &#x110000; &unknown; AT&T &lt;p&gt; x&nbsp;y";
    let text = html(source);
    assert_eq!(text.as_str(), "cafés & büro \u{FFFD} &unknown; AT&T <p> x\u{A0}y");
    let sources = words_and_sources(&text, source);
    assert_eq!(sources[0], ("cafés", "caf&eacute;s"));
    assert_eq!(sources[1], ("büro", "b&#252;ro"));
    let at = text.as_str().find('&').expect("it is there") as u32;
    assert_eq!(text.original(Span::new(at, at + 1)).of(source), Some("&amp;"));
}

#[test]
fn a_word_composed_across_a_reference_leads_back_to_all_of_it() {
    let source = "<p>cafe&#x301;s fja&fjlig;&#x30C;";
    let text = html(source);
    let sources = words_and_sources(&text, source);
    assert_eq!(sources[0], ("cafés", "cafe&#x301;s"));
    assert_eq!(sources[1], ("fjafǰ", "fja&fjlig;&#x30C;"));
}

#[test]
fn words_keep_their_places_through_line_ends_and_broken_markup() {
    let source = "\r\n<p>one\r\ntwo\rthree &\r\nfour < five</p\r\n>six <é seven &ampeight\r\n\r\n\
        <textarea>\r\nnine</texta </textarea>ten </é> eleven <b";
    let text = html(source);
    let sources = words_and_sources(&text, source);
    let found: Vec<_> = sources.iter().map(|(word, _)| *word).collect();
    assert_eq!(
        found,
        [
            "one", "two", "three", "four", "five", "six", "é", "seven", "eight", "nine", "texta",
            "ten", "eleven"
        ]
    );
    assert!(sources.iter().all(|(word, source)| word == source), "{sources:?}");
}

#[test]
fn a_frameset_a_binary_and_an_empty_page_are_pages() {
    assert_eq!(shown("<frameset><frame src=a><noframes>x</noframes></frameset>"), "");
    assert_eq!(shown(""), "");
    assert_eq!(shown("no markup\n\nat all"), "no markup\n\nat all");
    let binary: String =
        (0..20_000u32).filter_map(|i| char::from_u32(i * 7919 % 0x11_0000)).collect();
    html(&binary);
}

/// Bad pages of about `n` repetitions each, with the words they show.
fn bad_pages(n: usize) -> Vec<(&'static str, String, Option<&'static str>)> {
    let nest =
        |tag: &str| format!("{}x{}", format!("<{tag}>").repeat(n), format!("</{tag}>").repeat(n));
    vec![
        ("nested div", nest("div"), Some("x")),
        ("nested list", format!("{}x", "<ul><li>".repeat(n)), Some("x")),
        ("nested b", nest("b"), Some("x")),
        ("nested table", format!("{}x", "<table><tr><td>".repeat(n)), Some("x")),
        (
            "a i a",
            format!("{}{}x{}", "<a>".repeat(n), "<i>".repeat(n), "</a>".repeat(n)),
            Some("x"),
        ),
        ("open comment", format!("x<!--{}", "- ->".repeat(n)), Some("x")),
        ("open script", format!("x<script>{}", "</scrip <!--".repeat(n)), Some("x")),
        ("open title", format!("x<title>{}", "&amp;</titl".repeat(n)), Some("x")),
        ("open cdata", format!("x<svg><![CDATA[{}", "]] ".repeat(n)), None),
        ("plaintext", format!("<plaintext>x{}", "</p>".repeat(n)), None),
        ("long attribute", format!("<p a=\"{}\">x", "y".repeat(16 * n)), Some("x")),
        ("long name", format!("<{}>x", "y".repeat(16 * n)), Some("x")),
        ("many attributes", format!("<p {}>x", "a=b c ".repeat(n)), Some("x")),
        ("colspan", format!("{}x", "<td colspan=9007199254740991>".repeat(n)), Some("x")),
        ("svg paths", format!("<svg>{}</svg>x", "<path d=M0/>".repeat(n)), Some("x")),
        (
            "foreign nesting",
            format!("{}x", "<svg><foreignObject><math><mtext>".repeat(n)),
            Some("x"),
        ),
        ("templates", format!("x{}", "<template>y".repeat(n)), Some("x")),
        ("references", format!("x{}", "&amp;".repeat(n)), None),
        ("bad references", format!("x {}", "&#x110000; &bogus; &#".repeat(n)), None),
        ("open tags", format!("x{}", "<".repeat(n)), None),
        ("stray ends", format!("{}x{}", "<p><b>".repeat(n), "</i></math>".repeat(n)), Some("x")),
        (
            "inline then blocks",
            format!("<p><table><td>{}{}x", "<i>".repeat(n), "<div></div>".repeat(n)),
            Some("x"),
        ),
        ("meta", format!("{}x", "<meta charset=koi8-r><base href=x>".repeat(n)), Some("x")),
    ]
}

#[test]
fn bad_pages_are_read_in_one_pass_and_show_what_they_show() {
    // A quadratic step anywhere would take hours at this size.
    for (name, source, expected) in bad_pages(100_000) {
        for clean in [Clean::default(), MAIN] {
            let text = Text::new(&source, Markup::Html, clean);
            assert!(text.as_str().len() <= 2 * source.len() + 2, "{name}");
            if let Some(expected) = expected {
                assert_eq!(text.as_str().trim(), expected, "{name}");
            }
        }
    }
}

#[test]
fn a_million_increasing_spans_are_mapped_by_one_cursor() {
    let source = "<b>a</b>&eacute; ".repeat(300_000);
    let text = html(&source);
    assert_eq!(words_and_sources(&text, &source).len(), 300_000);
}

/// Pages made by hand, to be read by someone else too.
const PAGES: [&str; 5] = [
    "<!doctype html><html><head><title>No</title><style>p{}</style></head><body><h1>A ferry</h1>\
     <p>It was <b>late</b> &mdash; again.<br>Fog, they s&aacute;id.</p><ul><li>one<li>two</ul>\
     <script>var x = '<p>no</p>';</script></body></html>",
    "<table><tr><th>Name<th>Size<tr><td>Small &amp; cheap<td>12&nbsp;cm</table><p>After <i>it</i>",
    "<div>Unclosed <p>paragraph <p>and another<div>deep <span>in<b>side</b></span></div>tail",
    "<article><header><h2>Sıcak &ccedil;ay</h2></header><section><p>İlk ışık.</p>\n<blockquote>\
     &ldquo;Alıntı&rdquo;</blockquote></section></article><footer>Son</footer>",
    "<pre>keep\n  this</pre><!-- not this --><p>x &lt; y &gt; z</p><svg><path d='M0'/></svg>end",
];

#[test]
fn another_reader_sees_the_same_words() {
    for source in PAGES {
        let plain = html2text::config::with_decorator(TrivialDecorator::new()).raw_mode(true);
        let theirs = plain.string_from_read(source.as_bytes(), 10_000).expect("a page by hand");
        assert_eq!(words(&shown(source)), words(&theirs), "{source}");
    }
}

/// Tag soup of known pieces.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "<p>",
        "</p>",
        "<div hidden>",
        "</div>",
        "<b>",
        "</b>",
        "<br>",
        "<svg>",
        "</svg>",
        "<li>",
        "<script>",
        "</script>",
        "<title>",
        "</title>",
        "<textarea>",
        "</textarea>",
        "<!--",
        "-->",
        "<pre>",
        "</pre>",
        "<a href=x>",
        "</a>",
        "<![CDATA[",
        "]]>",
        "<template>",
        "</template>",
        "&amp;",
        "&eacute;",
        "&#x301;",
        "&",
        "<",
        "</",
        "&#",
        "\r\n",
        "\r",
        "\n",
        " ",
        "é",
        "e\u{301}",
        "word",
        "ışık",
        "中",
        "\0",
        "\"",
        "<p title=\"",
        ">",
        "<nav>",
        "</nav>",
        "<math>",
        "<mtext>",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|s| s.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn plain_text_stands_where_it_stood(original in "[ -~]{0,60}", start in 0usize..60, end in 0usize..60) {
        let text = Text::new(&original, Markup::Plain, Clean::default());
        let (start, end) = (start.min(end).min(original.len()), start.max(end).min(original.len()));
        let span = Span::new(start as u32, end as u32);
        prop_assert_eq!(text.original(span).of(&original), Some(&text.as_str()[start..end]));
    }

    #[test]
    fn words_of_a_page_stand_at_their_places(source in soup()) {
        for clean in [Clean { form: Form::None, ..Clean::default() }, Clean { form: Form::None, ..MAIN }] {
            let text = Text::new(&source, Markup::Html, clean);
            for (word, found) in words_and_sources(&text, &source) {
                // Tags and references aside, which a word may run across.
                if found.contains(['<', '&']) {
                    let first = word.chars().next().expect("words are not empty");
                    prop_assert!(found.starts_with([first, '&']), "{} for {}", found, word);
                } else {
                    prop_assert_eq!(found, word);
                }
            }
        }
    }

    #[test]
    fn places_come_in_order_and_on_character_borders(source in soup()) {
        for form in [Form::Nfc, Form::Nfkc, Form::None] {
            let text = Text::new(&source, Markup::Html, Clean { form, ..MAIN });
            let mut last = Span::new(0, 0);
            for (at, c) in text.as_str().char_indices() {
                let found = text.original(Span::new(at as u32, (at + c.len_utf8()) as u32));
                prop_assert!(found.of(&source).is_some());
                prop_assert!(found.start >= last.start && found.end >= last.end);
                last = found;
            }
        }
    }

    #[test]
    fn a_page_with_text_keeps_some_of_it(source in soup()) {
        let main = Text::new(&source, Markup::Html, MAIN);
        prop_assert_eq!(main.as_str().trim().is_empty(), shown(&source).trim().is_empty());
    }

    #[test]
    fn no_string_is_too_strange(source in any::<String>()) {
        for html in [Html::Text, Html::Main, Html::Keep] {
            for form in [Form::Nfc, Form::Nfkc, Form::None] {
                let text = Text::new(&source, Markup::Html, Clean { html, form });
                words_and_sources(&text, &source);
            }
        }
    }
}
