//! Paths to fields of the configuration, `nodes[1].labels["a/b"]`.

use std::borrow::Cow;
use std::fmt;

use serde_path_to_error::Segment as Step;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// A field of the schema, or one that it lacks.
    Field(Cow<'static, str>),
    /// A position in a list, from 0.
    Index(usize),
    /// A key that the user chose.
    Key(String),
}

/// A path from the top of the configuration to one value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldPath(pub(super) Vec<Segment>);

impl FieldPath {
    /// Returns the path of a top-level field.
    pub(super) fn of(field: &'static str) -> Self {
        Self(vec![Segment::Field(field.into())])
    }

    /// Returns the path of a field of the value here.
    pub(super) fn field(&self, field: &'static str) -> Self {
        self.with(Segment::Field(field.into()))
    }

    /// Returns the path of an element of the list here.
    pub(super) fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// Returns the path of an entry of the map here.
    pub(super) fn key(&self, key: &str) -> Self {
        self.with(Segment::Key(key.to_owned()))
    }

    /// Returns the path of an entry of the mapping here, a field unless keys are the user's own here.
    pub(super) fn entry(&self, key: &str) -> Self {
        if MAPS.contains(&self.last_field()) {
            self.key(key)
        } else {
            self.with(Segment::Field(key.to_owned().into()))
        }
    }

    /// Whether one of the two is part of the other, or both are the same.
    pub(super) fn touches(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one == other)
    }

    /// Returns the path of the value that this one is part of.
    pub(super) fn parent(&self) -> Self {
        let mut segments = self.0.clone();
        segments.pop();
        Self(segments)
    }

    /// Whether this is the path of the whole configuration.
    pub(super) const fn is_top(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name of the last field on the path.
    pub(super) fn last_field(&self) -> &str {
        let fields = self.0.iter().rev().filter_map(|segment| match segment {
            Segment::Field(name) => Some(name.as_ref()),
            Segment::Index(_) | Segment::Key(_) => None,
        });
        fields.into_iter().next().unwrap_or_default()
    }

    fn with(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }
}

impl From<&serde_path_to_error::Path> for FieldPath {
    fn from(path: &serde_path_to_error::Path) -> Self {
        let mut here = Self::default();
        for step in path {
            here = match step {
                Step::Seq { index } => here.index(*index),
                Step::Map { key } => here.entry(key),
                Step::Enum { variant } => here.with(Segment::Field(variant.clone().into())),
                Step::Unknown => here.with(Segment::Field("?".into())),
            };
        }
        here
    }
}

/// The fields whose keys are the user's own.
const MAPS: &[&str] = &["featureGates", "runtimeConfig", "labels"];

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if at == 0 => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => write!(f, "[{key:?}]")?,
            }
        }
        Ok(())
    }
}
