//! What can be wrong with a configuration.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::fault::Fault;
use super::path::FieldPath;
use super::source::{Origin, Place};
use super::types::{API_VERSION, KIND};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// There is no such file.
    #[error("the configuration file `{}` does not exist; check the path", path.display())]
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
    /// A configuration cannot be written as YAML.
    #[error("cannot write the configuration: {reason}")]
    Unwritable {
        /// What the writer says.
        reason: String,
    },
    /// The configuration is YAML, but not all of it is known or makes sense.
    #[error("{}", Report { faults, problems })]
    Invalid {
        /// Where it has another shape than the schema, in the order of the file.
        faults: Vec<Fault>,
        /// What makes no sense in the rest, in the order of the schema.
        problems: Problems,
    },
}

/// One thing that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub path: FieldPath,
    /// What is wrong with it and what would be right.
    pub message: String,
    /// The line inside the field's own text, from 1, if it is a text with lines.
    pub line: Option<u64>,
    /// Where it stands, if it came from a file.
    pub place: Option<Box<Place>>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}: ", place.position())?;
        }
        match self.line {
            Some(line) => write!(f, "{}: line {line} of the patch: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

/// Everything that makes no sense in one configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub(super) fn add(&mut self, path: FieldPath, message: impl Into<String>) {
        self.add_within(path, None, message);
    }

    /// Adds a problem in a line of a field's own text.
    pub(super) fn add_within(&mut self, path: FieldPath, line: Option<u64>, message: impl Into<String>) {
        self.0.push(Problem {
            path,
            message: message.into(),
            line,
            place: None,
        });
    }

    /// Returns the problems in the order of the schema.
    #[must_use]
    pub fn as_slice(&self) -> &[Problem] {
        &self.0
    }

    /// Gives each problem its place.
    pub(super) fn placed(mut self, place_of: impl Fn(&Problem) -> Option<Box<Place>>) -> Self {
        for problem in &mut self.0 {
            problem.place = place_of(problem);
        }
        self
    }

    /// Leaves out what may only be the consequence of something wrong at one of these paths.
    pub(super) fn without(mut self, wrong: &[FieldPath]) -> Self {
        self.0
            .retain(|problem| !wrong.iter().any(|path| path.touches(&problem.path)));
        self
    }
}

/// Displays everything that is wrong with a configuration.
struct Report<'a> {
    faults: &'a [Fault],
    problems: &'a Problems,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems = self.problems.as_slice();
        match (self.faults, problems) {
            ([fault], []) => return fault.fmt(f),
            ([], [one]) => return write!(f, "the cluster configuration is not valid\n  {one}"),
            _ => {}
        }
        let count = self.faults.len() + problems.len();
        write!(f, "the cluster configuration has {count} problems")?;
        for fault in self.faults {
            for (at, line) in fault.to_string().lines().enumerate() {
                let gap = if at == 0 { "\n" } else { "" };
                write!(f, "{gap}\n  {line}")?;
            }
        }
        if !self.faults.is_empty() && !problems.is_empty() {
            writeln!(f)?;
        }
        problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}
