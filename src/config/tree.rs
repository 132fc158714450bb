//! The configuration as an untyped tree with positions: read first, to tell what the document is,
//! and kept, to say where in the file a value that fails validation stands.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::{Location, Spanned};

use super::path::{FieldPath, Segment};

/// A YAML value.
#[derive(Debug, Clone)]
pub(super) enum Tree {
    Null,
    Scalar(String),
    List(Vec<Spanned<Tree>>),
    Map(Vec<(Spanned<String>, Spanned<Tree>)>),
}

impl Tree {
    /// Returns an entry of this map.
    pub(super) fn get(&self, key: &str) -> Option<&(Spanned<String>, Spanned<Self>)> {
        match self {
            Self::Map(entries) => entries.iter().find(|(name, _)| name.value == key),
            Self::Null | Self::Scalar(_) | Self::List(_) => None,
        }
    }

    /// Says what kind of value this is.
    pub(super) const fn describe(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Scalar(_) => "a single value",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
        }
    }

    /// Returns where a field stands, or the nearest thing around it that the file has.
    pub(super) fn locate(&self, path: &FieldPath) -> Option<Location> {
        let mut here = self;
        let mut found = None;
        for segment in &path.0 {
            let Some(next) = here.step(segment) else {
                break;
            };
            found = Some(next.key.map_or(next.value.referenced, |key| key.referenced));
            here = &next.value.value;
        }
        found
    }

    /// Returns the value of a field.
    pub(super) fn value(&self, path: &FieldPath) -> Option<&Spanned<Self>> {
        self.last_step(path).map(|step| step.value)
    }

    /// Returns the key of a field.
    pub(super) fn key(&self, path: &FieldPath) -> Option<&Spanned<String>> {
        self.last_step(path)?.key
    }

    fn last_step(&self, path: &FieldPath) -> Option<Step<'_>> {
        let (last, before) = path.0.split_last()?;
        let parent = before.iter().try_fold(self, |here, segment| {
            here.step(segment).map(|next| &next.value.value)
        })?;
        parent.step(last)
    }

    /// Returns every key that its mapping has had before, with the mapping's path.
    pub(super) fn duplicates(&self) -> Vec<(FieldPath, &Spanned<String>)> {
        let mut found = Vec::new();
        self.find_duplicates(&FieldPath::default(), &mut found);
        found
    }

    /// Returns every single value, with its path.
    pub(super) fn scalars(&self) -> Vec<(FieldPath, &Spanned<Self>)> {
        let mut found = Vec::new();
        self.find_scalars(&FieldPath::default(), &mut found);
        found
    }

    fn find_scalars<'a>(&'a self, here: &FieldPath, found: &mut Vec<(FieldPath, &'a Spanned<Self>)>) {
        let mut visit = |path: FieldPath, value: &'a Spanned<Self>| match value.value {
            Self::Scalar(_) => found.push((path, value)),
            _ => value.value.find_scalars(&path, found),
        };
        match self {
            Self::Null | Self::Scalar(_) => {}
            Self::List(items) => items
                .iter()
                .enumerate()
                .for_each(|(at, item)| visit(here.index(at), item)),
            Self::Map(entries) => entries
                .iter()
                .for_each(|(key, value)| visit(here.entry(&key.value), value)),
        }
    }

    fn find_duplicates<'a>(&'a self, here: &FieldPath, found: &mut Vec<(FieldPath, &'a Spanned<String>)>) {
        match self {
            Self::Null | Self::Scalar(_) => {}
            Self::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    item.value.find_duplicates(&here.index(at), found);
                }
            }
            Self::Map(entries) => {
                for (at, (key, value)) in entries.iter().enumerate() {
                    if entries[..at].iter().any(|(before, _)| before.value == key.value) {
                        found.push((here.clone(), key));
                    } else {
                        value.value.find_duplicates(&here.entry(&key.value), found);
                    }
                }
            }
        }
    }

    fn step(&self, segment: &Segment) -> Option<Step<'_>> {
        let name = match (segment, self) {
            (Segment::Field(name), _) => name.as_ref(),
            (Segment::Key(name), _) => name.as_str(),
            (Segment::Index(index), Self::List(items)) => {
                let value = items.get(*index)?;
                return Some(Step { key: None, value });
            }
            (Segment::Index(_), _) => return None,
        };
        let (key, value) = self.get(name)?;
        Some(Step {
            key: Some(key),
            value,
        })
    }
}

/// One step down the tree.
struct Step<'a> {
    /// The key, in a map.
    key: Option<&'a Spanned<String>>,
    value: &'a Spanned<Tree>,
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Tree::Map(entries))
    }
}
