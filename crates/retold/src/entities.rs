//! `entities`: the names a document speaks of.

use std::fs;
use std::path::{Path, PathBuf};

use retold_core::clean::Text;
use retold_core::clean::language::{self, Language};
use retold_core::document::{Document, Span};
use retold_core::entities::{
    Category, Gazetteer, How, Knowledge, ListError, Options, Rules, Size, recognise,
};
use retold_core::methods::Profile;
use serde::Serialize;

use crate::error::Error;
use crate::job::Job;

/// By which lists names are looked for.
///
/// ```
/// use retold::{Document, EntityLists, Job, entities};
///
/// let lists = EntityLists { without_bundled: true, ..EntityLists::default() };
/// let document = Document::plain("a", "They met in Paris on Monday.");
/// assert!(entities(&document, &lists, &Job::default())?.entities.is_empty());
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityLists {
    /// A file of rule words, `list<TAB>word`.
    pub rules: Option<PathBuf>,
    /// A file of names, `category<TAB>name`.
    pub gazetteer: Option<PathBuf>,
    /// Whether the lists that come with the program are left out.
    pub without_bundled: bool,
    /// How many of the names that come with the program are used. The default is all.
    pub size: Size,
    /// Whose rules: `retold` has those that go beyond the thesis, `paper` the thesis' own. The
    /// default is `retold`.
    pub profile: Profile,
}

/// A name in a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedEntity {
    /// What it is.
    pub category: Category,
    /// How it was found.
    pub how: How,
    /// Its words without what stands behind apostrophes.
    pub text: String,
    /// Bytes of the document's text.
    pub span: Span,
    /// Bytes of [`NamedEntities::text`].
    #[serde(skip)]
    pub shown: Span,
}

/// A run of words with capitals that no rule classified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unclassified {
    /// Its words without what stands behind apostrophes.
    pub text: String,
    /// Bytes of the document's text.
    pub span: Span,
    /// Bytes of [`NamedEntities::text`].
    #[serde(skip)]
    pub shown: Span,
}

/// The names of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedEntities {
    /// The document's text without markup.
    pub text: String,
    /// The language whose lists were used, if it could be told.
    pub language: Option<Language>,
    /// Runs of words with capitals.
    pub n_runs: usize,
    /// Those with a name in them.
    pub n_classified: usize,
    /// Names by their place; those of different categories may overlap.
    pub entities: Vec<NamedEntity>,
    /// Runs without a name, by their place: words that begin sentences, and names that nobody knows.
    pub unclassified: Vec<Unclassified>,
}

/// Finds the names of a document: persons, places and organisations.
///
/// The language is the one that the document names, else that of the job, else the one
/// detected. Turkish and English have lists.
///
/// ```
/// use retold::{Document, EntityLists, Job, entities};
///
/// let text = "Prime Minister Margaret Thatcher flew to Paris on Monday.";
/// let document = Document { language: Some("en".to_owned()), ..Document::plain("a", text) };
/// let found = entities(&document, &EntityLists::default(), &Job::default())?;
/// assert!(found.entities.iter().any(|name| name.text == "Paris"));
/// # Ok::<(), retold::Error>(())
/// ```
pub fn entities(
    document: &Document,
    lists: &EntityLists,
    job: &Job,
) -> Result<NamedEntities, Error> {
    let text = Text::of(document, job.text.clean);
    let given = document.language.as_deref().unwrap_or(&job.text.language);
    let language = Language::parse(given)
        .or_else(|| language::detect(text.as_str()))
        .or_else(|| language::is_turkic(text.as_str()).then_some(Language::TURKISH));
    let knowledge = knowledge(lists, language)?;
    let is_paper = lists.profile == Profile::Paper;
    let options = Options {
        extended: !is_paper,
        bare_suffixes: is_paper,
        most_words: job.text.most_words,
        ..Options::default()
    };
    let found = recognise(text.as_str(), &knowledge, options);
    let named = |entity: &retold_core::entities::Entity| NamedEntity {
        category: entity.category,
        how: entity.how,
        text: found.cut_form(text.as_str(), entity.words.clone()),
        span: text.original(entity.span),
        shown: entity.span,
    };
    let without = found.runs.iter().filter(|run| !run.is_classified()).map(|run| {
        // From the first to the cut end of the last word, as names are.
        let words = &found.words[run.words.clone()];
        let end = words.last().map_or(run.span.end, |word| word.span.end);
        let shown = Span::new(run.span.start, end);
        let form = found.cut_form(text.as_str(), run.words.clone());
        Unclassified { text: form, span: text.original(shown), shown }
    });
    Ok(NamedEntities {
        language,
        n_runs: found.runs.len(),
        n_classified: found.runs.iter().filter(|run| run.is_classified()).count(),
        entities: found.entities.iter().map(named).collect(),
        unclassified: without.collect(),
        text: text.as_str().to_owned(),
    })
}

