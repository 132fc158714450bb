//! From the deserializer's errors to [`ConfigError`]: what was expected, what is there, what was meant.

use serde_yaml::{Error, Location};

use super::error::ConfigError;
use super::fault::Fault;
use super::load::{Stop, read};
use super::path::FieldPath;
use super::source::{Place, Source};
use super::tree::Tree;
use super::types::{Cluster, Mount, Networking, Node, PatchJson6902, PortMapping};

/// Explains why the text is not one YAML document.
pub(super) fn syntax(source: &Source, stop: &Stop) -> ConfigError {
    let error = stop.error.without_snippet();
    let place = place(source, error.location());
    match error {
        Error::MultipleDocuments { .. } => ConfigError::MultipleDocuments { place },
        other => ConfigError::Syntax {
            reason: reason(other, &place),
            place,
        },
    }
}

/// Explains the first place where a YAML document does not have the schema's shape.
pub(super) fn shape(source: &Source, tree: &Tree, stop: &Stop) -> Fault {
    let error = stop.error.without_snippet();
    let path = stop.path.clone();
    let value = tree.value(&path);
    // Where it is written, and not where an alias refers to it: each fault is mended once.
    let place = value.map_or_else(
        || place(source, error.location()),
        |value| source.place(value.defined.line(), value.defined.column()),
    );
    let expected = match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            return Fault::UnknownField {
                advice: advise_field(field, expected),
                field: field.clone(),
                within: path.parent(),
                place: tree.key(&path).map_or(place, |key| {
                    source.place(key.defined.line(), key.defined.column())
                }),
            };
        }
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => {
            let found = match place.word() {
                "" => variant.clone(),
                word => word.trim_matches(['"', '\'']).to_owned(),
            };
            return Fault::UnknownValue {
                advice: advise_value(&found, expected),
                path,
                found,
                place,
            };
        }
        Error::Unexpected { expected, .. } => match *expected {
            "sequence start" => "a list",
            "mapping start" => "a mapping",
            "string scalar" => scalar(&path),
            other => other,
        },
        Error::InvalidScalar { ty, .. } => match *ty {
            "boolean" | "bool" => "true or false",
            "i32" => "a whole number",
            other => other,
        },
        Error::SerdeInvalidType { expected, .. } => expected.as_str(),
        Error::InvalidBooleanStrict { .. } => "true or false",
        Error::NullIntoString { .. } => "a text",
        other => {
            return Fault::Unreadable {
                reason: reason(other, &place),
                path,
                place,
            };
        }
    };
    let value = value.map(|value| &value.value);
    Fault::WrongType {
        expected: expected.to_owned(),
        found: match value {
            Some(Tree::Scalar(_)) => format!("`{}`", place.word()),
            Some(other) => other.describe().to_owned(),
            None => "something else".to_owned(),
        },
        hint: hint(&path, expected, value),
        path,
        place,
    }
}

/// Explains that a value in quotes is a text where the schema has none: the deserializer would read on through the quotes.
pub(super) fn quoted(path: &FieldPath, place: Box<Place>) -> Option<Fault> {
    let expected = scalar(path);
    (expected != "a text" && place.word().starts_with(['"', '\''])).then(|| Fault::WrongType {
        found: format!("the text `{}`", place.word()),
        hint: "; take the quotes away".to_owned(),
        expected: expected.to_owned(),
        path: path.clone(),
        place,
    })
}

fn place(source: &Source, location: Option<Location>) -> Box<Place> {
    let (line, column) = location.map_or((1, 1), |at| (at.line(), at.column()));
    source.place(line, column)
}

/// The parser's own words, with the way out where one is known.
fn reason(error: &Error, place: &Place) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text).to_owned();
    let indent = place.text.len() - place.text.trim_start().len();
    if place.text[..indent].contains('\t') {
        return format!("{text}; indent with spaces");
    }
    text
}

/// What single value a field has: the reader itself knows no more than that it is one.
fn scalar(path: &FieldPath) -> &'static str {
    match path.last_field() {
        "featureGates" | "disableDefaultCNI" | "readOnly" | "selinuxRelabel" => "true or false",
        field if field.ends_with("Port") => "a whole number",
        _ => "a text",
    }
}

/// What a value of the wrong type was probably meant to be.
fn hint(path: &FieldPath, expected: &str, value: Option<&Tree>) -> String {
    let hint = match (path.last_field(), expected, value) {
        ("featureGates" | "runtimeConfig", "a mapping", Some(Tree::List(_))) => {
            "; write `Name: value` lines without the dashes"
        }
        (field, "a text", Some(Tree::Map(_) | Tree::List(_))) if field.contains("Patch") => {
            "; put the patch into a block that begins with `|`"
        }
        (field, "a whole number", _) if field.ends_with("Port") => {
            "; one port per mapping, ranges and names are not possible"
        }
        (_, "a list", Some(Tree::Map(_) | Tree::Scalar(_))) => "; begin each element with `-`",
        _ => "",
    };
    hint.to_owned()
}

fn advise_value(found: &str, expected: &[&'static str]) -> String {
    if found == "external-load-balancer" {
        return "the load balancer is added by itself when there is more than one control plane".to_owned();
    }
    match nearest(found, expected) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected {}", list(expected, "or")),
    }
}

/// What to write instead of an unknown field: a near name, the place where it belongs, or the list.
fn advise_field(field: &str, expected: &[&'static str]) -> String {
    let phantom = match field {
        "constraints" => "it comes from a proposal that was never built; remove it",
        "replicas" => "write one entry under `nodes` for each node",
        "kubernetesVersion" | "version" => "the version is that of the node's `image`",
        "metadata" => "the cluster's name is the top-level `name`",
        _ => "",
    };
    if !phantom.is_empty() && !expected.contains(&"group") {
        return phantom.to_owned();
    }
    if let Some(near) = nearest(field, expected) {
        return format!("did you mean `{near}`?");
    }
    for (home, fields) in homes() {
        if fields.contains(&field) {
            return format!("`{field}` is a field of {home}");
        }
    }
    format!("the fields here are {}", list(expected, "and"))
}

/// The schema's parts with their fields, as the deserializer itself knows them.
fn homes() -> [(&'static str, Vec<&'static str>); 6] {
    [
        ("`networking`", fields_of::<Networking>()),
        ("the nodes, `nodes[]`", fields_of::<Node>()),
        ("`nodes[].extraPortMappings[]`", fields_of::<PortMapping>()),
        ("`nodes[].extraMounts[]`", fields_of::<Mount>()),
        ("the top of the file", fields_of::<Cluster>()),
        ("`kubeadmConfigPatchesJSON6902[]`", fields_of::<PatchJson6902>()),
    ]
}

/// Asks a type for its fields by offering one that it cannot have.
fn fields_of<T: serde::de::DeserializeOwned>() -> Vec<&'static str> {
    match read::<T>("'?': 1") {
        Err(stop) => match *stop.error {
            Error::SerdeUnknownField { expected, .. } => expected,
            _ => Vec::new(),
        },
        Ok(_) => Vec::new(),
    }
}

/// The name that is so near that it was probably meant.
fn nearest(word: &str, names: &[&'static str]) -> Option<&'static str> {
    let word = word.to_lowercase();
    names
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&word, &name.to_lowercase()), *name))
        .filter(|(distance, name)| *distance <= (name.len() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn list(names: &[&str], and: &str) -> String {
    match names.split_last() {
        Some((last, [])) => format!("`{last}`"),
        Some((last, rest)) => format!("`{}` {and} `{last}`", rest.join("`, `")),
        None => String::new(),
    }
}
