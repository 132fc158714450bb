//! A kubeconfig document: the tree with the few operations that kindr needs.

use super::shape;
use super::yaml::{self, Fault, Node, Value};

/// One of the three lists of named entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Clusters,
    Contexts,
    Users,
}

impl Section {
    pub const ALL: [Self; 3] = [Self::Clusters, Self::Contexts, Self::Users];

    /// The key of the list in the document.
    pub fn list(self) -> &'static str {
        match self {
            Self::Clusters => "clusters",
            Self::Contexts => "contexts",
            Self::Users => "users",
        }
    }

    /// The key of the content in an entry.
    pub fn body(self) -> &'static str {
        match self {
            Self::Clusters => "cluster",
            Self::Contexts => "context",
            Self::Users => "user",
        }
    }
}

/// A kubeconfig of a checked shape; the root is a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Document {
    root: Node,
}

impl Default for Document {
    /// A kubeconfig without entries, its keys in kubectl's order.
    fn default() -> Self {
        let list = || Value::List(Vec::new()).into();
        let root = Node::map([
            ("apiVersion", Node::text("v1")),
            ("clusters", list()),
            ("contexts", list()),
            ("current-context", Node::text("")),
            ("kind", Node::text("Config")),
            ("users", list()),
        ]);
        Self { root }
    }
}

impl Document {
    /// Reads a document and checks its shape; an empty one is like a new one.
    ///
    /// # Errors
    /// What [`yaml::parse`] refuses; a root, a list or an entry that is something else; an `apiVersion` or
    /// `kind` of another sort of document.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let root = yaml::parse(text)?;
        if root.is_null() {
            return Ok(Self::default());
        }
        shape::check(&root)?;
        Ok(Self { root })
    }

    /// The document as text.
    pub fn emit(&self) -> String {
        yaml::emit(&self.root)
    }

    /// The content of an entry, the first of that name.
    pub fn body(&self, section: Section, name: &str) -> Option<&Node> {
        let entry = self.entries(section).iter().find(|entry| is_named(entry, name))?;
        entry.get(section.body())
    }

    /// Whether there is an entry of that name.
    pub fn holds(&self, section: Section, name: &str) -> bool {
        self.entries(section).iter().any(|entry| is_named(entry, name))
    }

    /// The entries of a list.
    pub fn entries(&self, section: Section) -> &[Node] {
        self.root
            .get(section.list())
            .and_then(Node::as_list)
            .unwrap_or_default()
    }

    /// The current context; none is the empty string.
    pub fn current_context(&self) -> &str {
        self.root
            .get("current-context")
            .and_then(Node::as_str)
            .unwrap_or_default()
    }

    /// Sets the current context.
    pub fn set_current_context(&mut self, name: &str) {
        if self.current_context() != name {
            self.root.set("current-context", Node::text(name));
        }
    }

    /// Sets the content of an entry where it stands, or appends it; a second entry of that name goes (readers
    /// refuse it).
    pub fn put(&mut self, section: Section, name: &str, body: Node) {
        let mut entries = self.entries(section).to_vec();
        let place = entries.iter().position(|entry| is_named(entry, name));
        let mut entry = match place {
            Some(place) => entries[place].clone(),
            None => Node::map([]),
        };
        entry.set(section.body(), body);
        if place.is_none() {
            entry.set("name", Node::text(name));
        }
        let mut rest = entries.split_off(place.unwrap_or(entries.len()));
        rest.retain(|entry| !is_named(entry, name));
        entries.push(entry);
        entries.extend(rest);
        self.root.set(section.list(), Value::List(entries).into());
    }

    /// Removes the entries of that name.
    pub fn remove(&mut self, section: Section, name: &str) {
        if self.holds(section, name) {
            let kept = self
                .entries(section)
                .iter()
                .filter(|entry| !is_named(entry, name))
                .cloned()
                .collect();
            self.root.set(section.list(), Value::List(kept).into());
        }
    }

    /// Adds `apiVersion` and `kind` if they are missing: some clients refuse a file without them.
    pub fn add_header(&mut self) {
        for (key, value) in [("kind", "Config"), ("apiVersion", "v1")] {
            if self
                .root
                .get(key)
                .is_some_and(|node| node.as_str() == Some(value))
            {
                continue;
            }
            if self.root.get(key).is_some() {
                self.root.set(key, Node::text(value));
            } else if let Value::Map(pairs) = &mut self.root.value {
                pairs.insert(0, (Node::text(key), Node::text(value)));
            }
        }
    }
}

fn is_named(entry: &Node, name: &str) -> bool {
    entry.get("name").and_then(Node::as_str) == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_lists_and_empty_files_are_fine() {
        for text in [
            "",
            "clusters: null\ncontexts:\nusers: ~\n",
            "{}",
            "apiVersion:\nkind: ''\n",
        ] {
            let mut document = Document::parse(text).unwrap();
            document.add_header();
            document.put(Section::Clusters, "c", Node::map([]));
            document.set_current_context("c");
            let again = Document::parse(&document.emit()).unwrap();
            assert_eq!(again, document);
            assert!(
                document.emit().contains("apiVersion: v1\n") && document.emit().contains("kind: Config\n"),
                "{text}"
            );
            assert!(again.holds(Section::Clusters, "c") && again.current_context() == "c");
        }
    }

    #[test]
    fn an_entry_is_replaced_where_it_stands_and_once() {
        let text = "users:\n- name: a\n- {name: k, user: {x: 1}, note: mine}\n- name: b\n- name: k\n";
        let mut document = Document::parse(text).unwrap();
        document.put(Section::Users, "k", Node::map([("y", Node::text("z"))]));
        assert_eq!(
            document.emit(),
            "users:\n- name: a\n- name: k\n  user:\n    \"y\": z\n  note: mine\n- name: b\n"
        );
        document.remove(Section::Users, "k");
        document.remove(Section::Users, "nobody");
        assert_eq!(document.emit(), "users:\n- name: a\n- name: b\n");
    }
}
