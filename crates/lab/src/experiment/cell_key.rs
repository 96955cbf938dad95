//! What a cell depends on: cells of an earlier attempt are used again only where all of it is
//! equal.

use std::collections::BTreeMap;

use retold::Profile;
use retold_core::features::TextSettings;
use retold_core::hash;
use serde::Serialize;
use serde_json::{Map, Value};

use super::bench::Trial;
use super::design::{Design, Draw, Truth};
use super::drawing::SetKind;
use super::drawn::Drawn;
use super::mining::Groups;
use super::sets::Planned;

/// Changes whenever cells of an earlier version may no longer be used.
const VERSION: u32 = 4;

/// Everything a cell depends on, by name.
#[derive(Serialize)]
pub(super) struct CellKey<'a> {
    version: u32,
    experiment: &'a str,
    method: &'a str,
    profile: Profile,
    parameters: &'a Map<String, Value>,
    text: &'a TextSettings,
    is_idf_frozen: bool,
    seed: u64,
    truth: &'a Truth,
    at: &'a BTreeMap<String, String>,
    set: usize,
    documents: usize,
    draw: Draw,
    kind: SetKind,
    drawn: Drawn,
    plan: &'a toml::Table,
    /// Hash of the documents that the set is made of.
    base: u64,
    /// The method whose pairs are compared with its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<&'a str>,
    /// What is done instead of finding relations.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<&'a Groups>,
}

impl<'a> CellKey<'a> {
    pub(super) fn new(design: &'a Design, set: &'a Planned, trial: &'a Trial, base: u64) -> Self {
        Self {
            version: VERSION,
            experiment: &design.name,
            method: trial.job.method(),
            profile: trial.job.profile(),
            parameters: trial.job.parameters(),
            text: trial.job.text(),
            is_idf_frozen: trial.is_idf_frozen,
            seed: design.data.seed,
            truth: &set.truth,
            at: &set.at,
            set: set.number,
            documents: set.n_documents,
            draw: design.data.draw,
            kind: set.kind,
            drawn: design.data.drawn,
            plan: &set.plan,
            base,
            beside: None,
            groups: None,
        }
    }

    /// Sets what the pairs of the cell are compared with.
    pub(super) fn beside(self, trial: Option<&'a Trial>) -> Self {
        Self { beside: trial.map(|trial| trial.job.method()), ..self }
    }

    /// Sets what is done instead of finding relations.
    pub(super) fn groups(self, groups: Option<&'a Groups>) -> Self {
        Self { groups, ..self }
    }

    /// Returns it as JSON.
    fn text(&self) -> String {
        serde_json::to_string(self).expect("a key is plain data")
    }

    /// Returns 128 bits of hash, in 32 digits.
    pub(super) fn hash(&self) -> String {
        let text = self.text();
        format!("{:016x}{:016x}", hash::bytes(text.as_bytes(), 1), hash::bytes(text.as_bytes(), 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_what_a_cell_depends_on() {
        let text = r#"
            title = "Own"
            question = "Which?"
            [data]
            collection = "none"
            quick = { documents = 3 }
            full = { documents = 3 }
            [truth]
            kind = "planted"
            [[method]]
            label = "runs"
            method = "ffp"
        "#;
        let design = Design::parse("own", text).expect("a good design");
        let set = Planned {
            at: BTreeMap::from([("percent".to_owned(), "5".to_owned())]),
            number: 1,
            n_documents: 3,
            kind: SetKind::Disjoint,
            collection: "none".to_owned(),
            chosen: None,
            plan: toml::from_str("originals = true").expect("a table"),
            truth: design.truth.clone(),
            of: BTreeMap::new(),
        };
        let parameters = Map::from_iter([("k".to_owned(), Value::from(5))]);
        let trial = Trial::new("ffp", Profile::Paper, &parameters, 1).expect("a method");
        let key = CellKey::new(&design, &set, &trial, 9);
        assert_eq!(
            key.text(),
            concat!(
                r#"{"version":4,"experiment":"own","method":"ffp","profile":"paper","#,
                r#""parameters":{"k":5},"text":{"html":"text","form":"nfc","case":"auto","#,
                r#""dictionary":false,"stop-words":"language","stem":"first5","language":"","#,
                r#""max-words":4000000},"is_idf_frozen":false,"seed":1,"#,
                r#""truth":{"kind":"planted","counts":"near","least":0.6},"#,
                r#""at":{"percent":"5"},"set":1,"documents":3,"draw":"order","kind":"disjoint","#,
                r#""drawn":{"least_words":80,"most_words":400,"vocabulary":20000},"#,
                r#""plan":{"originals":true},"base":9}"#
            )
        );
        let other = CellKey { base: 8, ..CellKey::new(&design, &set, &trial, 9) };
        assert_ne!(key.hash(), other.hash());
        assert_eq!(key.hash().len(), 32);
        let groups = Groups::Clusters(retold::Grouping::Cliques);
        let clustered = CellKey::new(&design, &set, &trial, 9).groups(Some(&groups));
        assert!(clustered.text().ends_with(r#""base":9,"groups":{"clusters":"cliques"}}"#));
    }
}
