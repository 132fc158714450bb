//! What the documents are made from.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kindr_providers::{CgroupVersion, EngineInfo};
use semver::Version;

use super::token::BootstrapToken;
use crate::config::{ClusterConfig, IpFamily, ProxyMode, Role, Subnets};

/// The port on which API servers listen inside their nodes.
pub const API_SERVER_BIND_PORT: u16 = 6443;

/// What all nodes of a cluster share.
#[derive(Debug, Clone)]
pub struct ClusterFacts {
    /// The cluster's name.
    pub cluster_name: String,
    /// The engine's name, for the nodes' provider id.
    pub provider: String,
    /// The version in the node image.
    pub kubernetes_version: Version,
    /// Where nodes reach the API server, `HOST:PORT`: the load balancer or the only control plane.
    pub control_plane_endpoint: String,
    /// The API server's address on the host, for its certificate.
    pub api_server_address: IpAddr,
    /// More names and addresses for that certificate.
    pub extra_cert_sans: Vec<String>,
    /// The API server's port inside its node; see [`API_SERVER_BIND_PORT`].
    pub api_server_bind_port: u16,
    /// Pod addresses.
    pub pod_subnet: Subnets,
    /// Service addresses.
    pub service_subnet: Subnets,
    /// Address families of pods and services.
    pub ip_family: IpFamily,
    /// Kubernetes feature gates of every component.
    pub feature_gates: BTreeMap<String, bool>,
    /// The API server's `--runtime-config`.
    pub runtime_config: BTreeMap<String, String>,
    /// How kube-proxy works.
    pub kube_proxy_mode: ProxyMode,
    /// With what nodes join.
    pub token: BootstrapToken,
    /// The cluster's CA pin from [`super::ca_cert_hash`]; joining nodes trust any CA without it.
    pub ca_cert_hash: Option<String>,
    /// Whether the cluster has one control plane and no more.
    pub single_control_plane: bool,
    /// Whether the engine is rootless.
    pub rootless: bool,
    /// Whether the engine's machine has version 1 of cgroups.
    pub cgroup_v1: bool,
}

impl ClusterFacts {
    /// Gathers what is known of a cluster whose first control plane is the node of this name, before it has an authority.
    #[must_use]
    pub fn new(
        config: &ClusterConfig,
        provider: &str,
        engine: &EngineInfo,
        kubernetes_version: Version,
        first: &str,
        token: BootstrapToken,
    ) -> Self {
        let networking = &config.networking;
        Self {
            cluster_name: config.name.clone(),
            provider: provider.to_owned(),
            kubernetes_version,
            control_plane_endpoint: format!(
                "{}:{API_SERVER_BIND_PORT}",
                config.load_balancer_name().unwrap_or_else(|| first.to_owned())
            ),
            api_server_address: networking.api_server_address,
            extra_cert_sans: networking.api_server_cert_sans.clone(),
            api_server_bind_port: API_SERVER_BIND_PORT,
            pod_subnet: networking.pod_subnet.clone(),
            service_subnet: networking.service_subnet.clone(),
            ip_family: networking.ip_family,
            feature_gates: config.feature_gates.clone(),
            runtime_config: config.runtime_config.clone(),
            kube_proxy_mode: networking.kube_proxy_mode,
            token,
            ca_cert_hash: None,
            single_control_plane: config.nodes_with(Role::ControlPlane).count() == 1,
            rootless: engine.rootless,
            cgroup_v1: engine.cgroup == CgroupVersion::V1,
        }
    }
}

/// One node.
#[derive(Debug, Clone)]
pub struct NodeFacts {
    /// The name of its container and its Kubernetes node.
    pub name: String,
    /// Its address of the one family, if it has one.
    pub ipv4: Option<Ipv4Addr>,
    /// Its address of the other family, if it has one.
    pub ipv6: Option<Ipv6Addr>,
    /// What it does in the cluster.
    pub role: Role,
    /// All its labels. Those that a kubelet refuses are left out of the documents.
    pub labels: BTreeMap<String, String>,
}
