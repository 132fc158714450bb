//! The user's patches: of the documents that kubeadm reads, and of containerd's configuration.
//!
//! What a patch can be wrong about by itself is told before anything is made, by [`check_early`]: broken YAML, JSON or
//! TOML, and a kind that no document of its nodes has. What depends on the Kubernetes of the node image is told when the
//! patches are applied, by [`patch_init`] for the whole cluster and before kubeadm runs. Together they leave no patch that
//! silently changes nothing.

mod args;
mod containerd;
mod error;
mod field;
mod generation;
mod kinds;
mod kubeadm;
mod merge;
mod node;
mod operations;
mod phases;
mod read;
mod tokens;
mod toml_json;
mod versions;

#[cfg(test)]
mod tests;

pub use containerd::{ContainerdPatches, PatchedToml};
pub use error::{PatchError, PatchFault};
pub use field::{PatchField, PatchList};
pub use generation::foreign_tables;
pub use node::{NodePatchError, PatchedInit, apply, patch_init, patch_join};
pub use tokens::{join_tokens, settle_discovery, settle_init_tokens};

use crate::config::ClusterConfig;

/// Checks every patch of a configuration as far as it can be without a node: returns all that is wrong.
#[must_use]
pub fn check_early(config: &ClusterConfig) -> Vec<PatchError> {
    let mut errors = Vec::new();
    for node in [None].into_iter().chain((0..config.nodes.len()).map(Some)) {
        kubeadm::Level::read(config, node, &mut errors);
    }
    ContainerdPatches::read(config, &mut errors);
    errors
}
