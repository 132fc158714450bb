//! Where two trees of values differ.

use std::fmt;

use serde_json::Value;

/// How a value is told that is not there.
pub const ABSENT: &str = "absent";

/// One place where the two are not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where it is: keys and positions with `/` between.
    pub path: String,
    /// What kind has there, as JSON or [`ABSENT`].
    pub kind: String,
    /// What kindr has there.
    pub kindr: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\n  kind:  {}\n  kindr: {}",
            self.path, self.kind, self.kindr
        )
    }
}

/// Compares two trees. A branch that only one of them has is one difference.
pub fn compare(kind: &Value, kindr: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    walk("", Some(kind), Some(kindr), &mut found);
    found
}

fn walk(path: &str, kind: Option<&Value>, kindr: Option<&Value>, found: &mut Vec<Difference>) {
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}/{key}")
        }
    };
    match (kind, kindr) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let new = other.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(new) {
                walk(&below(key), one.get(key), other.get(key), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for at in 0..one.len().max(other.len()) {
                walk(&below(&at.to_string()), one.get(at), other.get(at), found);
            }
        }
        (one, other) if one == other => {}
        (one, other) => {
            let text = |value: Option<&Value>| value.map_or_else(|| ABSENT.to_owned(), Value::to_string);
            found.push(Difference {
                path: path.to_owned(),
                kind: text(one),
                kindr: text(other),
            });
        }
    }
}
