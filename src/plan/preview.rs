//! The whole plan of a cluster, for those who want to see it first. No engine is asked, so what only an engine knows has
//! a placeholder: addresses are those that are kept for documentation, and secrets are a row of `x`.

mod files;
mod steps;
mod text;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use kindr_providers::classify::quote;
use kindr_providers::{EngineInfo, Network, Provider};
use semver::Version;
use serde::Serialize;
use thiserror::Error;

use super::{HeldPorts, Plan, PlanError, image};
use crate::config::{ClusterConfig, IpFamily, Role};
use crate::kubeadm::{BootstrapToken, ClusterFacts, KubeadmError};
use crate::loadbalancer::Program;
use crate::patch::NodePatchError;

/// In place of the token, which each cluster gets of its own.
const TOKEN: &str = "xxxxxx.xxxxxxxxxxxxxxxx";

/// In place of the network's ranges, which the engine chooses.
const NETWORK_RANGE: &str = "NETWORK_RANGE";

/// Why there is no plan to show.
#[derive(Debug, Error)]
pub enum PreviewError {
    /// The containers cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// kubeadm's files cannot be made.
    #[error(transparent)]
    Kubeadm(#[from] KubeadmError),
    /// A patch does not fit the documents of a node.
    #[error("{node}: {source}")]
    Patch {
        /// The node.
        node: String,
        /// What does not fit.
        source: NodePatchError,
    },
}

/// What a create would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// The cluster's name.
    pub cluster: String,
    /// The engine.
    pub provider: String,
    /// The network that the nodes join.
    pub network: String,
    /// The Kubernetes version that the files are written for.
    pub kubernetes_version: String,
    /// The steps in their order.
    pub steps: Vec<PreviewStep>,
    /// The containers in the order of the configuration.
    pub nodes: Vec<PreviewNode>,
    /// What is a placeholder, and for what.
    pub notes: Vec<String>,
    /// What the user should know before a create.
    pub warnings: Vec<String>,
}

/// A step of a create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewStep {
    /// Its name, as a create shows it.
    pub title: &'static str,
    /// What it does, one sentence or command each.
    pub does: Vec<String>,
}

/// A container of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewNode {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Its image.
    pub image: String,
    /// The engine's whole command line, for a shell.
    pub command: String,
    /// The same as a list, without the engine's program.
    pub args: Vec<String>,
    /// The files that kindr writes in it.
    pub files: Vec<PreviewFile>,
}

/// A file in a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewFile {
    /// Its path in the container.
    pub path: &'static str,
    /// What is in it.
    pub content: String,
}

impl Preview {
    /// Plans a cluster on an engine that is not asked for anything: it is taken to be one with root's rights on a host
    /// with cgroup v2. No port is looked at or held; one that would be picked is 0.
    ///
    /// `fallback` is the Kubernetes version where the image's tag is none.
    ///
    /// # Errors
    /// See [`PreviewError`].
    pub fn new(
        config: &ClusterConfig,
        provider: &dyn Provider,
        network: &str,
        wait: Duration,
        fallback: &Version,
        program: Program,
    ) -> Result<Self, PreviewError> {
        let info = EngineInfo::default();
        let ranges = Network {
            subnets: vec![NETWORK_RANGE.to_owned()],
            ..Network::default()
        };
        let plan = Plan::with_ports(HeldPorts::blind(), config)?;
        let containers = plan.containers(
            config,
            provider,
            &info,
            network,
            &ranges,
            program,
            BTreeMap::new(),
        );
        let first = config.nodes_with(Role::ControlPlane).next();
        let image = first.map_or("", |node| node.image.as_str());
        let tagged = image::version_of(image);
        let version = tagged.clone().unwrap_or_else(|| fallback.clone());
        let mut notes = Vec::new();
        if tagged.is_none() {
            notes.push(format!(
                "the tag of {image} is no Kubernetes version: the files are written for v{version}"
            ));
        }
        let token: BootstrapToken = TOKEN.parse()?;
        let engine = provider.dialect().name;
        let name = first.map_or("", |node| node.name.as_str());
        let mut facts = ClusterFacts::new(config, engine, &info, version.clone(), name, token);
        facts.ca_cert_hash = Some(format!("sha256:{}", "x".repeat(64)));
        let mut files = files::of(config, &mut facts)?;
        let program = provider.engine().name();
        let nodes = containers.into_iter().map(|container| {
            let words = std::iter::once(&program).chain(&container.args);
            let command: Vec<String> = words.map(|word| quote(word)).collect();
            PreviewNode {
                files: files.nodes.remove(&container.name).unwrap_or_default(),
                name: container.name,
                role: container.role,
                image: container.image,
                command: command.join(" "),
                args: container.args,
            }
        });
        let nodes: Vec<PreviewNode> = nodes.collect();
        let mut warnings = plan.warnings;
        warnings.append(&mut files.warnings);
        notes.extend(placeholders(config, &nodes));
        Ok(Self {
            cluster: config.name.clone(),
            provider: engine.to_owned(),
            network: network.to_owned(),
            kubernetes_version: format!("v{version}"),
            steps: steps::steps(config, &facts, files.addons, network, wait),
            nodes,
            notes,
            warnings,
        })
    }
}

/// Says what stands for something that is not known yet.
fn placeholders(config: &ClusterConfig, nodes: &[PreviewNode]) -> Vec<String> {
    let addresses = match config.networking.ip_family {
        IpFamily::Ipv4 => "192.0.2.0/24",
        IpFamily::Ipv6 => "2001:db8::/32",
        IpFamily::Dual => "192.0.2.0/24 and 2001:db8::/32",
    };
    let mut notes = vec![
        "the engine was not asked: one with root's rights and cgroup v2 is assumed".to_owned(),
        format!("addresses from {addresses} stand in for those that the engine will give the nodes"),
        "each cluster has a token of its own, and nodes that join it know the hash of its authority; both are `x` here"
            .to_owned(),
    ];
    let publishes_any = |arg: &String| {
        let parts = arg.strip_prefix("--publish=").map(|rest| rest.rsplit(':').nth(1));
        parts.is_some_and(|host| matches!(host, Some("0" | "")))
    };
    if nodes.iter().flat_map(|node| &node.args).any(publishes_any) {
        notes.push(
            "host port 0 is any free one: picked and kept by kindr, or chosen by the engine at each start if the \
             configuration says -1"
                .to_owned(),
        );
    }
    let in_range = |arg: &String| arg.contains(NETWORK_RANGE);
    if nodes.iter().flat_map(|node| &node.args).any(in_range) {
        notes.push(format!("{NETWORK_RANGE} stands for the network's address ranges"));
    }
    notes
}
