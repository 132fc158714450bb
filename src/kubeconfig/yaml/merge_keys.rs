//! YAML 1.1's merge key, which client-go still understands.

use std::collections::HashSet;

use super::{Node, Value};

/// Replaces `<<` in a mapping by the pairs it stands for; what the mapping says itself goes first, then the
/// earlier source.
pub(super) fn merge_keys(pairs: Vec<(Node, Node)>) -> Result<Vec<(Node, Node)>, String> {
    let is_merge = |key: &Node| matches!(&key.value, Value::Plain(text) if text == "<<");
    let mut seen = HashSet::new();
    for (key, _) in pairs.iter().filter(|(key, _)| !is_merge(key)) {
        let name = key.as_str().unwrap_or_default().to_owned();
        if let Some(name) = (!seen.insert(name.clone())).then_some(name) {
            return Err(format!(
                "key `{name}` is there twice in one mapping (again in line {})",
                key.line
            ));
        }
    }
    let mut result = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        if !is_merge(&key) {
            result.push((key, value));
            continue;
        }
        let sources = match &value.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(&value),
        };
        for source in sources {
            let source = source
                .as_map()
                .ok_or_else(|| format!("`<<` wants a mapping, not {}", source.kind()))?;
            let new = |(key, _): &&(Node, Node)| seen.insert(key.as_str().unwrap_or_default().to_owned());
            result.extend(source.iter().filter(new).cloned());
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn aliases_and_merge_keys_are_written_out() {
        let root = parse("base: &b {a: 1, b: 2}\nuse: {<<: *b, b: 3}\nmany: {<<: [{c: 4}, *b]}\nagain: *b\n")
            .unwrap();
        assert_eq!(root.get("use"), Some(&parse("{a: 1, b: 3}").unwrap()));
        assert_eq!(root.get("many"), Some(&parse("{c: 4, a: 1, b: 2}").unwrap()));
        assert_eq!(root.get("again"), root.get("base"));
    }

    #[test]
    fn only_mappings_can_be_merged() {
        assert_eq!(
            parse("a:\n  <<: [1]\n").unwrap_err().reason,
            "`<<` wants a mapping, not a scalar"
        );
        assert!(parse("a: {'<<': 1}").is_ok());
    }
}
