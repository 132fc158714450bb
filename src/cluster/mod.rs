//! Clusters that exist: listing, their kubeconfig, and their end.

mod access;
mod delete;
mod find;

use std::collections::BTreeSet;

use kindr_providers::detect::Survey;
use kindr_providers::{Dialect, EngineError, Provider, network};
use serde::Serialize;

pub use self::access::{AccessError, credentials, kubeconfig, server_of, server_url};
pub use self::delete::{DeleteError, delete};
pub use self::find::{FindError, Holder, Missing, find};
use crate::env;

/// The network that nodes of this engine join.
pub fn network_name(dialect: &Dialect) -> String {
    let variables: &[&str] = match dialect.name {
        "docker" => &[
            env::KINDR_EXPERIMENTAL_DOCKER_NETWORK,
            env::KIND_EXPERIMENTAL_DOCKER_NETWORK,
        ],
        "podman" => &[
            env::KINDR_EXPERIMENTAL_PODMAN_NETWORK,
            env::KIND_EXPERIMENTAL_PODMAN_NETWORK,
        ],
        _ => &[env::KINDR_EXPERIMENTAL_NERDCTL_NETWORK],
    };
    env::first(variables).unwrap_or_else(|| network::DEFAULT.to_owned())
}

/// A cluster in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// The engine's program.
    pub engine: String,
    /// Its containers.
    pub nodes: Vec<SummaryNode>,
}

/// A container of a cluster in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SummaryNode {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
}

/// The clusters that engines hold, by name and then by engine.
pub fn summaries(survey: &Survey) -> Vec<Summary> {
    let mut clusters: Vec<Summary> = Vec::new();
    for found in &survey.found {
        let engine = found.provider.engine().name();
        for node in &found.nodes {
            let listed = SummaryNode {
                name: node.name.clone(),
                role: node.role.clone(),
            };
            match clusters.last_mut() {
                Some(last) if last.name == node.cluster && last.engine == engine => last.nodes.push(listed),
                _ => clusters.push(Summary {
                    name: node.cluster.clone(),
                    engine: engine.clone(),
                    nodes: vec![listed],
                }),
            }
        }
    }
    clusters.sort_by(|a, b| (&a.name, &a.engine).cmp(&(&b.name, &b.engine)));
    clusters
}

/// The names of all clusters, sorted.
///
/// # Errors
/// The engine does not answer.
pub async fn list(provider: &dyn Provider) -> Result<Vec<String>, EngineError> {
    let nodes = provider.list_nodes(None).await?;
    let names: BTreeSet<String> = nodes.into_iter().map(|node| node.cluster).collect();
    Ok(names.into_iter().collect())
}
