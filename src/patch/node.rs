//! The documents of one node with everything that patches ask for, and what they mean for the rest of the cluster.

use std::net::{Ipv4Addr, Ipv6Addr};

use serde_json::Value;
use thiserror::Error;

use super::error::PatchError;
use super::kubeadm::Level;
use super::{phases, tokens};
use crate::config::{ClusterConfig, NodeConfig};
use crate::kubeadm::{self, BootstrapToken, ClusterFacts, KubeadmError, NodeFacts};

/// Why a node's documents cannot be patched.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NodePatchError {
    /// A patch does not fit.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// The documents themselves are the problem.
    #[error(transparent)]
    Kubeadm(#[from] KubeadmError),
}

/// What patches make of `kubeadm init` beside its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedInit {
    /// With what nodes join.
    pub token: BootstrapToken,
    /// The phase below `kubeadm init phase addon` to run after init, if any is left.
    pub addons: Option<&'static str>,
    /// What the user should know, also about the nodes that join later.
    pub warnings: Vec<String>,
}

/// Patches the documents of `kubeadm init`: the cluster's patches, then the node's. The patches of the nodes that join
/// later are tried too, so that none is found wrong when half of the cluster stands.
///
/// # Errors
/// The patch that does not fit, or a bootstrap token of the user's that is none.
pub fn patch_init(
    config: &ClusterConfig,
    facts: &ClusterFacts,
    node: &str,
    documents: &mut [Value],
) -> Result<PatchedInit, NodePatchError> {
    phases::before_patches(documents);
    let mut warnings = apply(config, node, documents)?;
    let mut expected = Vec::new();
    for other in config.nodes.iter().filter(|other| other.name != node) {
        let mut documents = kubeadm::join_documents(facts, &placeholder(other))?;
        warnings.extend(apply(config, &other.name, &mut documents)?);
        expected.extend(tokens::join_tokens(&documents));
    }
    let own_phases = if kubeadm::skip_phases_by_flag(&facts.kubernetes_version) {
        Vec::new()
    } else {
        kubeadm::init_skip_phases()
    };
    let mut known: Vec<String> = Vec::new();
    warnings.retain(|warning| {
        let new = !known.contains(warning);
        known.push(warning.clone());
        new
    });
    Ok(PatchedInit {
        token: tokens::settle_init_tokens(documents, &facts.token, &expected)?,
        addons: phases::after_patches(documents, &own_phases, config.networking.kube_proxy_mode),
        warnings,
    })
}

/// Patches the documents of `kubeadm join`: the cluster's patches, then the node's. The user has had the warnings from
/// [`patch_init`].
///
/// # Errors
/// The patch that does not fit.
pub fn patch_join(
    config: &ClusterConfig,
    facts: &ClusterFacts,
    node: &str,
    documents: &mut [Value],
) -> Result<(), PatchError> {
    apply(config, node, documents)?;
    tokens::settle_discovery(documents, facts.ca_cert_hash.as_deref());
    if !kubeadm::skip_phases_by_flag(&facts.kubernetes_version) {
        for document in documents
            .iter_mut()
            .filter(|document| document["kind"] == "JoinConfiguration")
        {
            phases::add(&mut document["skipPhases"], &kubeadm::join_skip_phases());
        }
    }
    Ok(())
}

/// Applies the cluster's patches and then the node's to a node's documents, and nothing else. Returns what the user should
/// know.
///
/// # Errors
/// The first patch that does not fit.
pub fn apply(config: &ClusterConfig, node: &str, documents: &mut [Value]) -> Result<Vec<String>, PatchError> {
    let at = config.nodes.iter().position(|other| other.name == node);
    let mut errors = Vec::new();
    let levels = [
        Level::read(config, None, &mut errors),
        match at {
            Some(at) => Level::read(config, Some(at), &mut errors),
            None => Level::default(),
        },
    ];
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let mut warnings = Vec::new();
    for level in levels {
        warnings.extend(level.apply(documents)?);
    }
    Ok(warnings)
}

/// A node of which only the configuration is known yet: its addresses stand for those that it will get.
fn placeholder(node: &NodeConfig) -> NodeFacts {
    NodeFacts {
        name: node.name.clone(),
        ipv4: Some(Ipv4Addr::UNSPECIFIED),
        ipv6: Some(Ipv6Addr::UNSPECIFIED),
        role: node.role,
        labels: node.labels.clone(),
    }
}
