//! The OpenAPI document, made from the table of routes.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{PREFIX, Route, schema_of};
use crate::collections::is_name;
use crate::problem::{Code, ProblemBody};

/// What the parts of addresses are.
fn path_parameter(name: &str) -> Value {
    let (about, schema) = match name {
        "collection" => ("Name of a collection", name_schema()),
        "pool" => ("Name of a pool", name_schema()),
        "id" => ("Id of a document, percent-encoded", json!({ "type": "string", "minLength": 1 })),
        "job" => ("Number of a job", number_schema()),
        "result" => ("Number of a result: that of the job that made it", number_schema()),
        "cluster" => ("Number of a cluster", number_schema()),
        "pair" => ("Number of a pair in the order of the file, from 0", number_schema()),
        "notice" => ("Number of a notice", number_schema()),
        "key" => ("Id of a key", json!({ "type": "string", "minLength": 1 })),
        _ => ("Id", json!({ "type": "string", "minLength": 1 })),
    };
    json!({ "name": name, "in": "path", "required": true, "description": about, "schema": schema })
}

fn name_schema() -> Value {
    debug_assert!(is_name("a-1"), "the pattern and the check say the same");
    json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$" })
}

fn number_schema() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u64 })
}

/// Returns the document.
pub(super) fn document(routes: &[Route]) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    let problem = schema_of::<ProblemBody>(&mut generator);
    for route in routes {
        let mut parameters: Vec<Value> = route
            .path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(path_parameter)
            .collect();
        if let Some(query) = route.query {
            parameters.extend(query_parameters(&query(&mut generator).to_value()));
        }
        for (name, about) in &route.headers {
            parameters.push(json!({
                "name": name, "in": "header", "required": false, "description": about,
                "schema": { "type": "string" },
            }));
        }
        let mut responses = Map::new();
        for answer in &route.answers {
            let mut content = Map::new();
            for (name, schema) in &answer.types {
                let schema = schema.map_or(json!({}), |schema| schema(&mut generator).to_value());
                content.insert((*name).to_owned(), json!({ "schema": schema }));
            }
            let mut response = json!({ "description": answer.about });
            if !content.is_empty() {
                response["content"] = Value::Object(content);
            }
            responses.insert(answer.status.to_string(), response);
        }
        responses.insert(
            "default".to_owned(),
            json!({
                "description": "A problem: the code says which.",
                "content": { "application/problem+json": { "schema": problem } },
            }),
        );
        let mut operation = json!({
            "operationId": operation_id(route),
            "summary": route.about,
            "description": format!("{}\n\nScope: `{}`.", route.details, route.scope.name()),
            "tags": [route.path.split('/').nth(1).unwrap_or_default().split(':').next()],
            "parameters": parameters,
            "responses": responses,
        });
        if !route.bodies.is_empty() {
            let mut content = Map::new();
            for (name, schema) in &route.bodies {
                let schema = schema.map(|schema| schema(&mut generator).to_value());
                let schema = schema.unwrap_or_else(|| json!({}));
                content.insert((*name).to_owned(), json!({ "schema": schema }));
            }
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        let path = paths.entry(format!("{PREFIX}{}", route.path)).or_insert_with(|| json!({}));
        path[route.method] = operation;
    }
    let schemas = generator.take_definitions(true);
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Retold",
            "version": env!("CARGO_PKG_VERSION"),
            "description": format!(
                "Finds what was told again. Offsets are bytes of the original texts unless \
                 `offsets=utf16` is asked for. Codes of problems: {}.", codes.join(", ")),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "key": [] }, {}],
        "components": {
            "schemas": schemas,
            "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } },
        },
        "paths": paths,
    })
}

/// Turns the fields of an object into parameters.
fn query_parameters(schema: &Value) -> Vec<Value> {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .map(|(name, schema)| {
            let mut schema = schema.clone();
            let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            // A parameter that is not given is left out, it is never null.
            if let Some(types) = schema["type"].as_array() {
                let types: Vec<&Value> = types.iter().filter(|name| *name != "null").collect();
                if let [only] = types[..] {
                    schema["type"] = only.clone();
                }
            }
            if let Some(any) = schema["anyOf"].as_array() {
                let kept: Vec<&Value> = any.iter().filter(|one| one["type"] != "null").collect();
                if let [only] = kept[..] {
                    schema = only.clone();
                }
            }
            if let Some(object) = schema.as_object_mut()
                && object.get("default").is_some_and(Value::is_null)
            {
                object.remove("default");
            }
            json!({
                "name": name, "in": "query", "required": required.contains(&name.as_str()),
                "description": about.unwrap_or_default(), "schema": schema,
            })
        })
        .collect()
}

/// Returns a name for an operation: its method and the fixed parts of its address.
fn operation_id(route: &Route) -> String {
    let mut id = route.method.to_owned();
    for part in route.path.split(['/', ':']) {
        let part = part.trim_matches(['{', '}']);
        let mut letters = part.chars();
        if let Some(first) = letters.next() {
            id.extend(first.to_uppercase());
            id.push_str(letters.as_str());
        }
    }
    id.replace(['.', '-'], "_")
}
