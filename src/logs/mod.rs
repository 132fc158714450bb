//! The logs of a cluster in a folder, for whoever has to find out what is wrong with it.
//!
//! The tree of files is that of `kind export logs`, and `summary.txt` beside it says what failed. All nodes are read at
//! the same time. What one of them does not give is told and stops nothing: logs are wanted where things are broken.

mod node;
mod summary;

use std::path::{Path, PathBuf};

use futures::future::join_all;
use kindr_providers::{Call, ClusterNode, EngineError, Provider};
use thiserror::Error;

use self::node::Read;

/// Why no logs were written at all.
#[derive(Debug, Error)]
pub enum LogsError {
    /// There is no such cluster.
    #[error("there are no nodes of a cluster named `{cluster}`")]
    NoNodes {
        /// The cluster.
        cluster: String,
    },
    /// The folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Writes the logs of a cluster into a folder, which is made if it is missing. Returns what could not be read.
///
/// # Errors
/// See [`LogsError`].
pub async fn export(
    provider: &dyn Provider,
    cluster: &str,
    version: &str,
    folder: &Path,
) -> Result<Vec<String>, LogsError> {
    let nodes = provider.list_nodes(Some(cluster)).await?;
    if nodes.is_empty() {
        return Err(LogsError::NoNodes {
            cluster: cluster.to_owned(),
        });
    }
    make(folder)?;
    write(
        &folder.join("kind-version.txt"),
        format!("{version}\n").as_bytes(),
    )?;
    let engine = async {
        let info = provider.engine().output(Call::new(["info"])).await?;
        let file = format!("{}-info.txt", provider.dialect().name);
        write(&folder.join(file), &[info.stdout, info.stderr].concat())
    };
    let each = join_all(nodes.iter().map(|node| node::read(provider, node, folder)));
    let (engine, read, pods) = tokio::join!(engine, each, pods(provider, &nodes));
    let mut missing = Vec::new();
    if let Err(error) = engine {
        missing.push(error.to_string());
    }
    let read: Vec<Read> = read.into_iter().collect::<Result<_, _>>()?;
    missing.extend(read.iter().flat_map(|node| node.missing.clone()));
    let text = summary::text(&read, pods.as_deref());
    write(&folder.join("summary.txt"), text.as_bytes())?;
    Ok(missing)
}

/// What the API server says of all pods, as JSON, if a control plane answers.
async fn pods(provider: &dyn Provider, nodes: &[ClusterNode]) -> Option<Vec<u8>> {
    let command = [
        "kubectl",
        "--kubeconfig=/etc/kubernetes/admin.conf",
        "--request-timeout=10s",
        "get",
        "pods",
        "--all-namespaces",
        "--output=json",
    ];
    for node in nodes.iter().filter(|node| node.role == "control-plane") {
        let answer = provider.exec(&node.name, &command, None, node::LIMIT).await;
        if let Some(output) = answer.ok().filter(|output| output.status.success()) {
            return Some(output.stdout);
        }
    }
    None
}

fn make(folder: &Path) -> Result<(), LogsError> {
    std::fs::create_dir_all(folder).map_err(|source| LogsError::Write {
        path: folder.to_owned(),
        source,
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), LogsError> {
    std::fs::write(path, bytes).map_err(|source| LogsError::Write {
        path: path.to_owned(),
        source,
    })
}
