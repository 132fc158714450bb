//! Text -> tree, over the events of the YAML parser below serde-saphyr.

use std::collections::HashMap;

use serde_yaml::granit_parser::{Event, Parser, ScalarStyle, Tag};

use super::emit::{is_string, is_word};
use super::merge_keys::merge_keys;
use super::{Fault, Node, Value};

/// The most nodes that aliases may add, against a small file that grows without end.
const MAX_COPIED: usize = 100_000;
/// The most levels of nesting; the parser has about the same limit for what is written out.
const MAX_DEPTH: usize = 500;

/// Reads a stream of at most one document; without one it is null.
///
/// Anchors, aliases and merge keys are resolved.
///
/// # Errors
/// Bad syntax, a second document (a rewrite would lose it), a key that is there twice or is not a scalar, an
/// alias without end, a tag on a collection.
pub(in super::super) fn parse(text: &str) -> Result<Node, Fault> {
    let mut builder = Builder::default();
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|error| {
            let place = error.marker();
            Fault {
                line: place.line().max(1),
                column: place.col() + 1,
                reason: error.info(),
            }
        })?;
        let (line, column) = (span.start.line().max(1), span.start.col() + 1);
        builder
            .event(event, line)
            .map_err(|reason| Fault { line, column, reason })?;
    }
    Ok(builder.root.unwrap_or_else(|| Value::Plain("null".into()).into()))
}

#[derive(Default)]
struct Builder {
    documents: usize,
    root: Option<Node>,
    open: Vec<Frame>,
    anchors: HashMap<usize, Node>,
    copied: usize,
}

/// A collection whose end has not come yet.
struct Frame {
    line: usize,
    anchor: usize,
    body: Body,
}

enum Body {
    List(Vec<Node>),
    Map {
        pairs: Vec<(Node, Node)>,
        key: Option<Node>,
    },
}

impl Builder {
    fn event(&mut self, event: Event<'_>, line: usize) -> Result<(), String> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err("a second document starts here, a kubeconfig has only one".into());
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(text.into_owned(), style, tag.as_deref());
                self.finish(Node { line, value }, anchor)?;
            }
            Event::Alias(id) => {
                let node = self
                    .anchors
                    .get(&id)
                    .cloned()
                    .ok_or("an alias to the node that it is part of")?;
                let (count, depth) = node.size();
                self.copied += count;
                if self.copied > MAX_COPIED || depth + self.open.len() > MAX_DEPTH {
                    return Err("the aliases of this file expand to too much".into());
                }
                self.finish(Node { line, ..node }, 0)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.start(line, anchor, tag.as_deref(), "seq", Body::List(Vec::new()))?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.start(
                    line,
                    anchor,
                    tag.as_deref(),
                    "map",
                    Body::Map {
                        pairs: Vec::new(),
                        key: None,
                    },
                )?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Frame { line, anchor, body }) = self.open.pop() {
                    let value = match body {
                        Body::List(items) => Value::List(items),
                        Body::Map { pairs, .. } => Value::Map(merge_keys(pairs)?),
                    };
                    self.finish(Node { line, value }, anchor)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn start(
        &mut self,
        line: usize,
        anchor: usize,
        tag: Option<&Tag>,
        own: &str,
        body: Body,
    ) -> Result<(), String> {
        if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema_tag(own) && written(tag) != "!") {
            return Err(format!("tag {} on a collection is not supported", written(tag)));
        }
        if matches!(
            self.open.last(),
            Some(Frame {
                body: Body::Map { key: None, .. },
                ..
            })
        ) {
            return Err("a key must be a scalar".into());
        }
        self.open.push(Frame { line, anchor, body });
        Ok(())
    }

    /// Puts a complete node where it belongs.
    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), String> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|frame| &mut frame.body) {
            None => self.root = Some(node),
            Some(Body::List(items)) => items.push(node),
            Some(Body::Map { pairs, key }) => match key.take() {
                Some(key) => pairs.push((key, node)),
                None if node.as_str().is_none() => return Err("a key must be a scalar".into()),
                None => *key = Some(node),
            },
        }
        Ok(())
    }
}

