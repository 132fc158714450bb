//! The configuration as the rest of the program uses it: complete, checked, and typed.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

use super::types::{IpFamily, Mount, PatchJson6902, Protocol, ProxyMode, Role};
use super::{labels, names};

/// A cluster to build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterConfig {
    /// The cluster's name.
    pub name: String,
    /// The nodes in the file's order; at least one is a control plane.
    pub nodes: Vec<NodeConfig>,
    /// Network settings.
    pub networking: NetworkConfig,
    /// Kubernetes feature gates.
    pub feature_gates: BTreeMap<String, bool>,
    /// The API server's `--runtime-config`.
    pub runtime_config: BTreeMap<String, String>,
    /// Merge patches for the kubeadm documents of every node.
    pub kubeadm_config_patches: Vec<String>,
    /// JSON 6902 patches for the kubeadm documents of every node.
    pub kubeadm_config_patches_json6902: Vec<PatchJson6902>,
    /// Merge patches (TOML) for every node's containerd configuration.
    pub containerd_config_patches: Vec<String>,
    /// JSON 6902 patches for every node's containerd configuration.
    pub containerd_config_patches_json6902: Vec<String>,
}

impl ClusterConfig {
    /// Returns the name of the load balancer's container, if there is more than one control plane.
    #[must_use]
    pub fn load_balancer_name(&self) -> Option<String> {
        let roles: Vec<Role> = self.nodes.iter().map(|node| node.role).collect();
        names::load_balancer_name(&self.name, &roles)
    }

    /// Returns the nodes of a role, in the file's order.
    pub fn nodes_with(&self, role: Role) -> impl Iterator<Item = &NodeConfig> {
        self.nodes.iter().filter(move |node| node.role == role)
    }
}

/// A node to build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeConfig {
    /// The name of its container, its host, and its Kubernetes node.
    pub name: String,
    /// What it does in the cluster.
    pub role: Role,
    /// Its image.
    pub image: String,
    /// All its labels; see [`Self::kubelet_labels`] and [`Self::api_labels`].
    pub labels: BTreeMap<String, String>,
    /// Host paths to mount; both paths are set, the host's as written.
    pub extra_mounts: Vec<Mount>,
    /// Ports to publish.
    pub extra_port_mappings: Vec<PortConfig>,
    /// What it may use of the host.
    pub resources: Limits,
    /// Merge patches for its kubeadm documents, after the cluster's.
    pub kubeadm_config_patches: Vec<String>,
    /// JSON 6902 patches for its kubeadm documents, after the cluster's.
    pub kubeadm_config_patches_json6902: Vec<PatchJson6902>,
}

impl NodeConfig {
    /// Returns the labels that the kubelet sets at registration.
    #[must_use]
    pub fn kubelet_labels(&self) -> BTreeMap<String, String> {
        labels::for_kubelet(&self.labels)
    }

    /// Returns the labels that a kubelet refuses, to be set through the API after the join.
    #[must_use]
    pub fn api_labels(&self) -> BTreeMap<String, String> {
        labels::for_api(&self.labels)
    }
}

/// What a node may use of the host, at most.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// Processors, as a decimal number.
    pub cpus: Option<String>,
    /// Memory in bytes.
    pub memory: Option<u64>,
}

/// A port to publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortConfig {
    /// The port inside the node.
    pub container_port: u16,
    /// The port on the host.
    pub host_port: HostPort,
    /// The address on the host.
    pub listen_address: IpAddr,
    /// The protocol.
    pub protocol: Protocol,
}

/// How a port on the host is chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HostPort {
    /// A free one, chosen by us before the container is made: it stays over restarts.
    #[default]
    Free,
    /// A free one, chosen by the engine at each start.
    EngineChoice,
    /// This one.
    Fixed(u16),
}

/// Network settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkConfig {
    /// Address families of pods and services.
    pub ip_family: IpFamily,
    /// The API server's port on the host.
    pub api_server_port: HostPort,
    /// The API server's address on the host.
    pub api_server_address: IpAddr,
    /// More names and addresses for its certificate.
    pub api_server_cert_sans: Vec<String>,
    /// Pod addresses.
    pub pod_subnet: Subnets,
    /// Service addresses.
    pub service_subnet: Subnets,
    /// Leave out the pod network.
    pub disable_default_cni: bool,
    /// How kube-proxy works.
    pub kube_proxy_mode: ProxyMode,
    /// DNS search domains: the host's if `None`, none at all if empty.
    pub dns_search: Option<Vec<String>>,
}

impl NetworkConfig {
    /// Fits the API server's address to an engine that cannot publish on the loopback address of IPv6: that of IPv4 leads
    /// to it as well, since the nodes have both.
    pub fn without_ipv6_loopback(&mut self) {
        if self.api_server_address == IpAddr::V6(Ipv6Addr::LOCALHOST) {
            self.api_server_address = Ipv4Addr::LOCALHOST.into();
        }
    }

    /// Fits the API server's place to an engine on another host: it is reached by that host's name, on all of the host's
    /// addresses unless the address shall stay.
    pub fn move_to(&mut self, host: &str, address_stays: bool) {
        if !address_stays {
            self.api_server_address = match self.api_server_address {
                IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
                IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
            };
        }
        if !self.api_server_cert_sans.iter().any(|name| name == host) {
            self.api_server_cert_sans.push(host.to_owned());
        }
    }
}

/// One address range, or one of each family; displayed with a comma between, as Kubernetes wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subnets(pub(super) Vec<IpNet>);

impl Subnets {
    /// Returns the ranges, the primary one first.
    #[must_use]
    pub fn as_slice(&self) -> &[IpNet] {
        &self.0
    }

    /// Whether the primary range is IPv6.
    #[must_use]
    pub fn ipv6_first(&self) -> bool {
        matches!(self.0.first(), Some(IpNet::V6(_)))
    }
}

impl fmt::Display for Subnets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, subnet) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            write!(f, "{subnet}")?;
        }
        Ok(())
    }
}
