//! The lineage of a cluster, from a folder that `find` or `dedup` wrote.

use std::path::Path;

use super::Lineage;
use crate::error::Error;
use crate::resources::Resources;
use crate::result_folder::{ResultFolder, Texts};

impl Lineage {
    /// Returns the most likely tree of a cluster of a result folder. Texts are read from where the run
    /// read them, unless `texts` says where else.
    ///
    /// *Errors* if there is no such cluster, or if a text cannot be found.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let (news, found) = (folder.path().join("news.jsonl"), folder.path().join("found"));
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let line = |id: &str, text: &str| format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n");
    /// # std::fs::write(&news, line("a", text) + &line("b", &format!("{text} evening")))?;
    /// Find::new(Files::new([&news])).run(&mut Tables::new(&found))?;
    /// let lineage = Lineage::of_cluster(&found, 0, &Texts::default(), &Resources::new())?;
    /// assert_eq!(lineage.documents.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_cluster(
        folder: &Path,
        cluster: u64,
        texts: &Texts,
        resources: &Resources,
    ) -> Result<Self, Error> {
        let folder = ResultFolder::open(folder)?;
        let members = folder.members(cluster)?;
        let documents = folder.documents(&members, texts)?;
        Self::of(&documents, folder.job(), resources)
    }
}
