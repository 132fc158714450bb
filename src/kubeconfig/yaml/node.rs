//! The tree.

/// A value and the line it was read from (0 if it was not read); the line does not count when comparing.
#[derive(Debug, Clone)]
pub(in super::super) struct Node {
    pub line: usize,
    pub value: Value,
}

/// What a [`Node`] holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Value {
    /// A string.
    Text(String),
    /// An unquoted scalar that some reader takes for something else than a string (null, a boolean, a number,
    /// a date), spelled as it was read. Nothing at all is spelled `null`.
    Plain(String),
    /// A scalar with a tag that is written back, such as `!!binary`: the tag and the text.
    Tagged(String, String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping; keys are scalars, each once, in order.
    Map(Vec<(Node, Node)>),
}

impl Eq for Node {}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        Self { line: 0, value }
    }
}

impl Node {
    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Value::Text(text.into()).into()
    }

    /// A mapping with string keys.
    pub fn map<const N: usize>(pairs: [(&str, Node); N]) -> Self {
        Value::Map(
            pairs
                .into_iter()
                .map(|(key, value)| (Self::text(key), value))
                .collect(),
        )
        .into()
    }

    /// Whether this is null, in one of YAML's spellings.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Plain(text) if matches!(text.as_str(), "null" | "Null" | "NULL" | "~"))
    }

    /// The scalar's text, as a reader that wants a string sees it; null is the empty string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Plain(_) if self.is_null() => Some(""),
            Value::Text(text) | Value::Plain(text) | Value::Tagged(_, text) => Some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The items, if this is a sequence.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The pairs, if this is a mapping.
    pub fn as_map(&self) -> Option<&[(Node, Node)]> {
        match &self.value {
            Value::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?
            .iter()
            .find(|(k, _)| k.as_str() == Some(key))
            .map(|(_, value)| value)
    }

    /// Sets a key in place, or appends it; a node that is not a mapping is left alone.
    pub fn set(&mut self, key: &str, value: Node) {
        if let Value::Map(pairs) = &mut self.value {
            match pairs.iter_mut().find(|(k, _)| k.as_str() == Some(key)) {
                Some((_, old)) => *old = value,
                None => pairs.push((Self::text(key), value)),
            }
        }
    }

    /// What this is, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Plain(_) if self.is_null() => "null",
            Value::Text(_) | Value::Plain(_) | Value::Tagged(..) => "a scalar",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// How many nodes there are from here on, and how many levels.
    pub fn size(&self) -> (usize, usize) {
        let add = |(count, depth): (usize, usize), node: &Node| {
            let (c, d) = node.size();
            (count + c, depth.max(d))
        };
        let (count, depth) = match &self.value {
            Value::List(items) => items.iter().fold((0, 0), add),
            Value::Map(pairs) => pairs.iter().map(|(_, value)| value).fold((pairs.len(), 0), add),
            _ => (0, 0),
        };
        (count + 1, depth + 1)
    }
}
