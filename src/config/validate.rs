//! From the file's types to the checked ones, collecting everything that is wrong on the way.

use std::collections::{BTreeMap, HashMap};

use super::defaults::{self, Settings};
use super::error::Problems;
use super::path::FieldPath;
use super::resolved::{ClusterConfig, NetworkConfig, NodeConfig};
use super::types::{Cluster, Mount, Node, Role};
use super::{labels, names, networking, ports, resources};
use crate::patch::{self, PatchList};

impl Cluster {
    /// Fills in what is not given and checks the whole.
    ///
    /// # Errors
    /// Everything that is wrong, by field.
    pub fn resolve(&self, settings: &Settings) -> Result<ClusterConfig, Problems> {
        let mut problems = Problems::default();
        let default_nodes = [Node::default()];
        let file_nodes = match self.nodes.as_slice() {
            [] => &default_nodes,
            nodes => nodes,
        };
        let roles: Vec<Role> = file_nodes
            .iter()
            .map(|node| node.role.unwrap_or_default())
            .collect();
        let name = self.checked_name(settings, &roles, &mut problems);
        let networking = networking::check(&self.networking, &mut problems);
        check_names("featureGates", &self.feature_gates, &mut problems);
        check_names("runtimeConfig", &self.runtime_config, &mut problems);
        for (key, value) in &self.runtime_config {
            if value.contains(',') {
                let path = FieldPath::of("runtimeConfig").key(key);
                problems.add(path, format!("the value `{value}` cannot contain a comma"));
            }
        }
        if !roles.contains(&Role::ControlPlane) {
            problems.add(
                FieldPath::of("nodes"),
                "at least one node must have `role: control-plane`",
            );
        }
        let nodes: Vec<NodeConfig> = file_nodes
            .iter()
            .zip(names::node_names(&name, &roles))
            .enumerate()
            .map(|(at, (node, name))| {
                let path = FieldPath::of("nodes").index(at);
                check_node(node, name, settings, &networking, &path, &mut problems)
            })
            .collect();
        ports::check_clashes(&networking, &nodes, &mut problems);
        let config = ClusterConfig {
            name,
            nodes,
            networking,
            feature_gates: self.feature_gates.clone(),
            runtime_config: self.runtime_config.clone(),
            kubeadm_config_patches: self.kubeadm_config_patches.clone(),
            kubeadm_config_patches_json6902: self.kubeadm_config_patches_json6902.clone(),
            containerd_config_patches: self.containerd_config_patches.clone(),
            containerd_config_patches_json6902: self.containerd_config_patches_json6902.clone(),
        };
        for error in patch::check_early(&config) {
            let path = match error.field.node {
                Some(node) => FieldPath::of("nodes")
                    .index(node)
                    .field(error.field.list.as_str()),
                None => FieldPath::of(error.field.list.as_str()),
            };
            let path = path.index(error.field.index);
            let path = match (error.field.list, error.line) {
                (PatchList::KubeadmJson6902, Some(_)) => path.field("patch"),
                _ => path,
            };
            problems.add_within(path, error.line, error.fault.to_string());
        }
        if problems.as_slice().is_empty() {
            Ok(config)
        } else {
            Err(problems)
        }
    }

    fn checked_name(&self, settings: &Settings, roles: &[Role], problems: &mut Problems) -> String {
        let (path, name) = match (&settings.name, non_empty(self.name.as_ref())) {
            // Not a path of the file, so it gets no place there.
            (Some(name), _) => (FieldPath::of("cluster name"), name.as_str()),
            (None, Some(name)) => (FieldPath::of("name"), name),
            (None, None) => (FieldPath::of("name"), defaults::CLUSTER_NAME),
        };
        for message in names::check_cluster_name(name, roles).err().unwrap_or_default() {
            problems.add(path.clone(), message);
        }
        name.to_owned()
    }
}

/// A text that is given and not empty.
pub(super) fn non_empty(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}

/// Checks names that end up in `--flag=name=value,name=value`.
fn check_names<V>(field: &'static str, names: &BTreeMap<String, V>, problems: &mut Problems) {
    for name in names.keys() {
        if name.is_empty() || name.contains([',', '=']) || name.contains(char::is_whitespace) {
            problems.add(
                FieldPath::of(field).key(name),
                "a name is one word without `,` and `=`; write `Name: value`",
            );
        }
    }
}

fn check_node(
    node: &Node,
    name: String,
    settings: &Settings,
    networking: &NetworkConfig,
    path: &FieldPath,
    problems: &mut Problems,
) -> NodeConfig {
    let image = settings
        .image
        .as_deref()
        .or(non_empty(node.image.as_ref()))
        .unwrap_or(&settings.default_image);
    if image.contains(char::is_whitespace) {
        let message = format!("`{}` is no image: it contains white space", image.escape_debug());
        problems.add(path.field("image"), message);
    }
    for (key, value) in &node.labels {
        let here = path.field("labels").key(key);
        let wrong = labels::check_key(key).or_else(|| labels::check_value(value));
        if let Some(message) = wrong {
            problems.add(here, message);
        }
    }
    check_mounts(&node.extra_mounts, &path.field("extraMounts"), problems);
    NodeConfig {
        name,
        role: node.role.unwrap_or_default(),
        image: image.to_owned(),
        labels: node.labels.clone(),
        extra_mounts: node.extra_mounts.iter().map(filled_in).collect(),
        extra_port_mappings: ports::check(
            &node.extra_port_mappings,
            defaults::listen_address(networking.ip_family),
            &path.field("extraPortMappings"),
            problems,
        ),
        resources: resources::check(&node.resources, &path.field("resources"), problems),
        kubeadm_config_patches: node.kubeadm_config_patches.clone(),
        kubeadm_config_patches_json6902: node.kubeadm_config_patches_json6902.clone(),
    }
}

fn filled_in(mount: &Mount) -> Mount {
    Mount {
        propagation: Some(mount.propagation.unwrap_or_default()),
        ..mount.clone()
    }
}

fn check_mounts(mounts: &[Mount], path: &FieldPath, problems: &mut Problems) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (at, mount) in mounts.iter().enumerate() {
        let here = path.index(at);
        if mount.host_path.is_empty() {
            problems.add(here.field("hostPath"), "say what to mount");
        }
        let target = mount.container_path.as_str();
        if target.is_empty() {
            problems.add(here.field("containerPath"), "say where to mount it");
            continue;
        }
        if !target.starts_with('/') || target == "/" {
            let message = format!("`{target}` must be absolute and not `/` itself");
            problems.add(here.field("containerPath"), message);
        }
        if let Some(first) = seen.insert(target, at) {
            let first = path.index(first);
            let message = format!("`{target}` is already taken by `{first}`");
            problems.add(here.field("containerPath"), message);
        }
    }
}
