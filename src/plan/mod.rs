//! The plan of a cluster: configuration and engine facts in, containers out, before anything is made.

mod balancer;
mod image;
mod mounts;
mod ports;
mod preview;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use kindr_providers::args::SNAPSHOTTER;
use kindr_providers::spec::{self, Container};
use kindr_providers::{EngineInfo, Network, Provider, Published, proxy};
use thiserror::Error;

pub use self::image::version_of;
pub use self::ports::HeldPorts;
pub use self::preview::{Preview, PreviewError, PreviewFile, PreviewNode, PreviewStep};
use crate::config::{ClusterConfig, HostPort, IpFamily, NodeConfig, Protocol, Role, defaults};
use crate::env;
use crate::kubeadm::API_SERVER_BIND_PORT;
use crate::loadbalancer::Program;

/// Why a configuration cannot be turned into containers on this machine.
#[derive(Debug, Error)]
pub enum PlanError {
    /// A host port that the configuration names is in use.
    #[error("port {address}:{port} of the host is in use, and `{field}` asks for it{}",
        holder.as_ref().map_or(String::new(), |holder| format!(": container `{holder}` has it")))]
    PortInUse {
        /// The host address.
        address: IpAddr,
        /// The port.
        port: u16,
        /// Where the configuration names it.
        field: String,
        /// The container that has it, if that is known.
        holder: Option<String>,
    },
    /// The host has no free port.
    #[error("found no free port on {address}: {source}")]
    NoFreePort {
        /// The host address.
        address: IpAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// A host path cannot be said on an engine's command line.
    #[error("`{field}` mounts {}: an engine cannot mount a path with a colon", path.display())]
    ColonInPath {
        /// The path.
        path: PathBuf,
        /// Where the configuration names it.
        field: String,
    },
    /// The working directory, the base of relative paths, is unknown.
    #[error("the working directory cannot be read, so {} stays unknown: {source}", path.display())]
    NoWorkingDirectory {
        /// The relative path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A cluster's nodes, and the host ports that are held for them.
///
/// It is made in two parts: what only the configuration and this host decide is planned, and may fail, before anything is
/// made ([`Plan::new`]); what the engine, its network and the choice of a balancer add follows ([`Plan::containers`]).
#[derive(Debug)]
pub struct Plan {
    /// The API server's port on the host, if it is not the engine's to choose.
    pub api_server_port: Option<u16>,
    /// What the user should know before the containers are made.
    pub warnings: Vec<String>,
    nodes: Vec<spec::Node>,
    front: spec::Port,
    /// Ports to release before the containers are made, which is when the plan is dropped.
    _ports: HeldPorts,
}

impl Plan {
    /// Plans a cluster. Looks at the host's ports and paths and changes nothing; an engine on another host (`remote`) has to
    /// look for itself, and picks the ports. `taken` are ports that containers have.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn new(config: &ClusterConfig, remote: bool, taken: Vec<Published>) -> Result<Self, PlanError> {
        if remote {
            let mut plan = Self::with_ports(HeldPorts::blind(), config)?;
            // They are all of paths that this machine lacks.
            plan.warnings.clear();
            return Ok(plan);
        }
        Self::with_ports(HeldPorts::beside(taken), config)
    }

    fn with_ports(mut ports: HeldPorts, config: &ClusterConfig) -> Result<Self, PlanError> {
        let mut warnings = Vec::new();
        let networking = &config.networking;
        let front = api_port(
            &mut ports,
            networking.api_server_port,
            networking.api_server_address,
        )?;
        let balanced = config.load_balancer_name().is_some();
        let nodes = config
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| {
                let mut planned = plan_node(node, index, &mut ports, &mut warnings)?;
                if node.role == Role::ControlPlane {
                    // Behind a balancer each has a port of its own, for this machine alone.
                    planned.ports.push(if balanced {
                        let local = defaults::api_server_address(networking.ip_family);
                        api_port(&mut ports, HostPort::Free, local)?
                    } else {
                        front.clone()
                    });
                    planned
                        .env
                        .push(("KUBECONFIG".to_owned(), "/etc/kubernetes/admin.conf".to_owned()));
                }
                Ok(planned)
            })
            .collect::<Result<Vec<_>, PlanError>>()?;
        Ok(Self {
            api_server_port: match front.host {
                spec::HostPort::Fixed(port) => Some(port),
                spec::HostPort::Engine => None,
            },
            warnings,
            nodes,
            front,
            _ports: ports,
        })
    }

    /// The containers in the order of the configuration, the balancer last. `images` has the engine's names of the images
    /// that it has.
    #[expect(clippy::too_many_arguments, reason = "each is another source of facts")]
    pub fn containers(
        &self,
        config: &ClusterConfig,
        provider: &dyn Provider,
        info: &EngineInfo,
        network_name: &str,
        network: &Network,
        program: Program,
        images: BTreeMap<String, String>,
    ) -> Vec<Container> {
        let mut nodes = self.nodes.clone();
        nodes.extend(balancer::plan(
            config,
            provider.dialect(),
            program,
            self.front.clone(),
        ));
        let cluster = spec::Cluster {
            name: config.name.clone(),
            network: network_name.to_owned(),
            family: match config.networking.ip_family {
                IpFamily::Ipv4 => spec::Family::Ipv4,
                IpFamily::Ipv6 => spec::Family::Ipv6,
                IpFamily::Dual => spec::Family::Dual,
            },
            env: shared_env(config, info, network),
            images,
            nodes,
        };
        provider.plan_creation(&cluster, info)
    }
}

