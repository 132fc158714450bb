//! Merging a patch into a document: RFC 7386, but for a few lists of kubeadm's that are added to.

use serde_json::{Map, Value};

use super::args::{self, Style};
use super::error::PatchFault;

/// Merges a patch into a document. `style` is given for kubeadm's own documents.
pub(super) fn merge(target: &mut Value, patch: &Value, style: Option<Style>) -> Result<(), PatchFault> {
    merge_at(target, patch, style, &mut Vec::new())
}

fn merge_at<'a>(
    target: &mut Value,
    patch: &'a Value,
    style: Option<Style>,
    path: &mut Vec<&'a str>,
) -> Result<(), PatchFault> {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return Ok(());
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(map) = target else {
        return Ok(());
    };
    for (field, value) in fields {
        if value.is_null() {
            map.shift_remove(field);
            continue;
        }
        path.push(field);
        let here = map.entry(field.as_str()).or_insert(Value::Null);
        match style {
            Some(style) if args::is_args(field) => {
                args::merge(here, value, style).map_err(|reason| PatchFault::Arguments {
                    path: path.join("."),
                    reason,
                })?;
            }
            Some(_) if is_names(field) => add_names(here, value),
            _ => merge_at(here, value, style, path)?,
        }
        path.pop();
    }
    Ok(())
}

/// The fields with the names that a certificate holds. A patch adds to them: without those that are there already the
/// server could not be reached.
fn is_names(field: &str) -> bool {
    matches!(field, "certSANs" | "serverCertSANs" | "peerCertSANs")
}

fn add_names(target: &mut Value, patch: &Value) {
    match (target.as_array_mut(), patch) {
        (Some(names), Value::Array(more)) => {
            for name in more {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        _ => *target = patch.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_rules_of_rfc_7386() {
        let mut target = json!({"a": "b", "c": {"d": "e", "f": "g"}, "list": [1, 2]});
        let patch = json!({"a": "z", "c": {"f": null}, "list": [3], "new": {"x": {"y": null}}});
        merge(&mut target, &patch, None).unwrap();
        assert_eq!(
            target,
            json!({"a": "z", "c": {"d": "e"}, "list": [3], "new": {"x": {}}})
        );
    }

    #[test]
    fn names_are_added_and_nothing_removes_them_all() {
        let mut target = json!({"apiServer": {"certSANs": ["localhost", "127.0.0.1"]}});
        let patch = json!({"apiServer": {"certSANs": ["my.host", "localhost"]}});
        merge(&mut target, &patch, Some(Style::Map)).unwrap();
        assert_eq!(
            target["apiServer"]["certSANs"],
            json!(["localhost", "127.0.0.1", "my.host"])
        );
        merge(
            &mut target,
            &json!({"apiServer": {"certSANs": null}}),
            Some(Style::Map),
        )
        .unwrap();
        assert_eq!(target, json!({"apiServer": {}}));
    }

    #[test]
    fn a_fault_names_its_path() {
        let mut target = json!({});
        let patch = json!({"etcd": {"local": {"extraArgs": "x"}}});
        let fault = merge(&mut target, &patch, Some(Style::List)).unwrap_err();
        insta::assert_snapshot!(fault, @"`etcd.local.extraArgs` must be a map of names and values, or a list of `name` and `value`");
    }
}
