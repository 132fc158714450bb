//! From facts to documents.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde_json::Value;

use super::dialect::{self, Dialect};
use super::documents::{
    ApiServer, Args, ClusterConfiguration, Component, Discovery, Endpoint, Gates, Header, InitConfiguration,
    JoinConfiguration, JoinControlPlane, Networking, NodeRegistration, Token, TokenDiscovery,
};
use super::error::KubeadmError;
use super::facts::{ClusterFacts, NodeFacts};
use crate::config::{IpFamily, ProxyMode, Role, kubelet_may_set};

const CRI_SOCKET: &str = "unix:///run/containerd/containerd.sock";

/// Returns the documents that `kubeadm init` reads: the cluster, the first control plane, the
/// kubelets, and, unless there is no kube-proxy, the kube-proxies.
///
/// # Errors
/// As [`super::init_config`].
pub fn init_documents(cluster: &ClusterFacts, node: &NodeFacts) -> Result<Vec<Value>, KubeadmError> {
    let builder = Builder::new(cluster)?;
    let mut documents = vec![
        value(&builder.cluster_configuration())?,
        value(&builder.init_configuration(node)?)?,
        value(&builder.kubelet_configuration())?,
    ];
    if cluster.kube_proxy_mode != ProxyMode::None {
        documents.push(value(&builder.kube_proxy_configuration())?);
    }
    Ok(documents)
}

/// Returns the one document that `kubeadm join` reads; the rest it fetches from the cluster.
///
/// # Errors
/// As [`super::join_config`].
pub fn join_documents(cluster: &ClusterFacts, node: &NodeFacts) -> Result<Vec<Value>, KubeadmError> {
    let builder = Builder::new(cluster)?;
    Ok(vec![value(&builder.join_configuration(node)?)?])
}

/// Lets the control plane of a cluster of one node run workloads. kind removes the taint afterwards, with a call more.
pub fn run_workloads(documents: &mut [Value]) {
    for document in documents.iter_mut().filter(|d| d["kind"] == "InitConfiguration") {
        document["nodeRegistration"]["taints"] = Value::Array(Vec::new());
    }
}

fn value(document: &impl serde::Serialize) -> Result<Value, KubeadmError> {
    serde_json::to_value(document).map_err(|error| KubeadmError::Render {
        reason: error.to_string(),
    })
}

/// Makes the documents of one cluster.
pub(super) struct Builder<'a> {
    pub(super) cluster: &'a ClusterFacts,
    pub(super) dialect: Dialect,
    /// The cluster's feature gates with those that the engine makes necessary.
    pub(super) gates: Gates,
}

impl<'a> Builder<'a> {
    fn new(cluster: &'a ClusterFacts) -> Result<Self, KubeadmError> {
        let mut gates = cluster.feature_gates.clone();
        if cluster.rootless {
            if !dialect::runs_rootless(&cluster.kubernetes_version) {
                return Err(KubeadmError::TooOldForRootless {
                    version: cluster.kubernetes_version.clone(),
                });
            }
            gates.insert("KubeletInUserNamespace".to_owned(), true);
        }
        Ok(Self {
            cluster,
            dialect: Dialect::of(&cluster.kubernetes_version),
            gates,
        })
    }

    const fn header(&self, kind: &'static str) -> Header {
        Header {
            api_version: self.dialect.api_version,
            kind,
        }
    }

    pub(super) const fn is_ipv6(&self) -> bool {
        matches!(self.cluster.ip_family, IpFamily::Ipv6)
    }

