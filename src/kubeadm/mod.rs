//! What kubeadm is told: typed documents for each Kubernetes version, rendered as YAML.
//!
//! [`ClusterFacts`] and [`NodeFacts`] go in, a file for `kubeadm init --config` or `kubeadm join
//! --config` comes out. In between stand the documents as plain values ([`init_documents`],
//! [`join_documents`]), which is where patches are applied before [`render`].

mod build;
mod ca;
mod components;
mod dialect;
mod documents;
mod error;
mod facts;
mod token;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub use build::{init_documents, join_documents, run_workloads};
pub use ca::ca_cert_hash;
pub use dialect::{init_skip_phases, join_skip_phases, kubernetes_version, skip_phases_by_flag};
pub use error::KubeadmError;
pub use facts::{API_SERVER_BIND_PORT, ClusterFacts, NodeFacts};
pub use token::BootstrapToken;

/// Returns the file for `kubeadm init` on the first control plane.
///
/// # Errors
/// The node lacks an address of the cluster's family, or the version is too old for rootless.
pub fn init_config(cluster: &ClusterFacts, node: &NodeFacts) -> Result<String, KubeadmError> {
    render(&init_documents(cluster, node)?)
}

/// Returns the file for `kubeadm join` on every other node.
///
/// # Errors
/// As [`init_config`].
pub fn join_config(cluster: &ClusterFacts, node: &NodeFacts) -> Result<String, KubeadmError> {
    render(&join_documents(cluster, node)?)
}

/// Writes documents as one YAML file.
///
/// # Errors
/// A document cannot be written as YAML.
pub fn render(documents: &[Value]) -> Result<String, KubeadmError> {
    serde_yaml::to_string_multiple(documents).map_err(|error| KubeadmError::Render {
        reason: error.to_string(),
    })
}
