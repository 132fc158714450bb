//! How a cluster's API server is reached.

use std::time::Duration;

use kindr_providers::{ClusterNode, EngineError, NodeState, Provider};
use thiserror::Error;

use crate::kubeadm::API_SERVER_BIND_PORT;
use crate::kubeconfig::{self, KubeconfigError};

/// Time limit for reading a file of a node.
const READ: Duration = Duration::from_secs(30);

/// Why a cluster cannot be reached.
#[derive(Debug, Error)]
pub enum AccessError {
    /// There is no such cluster.
    #[error("there is no cluster named `{name}`")]
    NoCluster {
        /// The name.
        name: String,
        /// The clusters that there are.
        others: Vec<String>,
    },
    /// The cluster has no control plane.
    #[error("cluster `{name}` has no control-plane node")]
    NoControlPlane {
        /// The name.
        name: String,
    },
    /// The node that answers for the cluster does not run.
    #[error("node `{node}` is not running")]
    NotRunning {
        /// The node.
        node: String,
    },
    /// The engine publishes no port for the API server.
    #[error("the engine publishes port {API_SERVER_BIND_PORT} of node `{node}` nowhere")]
    NoPort {
        /// The node.
        node: String,
    },
    /// The administrator's credentials are not where kubeadm puts them.
    #[error("node `{node}` has no /etc/kubernetes/admin.conf: {reason}")]
    NoCredentials {
        /// The node.
        node: String,
        /// What reading it said.
        reason: String,
    },
    /// The credentials cannot be turned into a kubeconfig.
    #[error(transparent)]
    Kubeconfig(#[from] KubeconfigError),
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The address by which clients on this machine reach a port that the engine published; `remote` is the engine's host, if
/// that is not this machine.
pub fn server_url(host: &str, port: u16, remote: Option<&str>) -> String {
    // "All addresses" is no place to connect to.
    let host = match host {
        "" | "0.0.0.0" | "::" if remote.is_some() => remote.unwrap_or_default(),
        "" | "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        host => host,
    };
    if host.contains(':') {
        format!("https://[{host}]:{port}")
    } else {
        format!("https://{host}:{port}")
    }
}

/// The API server's address as a node publishes it.
///
/// # Errors
/// The node does not run or publishes no such port.
pub async fn server_of(provider: &dyn Provider, node: &str) -> Result<String, AccessError> {
    let names = [node.to_owned()];
    let (states, remote) = tokio::try_join!(provider.inspect(&names), provider.remote_host())?;
    published(states.first(), node, remote.as_deref())
}

fn published(state: Option<&NodeState>, node: &str, remote: Option<&str>) -> Result<String, AccessError> {
    let node = node.to_owned();
    match state {
        Some(state) if state.running => state
            .ports
            .iter()
            .find(|(port, _, _)| *port == format!("{API_SERVER_BIND_PORT}/tcp"))
            .map(|(_, host, port)| server_url(host, *port, remote))
            .ok_or(AccessError::NoPort { node }),
        _ => Err(AccessError::NotRunning { node }),
    }
}

/// A cluster's credentials and the address for them: the public one, or with `internal` the one that other containers
/// on its network use.
///
/// # Errors
/// See [`AccessError`].
pub async fn credentials(
    provider: &dyn Provider,
    name: &str,
    internal: bool,
) -> Result<(String, String), AccessError> {
    let nodes = provider.list_nodes(Some(name)).await?;
    if nodes.is_empty() {
        return Err(AccessError::NoCluster {
            name: name.to_owned(),
            others: super::list(provider).await?,
        });
    }
    let with = |role: &str| nodes.iter().find(|node| node.role == role);
    let control_plane = with("control-plane").ok_or_else(|| AccessError::NoControlPlane {
        name: name.to_owned(),
    })?;
    // Several control planes have a balancer before them, which is what answers.
    let front: &ClusterNode = with(kindr_providers::args::LOAD_BALANCER_ROLE).unwrap_or(control_plane);
    let (conf, server) = tokio::join!(admin_conf(provider, &control_plane.name), async {
        if internal {
            Ok(format!("https://{}:{API_SERVER_BIND_PORT}", front.name))
        } else {
            server_of(provider, &front.name).await
        }
    });
    let server = server?;
    Ok((conf?, server))
}

/// A cluster's kubeconfig, for standard output.
///
/// # Errors
/// See [`AccessError`].
pub async fn kubeconfig(provider: &dyn Provider, name: &str, internal: bool) -> Result<String, AccessError> {
    let (conf, server) = credentials(provider, name, internal).await?;
    Ok(kubeconfig::render(name, &conf, Some(&server))?)
}

async fn admin_conf(provider: &dyn Provider, node: &str) -> Result<String, AccessError> {
    let output = provider
        .exec(node, &["cat", "/etc/kubernetes/admin.conf"], None, READ)
        .await?;
    if output.status.success() {
        return Ok(output.text());
    }
    Err(AccessError::NoCredentials {
        node: node.to_owned(),
        reason: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_means_all_becomes_one_to_connect_to() {
        assert_eq!(server_url("0.0.0.0", 6443, None), "https://127.0.0.1:6443");
        assert_eq!(server_url("::", 6443, None), "https://[::1]:6443");
        assert_eq!(server_url("192.0.2.1", 1, None), "https://192.0.2.1:1");
    }

    #[test]
    fn an_engine_elsewhere_is_reached_by_its_own_name() {
        let far = Some("engine.example");
        assert_eq!(server_url("0.0.0.0", 6443, far), "https://engine.example:6443");
        assert_eq!(server_url("", 1, Some("2001:db8::7")), "https://[2001:db8::7]:1");
        assert_eq!(server_url("192.0.2.1", 1, far), "https://192.0.2.1:1");
        assert_eq!(server_url("127.0.0.1", 1, far), "https://127.0.0.1:1");
    }

    #[test]
    fn a_stopped_node_is_told_apart_from_one_without_a_port() {
        let state = NodeState {
            running: true,
            ..NodeState::default()
        };
        assert!(matches!(
            published(Some(&state), "n", None),
            Err(AccessError::NoPort { .. })
        ));
        assert!(matches!(
            published(None, "n", None),
            Err(AccessError::NotRunning { .. })
        ));
    }
}