/// The API server's port, published at this address.
fn api_port(held: &mut HeldPorts, wish: HostPort, address: IpAddr) -> Result<spec::Port, PlanError> {
    Ok(spec::Port {
        address: address.to_string(),
        host: held.resolve(wish, address, Protocol::Tcp, "networking.apiServerPort")?,
        container: API_SERVER_BIND_PORT,
        protocol: spec::Protocol::Tcp,
    })
}

fn plan_node(
    node: &NodeConfig,
    index: usize,
    held: &mut HeldPorts,
    warnings: &mut Vec<String>,
) -> Result<spec::Node, PlanError> {
    let mounts = node
        .extra_mounts
        .iter()
        .enumerate()
        .map(|(at, mount)| {
            mounts::plan(
                mount,
                &format!("nodes[{index}].extraMounts[{at}].hostPath"),
                warnings,
            )
        })
        .collect::<Result<_, _>>()?;
    let ports = node
        .extra_port_mappings
        .iter()
        .enumerate()
        .map(|(at, port)| {
            Ok(spec::Port {
                address: port.listen_address.to_string(),
                host: held.resolve(
                    port.host_port,
                    port.listen_address,
                    port.protocol,
                    &format!("nodes[{index}].extraPortMappings[{at}].hostPort"),
                )?,
                container: port.container_port,
                protocol: match port.protocol {
                    Protocol::Tcp => spec::Protocol::Tcp,
                    Protocol::Udp => spec::Protocol::Udp,
                    Protocol::Sctp => spec::Protocol::Sctp,
                },
            })
        })
        .collect::<Result<_, PlanError>>()?;
    Ok(spec::Node {
        name: node.name.clone(),
        role: node.role.as_str().to_owned(),
        image: node.image.clone(),
        mounts,
        ports,
        env: Vec::new(),
        limits: spec::Limits {
            cpus: node.resources.cpus.clone(),
            memory: node.resources.memory,
        },
        entrypoint: None,
        command: Vec::new(),
    })
}

/// What every node's environment holds: the user's proxy, and the DNS search domains if they are given.
fn shared_env(config: &ClusterConfig, info: &EngineInfo, network: &Network) -> Vec<(String, String)> {
    let direct: Vec<String> = network
        .subnets
        .iter()
        .cloned()
        .chain([
            config.networking.service_subnet.to_string(),
            config.networking.pod_subnet.to_string(),
        ])
        .chain(config.nodes.iter().map(|node| node.name.clone()))
        .chain(config.load_balancer_name())
        .collect();
    let get = proxy::lookup(|name| std::env::var(name).ok(), &info.proxy);
    let mut env = proxy::node_env(get, &direct);
    // Given and empty is not the same as absent: it means no search domains at all.
    if let Some(domains) = &config.networking.dns_search {
        env.push(("KIND_DNS_SEARCH".to_owned(), domains.join(" ")));
    }
    if let Some(snapshotter) = env::first(&[env::KINDR_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER]) {
        env.push((SNAPSHOTTER.to_owned(), snapshotter));
    }
    env
}
