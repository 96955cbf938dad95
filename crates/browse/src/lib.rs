//! A result folder as pages: sorted, filtered, by cursor.
//!
//! A result folder is what `retold find -o FOLDER` and `retold dedup` write: tables as JSON Lines and a
//! manifest. It never changes once it is written. A result may have millions of pairs, so its tables are
//! not read again for every question. Instead
//!
//! 1. [`build`] reads each table once and writes a side file into another folder: where each line lies,
//!    and columns of what is sorted and filtered by;
//! 2. [`Browser::open`] opens both; columns are read when they are first needed;
//! 3. [`Browser::page`] gives rows as they were written, [`Browser::facets`] counts them,
//!    [`Browser::export`] writes them all, and [`Browser::cluster`], [`Browser::neighbours`],
//!    [`Browser::pair`], [`Browser::document`] and [`Browser::pairs_of`] look around one thing.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! use retold_browse::{Browser, PageRequest, ResultTable};
//!
//! let (found, side) = (Path::new("found"), Path::new("cache/found"));
//! let browser = Browser::open_or_build(found, side, &mut |_| ControlFlow::Continue(()))?;
//! let request = PageRequest {
//!     filter: "relation:near-duplicate in:>=0.9 across:source".to_owned(),
//!     sort: "-words".to_owned(),
//!     ..PageRequest::default()
//! };
//! let page = browser.page(ResultTable::Pairs, &request)?;
//! let next = PageRequest { after: page.next, ..request };
//! # Ok::<(), retold_browse::BrowseError>(())
//! ```
//!
//! # Filters
//!
//! A filter has terms with blanks between them, and all of them have to hold.
//!
//! | term | holds for rows |
//! |---|---|
//! | `name:value` | that have the value |
//! | `name:>x`, `name:>=x`, `name:<x`, `name:<=x` | whose value is above, at least, below, at most `x` |
//! | `name:a..b`, `name:a..`, `name:..b` | whose value is from `a` to `b`, both included |
//! | `name:a,b` | for which `name:a` or `name:b` holds; each may be any of these forms |
//! | `name:none` | that have no value |
//! | `name:news*` | whose text fits, where `*` stands for anything |
//! | `name:"New York"` | with exactly this text; `\"` stands for a quote, and `*` and `none` mean themselves |
//! | `-term` | for which the term does not hold |
//! | `word`, `"two words"` | that name a document whose id has this part, in upper or lower case |
//!
//! A share is a number such as `0.8`, or `80%`. A time is a year, a month, a day or a time (`2026`,
//! `2026-11`, `2026-11-01`, `2026-11-01T12:00:00Z`); years, months and days last until they end, so
//! `time:2026-10..2026-11` includes the last of November and `time:>2026` begins with 2027.
//!
//! | name | kind | `pairs` | `clusters` | `documents` | `removed`, `review` |
//! |---|---|---|---|---|---|
//! | `relation` | one of the relations | s f | | | s f |
//! | `in` or `share` | share: the larger of `a_in_b` and `b_in_a` | s f | | | |
//! | `a_in_b`, `b_in_a` | share | s | | | |
//! | `resemblance` | share | s f | | | |
//! | `words` | number: of pairs the larger of `a_words` and `b_words` | s f | | s f | s f |
//! | `longest` | number: words of the longest passage | s f | | | |
//! | `across` | `source`, `language` or `file`: the documents of the pair have different ones | yes | | | |
//! | `id` | text: id of a document of the row; of clusters their number | yes | s | yes | yes |
//! | `member` | text: id of a member | | yes | | |
//! | `cluster` | number: of pairs a cluster that both documents are in | yes | | s | |
//! | `size` | number | | s f | | |
//! | `cohesion` | share | | s f | | |
//! | `pairs` | number | | s | s f | |
//! | `exact`, `near`, `contains`, `contained`, `derived`, `common` | number: `n_exact` to `n_common` | | s | | |
//! | `partial` | number | | s | s | |
//! | `shared` | number: `shared_words` | | s f | | |
//! | `verdict` | one of the verdicts | | | s f | |
//! | `file` | text | | | s | s |
//! | `kept` | text: id of the document that is kept | | | | yes |
//! | `share` | share of it in the kept document | | | | s f |
//! | `source`, `language` | text: of one of the documents of the row | f | f | s f | f |
//! | `time` | time: of one of the documents of the row | s f | s f | s f | s f |
//!
//! `s` says that rows can be sorted by it, `f` that there is a facet of it. Pairs and clusters are
//! sorted by the earliest time of their documents; rows without a value come last in either direction,
//! and rows that are alike are in the order of the file.
//!
//! Tables name documents by their ids. An id that several documents have stands for the first of them.
//! A time that cannot be read, or is not in the years 1 to 9999, is none.
//!
//! # What is stored, and what is not
//!
//! The side file has the columns, every text once with a code, and the beginnings of lines (`side.rs`
//! describes its bytes). It has no sorted orders and no lists of the pairs of a document: a walk over a
//! column of a million numbers takes about a millisecond, and the selection of the first rows of an
//! order about ten, while such lists would double what has to be written, read and held.
//!
//! A cursor names the last row of its page, and holds hashes of the result and of the question. It is
//! valid for whoever opens the same folder, also after the side file was built again.

mod around;
mod bits;
mod browser;
mod build;
mod column;
mod error;
mod export;
mod facets;
mod filter;
mod matching;
mod page;
mod result;
mod side;
mod strings;
mod table;
mod time;

pub use around::{ClusterRows, Neighbour, Outside};
pub use browser::{Browser, Row};
pub use build::{Building, Built, build};
pub use error::{BrowseError, FilterError};
pub use export::{ExportError, ExportRequest};
pub use facets::{Bin, Facet, Facets};
pub use filter::{MOST_FILTER_BYTES, quoted};
pub use page::{Page, PageRequest};
pub use retold_report::TableFormat;
pub use table::{ResultTable, UnknownTable};
