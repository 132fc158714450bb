//! What can be wrong with a configuration.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::path::FieldPath;
use super::source::{Origin, Place};
use super::types::{API_VERSION, KIND};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// There is no such file.
    #[error("the configuration file `{}` does not exist; check the path given to --config", path.display())]
    NotFound {
        /// The path as given.
        path: PathBuf,
    },
    /// The file is there, but reading it failed.
    #[error("cannot read the configuration {origin}: {cause}")]
    Unreadable {
        /// The file or stream.
        origin: Origin,
        /// What the system says.
        cause: io::Error,
    },
    /// The bytes are not UTF-8.
    #[error("the configuration {origin} is not UTF-8 text (byte {offset}); save it as UTF-8")]
    NotText {
        /// The file or stream.
        origin: Origin,
        /// The first byte that is wrong, from 0.
        offset: usize,
    },
    /// There is nothing in it, or comments only.
    #[error(
        "the configuration {origin} is empty; the least it can say is\n  kind: {KIND}\n  apiVersion: {API_VERSION}"
    )]
    Empty {
        /// The file or stream.
        origin: Origin,
    },
    /// The text is not YAML.
    #[error("not valid YAML: {reason}\n{place}")]
    Syntax {
        /// Where the parser stopped.
        place: Box<Place>,
        /// What it says.
        reason: String,
    },
    /// There is more than one document.
    #[error(
        "more than one YAML document; a configuration is a single one, so remove the `---` and what follows it\n{place}"
    )]
    MultipleDocuments {
        /// Where the second one begins.
        place: Box<Place>,
    },
    /// The document is not a mapping.
    #[error("the configuration {origin} holds {found} where a mapping with `kind: {KIND}` belongs")]
    NotAMapping {
        /// The file or stream.
        origin: Origin,
        /// What it holds instead.
        found: &'static str,
    },
    /// `kind` or `apiVersion` is not there.
    #[error("the configuration {origin} has no `{field}`; add `{field}: {expected}`")]
    MissingHeader {
        /// The file or stream.
        origin: Origin,
        /// The absent field.
        field: &'static str,
        /// The value it must have.
        expected: &'static str,
    },
    /// `kind` or `apiVersion` has a value that is not known.
    #[error("unknown {field} `{found}`; expected `{expected}`\n{place}")]
    WrongHeader {
        /// Where it stands.
        place: Box<Place>,
        /// The field.
        field: &'static str,
        /// The value it has.
        found: String,
        /// The value it must have.
        expected: &'static str,
    },
    /// The file is for an old kind.
    #[error(
        "the apiVersion `{found}` is no longer read; migrate the file to `{API_VERSION}` (often this one line is all)\n{place}"
    )]
    OldApiVersion {
        /// Where it stands.
        place: Box<Place>,
        /// The value it has.
        found: String,
    },
    /// A field that the schema does not have.
    #[error("unknown field `{field}`{}; {advice}\n{place}", Within(within))]
    UnknownField {
        /// Where it stands.
        place: Box<Place>,
        /// The field.
        field: String,
        /// The path of the value it is a field of.
        within: FieldPath,
        /// What to write instead.
        advice: String,
    },
    /// A field that is there twice.
    #[error("the field `{field}` is given twice{}; keep one\n{place}", Within(within))]
    DuplicateField {
        /// Where the second one stands.
        place: Box<Place>,
        /// The field.
        field: String,
        /// The path of the value it is a field of.
        within: FieldPath,
    },
    /// A word that is not among those a field can have.
    #[error("unknown value `{found}` for `{path}`; {advice}\n{place}")]
    UnknownValue {
        /// Where it stands.
        place: Box<Place>,
        /// The field's path.
        path: FieldPath,
        /// The value it has.
        found: String,
        /// What to write instead.
        advice: String,
    },
    /// A value of the wrong type.
    #[error("wrong type for `{path}`: expected {expected}, found {found}{hint}\n{place}")]
    WrongType {
        /// Where it stands.
        place: Box<Place>,
        /// The field's path.
        path: FieldPath,
        /// The type it must have.
        expected: String,
        /// What is there.
        found: String,
        /// What may have been meant, or nothing.
        hint: String,
    },
    /// The configuration can be read, but not all of it makes sense.
    #[error("{0}")]
    Invalid(Problems),
}

/// Displays ` in ...`, or nothing for the top.
struct Within<'a>(&'a FieldPath);

impl fmt::Display for Within<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_top() {
            return Ok(());
        }
        write!(f, " in `{}`", self.0)
    }
}

/// One thing that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub path: FieldPath,
    /// What is wrong with it and what would be right.
    pub message: String,
    /// Where it stands, if it came from a file.
    pub place: Option<Box<Place>>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}: ", place.position())?;
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Everything that makes no sense in one configuration; never empty inside an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub(super) fn add(&mut self, path: FieldPath, message: impl Into<String>) {
        self.0.push(Problem {
            path,
            message: message.into(),
            place: None,
        });
    }

    /// Returns the problems in the order of the schema.
    #[must_use]
    pub fn as_slice(&self) -> &[Problem] {
        &self.0
    }

    /// Gives each problem its place.
    pub(super) fn placed(mut self, place_of: impl Fn(&FieldPath) -> Option<Box<Place>>) -> Self {
        for problem in &mut self.0 {
            problem.place = place_of(&problem.path);
        }
        self
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => write!(f, "the cluster configuration is not valid\n  {one}"),
            many => {
                write!(f, "the cluster configuration has {} problems", many.len())?;
                many.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
            }
        }
    }
}
