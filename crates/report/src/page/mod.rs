//! `report.html`: one file that shows a person what was found.
//!
//! The page needs nothing but itself: its style is inline, its charts are SVG, and there is no
//! script. Passages find their partners by links and by CSS alone. A content security policy
//! allows exactly the one style sheet, by its hash; document text only ever becomes text nodes,
//! so a text that holds markup or script is shown, not run.

mod about;
mod chart;
mod cluster;
mod figures;
mod pair;
mod policy;

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::summary::headline;
use crate::view::{Page, PairView};

/// Writes the report of a run as one HTML file.
pub fn write_page(page: &Page<'_>, out: &mut dyn Write) -> io::Result<()> {
    let title = headline(&page.summary);
    let body = html! {
        (figures::masthead(&page.summary, &title))
        main {
            (figures::notices(&page.summary))
            @if page.summary.n_pairs() > 0 { (figures::charts(&page.summary)) }
            (cluster::clusters(page))
            (cluster::partials(page))
            (about::about(page.manifest))
        }
        footer {
            "Made by Retold " (page.manifest.version)
            ". This page loads nothing and sends nothing."
        }
    };
    out.write_all(document(&title, &body).into_string().as_bytes())
}

/// Writes two documents side by side as one HTML file.
pub fn compare_html(pair: &PairView, out: &mut dyn Write) -> io::Result<()> {
    let title = pair::in_words(pair.relation);
    let body = html! {
        header.masthead { p.brand { "Retold" } h1 { (title) } }
        main { (pair::pair(pair, "p")) }
    };
    out.write_all(document(title, &body).into_string().as_bytes())
}

/// Returns a page like the others around `body`, which is HTML and is taken as it is.
pub fn page_around(title: &str, body: &str) -> String {
    document(title, &PreEscaped(body.to_owned())).into_string()
}

/// Returns a whole HTML document around `body`.
fn document(title: &str, body: &Markup) -> Markup {
    let style = policy::style();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy::policy(&style));
                meta name="referrer" content="no-referrer";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Retold" }
                style { (PreEscaped(&style)) }
            }
            body { (body) }
        }
    }
}
