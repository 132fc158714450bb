//! The shared argument generation: a cluster described as data, plus a dialect, gives each container's command line.
//!
//! Pure: nothing here asks an engine or the host. The order of arguments is kind's, so that the two can be compared.

use crate::dialect::Dialect;
use crate::image;
use crate::provider::EngineInfo;
use crate::spec::{Cluster, Container, Family, HostPort, Limits, Mount, Node, Port, Propagation, Protocol};
use crate::{CLUSTER_LABEL, ROLE_LABEL};

/// Role of the container that spreads requests over several control planes.
pub const LOAD_BALANCER_ROLE: &str = "external-load-balancer";

/// The variable by which a node image learns which snapshotter its containerd is to use.
pub const SNAPSHOTTER: &str = "KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER";

/// The containers of a cluster, each with its whole `run` call.
pub fn plan_creation(cluster: &Cluster, dialect: &Dialect, engine: &EngineInfo) -> Vec<Container> {
    let shared = shared_args(cluster, dialect, engine);
    cluster
        .nodes
        .iter()
        .map(|node| {
            let mut args = vec!["run".to_owned(), "--name".to_owned(), node.name.clone()];
            args.extend(head_args(node, cluster, dialect));
            args.extend(shared.iter().cloned());
            args.extend(node.mounts.iter().map(mount_arg));
            args.extend(
                node.ports
                    .iter()
                    .map(|port| port_arg(port, cluster.family, dialect)),
            );
            args.extend(env_args(&node.env));
            args.extend(limit_args(&node.limits));
            args.extend(
                node.entrypoint
                    .iter()
                    .map(|program| format!("--entrypoint={program}")),
            );
            args.push(image_name(&node.image, cluster, dialect));
            args.extend_from_slice(&node.command);
            Container {
                name: node.name.clone(),
                role: node.role.clone(),
                image: node.image.clone(),
                volume: (node.role != LOAD_BALANCER_ROLE && dialect.var_volume.is_some())
                    .then(|| var_volume(&node.name)),
                args,
            }
        })
        .collect()
}

/// The name by which the engine finds an image.
fn image_name(name: &str, cluster: &Cluster, dialect: &Dialect) -> String {
    match cluster.images.get(name) {
        Some(found) => found.clone(),
        None if dialect.whole_image_names => image::qualified(name),
        None => name.to_owned(),
    }
}

/// What a node has for itself: its name, its role and, for all but the load balancer, the rights of a whole machine.
fn head_args(node: &Node, cluster: &Cluster, dialect: &Dialect) -> Vec<String> {
    let mut args = strings(&["--hostname", &node.name, "--label"]);
    args.push(format!("{ROLE_LABEL}={}", node.role));
    if node.role == LOAD_BALANCER_ROLE {
        return args;
    }
    args.push("--privileged".to_owned());
    if dialect.security_opts {
        args.extend(strings(&[
            "--security-opt",
            "seccomp=unconfined",
            "--security-opt",
            "apparmor=unconfined",
        ]));
    }
    // systemd wants these two writable and forgotten at a restart.
    args.extend(strings(&["--tmpfs", "/tmp", "--tmpfs", "/run"]));
    // Pods, images and logs belong on a real file system: overlay cannot stack on a container's own.
    args.push("--volume".to_owned());
    args.push(match dialect.var_volume {
        None => "/var".to_owned(),
        Some(options) => format!("{}:/var:{options}", var_volume(&node.name)),
    });
    args.extend(strings(&["--volume", "/lib/modules:/lib/modules:ro"]));
    if !cluster.env.iter().any(|(name, _)| name == SNAPSHOTTER) {
        // Without a value: passed on from the user's environment, if it is set there.
        args.extend(strings(&["-e", SNAPSHOTTER]));
    }
    args
}

/// The name of the volume made for a node's /var, where the engine needs one made beforehand.
pub fn var_volume(node: &str) -> String {
    format!("{node}-var")
}

