//! Why an image is not in a node.

use std::path::PathBuf;

use kindr_providers::EngineError;
use thiserror::Error;

/// Why an image was not loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// There is no cluster, or it has no nodes.
    #[error("there are no nodes of a cluster named `{cluster}`")]
    NoNodes {
        /// The cluster.
        cluster: String,
    },
    /// A node that was asked for is none of the cluster's.
    #[error("cluster `{cluster}` has no node `{node}`; it has {}", nodes.join(", "))]
    UnknownNode {
        /// The cluster.
        cluster: String,
        /// The name.
        node: String,
        /// The nodes that run pods.
        nodes: Vec<String>,
    },
    /// No engine has the image.
    #[error("no image `{image}` on this machine: looked for it in {}", engines.join(", "))]
    NotFound {
        /// The name or id.
        image: String,
        /// The engines that were asked.
        engines: Vec<String>,
        /// Names of images that were perhaps meant.
        near: Vec<String>,
    },
    /// The image was given by its id and has no name.
    #[error("image `{image}` of {engine} has no name, and pods call images by names")]
    Nameless {
        /// The id.
        image: String,
        /// The engine.
        engine: String,
    },
    /// An archive cannot be read.
    #[error("cannot read the archive {}: {source}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What the engine writes cannot be read.
    #[error("cannot read the images that the engine writes: {0}")]
    Stream(std::io::Error),
    /// A node's containerd refused.
    #[error("node `{node}` did not take the images")]
    Node {
        /// The node.
        node: String,
        /// The last lines of what it said.
        lines: Vec<String>,
    },
    /// A node's list of images cannot be read.
    #[error("cannot read the list of images of node `{node}`: {reason}")]
    Unreadable {
        /// The node.
        node: String,
        /// Why.
        reason: String,
    },
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl LoadError {
    /// What to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { near, .. } if !near.is_empty() => {
                Some(format!("of this name there are: {}", near.join(", ")))
            }
            Self::NotFound { .. } => Some(
                "build or pull it first, or load an archive with `kindr load image-archive FILE`".to_owned(),
            ),
            Self::Nameless { .. } => Some("give it one with the engine's `tag`".to_owned()),
            Self::NoNodes { .. } => Some("`kindr get clusters` lists those that there are".to_owned()),
            Self::Node { .. } => Some(
                "see that the node runs, and that the archive holds an image for its platform".to_owned(),
            ),
            _ => None,
        }
    }

    /// The last lines of what failed.
    pub fn lines(&self) -> &[String] {
        match self {
            Self::Node { lines, .. } => lines,
            _ => &[],
        }
    }
}
