//! Clusters that exist: listing, their kubeconfig, and their end.

mod access;
mod delete;

use std::collections::BTreeSet;

use kindr_providers::{Dialect, EngineError, Provider, network};

pub use self::access::{AccessError, credentials, kubeconfig, server_of, server_url};
pub use self::delete::{DeleteError, delete};
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

/// The names of all clusters, sorted.
///
/// # Errors
/// The engine does not answer.
pub async fn list(provider: &dyn Provider) -> Result<Vec<String>, EngineError> {
    let nodes = provider.list_nodes(None).await?;
    let names: BTreeSet<String> = nodes.into_iter().map(|node| node.cluster).collect();
    Ok(names.into_iter().collect())
}
