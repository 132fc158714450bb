//! Readers of `inspect` output; docker, podman and nerdctl share its shape in what is read here.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::provider::{ClusterNode, ImageInfo, Network, NodeState};
use crate::{CLUSTER_LABEL, ROLE_LABEL};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Container {
    name: String,
    state: State,
    config: Option<ContainerConfig>,
    #[serde(default)]
    network_settings: NetworkSettings,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct State {
    #[serde(default)]
    running: bool,
    exit_code: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ContainerConfig {
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase")]
struct NetworkSettings {
    networks: Option<BTreeMap<String, Endpoint>>,
    ports: Option<BTreeMap<String, Option<Vec<Binding>>>>,
}

#[derive(Deserialize)]
struct Endpoint {
    #[serde(rename = "IPAddress", default)]
    ipv4: String,
    #[serde(rename = "GlobalIPv6Address", default)]
    ipv6: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Binding {
    #[serde(default)]
    host_ip: String,
    host_port: String,
}

/// Reads the containers of an `inspect` answer.
pub(crate) fn containers(json: &[u8]) -> Result<Vec<NodeState>, String> {
    let containers: Vec<Container> = serde_json::from_slice(json).map_err(|e| e.to_string())?;
    Ok(containers.into_iter().map(node_state).collect())
}

fn node_state(container: Container) -> NodeState {
    let networks: Vec<Endpoint> = container
        .network_settings
        .networks
        .unwrap_or_default()
        .into_values()
        .collect();
    // Of several networks the first that gives an address will do: the API server's certificate names the node.
    let ports = container
        .network_settings
        .ports
        .unwrap_or_default()
        .into_iter()
        .flat_map(|(port, bindings)| {
            bindings
                .unwrap_or_default()
                .into_iter()
                .filter_map(move |b| Some((port.clone(), b.host_ip, b.host_port.parse().ok()?)))
        })
        .collect();
    let labels = container.config.and_then(|c| c.labels).unwrap_or_default();
    let ports = with_desktop_ports(ports, &labels);
    NodeState {
        name: container.name.trim_start_matches('/').to_owned(),
        role: labels.get(ROLE_LABEL).cloned().unwrap_or_default(),
        running: container.state.running,
        exit_code: container.state.exit_code,
        ipv4: networks.iter().find_map(|n| n.ipv4.parse().ok()),
        ipv6: networks.iter().find_map(|n| n.ipv6.parse().ok()),
        ports,
    }
}

/// Where Docker Desktop publishes a port of its virtual machine on this one, it says so in a label.
const DESKTOP_PORT: &str = "desktop.docker.io/ports/";

type Ports = Vec<(String, String, u16)>;

/// The ports, of which those that Docker Desktop publishes elsewhere are where it says.
fn with_desktop_ports(mut ports: Ports, labels: &BTreeMap<String, String>) -> Ports {
    for (key, place) in labels {
        let Some(port) = key.strip_prefix(DESKTOP_PORT) else {
            continue;
        };
        // `127.0.0.1:6443`, or `:6443`.
        if let Some((address, number)) = place.rsplit_once(':')
            && let Ok(number) = number.parse()
        {
            ports.retain(|(known, _, _)| known != port);
            ports.push((port.to_owned(), address.to_owned(), number));
        }
    }
    ports
}

/// An image as docker and podman show it, or nerdctl's own view.
#[derive(Deserialize)]
#[serde(untagged)]
enum Image {
    Native {
        #[serde(rename = "ImageConfigDesc")]
        descriptor: Descriptor,
        #[serde(rename = "ImageConfig")]
        image: NativeConfig,
    },
    #[serde(rename_all = "PascalCase")]
    Docker {
        id: String,
        config: Option<ImageConfig>,
        repo_tags: Option<Vec<String>>,
        repo_digests: Option<Vec<String>>,
    },
}

#[derive(Deserialize)]
struct Descriptor {
    digest: String,
}

#[derive(Deserialize)]
struct NativeConfig {
    config: Option<ImageConfig>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ImageConfig {
    entrypoint: Option<Vec<String>>,
}

/// Reads the one image of an answer to a question for an image, whose name is left empty, and its tags and digests.
pub(crate) fn image(json: &[u8]) -> Result<(ImageInfo, Vec<String>), String> {
    let images: Vec<Image> = serde_json::from_slice(json).map_err(|e| e.to_string())?;
    let (id, config, tags) = match images.into_iter().next().ok_or("no image in the answer")? {
        Image::Native { descriptor, image } => (descriptor.digest, image.config, Vec::new()),
        Image::Docker {
            id,
            config,
            repo_tags,
            repo_digests,
        } => {
            let tags = repo_tags.into_iter().chain(repo_digests).flatten().collect();
            (id, config, tags)
        }
    };
    let info = ImageInfo {
        name: String::new(),
        id,
        names: tags.clone(),
        entrypoint: config.and_then(|c| c.entrypoint).unwrap_or_default(),
    };
    Ok((info, tags))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    #[serde(default)]
    names: Vec<String>,
    labels: Option<BTreeMap<String, String>>,
}

/// Reads the containers of podman's `ps --format json` that belong to a cluster.
pub(crate) fn listed(json: &[u8]) -> Result<Vec<ClusterNode>, String> {
    if json.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let containers: Vec<Listed> = serde_json::from_slice(json).map_err(|e| e.to_string())?;
    Ok(containers
        .into_iter()
        .filter_map(|container| {
            let mut labels = container.labels?;
            Some(ClusterNode {
                cluster: labels.remove(CLUSTER_LABEL)?,
                name: container.names.into_iter().next()?,
                role: labels.remove(ROLE_LABEL).unwrap_or_default(),
            })
        })
        .collect())
}

#[derive(Deserialize)]
struct NetworkEntry {
    #[serde(rename = "Name", alias = "name")]
    name: String,
    #[serde(rename = "Id", alias = "id", alias = "ID", default)]
    id: String,
    #[serde(rename = "Created", alias = "created", default)]
    created: String,
    #[serde(rename = "IPAM", default)]
    ipam: Ipam,
    #[serde(default)]
    subnets: Vec<PodmanSubnet>,
    #[serde(rename = "Containers", default)]
    containers: Option<BTreeMap<String, serde_json::Value>>,
}

#[derive(Deserialize, Default)]
struct Ipam {
    #[serde(rename = "Config", default)]
    config: Option<Vec<Subnet>>,
}

#[derive(Deserialize)]
struct Subnet {
    #[serde(rename = "Subnet", default)]
    subnet: String,
}

#[derive(Deserialize)]
struct PodmanSubnet {
    subnet: String,
}

/// Reads the networks of a `network inspect` answer that have exactly this name (engines also match ids).
pub(crate) fn networks(json: &[u8], name: &str) -> Result<Vec<Network>, String> {
    let entries: Vec<NetworkEntry> = serde_json::from_slice(json).map_err(|e| e.to_string())?;
    Ok(entries
        .into_iter()
        .filter(|entry| entry.name == name)
        .map(|entry| Network {
            id: entry.id,
            created: entry.created,
            subnets: entry
                .ipam
                .config
                .unwrap_or_default()
                .into_iter()
                .map(|s| s.subnet)
                .chain(entry.subnets.into_iter().map(|s| s.subnet))
                .filter(|s| !s.is_empty())
                .collect(),
            containers: entry.containers.map_or(0, |c| c.len()),
        })
        .collect())
}

#[cfg(test)]
mod tests;