fn shared_args(cluster: &Cluster, dialect: &Dialect, engine: &EngineInfo) -> Vec<String> {
    let label = ["--label".to_owned(), format!("{CLUSTER_LABEL}={}", cluster.name)];
    let net = ["--net".to_owned(), cluster.network.clone()];
    let mut args = strings(&["--detach", "--tty"]);
    let (first, second) = if dialect.net_before_label {
        (net, label)
    } else {
        (label, net)
    };
    args.extend(first);
    args.extend(second);
    if let Some(restart) = dialect.restart.filter(|_| !engine.no_restart_policy) {
        args.push(format!("--restart={restart}"));
    }
    if dialect.init_false {
        args.push("--init=false".to_owned());
    }
    if let Some(container) = dialect.container_env {
        args.extend(strings(&["-e", &format!("container={container}")]));
    }
    // The default only where the host has cgroup v2; with v1 a node would see the whole host's tree.
    args.push("--cgroupns=private".to_owned());
    if cluster.family.has_ipv6() {
        args.extend(strings(&[
            "--sysctl=net.ipv6.conf.all.disable_ipv6=0",
            "--sysctl=net.ipv6.conf.all.forwarding=1",
        ]));
    }
    if dialect.userns_host && engine.userns_remap {
        args.push("--userns=host".to_owned());
    }
    if engine.needs_device_mapper() {
        args.extend(strings(&["--volume", "/dev/mapper:/dev/mapper"]));
    }
    if engine.rootless {
        args.extend(strings(&["--device", "/dev/fuse"]));
    }
    args.extend(env_args(&cluster.env));
    args
}

fn env_args(env: &[(String, String)]) -> Vec<String> {
    env.iter()
        .flat_map(|(key, value)| ["-e".to_owned(), format!("{key}={value}")])
        .collect()
}

/// All three engines have these two, and take plain bytes.
fn limit_args(limits: &Limits) -> impl Iterator<Item = String> {
    let cpus = limits.cpus.as_ref().map(|cpus| format!("--cpus={cpus}"));
    let memory = limits.memory.map(|bytes| format!("--memory={bytes}"));
    cpus.into_iter().chain(memory)
}

fn mount_arg(mount: &Mount) -> String {
    let mut arg = format!("--volume={}:{}", mount.host.display(), mount.container);
    let mut options = Vec::new();
    if mount.read_only {
        options.push("ro");
    }
    if mount.selinux_relabel {
        options.push("Z");
    }
    match mount.propagation {
        Propagation::None => {}
        Propagation::HostToContainer => options.push("rslave"),
        Propagation::Bidirectional => options.push("rshared"),
    }
    if !options.is_empty() {
        arg.push(':');
        arg.push_str(&options.join(","));
    }
    arg
}

fn port_arg(port: &Port, family: Family, dialect: &Dialect) -> String {
    let address = match (port.address.as_str(), family) {
        ("", Family::Ipv6) => "::",
        ("", _) => "0.0.0.0",
        (address, _) => address,
    };
    let address = if address.contains(':') {
        format!("[{address}]")
    } else {
        address.to_owned()
    };
    let host = match port.host {
        HostPort::Fixed(number) => number.to_string(),
        HostPort::Engine if dialect.empty_random_port => String::new(),
        HostPort::Engine => "0".to_owned(),
    };
    let protocol = match port.protocol {
        Protocol::Tcp => "TCP",
        Protocol::Udp => "UDP",
        Protocol::Sctp => "SCTP",
    };
    let protocol = if dialect.lower_case_protocol {
        protocol.to_lowercase()
    } else {
        protocol.to_owned()
    };
    format!("--publish={address}:{host}:{}/{protocol}", port.container)
}

fn strings(args: &[&str]) -> Vec<String> {
    args.iter().map(|&arg| arg.to_owned()).collect()
}

#[cfg(test)]
mod tests;
