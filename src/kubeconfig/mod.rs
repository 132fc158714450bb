//! The kubeconfig file of the user: where it is, and how a cluster comes into it and leaves it again.
//!
//! The files belong to the user and to other tools, so the rules here are kubectl's: which file of
//! `KUBECONFIG` is changed ([`KubeconfigPaths`]), and how two writers keep out of each other's way (a
//! `<file>.lock` made exclusively, as client-go does). A cluster NAME owns three entries called `kind-NAME`,
//! as in kind, so that scripts written for kind find them.
//!
//! What a rewrite keeps: every key and value, in order, also those that kindr knows nothing about; a scalar
//! that is not a plain string (`yes`, `0123`, `1e3`, a long number) is written back letter by letter. What it
//! does not keep: comments, blank lines, the quoting style, flow style (JSON becomes block style), and
//! anchors, aliases and merge keys, which are written out. A file that would not change is not written at
//! all.
//!
//! All functions block (they wait for locks and for the disk): from async code call them on a blocking
//! thread.
//!
//! Sources: kubectl's documentation of `kubectl config` and client-go's `tools/clientcmd/{loader,config}.go`
//! for paths and locks, kind's `pkg/cluster/internal/kubeconfig` for the names.

mod access;
mod document;
mod entries;
mod error;
mod file;
mod lock;
mod merge;
mod paths;
mod probe;
mod remove;
mod shape;
mod write;
mod yaml;

#[cfg(test)]
mod testing;

pub use entries::{context_name, render};
pub use error::KubeconfigError;
pub use merge::merge_cluster;
pub use paths::KubeconfigPaths;
pub use probe::probe;
pub use remove::remove_cluster;