/// Puts the lists together.
fn knowledge(lists: &EntityLists, language: Option<Language>) -> Result<Knowledge, Error> {
    let mut knowledge = if lists.without_bundled {
        let language = language.unwrap_or(Language::ENGLISH);
        Knowledge::new(Rules::new(language), Gazetteer::new(language))
    } else {
        Knowledge::clone(&Knowledge::of_size(language, lists.size))
    };
    if let Some(path) = &lists.rules {
        knowledge.read_rules(&read(path)?).map_err(unusable(path))?;
    }
    if let Some(path) = &lists.gazetteer {
        knowledge.gazetteer_mut().read(&read(path)?).map_err(unusable(path))?;
    }
    Ok(knowledge)
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(Error::io("read", path))
}

fn unusable(path: &Path) -> impl FnOnce(ListError) -> Error {
    let path = path.to_owned();
    move |source| Error::List { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_bytes_of_the_original() {
        let document = Document {
            markup: retold_core::document::Markup::Html,
            language: Some("en".into()),
            ..Document::plain("page", "<p>The office in <b>London</b> was closed on Monday.</p>")
        };
        let job = Job::default();
        let found = entities(&document, &EntityLists::default(), &job).expect("no lists");
        let london = found.entities.iter().find(|entity| entity.text == "London");
        let london = london.expect("London is known");
        assert_eq!(london.span.of(&document.text), Some("London"));
        assert_eq!(london.shown.of(&found.text), Some("London"));
    }

    #[test]
    fn runs_without_a_name_are_unclassified_and_rules_of_the_thesis_can_be_chosen() {
        let text = "Dün Zorbaxan'da belediye başkanı Kemal Tuğsavul ile görüştü.";
        let document = Document { language: Some("tr".into()), ..Document::plain("d", text) };
        let names = |profile| -> (Vec<String>, Vec<String>) {
            let lists = EntityLists { profile, ..EntityLists::default() };
            let found = entities(&document, &lists, &Job::default()).expect("no files are read");
            for run in &found.unclassified {
                assert_eq!(run.span.of(text), Some(run.text.as_str()));
            }
            let texts = found.entities.into_iter().map(|entity| entity.text).collect();
            (texts, found.unclassified.into_iter().map(|run| run.text).collect())
        };
        let (known, unknown) = names(Profile::Retold);
        assert_eq!(known, ["Kemal Tuğsavul"], "the title in small letters tells");
        assert_eq!(unknown, ["Dün Zorbaxan"]);
        let (known, _) = names(Profile::Paper);
        assert_eq!(known, ["Kemal"], "the thesis knows but the names of its lists");
    }

    #[test]
    fn own_lists_are_added_or_stand_alone() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("names.tsv");
        fs::write(&path, "organisation\tHarbour Watch\n").expect("a file for a test");
        let document = Document {
            language: Some("en".into()),
            ..Document::plain("d", "Harbour Watch left London")
        };
        let texts = |lists: &EntityLists| -> Vec<String> {
            let found = entities(&document, lists, &Job::default()).expect("good lists");
            found.entities.into_iter().map(|entity| entity.text).collect()
        };
        let mut lists = EntityLists { gazetteer: Some(path.clone()), ..EntityLists::default() };
        assert_eq!(texts(&lists), ["Harbour Watch", "London"]);
        lists.without_bundled = true;
        assert_eq!(texts(&lists), ["Harbour Watch"]);
        fs::write(&path, "ship\tSwan\n").expect("a file for a test");
        let error = entities(&document, &lists, &Job::default()).err().map(|e| e.to_string());
        let message = error.unwrap_or_default();
        assert!(message.contains("names.tsv`: line 1: there is no category `ship`"), "{message}");
    }
}
