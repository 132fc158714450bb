//! The files that kindr writes in the nodes.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use serde_json::Value;

use super::{PreviewError, PreviewFile};
use crate::config::{ClusterConfig, NodeConfig, Role};
use crate::kubeadm::{self, ClusterFacts, NodeFacts};
use crate::patch;

/// Where a node finds what kubeadm is told.
pub(super) const KUBEADM_CONF: &str = "/kind/kubeadm.conf";

/// containerd's configuration, which is the image's own.
const CONTAINERD_CONF: &str = "/etc/containerd/config.toml";

/// The files of all nodes, and what patches make of the rest.
pub(super) struct Files {
    /// Each node's.
    pub(super) nodes: BTreeMap<String, Vec<PreviewFile>>,
    /// The phase that installs kubeadm's add-ons, if a patch leaves any.
    pub(super) addons: Option<&'static str>,
    /// What the user should know of the patches.
    pub(super) warnings: Vec<String>,
}

/// Makes the files of all nodes. A token that a patch gives is put into the facts.
pub(super) fn of(config: &ClusterConfig, facts: &mut ClusterFacts) -> Result<Files, PreviewError> {
    let mut files = Files {
        nodes: BTreeMap::new(),
        addons: None,
        warnings: Vec::new(),
    };
    let first = config.nodes_with(Role::ControlPlane).next();
    if let Some(node) = first {
        let mut documents = kubeadm::init_documents(facts, &node_facts(config, node))?;
        if config.nodes.len() == 1 {
            kubeadm::run_workloads(&mut documents);
        }
        let patched = patch::patch_init(config, facts, &node.name, &mut documents)
            .map_err(|source| unfit(node, source))?;
        facts.token = patched.token;
        files.addons = patched.addons;
        files.warnings = patched.warnings;
        files.nodes.insert(node.name.clone(), both(config, &documents)?);
    }
    let others = config
        .nodes
        .iter()
        .filter(|node| first.is_none_or(|first| first.name != node.name));
    for node in others {
        let mut documents = kubeadm::join_documents(facts, &node_facts(config, node))?;
        patch::patch_join(config, facts, &node.name, &mut documents)
            .map_err(|error| unfit(node, error.into()))?;
        files.nodes.insert(node.name.clone(), both(config, &documents)?);
    }
    Ok(files)
}

fn unfit(node: &NodeConfig, source: patch::NodePatchError) -> PreviewError {
    PreviewError::Patch {
        node: node.name.clone(),
        source,
    }
}

/// A node as far as it is known; its addresses are placeholders.
fn node_facts(config: &ClusterConfig, node: &NodeConfig) -> NodeFacts {
    let at = config.nodes.iter().position(|other| other.name == node.name);
    let number = u8::try_from(at.unwrap_or_default() % 254).unwrap_or_default() + 1;
    NodeFacts {
        name: node.name.clone(),
        ipv4: Some(Ipv4Addr::new(192, 0, 2, number)),
        ipv6: Some(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, u16::from(number))),
        role: node.role,
        labels: node.labels.clone(),
    }
}

fn both(config: &ClusterConfig, documents: &[Value]) -> Result<Vec<PreviewFile>, PreviewError> {
    let kubeadm = PreviewFile {
        path: KUBEADM_CONF,
        content: kubeadm::render(documents)?,
    };
    Ok(std::iter::once(kubeadm).chain(containerd(config)).collect())
}

/// What is merged into the image's own file, which nobody has seen yet.
fn containerd(config: &ClusterConfig) -> Option<PreviewFile> {
    let merged = config
        .containerd_config_patches
        .iter()
        .map(|patch| format!("# the image's own, merged with\n{}\n", patch.trim_end()));
    let operations = config.containerd_config_patches_json6902.iter().map(|patch| {
        let lines: Vec<String> = patch.lines().map(|line| format!("#   {line}\n")).collect();
        format!("# then changed by\n{}", lines.concat())
    });
    let content: String = merged.chain(operations).collect();
    (!content.is_empty()).then_some(PreviewFile {
        path: CONTAINERD_CONF,
        content,
    })
}
