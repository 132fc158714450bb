//! Patches of containerd's configuration.

use json_patch::PatchOperation;
use toml::value::Table;

use super::error::{PatchError, PatchFault};
use super::field::{PatchField, PatchList};
use super::generation::foreign_tables;
use super::{operations, toml_json};
use crate::config::ClusterConfig;

/// The patches of containerd's configuration, read.
#[derive(Debug, Clone, Default)]
pub struct ContainerdPatches {
    merges: Vec<(PatchField, Table)>,
    operations: Vec<(PatchField, Vec<PatchOperation>)>,
}

/// A patched configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedToml {
    /// The whole new text.
    pub text: String,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl ContainerdPatches {
    /// Reads the patches of a configuration.
    ///
    /// # Errors
    /// The first that cannot be read; [`super::check_early`] tells all.
    pub fn of(config: &ClusterConfig) -> Result<Self, PatchError> {
        let mut errors = Vec::new();
        let patches = Self::read(config, &mut errors);
        errors.into_iter().next().map_or(Ok(patches), Err)
    }

    pub(super) fn read(config: &ClusterConfig, errors: &mut Vec<PatchError>) -> Self {
        let field = |list, index| PatchField {
            node: None,
            list,
            index,
        };
        let mut patches = Self::default();
        for (index, text) in config.containerd_config_patches.iter().enumerate() {
            let field = field(PatchList::Containerd, index);
            match table(field, text) {
                Ok(table) => patches.merges.push((field, table)),
                Err(error) => errors.push(error),
            }
        }
        for (index, text) in config.containerd_config_patches_json6902.iter().enumerate() {
            let field = field(PatchList::ContainerdJson6902, index);
            match operations::parse(field, text) {
                Ok(operations) => patches.operations.push((field, operations)),
                Err(error) => errors.push(error),
            }
        }
        patches
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.merges.is_empty() && self.operations.is_empty()
    }

    /// Applies the merge patches, then the JSON 6902 patches, to the text of a configuration, if there is one.
    ///
    /// # Errors
    /// A patch is for another version of the configuration, or an operation fails, or the text itself is unreadable.
    pub fn apply(&self, text: Option<&str>) -> Result<PatchedToml, PatchError> {
        let any = self.fields().next().unwrap_or(PatchField {
            node: None,
            list: PatchList::Containerd,
            index: 0,
        });
        let unreadable = |reason: String| PatchError::new(any, PatchFault::ContainerdConfig { reason });
        let text = text.ok_or_else(|| unreadable("does not exist".to_owned()))?;
        let config: Table =
            toml::from_str(text).map_err(|error| unreadable(format!("is not TOML: {}", error.message())))?;
        let Some(version) = config.get("version").map_or(Some(1), toml::Value::as_integer) else {
            return Err(unreadable("has a version that is no number".to_owned()));
        };
        let mut warnings = Vec::new();
        let mut patched = config.clone();
        for (field, patch) in &self.merges {
            if self.check_version(*field, patch, version)? {
                match foreign_tables(&config, patch, version) {
                    // A containerd 2 with a configuration of version 2 still reads some of these.
                    Some(reason) if version < 3 => warnings.push(format!("{field}: {reason}")),
                    Some(reason) => {
                        return Err(PatchError::new(*field, PatchFault::ContainerdTables { reason }));
                    }
                    None => {}
                }
                merge(&mut patched, patch);
            }
        }
        if !self.operations.is_empty() {
            let mut value = toml_json::to_json(&toml::Value::Table(patched));
            for (field, operations) in &self.operations {
                let target = format!("containerd configuration (version {version})");
                operations::apply(&mut value, operations, &target)
                    .map_err(|fault| PatchError::new(*field, fault))?;
                // Here, so that the right patch is blamed.
                toml_json::to_table(&value).map_err(|fault| PatchError::new(*field, fault))?;
            }
            patched = toml_json::to_table(&value).map_err(|fault| PatchError::new(any, fault))?;
        }
        let text =
            toml::to_string(&patched).map_err(|error| unreadable(format!("cannot be written: {error}")))?;
        Ok(PatchedToml { text, warnings })
    }

    /// Returns the patches that a message of containerd's is probably about: those that set something it names, or all.
    #[must_use]
    pub fn suspects(&self, message: &str) -> Vec<PatchField> {
        let words: Vec<&str> = message
            .split(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c)))
            .collect();
        let named = |name: &str| {
            name.len() > 3
                && name != "plugins"
                && !name.starts_with("io.containerd.")
                && words.contains(&name)
        };
        let merges = self.merges.iter().map(|(field, table)| (*field, keys(table)));
        let operations = self.operations.iter().map(|(field, operations)| {
            let pointers = operations.iter().map(PatchOperation::path);
            let names = pointers.flat_map(|path| path.tokens().map(|token| token.decoded().into_owned()));
            (*field, names.collect())
        });
        let suspects: Vec<PatchField> = merges
            .chain(operations)
            .filter(|(_, names)| names.iter().any(|name| named(name)))
            .map(|(field, _)| field)
            .collect();
        if suspects.is_empty() {
            self.fields().collect()
        } else {
            suspects
        }
    }

    fn fields(&self) -> impl Iterator<Item = PatchField> {
        let merges = self.merges.iter().map(|(field, _)| *field);
        merges.chain(self.operations.iter().map(|(field, _)| *field))
    }

    /// Whether a patch is to be applied: not if it is for another version and stands beside one for this version.
    fn check_version(&self, field: PatchField, patch: &Table, config: i64) -> Result<bool, PatchError> {
        let version = |patch: &Table| patch.get("version").and_then(toml::Value::as_integer);
        let Some(wanted) = version(patch).filter(|&wanted| wanted != config) else {
            return Ok(true);
        };
        if self
            .merges
            .iter()
            .any(|(_, other)| version(other) == Some(config))
        {
            return Ok(false);
        }
        let advice = if wanted < config {
            format!("write it for version {config}, or use an older node image")
        } else {
            format!("write it for version {config}, or use a newer node image")
        };
        Err(PatchError::new(
            field,
            PatchFault::ContainerdVersion {
                patch: wanted,
                config,
                advice,
            },
        ))
    }
}

/// Reads a patch in TOML.
fn table(field: PatchField, text: &str) -> Result<Table, PatchError> {
    let table: Table = toml::from_str(text).map_err(|error| {
        let fault = PatchFault::Toml {
            reason: error.message().to_owned(),
        };
        let before = error.span().and_then(|span| text.get(..span.start));
        PatchError::new(field, fault).at(before.map(|before| 1 + before.matches('\n').count() as u64))
    })?;
    match table.get("version") {
        None | Some(toml::Value::Integer(_)) => Ok(table),
        Some(_) => Err(PatchError::new(
            field,
            PatchFault::Toml {
                reason: "`version` is a number, 2 or 3".to_owned(),
            },
        )),
    }
}

/// Merges tables into tables; everything else is replaced.
fn merge(target: &mut Table, patch: &Table) {
    for (key, value) in patch {
        match (target.get_mut(key), value) {
            (Some(toml::Value::Table(target)), toml::Value::Table(patch)) => merge(target, patch),
            _ => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
}

/// The names of all fields in a table.
fn keys(table: &Table) -> Vec<String> {
    fn within(value: &toml::Value) -> Vec<String> {
        match value {
            toml::Value::Table(table) => keys(table),
            toml::Value::Array(list) => list.iter().flat_map(within).collect(),
            _ => Vec::new(),
        }
    }
    table
        .iter()
        .flat_map(|(key, value)| [key.clone()].into_iter().chain(within(value)))
        .collect()
}
