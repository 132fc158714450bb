//! The documents as types. Only what is written is here; kubeadm knows more.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap, Serializer};

/// Feature gates by name.
pub(super) type Gates = BTreeMap<String, bool>;

/// What every document begins with.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
}

/// The cluster as a whole.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClusterConfiguration {
    #[serde(flatten)]
    pub(super) header: Header,
    pub(super) kubernetes_version: String,
    pub(super) cluster_name: String,
    pub(super) control_plane_endpoint: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) feature_gates: Gates,
    pub(super) api_server: ApiServer,
    pub(super) controller_manager: Component,
    pub(super) scheduler: Component,
    pub(super) networking: Networking,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApiServer {
    #[serde(rename = "certSANs")]
    pub(super) cert_sans: Vec<String>,
    pub(super) extra_args: Args,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Component {
    pub(super) extra_args: Args,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Networking {
    pub(super) pod_subnet: String,
    pub(super) service_subnet: String,
}

/// The first control plane.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InitConfiguration {
    #[serde(flatten)]
    pub(super) header: Header,
    pub(super) bootstrap_tokens: Vec<Token>,
    #[serde(rename = "localAPIEndpoint")]
    pub(super) local_api_endpoint: Endpoint,
    pub(super) node_registration: NodeRegistration,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) skip_phases: Vec<&'static str>,
}

#[derive(Debug, serde::Serialize)]
pub(super) struct Token {
    pub(super) token: String,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Endpoint {
    pub(super) advertise_address: String,
    pub(super) bind_port: u16,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NodeRegistration {
    pub(super) cri_socket: &'static str,
    pub(super) kubelet_extra_args: Args,
}

/// A node that joins.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JoinConfiguration {
    #[serde(flatten)]
    pub(super) header: Header,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) control_plane: Option<JoinControlPlane>,
    pub(super) discovery: Discovery,
    pub(super) node_registration: NodeRegistration,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) skip_phases: Vec<&'static str>,
}

#[derive(Debug, serde::Serialize)]
pub(super) struct JoinControlPlane {
    #[serde(rename = "localAPIEndpoint")]
    pub(super) local_api_endpoint: Endpoint,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Discovery {
    pub(super) bootstrap_token: TokenDiscovery,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenDiscovery {
    pub(super) api_server_endpoint: String,
    pub(super) token: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ca_cert_hashes: Vec<String>,
    #[serde(
        rename = "unsafeSkipCAVerification",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub(super) unsafe_skip_ca_verification: bool,
}

/// Every kubelet.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KubeletConfiguration {
    #[serde(flatten)]
    pub(super) header: Header,
    pub(super) cgroup_driver: &'static str,
    pub(super) cgroup_root: &'static str,
    #[serde(rename = "failCgroupV1", skip_serializing_if = "Option::is_none")]
    pub(super) fail_cgroup_v1: Option<bool>,
    pub(super) fail_swap_on: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) healthz_bind_address: Option<&'static str>,
    #[serde(rename = "imageGCHighThresholdPercent")]
    pub(super) image_gc_high_threshold_percent: u8,
    pub(super) eviction_hard: BTreeMap<&'static str, &'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) feature_gates: Gates,
}

/// Every kube-proxy.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KubeProxyConfiguration {
    #[serde(flatten)]
    pub(super) header: Header,
    pub(super) mode: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) feature_gates: Gates,
    pub(super) iptables: Iptables,
    pub(super) conntrack: Conntrack,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Iptables {
    pub(super) min_sync_period: &'static str,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Conntrack {
    pub(super) max_per_core: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tcp_be_liberal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tcp_established_timeout: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tcp_close_wait_timeout: Option<&'static str>,
}

/// Extra command line arguments of a component: a map, or from v1beta4 on a list. Written even if
/// there are none, so that a JSON 6902 patch can add one.
#[derive(Debug, Default)]
pub(super) struct Args {
    pub(super) as_list: bool,
    pub(super) args: Vec<(&'static str, String)>,
}

#[derive(serde::Serialize)]
struct Arg<'a> {
    name: &'a str,
    value: &'a str,
}

impl Serialize for Args {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.as_list {
            return serializer.collect_seq(self.args.iter().map(|(name, value)| Arg { name, value }));
        }
        let mut map = serializer.serialize_map(Some(self.args.len()))?;
        for (name, value) in &self.args {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
