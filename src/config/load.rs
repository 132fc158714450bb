//! Reading a configuration: from a file, from standard input, or from text.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_yaml::{DuplicateKeyPolicy, with_deserializer_from_str_with_options};

use super::defaults::Settings;
use super::error::{ConfigError, Problems};
use super::explain;
use super::fault::Fault;
use super::path::FieldPath;
use super::prune::Pruned;
use super::resolved::ClusterConfig;
use super::source::{Origin, Source};
use super::tree::Tree;
use super::types::{API_VERSION, Cluster, KIND};

/// A configuration that was read, with what is needed to say where in it something stands.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// What it says, as far as it has the schema's shape.
    pub(super) cluster: Cluster,
    faults: Vec<Fault>,
    /// The paths of what was left out of `cluster`.
    wrong: Vec<FieldPath>,
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

    /// Whether it says on which address of the host the API server is to be.
    #[must_use]
    pub fn names_api_server_address(&self) -> bool {
        let address = &self.cluster.networking.api_server_address;
        address.as_ref().is_some_and(|address| !address.is_empty())
    }

    /// Fills in what is not given and checks the whole.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`] with everything that is wrong, in shape and in meaning.
    pub fn resolve(&self, settings: &Settings) -> Result<ClusterConfig, ConfigError> {
        let problems = match self.cluster.resolve(settings) {
            Ok(config) if self.faults.is_empty() => return Ok(config),
            Ok(_) => Problems::default(),
            Err(problems) => problems.without(&self.wrong),
        };
        Err(ConfigError::Invalid {
            faults: self.faults.clone(),
            problems: problems.placed(|problem| {
                let (source, tree) = self.source.as_ref()?;
                let location = tree.locate(&problem.path)?;
                let place = source.place(location.line(), location.column());
                let line = problem.line.and_then(|line| source.line_of_block(&place, line));
                Some(line.unwrap_or(place))
            }),
        })
    }

    fn parse(mut source: Source) -> Result<Self, ConfigError> {
        source.text.truncate(length_without_empty_document(&source.text));
        let tree: Tree = read_with(&source.text, DuplicateKeyPolicy::PassThrough, None)
            .map_err(|stop| explain::syntax(&source, &stop))?;
        check_header(&source, &tree)?;
        let mut faults = Vec::new();
        let (cluster, mut wrong) = shape(&source, &tree, &mut faults);
        for (within, key) in tree.duplicates() {
            wrong.push(within.entry(&key.value));
            faults.push(Fault::DuplicateField {
                place: source.place(key.defined.line(), key.defined.column()),
                field: key.value.clone(),
                within,
            });
        }
        for (path, value) in tree.scalars() {
            if wrong.iter().any(|wrong| wrong.touches(&path)) {
                continue;
            }
            let place = source.place(value.defined.line(), value.defined.column());
            if let Some(fault) = explain::quoted(&path, place) {
                wrong.push(path);
                faults.push(fault);
            }
        }
        faults.sort_by_key(|fault| (fault.place().line, fault.place().column));
        // What stands behind an anchor is wrong once, however often it is used.
        faults.dedup_by_key(|fault| (fault.place().line, fault.place().column));
        Ok(Self {
            cluster,
            faults,
            wrong,
            source: Some((source, tree)),
        })
    }
}

/// The most faults that are told of one file.
const MAX_FAULTS: usize = 100;

/// Reads the schema's types out of the text: again and again, each time without what was found to be wrong.
fn shape(source: &Source, tree: &Tree, faults: &mut Vec<Fault>) -> (Cluster, Vec<FieldPath>) {
    let mut wrong = Vec::new();
    loop {
        // Fields that are there twice are told of already.
        let stop = match read_with(&source.text, DuplicateKeyPolicy::FirstWins, Some(&wrong)) {
            Ok(cluster) => return (cluster, wrong),
            Err(stop) => stop,
        };
        if !is_told(source, tree, &stop.path, faults) {
            faults.push(explain::shape(source, tree, &stop));
        }
        if stop.path.is_top() || wrong.contains(&stop.path) || wrong.len() == MAX_FAULTS {
            wrong.push(FieldPath::default());
            return (Cluster::default(), wrong);
        }
        wrong.push(stop.path);
    }
}

/// Whether what is wrong at a path was told where an anchor holds it; of aliases the reader says less.
fn is_told(source: &Source, tree: &Tree, path: &FieldPath, faults: &[Fault]) -> bool {
    let key = tree.key(path).map(|key| key.defined);
    let value = tree.value(path).map(|value| value.defined);
    key.into_iter().chain(value).any(|at| {
        let place = source.place(at.line(), at.column());
        faults.iter().any(|fault| *fault.place() == *place)
    })
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
pub(super) struct Stop {
    pub(super) error: Box<serde_yaml::Error>,
    pub(super) path: FieldPath,
}

/// Reads one YAML document.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Stop> {
    read_with(text, DuplicateKeyPolicy::Error, None)
}

/// Reads one YAML document, or what is left of it without the values at some paths.
fn read_with<T>(text: &str, duplicates: DuplicateKeyPolicy, wrong: Option<&[FieldPath]>) -> Result<T, Stop>
where
    T: DeserializeOwned,
{
    let mut path = FieldPath::default();
    let options = serde_yaml::options! { with_snippet: false, duplicate_keys: duplicates };
    with_deserializer_from_str_with_options(text, options, |deserializer| {
        let read = match wrong {
            None => serde_path_to_error::deserialize(deserializer),
            Some(wrong) => {
                serde_path_to_error::deserialize(Pruned::new(deserializer, FieldPath::default(), wrong))
            }
        };
        read.map_err(|error| {
            path = FieldPath::from(error.path());
            error.into_inner()
        })
    })
    .map_err(|error| Stop {
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
