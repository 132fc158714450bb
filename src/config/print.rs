//! A configuration back as a file, with everything filled in.

use super::error::ConfigError;
use super::resolved::{ClusterConfig, HostPort, Limits, NetworkConfig, NodeConfig, PortConfig};
use super::resources::memory_text;
use super::types::{API_VERSION, Cluster, KIND, Networking, Node, PortMapping, Resources};

/// Writes a configuration as a file that means the same. Fields that kind does not have are left out where they
/// say nothing, so that kind reads the file too.
///
/// # Errors
/// [`ConfigError::Unwritable`].
pub fn to_yaml(config: &ClusterConfig) -> Result<String, ConfigError> {
    serde_yaml::to_string(&Cluster::from(config)).map_err(|error| ConfigError::Unwritable {
        reason: error.to_string(),
    })
}

impl From<&ClusterConfig> for Cluster {
    fn from(config: &ClusterConfig) -> Self {
        Self {
            kind: Some(KIND.to_owned()),
            api_version: Some(API_VERSION.to_owned()),
            name: Some(config.name.clone()),
            nodes: config.nodes.iter().map(Node::from).collect(),
            networking: Networking::from(&config.networking),
            feature_gates: config.feature_gates.clone(),
            runtime_config: config.runtime_config.clone(),
            kubeadm_config_patches: config.kubeadm_config_patches.clone(),
            kubeadm_config_patches_json6902: config.kubeadm_config_patches_json6902.clone(),
            containerd_config_patches: config.containerd_config_patches.clone(),
            containerd_config_patches_json6902: config.containerd_config_patches_json6902.clone(),
        }
    }
}

impl From<&NodeConfig> for Node {
    fn from(node: &NodeConfig) -> Self {
        Self {
            role: Some(node.role),
            image: Some(node.image.clone()),
            labels: node.labels.clone(),
            extra_mounts: node.extra_mounts.clone(),
            extra_port_mappings: node.extra_port_mappings.iter().map(PortMapping::from).collect(),
            resources: Resources::from(&node.resources),
            kubeadm_config_patches: node.kubeadm_config_patches.clone(),
            kubeadm_config_patches_json6902: node.kubeadm_config_patches_json6902.clone(),
        }
    }
}

impl From<&Limits> for Resources {
    fn from(limits: &Limits) -> Self {
        Self {
            cpus: limits.cpus.clone(),
            memory: limits.memory.map(memory_text),
        }
    }
}

impl From<&PortConfig> for PortMapping {
    fn from(port: &PortConfig) -> Self {
        Self {
            container_port: Some(i32::from(port.container_port)),
            host_port: Some(number(port.host_port)),
            listen_address: Some(port.listen_address.to_string()),
            protocol: Some(port.protocol),
        }
    }
}

impl From<&NetworkConfig> for Networking {
    fn from(network: &NetworkConfig) -> Self {
        Self {
            ip_family: Some(network.ip_family),
            api_server_port: Some(number(network.api_server_port)),
            api_server_address: Some(network.api_server_address.to_string()),
            api_server_cert_sans: network.api_server_cert_sans.clone(),
            pod_subnet: Some(network.pod_subnet.to_string()),
            service_subnet: Some(network.service_subnet.to_string()),
            disable_default_cni: Some(network.disable_default_cni),
            kube_proxy_mode: Some(network.kube_proxy_mode),
            dns_search: network.dns_search.clone(),
        }
    }
}

/// A host port as the file spells it.
fn number(port: HostPort) -> i32 {
    match port {
        HostPort::Free => 0,
        HostPort::EngineChoice => -1,
        HostPort::Fixed(port) => i32::from(port),
    }
}
