//! A cluster's containers as data, before any engine's spelling.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which IP families a cluster's network carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Family {
    /// IPv4 alone.
    #[default]
    Ipv4,
    /// IPv6 alone.
    Ipv6,
    /// Both.
    Dual,
}

impl Family {
    /// Whether the containers need IPv6 switched on.
    pub fn has_ipv6(self) -> bool {
        self != Self::Ipv4
    }
}

/// How mounts made later pass between host and node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Propagation {
    /// Not at all (`private`).
    #[default]
    None,
    /// From the host to the node (`rslave`).
    HostToContainer,
    /// Both ways (`rshared`).
    Bidirectional,
}

/// A host path in a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The path on the host, absolute.
    pub host: PathBuf,
    /// The path in the node.
    pub container: String,
    /// Whether the node may not write to it.
    pub read_only: bool,
    /// Whether SELinux should relabel it for this node alone.
    pub selinux_relabel: bool,
    /// What becomes of mounts made later.
    pub propagation: Propagation,
}

/// A transport protocol of a mapped port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// TCP.
    #[default]
    Tcp,
    /// UDP.
    Udp,
    /// SCTP.
    Sctp,
}

/// The host's side of a mapped port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostPort {
    /// This very port, chosen by the user or picked and held while planning.
    Fixed(u16),
    /// The engine picks one each time the container starts (kind's `hostPort: -1`).
    Engine,
}

/// A port of a node that the host answers on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// The host address; empty means all addresses of the cluster's family.
    pub address: String,
    /// The host's port.
    pub host: HostPort,
    /// The node's port.
    pub container: u16,
    /// TCP, UDP or SCTP.
    pub protocol: Protocol,
}

/// What a container may use of the host, at most.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// Processors, as a decimal number.
    pub cpus: Option<String>,
    /// Memory in bytes.
    pub memory: Option<u64>,
}

/// A node as the orchestrator asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The container's name and host name.
    pub name: String,
    /// The value of [`crate::ROLE_LABEL`].
    pub role: String,
    /// The image, as the user named it.
    pub image: String,
    /// Host paths in it.
    pub mounts: Vec<Mount>,
    /// Its ports on the host.
    pub ports: Vec<Port>,
    /// Environment of its first process and of every program run in it.
    pub env: Vec<(String, String)>,
    /// What it may use of the host.
    pub limits: Limits,
    /// The program to start in place of the image's own.
    pub entrypoint: Option<String>,
    /// The arguments of its first process; empty for the image's own.
    pub command: Vec<String>,
}

/// All nodes of a cluster and what they share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The value of [`crate::CLUSTER_LABEL`].
    pub name: String,
    /// The network that they join.
    pub network: String,
    /// The network's IP families.
    pub family: Family,
    /// Proxy and other settings for every node, in order.
    pub env: Vec<(String, String)>,
    /// What the engine calls the images, by the name that the user gave them. One that is missing here has its name.
    pub images: BTreeMap<String, String>,
    /// The containers, in the order of the configuration.
    pub nodes: Vec<Node>,
}

/// A container ready to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Its image, as the user named it.
    pub image: String,
    /// The volume that must be made before it, where the engine needs that.
    pub volume: Option<String>,
    /// The whole `run` call, without the engine's program.
    pub args: Vec<String>,
}
