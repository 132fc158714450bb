//! Reading a configuration: from a file, from standard input, or from text.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_yaml::{DuplicateKeyPolicy, with_deserializer_from_str_with_options};

use super::defaults::Settings;
use super::error::ConfigError;
use super::explain;
use super::path::FieldPath;
use super::resolved::ClusterConfig;
use super::source::{Origin, Source};
use super::tree::Tree;
use super::types::{API_VERSION, Cluster, KIND};

/// A configuration that was read, with what is needed to say where in it something stands.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// What it says.
    pub cluster: Cluster,
    source: Option<(Source, Tree)>,
}

impl Document {
    /// Reads a file, or standard input if the path is `-`.
    ///
    /// # Errors
    /// All of [`ConfigError`] but [`ConfigError::Invalid`].
    pub fn from_path(path: &Path) -> Result<Self, ConfigError> {
        if path == Path::new("-") {
            return Self::from_reader(io::stdin().lock(), Origin::Stdin);
        }
        let file = File::open(path).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => ConfigError::NotFound {
                path: path.to_owned(),
            },
            _ => ConfigError::Unreadable {
                origin: Origin::File(path.to_owned()),
                cause,
            },
        })?;
        Self::from_reader(file, Origin::File(path.to_owned()))
    }

    /// Reads a stream to its end.
    ///
    /// # Errors
    /// As [`Self::from_path`].
    pub fn from_reader(mut reader: impl Read, origin: Origin) -> Result<Self, ConfigError> {
        let mut bytes = Vec::new();
        if let Err(cause) = reader.read_to_end(&mut bytes) {
            return Err(ConfigError::Unreadable { origin, cause });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(Source { origin, text }),
            Err(error) => Err(ConfigError::NotText {
                origin,
                offset: error.utf8_error().valid_up_to(),
            }),
        }
    }

    /// Reads text.
    ///
    /// # Errors
    /// As [`Self::from_path`].
    pub fn from_text(text: impl Into<String>) -> Result<Self, ConfigError> {
        Self::parse(Source {
            origin: Origin::Text,
            text: text.into(),
        })
    }

    /// Fills in what is not given and checks the whole.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`] with everything that is wrong.
    pub fn resolve(&self, settings: &Settings) -> Result<ClusterConfig, ConfigError> {
        self.cluster.resolve(settings).map_err(|problems| {
            ConfigError::Invalid(problems.placed(|path| {
                let (source, tree) = self.source.as_ref()?;
                let location = tree.locate(path)?;
                Some(source.place(location.line(), location.column()))
            }))
        })
    }

    fn parse(mut source: Source) -> Result<Self, ConfigError> {
        source.text.truncate(length_without_empty_document(&source.text));
        // A field that is there twice is for the second reading, which knows its path.
        let tree: Tree = read_with(&source.text, DuplicateKeyPolicy::FirstWins)
            .map_err(|fault| explain::syntax(&source, &fault))?;
        check_header(&source, &tree)?;
        let cluster = read(&source.text).map_err(|fault| explain::schema(&source, &tree, &fault))?;
        Ok(Self {
            cluster,
            source: Some((source, tree)),
        })
    }
}

/// Where the text ends if a last `---` with nothing after it, as generators like to leave, is not
/// counted as one more document.
fn length_without_empty_document(text: &str) -> usize {
    let mut end = text.len();
    for line in text.split_inclusive('\n').rev() {
        end -= line.len();
        match line.trim_end() {
            "---" => return end,
            "" => {}
            comment if comment.starts_with('#') => {}
            _ => break,
        }
    }
    text.len()
}

/// What the deserializer says, and the path of the value it was at.
pub(super) struct Fault {
    pub(super) error: Box<serde_yaml::Error>,
    pub(super) path: FieldPath,
}

/// Reads one YAML document.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    read_with(text, DuplicateKeyPolicy::Error)
}

fn read_with<T: DeserializeOwned>(text: &str, duplicates: DuplicateKeyPolicy) -> Result<T, Fault> {
    let mut path = FieldPath::default();
    let options = serde_yaml::options! { with_snippet: false, duplicate_keys: duplicates };
    with_deserializer_from_str_with_options(text, options, |deserializer| {
        serde_path_to_error::deserialize(deserializer).map_err(|error| {
            path = FieldPath::from(error.path());
            error.into_inner()
        })
    })
    .map_err(|error| Fault {
        error: Box::new(error),
        path,
    })
}

/// Checks `apiVersion` and `kind`, before the schema gives them a meaning.
fn check_header(source: &Source, tree: &Tree) -> Result<(), ConfigError> {
    let origin = || source.origin.clone();
    match tree {
        Tree::Map(_) => {}
        Tree::Null => return Err(ConfigError::Empty { origin: origin() }),
        Tree::Scalar(_) | Tree::List(_) => {
            return Err(ConfigError::NotAMapping {
                origin: origin(),
                found: tree.describe(),
            });
        }
    }
    for (field, expected) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        let (found, at) = match tree.get(field) {
            None => ("", None),
            Some((_, value)) => match &value.value {
                Tree::Scalar(text) => (text.as_str(), Some(value.referenced)),
                other => (other.describe(), Some(value.referenced)),
            },
        };
        let Some(at) = at.filter(|_| !matches!(found, "" | "nothing")) else {
            return Err(ConfigError::MissingHeader {
                origin: origin(),
                field,
                expected,
            });
        };
        if found == expected {
            continue;
        }
        let place = source.place(at.line(), at.column());
        let found = found.to_owned();
        return Err(if field == "apiVersion" && is_old_api_version(&found) {
            ConfigError::OldApiVersion { place, found }
        } else {
            ConfigError::WrongHeader {
                place,
                field,
                found,
                expected,
            }
        });
    }
    Ok(())
}

/// Whether a kind of the past read this version: v1alpha1 to v1alpha3, under either group name.
fn is_old_api_version(version: &str) -> bool {
    version.split_once('/').is_some_and(|(group, version)| {
        matches!(group, "kind.sigs.k8s.io" | "kind.x-k8s.io")
            && matches!(version, "v1alpha1" | "v1alpha2" | "v1alpha3")
    })
}
