//! Extra arguments of a component: a map up to v1beta3, from v1beta4 on a list, in which a name may be there twice.

use serde_json::{Map, Value, json};

/// How a document writes extra arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Map,
    List,
}

/// The fields that hold extra arguments.
pub(super) fn is_args(field: &str) -> bool {
    matches!(field, "extraArgs" | "kubeletExtraArgs")
}

/// Merges arguments in either style into a document's: for each name, the patch's values replace those that are there,
/// and a null removes them.
pub(super) fn merge(target: &mut Value, patch: &Value, style: Style) -> Result<(), String> {
    let mut args = read(target)?;
    let changes = read(patch)?;
    for (at, (name, _)) in changes.iter().enumerate() {
        if changes[..at].iter().any(|(earlier, _)| earlier == name) {
            continue;
        }
        let values: Vec<_> = changes
            .iter()
            .filter(|(other, value)| other == name && value.is_some())
            .cloned()
            .collect();
        let position = args
            .iter()
            .position(|(other, _)| other == name)
            .unwrap_or(args.len());
        args.retain(|(other, _)| other != name);
        args.splice(position..position, values);
    }
    *target = write(args, style)?;
    Ok(())
}

/// Names with their values; one without a value is to be removed.
fn read(args: &Value) -> Result<Vec<(String, Option<String>)>, String> {
    match args {
        Value::Null => Ok(Vec::new()),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| Ok((name.clone(), text(name, value)?)))
            .collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, item)| element(at, item))
            .collect(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => {
            Err("must be a map of names and values, or a list of `name` and `value`".to_owned())
        }
    }
}

fn element(at: usize, item: &Value) -> Result<(String, Option<String>), String> {
    let Value::Object(item) = item else {
        return Err(format!(
            "has an element {at} that is no mapping of `name` and `value`"
        ));
    };
    if let Some(other) = item.keys().find(|key| !matches!(key.as_str(), "name" | "value")) {
        return Err(format!(
            "has `{other}` in its element {at}, where `name` and `value` belong"
        ));
    }
    let Some(name) = item.get("name").and_then(Value::as_str) else {
        return Err(format!("has no `name` in its element {at}"));
    };
    Ok((
        name.to_owned(),
        text(name, item.get("value").unwrap_or(&Value::Null))?,
    ))
}

/// Arguments are texts. A number or boolean is what somebody forgot to quote, if it is written in one way only.
fn text(name: &str, value: &Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Bool(value) => Ok(Some(value.to_string())),
        Value::Number(number) if !number.is_f64() => Ok(Some(number.to_string())),
        Value::Number(_) => Err(format!("has a number for `{name}`; put it in quotes")),
        Value::Array(_) | Value::Object(_) => Err(format!("has no text for `{name}`")),
    }
}

fn write(args: Vec<(String, Option<String>)>, style: Style) -> Result<Value, String> {
    let args = args.into_iter().filter_map(|(name, value)| Some((name, value?)));
    if style == Style::List {
        return Ok(args
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect());
    }
    let mut map = Map::new();
    for (name, value) in args {
        if map.contains_key(&name) {
            return Err(format!(
                "gives `{name}` twice, which only kubeadm.k8s.io/v1beta4 (Kubernetes 1.36 and newer) can hold"
            ));
        }
        map.insert(name, Value::String(value));
    }
    Ok(Value::Object(map))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(target: Value, patch: &Value, style: Style) -> Result<String, String> {
        let mut target = target;
        merge(&mut target, patch, style)?;
        Ok(target.to_string())
    }

    #[test]
    fn a_map_into_a_list() {
        let target = json!([{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]);
        let patch = json!({"a": 3, "c": true, "b": null});
        insta::assert_snapshot!(merged(target, &patch, Style::List).unwrap(), @r#"[{"name":"a","value":"3"},{"name":"c","value":"true"}]"#);
    }

    #[test]
    fn a_list_into_a_map() {
        let patch = json!([{"name": "a", "value": "3"}, {"name": "b"}]);
        insta::assert_snapshot!(merged(json!({"a": "1", "b": "2"}), &patch, Style::Map).unwrap(), @r#"{"a":"3"}"#);
    }

    #[test]
    fn a_name_twice() {
        let patch = json!([{"name": "issuer", "value": "x"}, {"name": "v", "value": "1"}, {"name": "issuer", "value": "y"}]);
        let target = json!([{"name": "issuer", "value": "old"}, {"name": "z", "value": "0"}]);
        insta::assert_snapshot!(merged(target, &patch, Style::List).unwrap(), @r#"[{"name":"issuer","value":"x"},{"name":"issuer","value":"y"},{"name":"z","value":"0"},{"name":"v","value":"1"}]"#);
        insta::assert_snapshot!(merged(json!({}), &patch, Style::Map).unwrap_err(), @"gives `issuer` twice, which only kubeadm.k8s.io/v1beta4 (Kubernetes 1.36 and newer) can hold");
    }

    #[test]
    fn faults() {
        for (patch, words) in [
            (json!("v=1"), "must be a map"),
            (json!([{"value": "1"}]), "no `name` in its element 0"),
            (json!([{"name": "a", "val": "1"}]), "`val`"),
            (json!(["v"]), "element 0"),
            (json!({"a": 1.5}), "quotes"),
            (json!({"a": ["x"]}), "no text for `a`"),
        ] {
            let error = merged(json!({}), &patch, Style::Map).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
