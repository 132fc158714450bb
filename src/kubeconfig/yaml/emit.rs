//! Tree -> text, in the block style of kubectl.

use serde_yaml::{ser_options, to_string_with_options};

use super::{Node, Value};

/// Writes a mapping or a list as a document; strings that a reader could take for something else are quoted.
pub(in super::super) fn emit(root: &Node) -> String {
    let mut out = String::new();
    match &root.value {
        Value::List(items) if !items.is_empty() => list(&mut out, items, 0),
        Value::Map(pairs) if !pairs.is_empty() => map(&mut out, pairs, 0, false),
        _ => {
            out += &scalar(root, 0);
            out.push('\n');
        }
    }
    out
}

/// Whether the text, unquoted, is a string for every reader.
pub(super) fn is_string(text: &str) -> bool {
    quoted(text) == text
}

/// Whether the text needs no quotes for its characters.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+.:_".contains(c) || c == '-')
}

fn map(out: &mut String, pairs: &[(Node, Node)], indent: usize, after_dash: bool) {
    for (index, (key, value)) in pairs.iter().enumerate() {
        if index > 0 || !after_dash {
            pad(out, indent);
        }
        // A key cannot be a block scalar: a key with line breaks is quoted.
        out.push_str(&inline(key));
        out.push(':');
        match &value.value {
            // kubectl's style: a list starts below its key, not further in.
            Value::List(items) if !items.is_empty() => {
                out.push('\n');
                list(out, items, indent);
            }
            Value::Map(pairs) if !pairs.is_empty() => {
                out.push('\n');
                map(out, pairs, indent + 2, false);
            }
            _ => {
                out.push(' ');
                out.push_str(&scalar(value, indent + 2));
                out.push('\n');
            }
        }
    }
}

fn list(out: &mut String, items: &[Node], indent: usize) {
    for item in items {
        pad(out, indent);
        out.push('-');
        match &item.value {
            Value::List(items) if !items.is_empty() => {
                out.push('\n');
                list(out, items, indent + 2);
            }
            Value::Map(pairs) if !pairs.is_empty() => {
                out.push(' ');
                map(out, pairs, indent + 2, true);
            }
            _ => {
                out.push(' ');
                out.push_str(&scalar(item, indent + 2));
                out.push('\n');
            }
        }
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// A value that stands behind `key:` or `-`; `indent` is where further lines start.
fn scalar(node: &Node, indent: usize) -> String {
    match &node.value {
        Value::Text(text) if fits_block(text) => block(text, indent),
        _ => inline(node),
    }
}

fn inline(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => quoted(text),
        Value::Plain(text) => text.clone(),
        Value::Tagged(tag, text) => format!("{tag} {}", quoted(text)),
        Value::List(_) => "[]".into(),
        Value::Map(_) => "{}".into(),
    }
}

/// The text in one line, in quotes if it needs them.
fn quoted(text: &str) -> String {
    let options = ser_options! { prefer_block_scalars: false };
    match to_string_with_options(&text, options) {
        Ok(written) => written.trim_end_matches('\n').to_owned(),
        // A JSON string is a YAML string.
        Err(_) => serde_json::Value::from(text).to_string(),
    }
}

/// Whether a literal block keeps the text exactly.
fn fits_block(text: &str) -> bool {
    let odd = |c: char| (c != '\n' && c.is_control()) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    text.trim_end_matches('\n').contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && !text.contains(odd)
}

fn block(text: &str, indent: usize) -> String {
    let (mark, body) = match text.strip_suffix('\n') {
        Some(body) => ("|", body),
        None => ("|-", text),
    };
    let mut out = mark.to_owned();
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(&mut out, indent.max(2));
            out.push_str(line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    const STRINGS: [&str; 46] = [
        "",
        " ",
        "a",
        "0123",
        "1e3",
        "1_000",
        "0x1F",
        "0o7",
        "0b1",
        ".5",
        "1.",
        "+1",
        "-0",
        ".inf",
        "NaN",
        "yes",
        "No",
        "on",
        "y",
        "N",
        "true",
        "null",
        "~",
        "Null",
        "<<",
        "=",
        "2024-01-02",
        "12:30:45",
        "a: b",
        "a #b",
        "#a",
        "- a",
        "? a",
        "a:",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a`",
        "{a}",
        "[a",
        "it's",
        "\"q\"",
        "tab\there",
        "---",
    ];

    #[test]
    fn strings_stay_strings_wherever_they_stand() {
        let longer = [
            "a\nb",
            "a\nb\n",
            "a\nb\n\n",
            "\na",
            " a\nb",
            "a\r\nb",
            "a \nb ",
            "a\n\n  b\n",
            "\u{85}x\ny",
            "ü 日本 🦀",
            "\u{feff}x",
            "\u{7}",
            "\u{2028}",
            "\\n",
            "C:\\dir",
            "arn:aws:eks:eu-1:1:cluster/x",
            "user@host/a b",
            "a, b",
            "trailing ",
            "...",
            "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUMvakNDQWVhZ0F3SUJBZ0lCQURBTkJna3Foa2lHOXcwQkFRc0ZBREFWTVJNd0VRWURW+/==",
            "word word word word word word word word word word word word word word word word word word word word word word",
            "\n",
            "\n\n",
            "a\n#b\n",
            "a\n---\nb",
            "- a\n- b",
        ];
        for text in STRINGS.into_iter().chain(longer) {
            let node = Node::text(text);
            let mut root = Node::map([("value", node.clone())]);
            root.set(
                text,
                Value::List(vec![node.clone(), Value::List(vec![node.clone()]).into()]).into(),
            );
            root.set(
                "deep",
                Node::map([("er", Value::List(vec![Node::map([(text, node)])]).into())]),
            );
            let written = emit(&root);
            assert_eq!(
                parse(&written).as_ref(),
                Ok(&root),
                "{text:?} was written as\n{written}"
            );
        }
    }

    #[test]
    fn what_yaml_1_1_takes_for_something_else_is_quoted() {
        for text in &STRINGS[3..28] {
            assert!(quoted(text).starts_with(['\'', '"']), "{text:?}");
        }
    }

    #[test]
    fn plain_scalars_are_written_as_they_were() {
        let text = "a: yes\nb: 0777\nc: 1e3\nd: 123456789012345678901234567890\ne: ~\nf: 1.10\ng: 2024-01-02\nh: []\ni: {}\n";
        assert_eq!(emit(&parse(text).unwrap()), text);
    }

    #[test]
    fn the_style_is_that_of_kubectl() {
        let text = "clusters:\n- cluster:\n    server: https://127.0.0.1:6443\n  name: kind-x\nhint: |\n  one\n\n    two\nusers: null\n";
        assert_eq!(emit(&parse(text).unwrap()), text);
    }
}