    fn args<const N: usize>(&self, args: [(&'static str, Option<String>); N]) -> Args {
        Args {
            as_list: self.dialect.args_are_a_list,
            args: args
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
        }
    }

    fn gates_arg(&self) -> (&'static str, Option<String>) {
        let any = !self.gates.is_empty();
        ("feature-gates", any.then(|| joined(&self.gates)))
    }

    /// A `--bind-address`, where the component's own default is an IPv4 one.
    fn bind_arg(&self, address: &str) -> (&'static str, Option<String>) {
        ("bind-address", self.is_ipv6().then(|| address.to_owned()))
    }

    /// An election needs a few seconds, and where there is one candidate it is for nothing.
    fn election_arg(&self) -> (&'static str, Option<String>) {
        let alone = self.cluster.single_control_plane;
        ("leader-elect", alone.then(|| "false".to_owned()))
    }

    fn cluster_configuration(&self) -> ClusterConfiguration {
        let cluster = self.cluster;
        let mut feature_gates = Gates::new();
        if self.dialect.dual_stack_gate {
            feature_gates.insert("IPv6DualStack".to_owned(), true);
        }
        // Like the node labels there even if empty: patches of the wild replace it.
        let runtime_config = Some(joined(&cluster.runtime_config));
        let provisioner = ("enable-hostpath-provisioner", Some("true".to_owned()));
        ClusterConfiguration {
            header: self.header("ClusterConfiguration"),
            kubernetes_version: format!("v{}", cluster.kubernetes_version),
            cluster_name: cluster.cluster_name.clone(),
            control_plane_endpoint: cluster.control_plane_endpoint.clone(),
            feature_gates,
            api_server: ApiServer {
                cert_sans: cert_sans(cluster),
                extra_args: self.args([("runtime-config", runtime_config), self.gates_arg()]),
            },
            controller_manager: Component {
                extra_args: self.args([
                    self.gates_arg(),
                    provisioner,
                    self.bind_arg("::"),
                    self.election_arg(),
                    // By the default of 20 requests a second its many controllers start one after another, for 5 seconds.
                    ("kube-api-qps", Some("100".to_owned())),
                    ("kube-api-burst", Some("200".to_owned())),
                ]),
            },
            scheduler: Component {
                extra_args: self.args([self.gates_arg(), self.bind_arg("::1"), self.election_arg()]),
            },
            networking: Networking {
                pod_subnet: cluster.pod_subnet.to_string(),
                service_subnet: cluster.service_subnet.to_string(),
            },
        }
    }

    fn init_configuration(&self, node: &NodeFacts) -> Result<InitConfiguration, KubeadmError> {
        let skip_phases = if self.dialect.has_skip_phases {
            dialect::init_skip_phases()
        } else {
            Vec::new()
        };
        Ok(InitConfiguration {
            header: self.header("InitConfiguration"),
            bootstrap_tokens: vec![Token {
                token: self.cluster.token.expose().to_owned(),
            }],
            local_api_endpoint: self.endpoint(node)?,
            node_registration: self.node_registration(node)?,
            skip_phases,
        })
    }

    fn join_configuration(&self, node: &NodeFacts) -> Result<JoinConfiguration, KubeadmError> {
        let control_plane = match node.role {
            Role::ControlPlane => Some(JoinControlPlane {
                local_api_endpoint: self.endpoint(node)?,
            }),
            Role::Worker => None,
        };
        let skip_phases = if self.dialect.has_skip_phases {
            dialect::join_skip_phases()
        } else {
            Vec::new()
        };
        let cluster = self.cluster;
        let bootstrap_token = TokenDiscovery {
            api_server_endpoint: cluster.control_plane_endpoint.clone(),
            token: cluster.token.expose().to_owned(),
            ca_cert_hashes: cluster.ca_cert_hash.iter().cloned().collect(),
            unsafe_skip_ca_verification: cluster.ca_cert_hash.is_none(),
        };
        Ok(JoinConfiguration {
            header: self.header("JoinConfiguration"),
            control_plane,
            discovery: Discovery { bootstrap_token },
            node_registration: self.node_registration(node)?,
            skip_phases,
        })
    }

    fn endpoint(&self, node: &NodeFacts) -> Result<Endpoint, KubeadmError> {
        let (first, _) = self.addresses(node)?;
        Ok(Endpoint {
            advertise_address: first.to_string(),
            bind_port: self.cluster.api_server_bind_port,
        })
    }

    fn node_registration(&self, node: &NodeFacts) -> Result<NodeRegistration, KubeadmError> {
        let (first, second) = self.addresses(node)?;
        let node_ip = match second {
            Some(second) => format!("{first},{second}"),
            None => first.to_string(),
        };
        let (provider, cluster) = (&self.cluster.provider, &self.cluster.cluster_name);
        let labels: BTreeMap<_, _> = node
            .labels
            .iter()
            .filter(|(key, _)| kubelet_may_set(key))
            .collect();
        Ok(NodeRegistration {
            cri_socket: CRI_SOCKET,
            kubelet_extra_args: self.args([
                ("node-ip", Some(node_ip)),
                (
                    "provider-id",
                    Some(format!("kind://{provider}/{cluster}/{}", node.name)),
                ),
                ("node-labels", Some(joined(&labels))),
            ]),
        })
    }

    /// The node's addresses, the one of the primary service range first: the API server advertises
    /// it, and it must be of that family.
    fn addresses(&self, node: &NodeFacts) -> Result<(IpAddr, Option<IpAddr>), KubeadmError> {
        let missing = |family| KubeadmError::MissingAddress {
            node: node.name.clone(),
            family,
        };
        let v4 = || Ok(IpAddr::from(node.ipv4.ok_or_else(|| missing("IPv4"))?));
        let v6 = || Ok(IpAddr::from(node.ipv6.ok_or_else(|| missing("IPv6"))?));
        match self.cluster.ip_family {
            IpFamily::Ipv4 => Ok((v4()?, None)),
            IpFamily::Ipv6 => Ok((v6()?, None)),
            IpFamily::Dual if self.cluster.service_subnet.ipv6_first() => Ok((v6()?, Some(v4()?))),
            IpFamily::Dual => Ok((v4()?, Some(v6()?))),
        }
    }
}

/// What the API server's certificate holds for clients on the host. Who listens on all addresses is
/// dialled on a loopback one.
fn cert_sans(cluster: &ClusterFacts) -> Vec<String> {
    let address = cluster.api_server_address;
    let mut names = vec!["localhost".to_owned(), address.to_string()];
    if address.is_unspecified() {
        names.extend(["127.0.0.1".to_owned(), "::1".to_owned()]);
    }
    for name in &cluster.extra_cert_sans {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Joins a map as flags want it, `a=b,c=d`.
fn joined<K: std::fmt::Display, V: std::fmt::Display>(map: &BTreeMap<K, V>) -> String {
    let pairs: Vec<String> = map.iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join(",")
}
