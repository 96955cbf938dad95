//! Where documents come from: files, memory, or anything else.

use std::path::PathBuf;

use retold_core::document::Document;
use retold_read::{BadRecord, InputFile, ReadOptions, discover};

use crate::error::Error;
use crate::progress::Stop;

/// Where documents come from.
///
/// [`Files`] and [`Documents`] are two; a database, a queue or a format of one's own is a third.
/// Documents are read once, in order; where a text is needed again it is kept in a scratch file.
///
/// ```
/// use retold::{Document, Error, Find, Found, Opened, Opening, Source};
///
/// /// Rows of a table that somebody else has.
/// struct Rows(Vec<(u32, String)>);
///
/// impl Source for Rows {
///     fn open(self: Box<Self>, _: &Opening<'_>) -> Result<Opened, Error> {
///         let rows = self.0.into_iter();
///         Ok(Opened::new("rows", rows.map(|(id, text)| Ok(Document::plain(id.to_string(), text)))))
///     }
/// }
///
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let rows = Rows(vec![(7, text.to_owned()), (8, text.to_uppercase())]);
/// let mut found = Found::new();
/// Find::new(rows).run(&mut found)?;
/// assert_eq!(found.pairs().len(), 1);
/// # Ok::<(), Error>(())
/// ```
pub trait Source {
    /// Gets ready to hand documents over.
    fn open(self: Box<Self>, opening: &Opening<'_>) -> Result<Opened, Error>;
}

/// What a source may want to know before it opens.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    pub(crate) options: &'a ReadOptions,
    pub(crate) stop: &'a Stop,
}

impl Opening<'_> {
    /// Returns what the job says about reading: names of fields, limits, encoding.
    ///
    /// ```
    /// use retold::{Document, Error, Find, Nothing, Opened, Opening, Source};
    ///
    /// struct Table(Vec<String>);
    /// impl Source for Table {
    ///     fn open(self: Box<Self>, opening: &Opening<'_>) -> Result<Opened, Error> {
    ///         let longest = opening.options().limits.document_bytes as usize;
    ///         let texts = self.0.into_iter().filter(move |text| text.len() <= longest);
    ///         Ok(Opened::new("table", texts.map(|text| Ok(Document::plain("row", text)))))
    ///     }
    /// }
    /// Find::new(Table(vec!["some text".to_owned()])).run(&mut Nothing)?;
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn options(&self) -> &ReadOptions {
        self.options
    }

    /// Returns the wish to stop; a source that waits should look at it.
    pub fn stop(&self) -> &Stop {
        self.stop
    }
}

/// A source that is open.
pub struct Opened {
    pub(crate) name: String,
    pub(crate) content: Content,
}

/// Documents in order, and records that are none.
pub(crate) type Records = Box<dyn Iterator<Item = Result<Document, BadRecord>> + Send>;

/// What a source holds.
pub(crate) enum Content {
    /// Files, and those that were skipped when they were looked for.
    Files { files: Vec<InputFile>, skipped: Vec<BadRecord> },
    /// Documents in memory.
    Memory(Vec<Document>),
    /// Documents as they come.
    Records(Records),
}

impl Opened {
    /// Hands over documents as they come. A record that cannot be read is reported and counted; it
    /// ends the job only if that is strict. `name` is what messages call the source.
    ///
    /// ```
    /// use retold::{BadRecord, Document, Error, Find, Nothing, Opened, Opening, Source};
    ///
    /// struct Feed;
    /// impl Source for Feed {
    ///     fn open(self: Box<Self>, _: &Opening<'_>) -> Result<Opened, Error> {
    ///         let bad = BadRecord {
    ///             file: "feed".to_owned(),
    ///             record: Some(1),
    ///             offset: None,
    ///             reason: "has no text".to_owned(),
    ///         };
    ///         let records = [Ok(Document::plain("a", "some text")), Err(bad)];
    ///         Ok(Opened::new("feed", records.into_iter()))
    ///     }
    /// }
    /// let outcome = Find::new(Feed).run(&mut Nothing)?;
    /// assert_eq!((outcome.summary().n_documents, outcome.summary().n_bad), (1, 1));
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn new(
        name: impl Into<String>,
        records: impl Iterator<Item = Result<Document, BadRecord>> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), content: Content::Records(Box::new(records)) }
    }
}

/// Files, folders and archives; `-` is standard input.
///
/// ```
/// use retold::{Files, Find, Nothing};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("news.jsonl");
/// # std::fs::write(&path, "{\"id\": 1, \"text\": \"some text\"}\n")?;
/// let outcome = Find::new(Files::new([path])).run(&mut Nothing)?;
/// assert_eq!(outcome.summary().n_documents, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Files(Vec<PathBuf>);

impl Files {
    /// Reads what stands under these paths, in this order.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self(paths.into_iter().map(Into::into).collect())
    }
}

impl Source for Files {
    fn open(self: Box<Self>, _: &Opening<'_>) -> Result<Opened, Error> {
        let found = discover(&self.0)?;
        let names: Vec<String> =
            self.0.iter().map(|path| format!("`{}`", path.display())).collect();
        let content = Content::Files { files: found.files, skipped: found.skipped };
        Ok(Opened { name: names.join(", "), content })
    }
}

/// Documents in memory.
///
/// ```
/// use retold::{Document, Documents, Find, Nothing};
///
/// let documents = Documents::new(vec![Document::plain("a", "some text")]);
/// assert_eq!(Find::new(documents).run(&mut Nothing)?.summary().n_documents, 1);
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Documents(Vec<Document>);

impl Documents {
    /// Takes documents in order.
    pub fn new(documents: impl Into<Vec<Document>>) -> Self {
        Self(documents.into())
    }
}

impl Source for Documents {
    fn open(self: Box<Self>, _: &Opening<'_>) -> Result<Opened, Error> {
        Ok(Opened { name: "memory".to_owned(), content: Content::Memory(self.0) })
    }
}

impl Source for Box<dyn Source> {
    fn open(self: Box<Self>, opening: &Opening<'_>) -> Result<Opened, Error> {
        (*self).open(opening)
    }
}
