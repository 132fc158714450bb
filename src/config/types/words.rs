//! The words that fields can be set to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a node does in the cluster.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Runs the API server, the scheduler and their like.
    #[default]
    ControlPlane,
    /// Runs workloads only.
    Worker,
}

impl Role {
    /// The role as the file and the node names spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ControlPlane => "control-plane",
            Self::Worker => "worker",
        }
    }
}

/// Address families of pods and services.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IpFamily {
    /// IPv4 only.
    #[default]
    Ipv4,
    /// IPv6 only.
    Ipv6,
    /// Both.
    Dual,
}

impl IpFamily {
    /// Whether the cluster needs IPv6 on the engine's network.
    #[must_use]
    pub const fn has_ipv6(self) -> bool {
        matches!(self, Self::Ipv6 | Self::Dual)
    }

    /// The family as the file spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Dual => "dual",
        }
    }
}

/// How kube-proxy works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProxyMode {
    /// With iptables rules.
    #[default]
    Iptables,
    /// With the kernel's IP virtual server.
    Ipvs,
    /// With nftables rules.
    Nftables,
    /// There is no kube-proxy.
    None,
}

impl ProxyMode {
    /// The mode as the file and kube-proxy spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Iptables => "iptables",
            Self::Ipvs => "ipvs",
            Self::Nftables => "nftables",
            Self::None => "none",
        }
    }
}

/// Whether mounts made later inside a mount are passed on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum MountPropagation {
    /// In neither direction.
    #[default]
    None,
    /// From the host to the node.
    HostToContainer,
    /// In both directions.
    Bidirectional,
}

/// The protocol of a published port.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Protocol {
    /// TCP.
    #[default]
    Tcp,
    /// UDP.
    Udp,
    /// SCTP.
    Sctp,
}

impl Protocol {
    /// The protocol as the file spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
            Self::Sctp => "SCTP",
        }
    }
}