fn scalar(text: String, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    match tag {
        None if style != ScalarStyle::Plain => Value::Text(text),
        None if text.is_empty() => Value::Plain("null".into()),
        None if text.contains('\n') || is_string(&text) => Value::Text(text),
        None => Value::Plain(text),
        Some(tag) if tag.is_yaml_core_schema_tag("str") || written(tag) == "!" => Value::Text(text),
        Some(tag) if tag.is_yaml_core_schema_tag("null") => Value::Plain("null".into()),
        Some(tag) if tag.is_yaml_core_schema() && is_word(&text) && !is_string(&text) => Value::Plain(text),
        Some(tag) => Value::Tagged(written(tag), text),
    }
}

/// The tag as it is written in a document without directives.
fn written(tag: &Tag) -> String {
    let (handle, suffix) = (tag.handle(), tag.suffix());
    match tag.suffix_in_namespace("tag:yaml.org,2002:") {
        Some(name) => format!("!!{name}"),
        None if handle.starts_with('!') || (handle.is_empty() && suffix.starts_with('!')) => {
            format!("{handle}{suffix}")
        }
        None => format!("!<{handle}{suffix}>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> (usize, String) {
        let fault = parse(text).unwrap_err();
        (fault.line, fault.reason)
    }

    #[test]
    fn scalars_keep_their_kind_and_spelling() {
        let root = parse(
            "[\"0123\", 'yes', yes, 0123, 1e3, '1e3', \"null\", ~, !!null , plain text, ü, 123456789012345678901234567890]",
        );
        let items = root.unwrap().as_list().unwrap().to_vec();
        let text = |s: &str| Node::text(s);
        let plain = |s: &str| Node::from(Value::Plain(s.into()));
        let expected = [
            text("0123"),
            text("yes"),
            plain("yes"),
            plain("0123"),
            plain("1e3"),
            text("1e3"),
            text("null"),
            plain("~"),
            plain("null"),
            text("plain text"),
            text("ü"),
            plain("123456789012345678901234567890"),
        ];
        assert_eq!(items, expected);
    }

    #[test]
    fn tags_of_strings_are_resolved_and_others_kept() {
        let root =
            parse("a: !!str 1\nb: ! 2\nc: !!binary aGk=\nd: !!int \"5\"\ne: !mine x\nf: !!map {}\n").unwrap();
        assert_eq!(root.get("a"), Some(&Node::text("1")));
        assert_eq!(root.get("b"), Some(&Node::text("2")));
        assert_eq!(
            root.get("c"),
            Some(&Value::Tagged("!!binary".into(), "aGk=".into()).into())
        );
        assert_eq!(root.get("d"), Some(&Value::Plain("5".into()).into()));
        assert_eq!(
            root.get("e"),
            Some(&Value::Tagged("!mine".into(), "x".into()).into())
        );
    }

    #[test]
    fn nothing_is_null_and_a_byte_order_mark_is_skipped() {
        for text in ["", "# only a comment\n", "---\n", "\u{feff}", "~"] {
            assert!(parse(text).unwrap().is_null(), "{text:?}");
        }
        assert_eq!(
            parse("\u{feff}a: b\r\n").unwrap(),
            Node::map([("a", Node::text("b"))])
        );
    }

    #[test]
    fn faults_have_a_line() {
        assert_eq!(reason("a: 1\nb: [1, 2\nc: 3\n").0, 3);
        assert_eq!(
            reason("a: 1\n---\nb: 2\n"),
            (
                2,
                "a second document starts here, a kubeconfig has only one".into()
            )
        );
        assert!(
            reason("x:\n  a: 1\n  a: 2\n")
                .1
                .contains("key `a` is there twice")
        );
        assert_eq!(reason("{? [a] : b}"), (1, "a key must be a scalar".into()));
        assert!(reason("a: *nowhere\n").0 == 1);
        assert!(reason("a: &a [*a]\n").1.contains("alias"));
        assert!(reason("a: !!omap []\n").1.contains("!!omap"));
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let item = format!("*a{}, ", level - 1);
            text += &format!("a{level}: &a{level} [{}]\n", item.repeat(10));
        }
        assert!(reason(&text).1.contains("too much"));
    }
}
