//! The parameters of a method as JSON Schema, for forms and for other languages.

use serde_json::{Map, Value, json};

use super::{Form, Parameter, Profile, find};
use crate::error::ConfigError;

/// Returns the JSON Schema of the parameters of a method or a form, with the defaults of a profile.
///
/// What two parameters must keep together is not in there.
///
/// ```
/// use retold_core::methods::{Profile, schema};
///
/// let schema = schema("minhash", Profile::Retold)?;
/// assert_eq!(schema["properties"]["bands"]["default"], 16);
/// assert_eq!(schema["properties"]["bands"]["maximum"], 1024);
/// # Ok::<(), retold_core::error::ConfigError>(())
/// ```
pub fn schema(name: &str, profile: Profile) -> Result<Value, ConfigError> {
    let (spec, form) = find(name)?;
    let mut set = form.map(Form::values).unwrap_or_default();
    let property = |parameter: &Parameter| {
        let default = set.remove(parameter.name).unwrap_or_else(|| parameter.default(profile));
        (parameter.name.to_owned(), parameter.schema(default))
    };
    let properties: Map<String, Value> = (spec.parameters)().iter().map(property).collect();
    Ok(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
        "description": form.map_or(spec.title, |form| form.about),
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    }))
}
