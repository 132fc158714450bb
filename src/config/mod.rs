//! The cluster configuration file, `kind.x-k8s.io/v1alpha4`.
//!
//! Three stages, each with types of its own: [`Document`] reads a file strictly into the schema's
//! [`types`] and says where it has another shape; [`Document::resolve`] fills in the defaults and
//! checks everything; [`ClusterConfig`] is what comes out, with nothing left to doubt.

pub mod defaults;
pub mod types;

mod error;
mod explain;
mod fault;
mod labels;
mod lenient;
mod load;
mod names;
mod networking;
mod path;
mod ports;
mod print;
mod prune;
mod resolved;
mod resources;
mod schema;
mod source;
mod tree;
mod validate;

#[cfg(test)]
mod tests;

pub use defaults::Settings;
pub use error::{ConfigError, Problem, Problems};
pub use fault::Fault;
pub use labels::kubelet_may_set;
pub use load::Document;
pub use names::{LOAD_BALANCER_SUFFIX, check_cluster_name, load_balancer_name, node_names};
pub use path::FieldPath;
pub use print::to_yaml;
pub use resolved::{ClusterConfig, HostPort, Limits, NetworkConfig, NodeConfig, PortConfig, Subnets};
pub use schema::json_schema;
pub use source::{Origin, Place};
pub use types::{Cluster, IpFamily, MountPropagation, Protocol, ProxyMode, Role};
