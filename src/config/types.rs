//! The configuration file as written: every field of `kind.x-k8s.io/v1alpha4`, nothing filled in.
//!
//! Field names and meaning are kind's. A field that is absent, or present without a value, is `None`
//! or empty here; [`super::Cluster::resolve`] turns this into a [`super::ClusterConfig`].
//!
//! The YAML 1.1 question: where a boolean is expected, `yes`, `no`, `on` and `off` count as booleans,
//! as they do for kind, and a quoted `"true"` is a text, and refused. Where a string is expected (labels, `runtimeConfig`), an unquoted `true` or
//! `1.10` is the text as written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::words::{IpFamily, MountPropagation, Protocol, ProxyMode, Role};
use super::{lenient, schema};

mod words;

/// The only `apiVersion` that is read.
pub const API_VERSION: &str = "kind.x-k8s.io/v1alpha4";
/// The only `kind` that is read.
pub const KIND: &str = "Cluster";

/// A cluster, as the file describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(extend("required" = ["kind", "apiVersion"]))]
pub struct Cluster {
    /// Always `Cluster`.
    #[schemars(schema_with = "schema::kind")]
    pub kind: Option<String>,
    /// Always `kind.x-k8s.io/v1alpha4`.
    #[schemars(schema_with = "schema::api_version")]
    pub api_version: Option<String>,
    /// The cluster's name; a name from the command line or the environment goes first.
    pub name: Option<String>,
    /// The nodes; one control-plane node if there are none.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub nodes: Vec<Node>,
    /// Network settings of the whole cluster.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub networking: Networking,
    /// Kubernetes feature gates, given to every component.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub feature_gates: BTreeMap<String, bool>,
    /// The API server's `--runtime-config`.
    #[serde(deserialize_with = "lenient::string_map")]
    #[schemars(schema_with = "schema::string_map")]
    pub runtime_config: BTreeMap<String, String>,
    /// Merge patches for the kubeadm documents of every node.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub kubeadm_config_patches: Vec<String>,
    /// JSON 6902 patches for the kubeadm documents of every node.
    #[serde(
        rename = "kubeadmConfigPatchesJSON6902",
        deserialize_with = "lenient::null_as_default"
    )]
    pub kubeadm_config_patches_json6902: Vec<PatchJson6902>,
    /// Merge patches (TOML) for every node's containerd configuration.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub containerd_config_patches: Vec<String>,
    /// JSON 6902 patches for every node's containerd configuration.
    #[serde(
        rename = "containerdConfigPatchesJSON6902",
        deserialize_with = "lenient::null_as_default"
    )]
    pub containerd_config_patches_json6902: Vec<String>,
}

/// One node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Node {
    /// What the node does in the cluster; a control plane if not given.
    #[serde(deserialize_with = "lenient::choice")]
    pub role: Option<Role>,
    /// The node image.
    pub image: Option<String>,
    /// Kubernetes labels of the node.
    #[serde(deserialize_with = "lenient::string_map")]
    #[schemars(schema_with = "schema::string_map")]
    pub labels: BTreeMap<String, String>,
    /// Host paths to mount into the node.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub extra_mounts: Vec<Mount>,
    /// Ports of the node to publish on the host.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub extra_port_mappings: Vec<PortMapping>,
    /// What the node may use of the host, at most. kind has no such field.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "Resources::is_empty"
    )]
    pub resources: Resources,
    /// Merge patches for this node's kubeadm documents, after the cluster's.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub kubeadm_config_patches: Vec<String>,
    /// JSON 6902 patches for this node's kubeadm documents, after the cluster's.
    #[serde(
        rename = "kubeadmConfigPatchesJSON6902",
        deserialize_with = "lenient::null_as_default"
    )]
    pub kubeadm_config_patches_json6902: Vec<PatchJson6902>,
}

/// Limits of a node. The kubelet does not know of them: it tells of all that the host has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Resources {
    /// Processors, such as `2` or `1.5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::number_or_text")]
    pub cpus: Option<String>,
    /// Memory in bytes, or with a unit, such as `2g` or `512Mi`; as the engines do, each unit counts 1024 of the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::number_or_text")]
    pub memory: Option<String>,
}

impl Resources {
    /// Whether nothing is limited.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.cpus.is_none() && self.memory.is_none()
    }
}

/// Network settings of the whole cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Networking {
    /// Address families of pods and services.
    #[serde(deserialize_with = "lenient::choice")]
    pub ip_family: Option<IpFamily>,
    /// Host port of the API server: 0 or absent for a free one, -1 to let the engine choose.
    #[schemars(range(min = -1, max = 65535))]
    pub api_server_port: Option<i32>,
    /// Host address of the API server.
    pub api_server_address: Option<String>,
    /// More names and addresses under which clients reach the API server, for its certificate. kind has no such field.
    #[serde(
        rename = "apiServerCertSANs",
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub api_server_cert_sans: Vec<String>,
    /// Pod addresses: one range, or for a dual-stack cluster two with a comma between.
    pub pod_subnet: Option<String>,
    /// Service addresses: one range, or for a dual-stack cluster two with a comma between.
    pub service_subnet: Option<String>,
    /// Leave out the pod network, because the user installs their own.
    #[serde(rename = "disableDefaultCNI")]
    pub disable_default_cni: Option<bool>,
    /// How kube-proxy works, or that there is none.
    #[serde(deserialize_with = "lenient::choice")]
    pub kube_proxy_mode: Option<ProxyMode>,
    /// DNS search domains of the nodes. Absent: the host's; an empty list: none.
    pub dns_search: Option<Vec<String>>,
}

/// A host path mounted into a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(extend("required" = ["hostPath", "containerPath"]))]
pub struct Mount {
    /// Where the node sees it; absolute.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub container_path: String,
    /// The path on the host, as written: making it absolute is the planner's work.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub host_path: String,
    /// Whether the node may only read it.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub read_only: bool,
    /// Whether the engine gives the files a SELinux label that the node may use.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub selinux_relabel: bool,
    /// Whether mounts made later inside it are passed on.
    #[serde(deserialize_with = "lenient::choice")]
    pub propagation: Option<MountPropagation>,
}

/// A port of a node published on the host, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(extend("required" = ["containerPort"]))]
pub struct PortMapping {
    /// The port inside the node.
    #[schemars(range(min = 1, max = 65535))]
    pub container_port: Option<i32>,
    /// The port on the host: 0 or absent for a free one, -1 to let the engine choose.
    #[schemars(range(min = -1, max = 65535))]
    pub host_port: Option<i32>,
    /// The address on the host; all addresses if absent.
    pub listen_address: Option<String>,
    /// The protocol; TCP if absent.
    #[serde(deserialize_with = "lenient::protocol")]
    #[schemars(schema_with = "schema::protocol")]
    pub protocol: Option<Protocol>,
}

/// A JSON 6902 patch with the kubeadm document it is for. `name` and `namespace` never meant
/// anything and are no fields of v1alpha4.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct PatchJson6902 {
    /// The document's API group; any if empty.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub group: String,
    /// The document's API version; any if empty.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub version: String,
    /// The document's kind.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub kind: String,
    /// The operations, a YAML or JSON list in a string.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub patch: String,
}
