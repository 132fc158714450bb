//! What can be wrong with a patch.

use std::fmt;

use super::field::PatchField;

/// A patch that cannot be applied: which, where in it, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {}{fault}", Line(*line))]
pub struct PatchError {
    /// The patch.
    pub field: PatchField,
    /// The line in the patch's own text, from 1, if it is known.
    pub line: Option<u64>,
    /// What is wrong.
    pub fault: Box<PatchFault>,
}

impl PatchError {
    /// Says what is wrong with a patch as a whole.
    pub(super) fn new(field: PatchField, fault: PatchFault) -> Self {
        Self {
            field,
            line: None,
            fault: Box::new(fault),
        }
    }

    /// Adds the line of the patch's own text.
    pub(super) const fn at(mut self, line: Option<u64>) -> Self {
        self.line = line;
        self
    }
}

/// Displays `line 3 of the patch: `, or nothing.
struct Line(Option<u64>);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(line) => write!(f, "line {line} of the patch: "),
            None => Ok(()),
        }
    }
}

/// Why a patch cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchFault {
    /// The text is not YAML.
    #[error("not valid YAML: {reason}")]
    Yaml {
        /// What the parser says.
        reason: String,
    },
    /// A key that is there twice.
    #[error("the key `{key}` is given twice; keep one")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// The patch is a list or a single value.
    #[error("a merge patch is a mapping with `kind` and the fields to change, not {found}")]
    NotAMapping {
        /// What it is.
        found: &'static str,
    },
    /// Nothing says which document is meant.
    #[error(
        "it has no `kind`, so it matches nothing; add the document's, such as `kind: ClusterConfiguration`"
    )]
    NoKind,
    /// No document is of this kind.
    #[error("it matches nothing: there is no document of kind `{found}`; {advice}")]
    UnknownKind {
        /// The kind.
        found: String,
        /// What may have been meant.
        advice: String,
    },
    /// The kind is of another group.
    #[error("it matches nothing: `{kind}` is of the group `{expected}`, not `{found}`")]
    OtherGroup {
        /// The kind.
        kind: &'static str,
        /// The group that the patch has.
        found: String,
        /// The kind's group.
        expected: &'static str,
    },
    /// The kind never has this version.
    #[error(
        "it matches nothing: `{kind}` is never of version `{found}` (known: {known}); leave the version out to match any"
    )]
    UnknownVersion {
        /// The kind.
        kind: &'static str,
        /// The version that the patch has.
        found: String,
        /// The versions that there are.
        known: String,
    },
    /// The nodes that it is for have no document of its kind.
    #[error("it would change nothing: {reason}; {advice}")]
    NothingHere {
        /// Why there is none.
        reason: String,
        /// What to do.
        advice: &'static str,
    },
    /// The patch is for another version than the cluster's, and cannot be translated.
    #[error("it is for `{patch}`, but this Kubernetes has its {kind} in `{document}`; {advice}")]
    OtherVersion {
        /// The kind.
        kind: &'static str,
        /// The `apiVersion` of the patch.
        patch: String,
        /// The `apiVersion` of the document.
        document: String,
        /// What stands in the way, and what to do.
        advice: String,
    },
    /// The extra arguments of a component cannot be read or written.
    #[error("`{path}` {reason}")]
    Arguments {
        /// Where in the document.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// A JSON 6902 patch is no list of operations.
    #[error("not a JSON 6902 patch: {reason}")]
    Operations {
        /// What is wrong, with the operation's number.
        reason: String,
    },
    /// An operation fails on the document.
    #[error("operation {operation} (`{action} {path}`) fails on the {target}: {reason}")]
    Operation {
        /// The operation's position in the patch, from 0.
        operation: usize,
        /// What it does.
        action: &'static str,
        /// Its path.
        path: String,
        /// The document.
        target: String,
        /// Why.
        reason: String,
    },
    /// The text is not TOML.
    #[error("not valid TOML: {reason}")]
    Toml {
        /// What the parser says.
        reason: String,
    },
    /// The patched configuration cannot be TOML.
    #[error("it puts {what} at `{path}`, which TOML cannot hold")]
    NotToml {
        /// The value.
        what: &'static str,
        /// Where.
        path: String,
    },
    /// The patch is for another version of containerd's configuration.
    #[error(
        "it is for version {patch} of containerd's configuration, and this node image has version {config}; {advice}"
    )]
    ContainerdVersion {
        /// The version that the patch is for.
        patch: i64,
        /// The version of the image.
        config: i64,
        /// What to do.
        advice: String,
    },
    /// The patch sets what containerd's configuration of this version has elsewhere.
    #[error("it would change nothing: {reason}")]
    ContainerdTables {
        /// What it sets, and what to set instead.
        reason: String,
    },
    /// The configuration to patch is unreadable.
    #[error("/etc/containerd/config.toml of this node image {reason}")]
    ContainerdConfig {
        /// What is wrong with it.
        reason: String,
    },
}
