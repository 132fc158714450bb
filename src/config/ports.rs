//! Checks of published ports.

use std::net::IpAddr;

use super::error::Problems;
use super::path::FieldPath;
use super::resolved::{HostPort, NetworkConfig, NodeConfig, PortConfig};
use super::types::{PortMapping, Protocol};
use super::validate::non_empty;

/// Checks one node's mappings, each by itself.
pub(super) fn check(
    mappings: &[PortMapping],
    everywhere: IpAddr,
    path: &FieldPath,
    problems: &mut Problems,
) -> Vec<PortConfig> {
    let checked = mappings.iter().enumerate().map(|(at, mapping)| {
        let here = path.index(at);
        PortConfig {
            container_port: container_port(mapping, &here, problems),
            host_port: host_port(mapping.host_port, &here.field("hostPort"), problems),
            listen_address: non_empty(mapping.listen_address.as_ref())
                .and_then(|text| address(text, &here.field("listenAddress"), problems))
                .unwrap_or(everywhere),
            protocol: mapping.protocol.unwrap_or_default(),
        }
    });
    checked.collect()
}

fn container_port(mapping: &PortMapping, here: &FieldPath, problems: &mut Problems) -> u16 {
    let path = here.field("containerPort");
    let Some(port) = mapping.container_port else {
        problems.add(path, "say which port of the node to publish");
        return 0;
    };
    match u16::try_from(port) {
        Ok(port) if port > 0 => port,
        Ok(_) | Err(_) => {
            problems.add(path, format!("{port} is no port; 1 to 65535 are"));
            0
        }
    }
}

/// Checks a host port: absent, 0 and -1 have their special meanings.
pub(super) fn host_port(port: Option<i32>, path: &FieldPath, problems: &mut Problems) -> HostPort {
    match port {
        None | Some(0) => HostPort::Free,
        Some(-1) => HostPort::EngineChoice,
        Some(port) => match u16::try_from(port) {
            Ok(port) => HostPort::Fixed(port),
            Err(_) => {
                let message = format!(
                    "{port} is no port; 1 to 65535 are, 0 is any free one, and -1 lets the engine choose"
                );
                problems.add(path.clone(), message);
                HostPort::Free
            }
        },
    }
}

/// Checks an address.
pub(super) fn address(text: &str, path: &FieldPath, problems: &mut Problems) -> Option<IpAddr> {
    let address = text.parse().ok();
    if address.is_none() {
        let message = format!("`{text}` is no IP address; names are not possible here");
        problems.add(path.clone(), message);
    }
    address
}

/// A host port that the file asks for by number.
struct Claim {
    path: FieldPath,
    address: IpAddr,
    port: u16,
    protocol: Protocol,
}

impl Claim {
    fn clashes_with(&self, other: &Self) -> bool {
        (self.port, self.protocol) == (other.port, other.protocol)
            && (self.address.is_unspecified()
                || other.address.is_unspecified()
                || self.address == other.address)
    }

    fn describe_address(&self) -> String {
        if self.address.is_unspecified() {
            "all addresses".to_owned()
        } else {
            self.address.to_string()
        }
    }
}

/// Checks that no two of a cluster's fixed host ports get into each other's way, over all nodes and
/// the API server. Ports that are chosen later never clash.
pub(super) fn check_clashes(networking: &NetworkConfig, nodes: &[NodeConfig], problems: &mut Problems) {
    let mut claims: Vec<Claim> = Vec::new();
    if let HostPort::Fixed(port) = networking.api_server_port {
        claims.push(Claim {
            path: FieldPath::of("networking").field("apiServerPort"),
            address: networking.api_server_address,
            port,
            protocol: Protocol::Tcp,
        });
    }
    for (node_at, node) in nodes.iter().enumerate() {
        for (at, mapping) in node.extra_port_mappings.iter().enumerate() {
            let HostPort::Fixed(port) = mapping.host_port else {
                continue;
            };
            let list = FieldPath::of("nodes").index(node_at).field("extraPortMappings");
            let claim = Claim {
                path: list.index(at).field("hostPort"),
                address: mapping.listen_address,
                port,
                protocol: mapping.protocol,
            };
            if let Some(first) = claims.iter().find(|first| claim.clashes_with(first)) {
                let message = format!(
                    "host port {port}/{} on {} is already taken by `{}` on {}; use another port, or leave it out to get a free one",
                    claim.protocol.as_str(),
                    claim.describe_address(),
                    first.path,
                    first.describe_address()
                );
                problems.add(claim.path.clone(), message);
            }
            claims.push(claim);
        }
    }
}
