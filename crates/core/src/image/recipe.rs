//! What images were made with: images of unlike recipes never meet.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash;

/// Everything that decides what the image of a text is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Number of the form in which images are written down.
    pub format: u32,
    /// Name of the method.
    pub method: String,
    /// Its parameters.
    pub parameters: Value,
    /// How documents become words.
    pub text: Value,
    /// Seed of the hashes.
    pub seed: u64,
    /// Fingerprint of the statistics of the collection, if images depend on any.
    pub statistics: Option<u64>,
}

/// Two recipes that differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these images were made differently: {what} is {here} here and {there} there")]
pub struct UnlikeImages {
    /// What differs first.
    pub what: String,
    /// Its value here.
    pub here: String,
    /// Its value there.
    pub there: String,
}

impl Recipe {
    /// Returns a number that equal recipes share.
    pub fn fingerprint(&self) -> u64 {
        let json = serde_json::to_string(self).expect("a recipe is plain data");
        hash::bytes(json.as_bytes(), 0)
    }

    /// Returns an error that names the first difference, if there is one.
    ///
    /// ```
    /// use retold_core::image::recipe::Recipe;
    /// use serde_json::json;
    /// let here = Recipe {
    ///     format: 1,
    ///     method: "anchor".into(),
    ///     parameters: json!({ "k": 5 }),
    ///     text: json!({}),
    ///     seed: 1,
    ///     statistics: None,
    /// };
    /// let there = Recipe { parameters: json!({ "k": 7 }), ..here.clone() };
    /// let error = here.check(&there).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "these images were made differently: parameters.k is 5 here and 7 there"
    /// );
    /// ```
    pub fn check(&self, other: &Self) -> Result<(), UnlikeImages> {
        let here = serde_json::to_value(self).expect("a recipe is plain data");
        let there = serde_json::to_value(other).expect("a recipe is plain data");
        match difference(&here, &there) {
            None => Ok(()),
            Some((what, here, there)) => Err(UnlikeImages { what, here, there }),
        }
    }
}

/// Returns the path and the values of the first difference.
fn difference(here: &Value, there: &Value) -> Option<(String, String, String)> {
    if let (Value::Object(here), Value::Object(there)) = (here, there) {
        let names: std::collections::BTreeSet<&String> = here.keys().chain(there.keys()).collect();
        return names.into_iter().find_map(|name| {
            let value = |of: &serde_json::Map<String, Value>| of.get(name).cloned();
            let (here, there) = (value(here), value(there));
            let nothing = Value::Null;
            let (here, there) =
                (here.as_ref().unwrap_or(&nothing), there.as_ref().unwrap_or(&nothing));
            let (path, here, there) = difference(here, there)?;
            let path = if path.is_empty() { name.clone() } else { format!("{name}.{path}") };
            Some((path, here, there))
        });
    }
    (here != there).then(|| (String::new(), here.to_string(), there.to_string()))
}
