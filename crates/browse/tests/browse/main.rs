//! Pages, facets, cursors and files of small results, compared with a plain reference.

mod around;
mod damage;
mod export;
mod facets;
mod made;
mod paging;
mod reference;
mod written;
