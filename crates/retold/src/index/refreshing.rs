//! Statistics of an index taken anew, and all images remade.

use retold_core::document::Document;
use retold_core::features::Words;
use retold_core::features::counts::Counts;
use retold_index::{Put, Rebuild, Stored};

use super::adding::kept_of;
use super::methods::{Epoch, IndexMethod, MethodAbout};
use super::reading::{Index, LAST_SEQ, counts_name, fingerprint};
use super::writing::{IndexWriter, settings};
use crate::error::Error;
use crate::job::Job;
use crate::pipeline::parallel::Pool;
use crate::progress::Stage;
use crate::resources::Resources;

/// Documents that are read and imaged at a time.
const ROUND: usize = 1024;

impl IndexWriter {
    /// Takes the statistics of the documents that are there now and remakes all images with them.
    /// Afterwards the index is as if these documents had been indexed at once.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let mut writer =
    ///     IndexWriter::create(&path, &[Job::of("imatch", Profile::Retold)?], &IndexOptions::default())?;
    /// let document = |id: &str| Documents::new(vec![Document::plain(id, format!("text of {id}"))]);
    /// writer.add(document("a"), &Resources::new())?;
    /// writer.add(document("b"), &Resources::new())?;
    /// let changed =
    ///     |writer: &mut IndexWriter| Ok::<_, Error>(writer.index()?.stats()?.methods[0].n_changed);
    /// assert_eq!(changed(&mut writer)?, Some(1));
    /// writer.refresh(&Resources::new())?;
    /// assert_eq!(changed(&mut writer)?, Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refresh(&mut self, resources: &Resources) -> Result<(), Error> {
        self.remake(self.about.methods.clone(), resources)
    }

    /// Adds a method to an index without reading the sources of its documents again.
    pub fn add_method(&mut self, job: &Job, resources: &Resources) -> Result<(), Error> {
        job.check()?;
        if self.about.methods.iter().any(|method| method.job.method == job.method) {
            return Err(Error::MethodTwice(job.method.clone()));
        }
        let mut methods = self.about.methods.clone();
        methods.push(MethodAbout::new(job.clone()));
        self.remake(methods, resources)
    }

    fn remake(&mut self, mut abouts: Vec<MethodAbout>, resources: &Resources) -> Result<(), Error> {
        self.commit()?;
        self.finish_merges()?;
        let index = self.index()?;
        let pool = Pool::new(resources)?;
        let docs: Vec<u32> = index.snapshot.ordinals().collect();
        let mut methods = Vec::new();
        for about in &mut abouts {
            let method = IndexMethod::new(&MethodAbout { epoch: None, ..about.clone() }, None)?;
            let mut counts = None;
            if method.detector.needs_counts() {
                let frozen = method.job.counts(&*method.detector)?;
                let taken = match frozen {
                    Some(frozen) => frozen,
                    None => count(&index, &docs, &method, &pool, resources)?,
                };
                let number_of_last = about.epoch.as_ref().map_or(0, |epoch| epoch.number);
                let epoch = Epoch {
                    number: number_of_last + 1,
                    n_documents: docs.len() as u64,
                    fingerprint: fingerprint(&taken),
                };
                about.epoch = Some(epoch);
                counts = Some(taken);
            }
            methods.push(IndexMethod::new(about, counts)?);
        }
        let mut new = self.about.clone();
        new.methods = abouts;
        let mut rebuild = self.writer.rebuild(settings(&new)).map_err(Error::index(&self.path))?;
        resources.progress.begin(Stage::Image, docs.len() as u64);
        let mut n_done = 0;
        for round in docs.chunks(ROUND) {
            if resources.stop.is_set() {
                let n_documents = n_done;
                return Err(Error::Stopped { stage: Stage::Image.name(), n_documents });
            }
            let puts = pool.map(round, |&doc| {
                // All but what the methods keep of it stays as it is stored.
                let Stored { id, time, record, text, .. } =
                    index.stored(index.snapshot.document(doc))?;
                let document = index.document_at(doc)?;
                let methods = kept_of(&document, &methods, &mut Words::default());
                Ok::<_, Error>(Put { id, time, record, text, methods })
            });
            for put in puts {
                rebuild.put(put?).map_err(Error::index(&self.path))?;
            }
            n_done += round.len() as u64;
            resources.progress.at(n_done, n_done);
        }
        // Statistics, images and the settings that name the statistics change in one step.
        let attached = attach(&mut rebuild, &index, &methods);
        attached.and_then(|()| rebuild.finish()).map_err(Error::index(&self.path))?;
        self.about = new;
        self.methods = methods.into();
        self.finish_merges()
    }
}

/// Attaches the statistics of methods in the place of those that were there, and notes the number of
/// the last document that they are of.
fn attach(
    rebuild: &mut Rebuild<'_>,
    index: &Index,
    methods: &[IndexMethod],
) -> Result<(), retold_index::Error> {
    for old in index.snapshot.attachments() {
        rebuild.detach(old);
    }
    for (number, method) in methods.iter().enumerate() {
        if let (Some(epoch), Some(counts)) = (&method.epoch, &method.counts) {
            rebuild.attach(&counts_name(number, epoch), |file| {
                counts.write_to(|piece| file.put(piece))
            })?;
        }
    }
    // Documents that come from now on have larger numbers.
    let last = rebuild.next_seq().saturating_sub(1).to_le_bytes();
    rebuild.set_state(LAST_SEQ, Some(&last))
}

/// Counts the features of all documents for a method.
fn count(
    index: &Index,
    docs: &[u32],
    method: &IndexMethod,
    pool: &Pool,
    resources: &Resources,
) -> Result<Counts, Error> {
    resources.progress.begin(Stage::Read, docs.len() as u64);
    let mut counts = Counts::default();
    let mut n_done = 0;
    for round in docs.chunks(ROUND) {
        if resources.stop.is_set() {
            return Err(Error::Stopped { stage: Stage::Read.name(), n_documents: n_done });
        }
        let slices: Vec<&[u32]> = round.chunks(ROUND / 8).collect();
        let counted = pool.map(&slices, |slice| {
            let (mut counts, mut words) = (Counts::default(), Words::default());
            for &doc in *slice {
                let document: Document = index.document_at(doc)?;
                method.count(&document, &mut words, &mut counts);
            }
            Ok::<_, Error>(counts)
        });
        for part in counted {
            counts.merge(part?);
        }
        n_done += round.len() as u64;
        resources.progress.at(n_done, n_done);
    }
    Ok(counts)
}
