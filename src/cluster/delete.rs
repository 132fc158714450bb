//! The end of a cluster.

use kindr_providers::{EngineError, Provider};
use thiserror::Error;

use crate::kubeconfig::{self, KubeconfigError, KubeconfigPaths};

/// What could not be removed. The parts fail apart: a locked file keeps no container alive.
#[derive(Debug, Error)]
pub enum DeleteError {
    /// The containers are still there.
    #[error("the nodes of cluster `{name}` were not removed: {source}")]
    Nodes {
        /// The cluster.
        name: String,
        /// What the engine said.
        source: EngineError,
    },
    /// The nodes are gone, the kubeconfig still has the entries.
    #[error("cluster `{name}` is gone, but its entries are still in the kubeconfig: {source}")]
    Kubeconfig {
        /// The cluster.
        name: String,
        /// Why.
        source: KubeconfigError,
    },
}

/// Deletes a cluster's containers with their volumes and its kubeconfig entries. Returns the containers that were
/// removed; a cluster that is not there is no error.
///
/// # Errors
/// See [`DeleteError`].
pub async fn delete(
    provider: &dyn Provider,
    name: &str,
    paths: &KubeconfigPaths,
) -> Result<Vec<String>, DeleteError> {
    let nodes = async {
        let nodes = provider.list_nodes(Some(name)).await?;
        let names: Vec<String> = nodes.into_iter().map(|node| node.name).collect();
        provider.delete(&names).await?;
        Ok(names)
    };
    let names = nodes.await.map_err(|source| DeleteError::Nodes {
        name: name.to_owned(),
        source,
    })?;
    let entries = {
        let (paths, name) = (paths.clone(), name.to_owned());
        tokio::task::spawn_blocking(move || kubeconfig::remove_cluster(&paths, &name))
    };
    if let Ok(Err(source)) = entries.await {
        return Err(DeleteError::Kubeconfig {
            name: name.to_owned(),
            source,
        });
    }
    Ok(names)
}
