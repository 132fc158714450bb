//! Container engines behind one trait.
//!
//! This crate knows docker, podman and nerdctl and nothing of Kubernetes. A node is described as data
//! ([`spec::Container`]), a [`dialect::Dialect`] says how an engine spells things, [`args`] joins the two into a
//! command line, and [`exec`] is the one place that starts a process.

pub mod args;
mod boot;
pub mod classify;
pub mod detect;
pub mod dialect;
pub mod docker;
pub mod endpoint;
pub mod exec;
mod facts;
mod failure;
pub mod fanout;
pub mod image;
mod inspect;
pub mod nerdctl;
pub mod network;
pub mod podman;
pub mod provider;
pub mod proxy;
pub mod published;
pub mod spec;
#[cfg(test)]
mod testing;

pub use classify::{EngineError, Failure};
pub use dialect::Dialect;
pub use exec::{Call, Engine, Output};
pub use provider::{Booted, CgroupVersion, ClusterNode, EngineInfo, ImageInfo, Network, NodeState, Provider};
pub use published::Published;

/// Label that holds the cluster's name on each of its containers; kind's own, so that both tools see the same clusters.
pub const CLUSTER_LABEL: &str = "io.x-k8s.kind.cluster";

/// Label that holds a container's role in its cluster (`control-plane`, `worker`, `external-load-balancer`); kind's own.
pub const ROLE_LABEL: &str = "io.x-k8s.kind.role";
