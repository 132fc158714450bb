//! The JSON Schema of the configuration, for editors. Made from the types that read it, with their words.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::types::{API_VERSION, Cluster, KIND};

/// Returns the schema.
///
/// It is a little stricter than the reader where the reader only forgives: it has no YAML 1.1 booleans such as `yes`.
#[must_use]
pub fn json_schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<Cluster>()
        .to_value();
    if let Value::Object(root) = &mut schema {
        root.insert("title".to_owned(), json!("kindr cluster configuration"));
        open(root);
        for (_, definition) in root
            .get_mut("$defs")
            .and_then(Value::as_object_mut)
            .into_iter()
            .flatten()
        {
            if let Value::Object(definition) = definition {
                open(definition);
            }
        }
    }
    schema
}

/// Lets every field without a need for a value have none, as the reader does, and takes out defaults that say nothing:
/// they are those of the types, not those of a cluster.
fn open(object: &mut Map<String, Value>) {
    object.remove("default");
    let required: Vec<Value> = match object.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let Value::Object(property) = property else {
            continue;
        };
        property.remove("default");
        if !required.contains(&json!(name)) {
            nullable(property);
        }
    }
}

fn nullable(property: &mut Map<String, Value>) {
    if let Some(Value::String(kind)) = property.get("type") {
        let kinds = json!([kind, "null"]);
        property.insert("type".to_owned(), kinds);
    } else if let Some(reference) = property.remove("$ref") {
        property.insert("anyOf".to_owned(), json!([{"$ref": reference}, {"type": "null"}]));
    }
}

/// `kind`.
pub(super) fn kind(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"const": KIND})
}

/// `apiVersion`.
pub(super) fn api_version(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"const": API_VERSION})
}

/// Texts by name; what is not quoted is the text as written.
pub(super) fn string_map(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
    })
}

/// A text that may look like a number.
pub(super) fn number_or_text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["number", "string", "null"]})
}

/// A protocol in upper or lower case.
pub(super) fn protocol(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": ["TCP", "UDP", "SCTP", "tcp", "udp", "sctp", null]})
}
