//! What can go wrong while a cluster is made, and what to do about it.

use std::path::PathBuf;

use kindr_providers::{EngineError, Failure};
use thiserror::Error;

use crate::events::Step;
use crate::kubeconfig::KubeconfigError;
use crate::patch::{NodePatchError, PatchField};
use crate::plan::PlanError;

/// A create that failed: where, why, and what is left of it.
#[derive(Debug, Error)]
#[error("{}{cause}", self.place())]
pub struct CreateError {
    /// The cluster.
    pub cluster: String,
    /// The step that failed.
    pub step: Step,
    /// The node on which it failed, if it was on one.
    pub node: Option<String>,
    /// Why.
    #[source]
    pub cause: Cause,
    /// The folder with the nodes' logs, if there were nodes.
    pub logs: Option<PathBuf>,
    /// The containers that are still there: kept on the user's wish, or impossible to remove.
    pub left: Vec<String>,
}

/// Why a step failed.
#[derive(Debug, Error)]
pub enum Cause {
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The plan cannot be carried out on this machine.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The user's kubeconfig cannot take the cluster.
    #[error(transparent)]
    Kubeconfig(#[from] KubeconfigError),
    /// A cluster of this name exists.
    #[error("a cluster named `{name}` exists already, with {}", nodes.join(", "))]
    NameTaken {
        /// The name.
        name: String,
        /// Its nodes.
        nodes: Vec<String>,
    },
    /// The engine cannot run Kubernetes as it is set up.
    #[error("{0}")]
    Unsuitable(String),
    /// The network has no IPv6, which the cluster needs.
    #[error("network `{network}` has no IPv6 subnet, and the configuration's ipFamily needs one")]
    NetworkWithoutIpv6 {
        /// The engine's program.
        engine: String,
        /// The network.
        network: String,
        /// How many containers run on it.
        containers: usize,
    },
    /// The image is neither here nor to be had.
    #[error("image `{image}` is not on this machine and cannot be pulled: {source}")]
    NoImage {
        /// The image.
        image: String,
        /// What the engine said.
        source: EngineError,
    },
    /// The container that was started is not a Kubernetes node.
    #[error("image `{image}` is not a node image: {reason}")]
    NotANodeImage {
        /// The image.
        image: String,
        /// What tells.
        reason: String,
        /// The last lines that the container printed.
        lines: Vec<String>,
    },
    /// A node stopped while a program ran in it.
    #[error("the node stopped{} while `{command}` ran", code.map_or(String::new(), |c| format!(" with exit code {c}")))]
    NodeStopped {
        /// The program and its arguments.
        command: String,
        /// The exit code of the container's first process.
        code: Option<i64>,
        /// The last lines that the node printed.
        lines: Vec<String>,
    },
    /// A program in a node failed.
    #[error("`{command}` {}", code.map_or("was ended by a signal".to_owned(), |c| format!("ended with exit code {c}")))]
    Command {
        /// The program and its arguments.
        command: String,
        /// Its exit code.
        code: Option<i32>,
        /// The last lines that it printed.
        lines: Vec<String>,
    },
    /// A patch of the user's does not fit the node.
    #[error(transparent)]
    Patch(#[from] NodePatchError),
    /// containerd does not serve Kubernetes with the patched configuration.
    #[error("containerd's CRI plugin does not start with {}", patches.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Containerd {
        /// The patches that may have done it.
        patches: Vec<PatchField>,
        /// containerd's own words.
        lines: Vec<String>,
    },
    /// Something in a node is not as it should be.
    #[error("{0}")]
    Node(String),
    /// The user or the system asked to stop.
    #[error("stopped by {0}")]
    Interrupted(Signal),
}

/// A signal that ends a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, as Ctrl-C sends it.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl std::fmt::Display for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        })
    }
}

impl CreateError {
    /// Where it failed, as the beginning of a sentence; nothing where the cause itself says so, before there were nodes.
    fn place(&self) -> String {
        match (&self.node, &self.cause) {
            (Some(node), _) => format!("{} failed on node `{node}`: ", self.step),
            (None, Cause::Plan(_)) => String::new(),
            (None, _) if self.step == Step::Check => String::new(),
            (None, _) => format!("{} failed: ", self.step),
        }
    }

    /// The last lines of whatever failed, to be shown below the error.
    pub fn lines(&self) -> &[String] {
        match &self.cause {
            Cause::Command { lines, .. }
            | Cause::NodeStopped { lines, .. }
            | Cause::NotANodeImage { lines, .. }
            | Cause::Containerd { lines, .. }
            | Cause::Engine(EngineError::Exited { lines, .. } | EngineError::NotBooted { lines, .. }) => {
                lines
            }
            _ => &[],
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match &self.cause {
            Cause::NameTaken { name, .. } => Some(format!(
                "choose another name with `--name`, or delete it with `kindr delete cluster --name {name}`"
            )),
            Cause::NetworkWithoutIpv6 {
                engine,
                network,
                containers,
            } => Some(network_hint(engine, network, *containers)),
            Cause::NoImage { image, source } => Some(image_hint(image, source)),
            Cause::NotANodeImage { .. } => Some(
                "use a node image such as kindest/node (`--image`, or `image:` of the node in the configuration)".to_owned(),
            ),
            Cause::Plan(PlanError::PortInUse { field, .. }) => Some(format!(
                "stop what listens there, or give `{field}` another port (leave it out for a free one)"
            )),
            Cause::Plan(PlanError::ColonInPath { .. }) => Some("rename the path, or mount a folder above it".to_owned()),
            Cause::Engine(error) => engine_hint(error),
            Cause::Command { lines, .. } => command_hint(lines),
            Cause::Containerd { lines, .. } => Some(containerd_hint(lines)),
            Cause::NodeStopped { code: Some(137), .. } => {
                Some("it was killed: by hand, or by the kernel for want of memory (see `dmesg`)".to_owned())
            }
            Cause::NodeStopped { lines, .. } => lines
                .iter()
                .any(|line| line.contains("Too many open files"))
                .then(inotify_hint)
                .flatten(),
            _ => None,
        }
    }
}

/// How a network gets IPv6: it cannot be added, only made anew, for which nothing may be on it.
fn network_hint(engine: &str, network: &str, containers: usize) -> String {
    let remove =
        format!("remove it with `{engine} network rm {network}`, and kindr will make it anew with IPv6");
    match containers {
        0 => remove,
        1 => format!("end the container that is on it, then {remove}"),
        many => format!("end the {many} containers that are on it, then {remove}"),
    }
}

fn image_hint(image: &str, source: &EngineError) -> String {
    match source.failure() {
        Some(Failure::RegistryUnreachable) => format!(
            "see that this machine reaches the image's registry, or load the image into the engine beforehand \
             and name it with `--image` (wanted: {image})"
        ),
        Some(Failure::ImageNotServed) => {
            "see that the name and tag are right, and log in to its registry if it is private".to_owned()
        }
        _ => "name an image that is there with `--image`".to_owned(),
    }
}

/// What the user can do about an engine's error; the same for every command.
pub fn engine_hint(error: &EngineError) -> Option<String> {
    match error {
        EngineError::NotInstalled { engine } => Some(format!(
            "install {engine} and see that it is on the PATH, or choose another engine with `--provider`"
        )),
        EngineError::Disguised { engine, real } => Some(format!(
            "choose it as what it is, with `--provider {real}`, or put the real {engine} on the PATH"
        )),
        EngineError::TooOld { engine, .. } => Some(format!("install a newer {engine}, or choose another engine with `--provider`")),
        EngineError::TimedOut { engine, .. } => {
            Some(format!("see whether `{engine} info` answers; restart the engine if it hangs"))
        }
        EngineError::AmbiguousNetwork { .. } => {
            Some("move the containers to one of them and remove the others with `docker network rm ID`".to_owned())
        }
        EngineError::NoSubnet { engine, .. } => Some(format!(
            "remove networks that are no longer used: `{engine} network prune`"
        )),
        EngineError::Exited { .. } | EngineError::NotBooted { .. } => inotify_hint(),
        EngineError::Failed { engine, failure, .. } => match failure {
            Failure::NotAnswering => Some(format!(
                "start the engine's daemon and see that `{engine} info` answers (its address comes from {}, if set)",
                address_source(engine)
            )),
            Failure::NotPermitted => Some(format!(
                "run kindr as a user who may use {engine} (for docker: a member of the group `docker`)"
            )),
            Failure::NoIpv6 => Some(format!(
                "IPv6 is off on this host, and the nodes' network has it: switch it on with \
                 `sysctl net.ipv6.conf.all.disable_ipv6=0`, or remove the network with `{engine} network rm`, and kindr will \
                 make it anew with IPv4 alone"
            )),
            Failure::NameTaken => Some("remove the container of that name, or choose another cluster name".to_owned()),
            Failure::PortInUse => Some("stop what uses the port, or choose another in the configuration".to_owned()),
            Failure::NoSuchAddress => Some(
                "choose an address of the engine's host (`networking.apiServerAddress`, `listenAddress`); those of IPv6 need it \
                 to be switched on there: `sysctl net.ipv6.conf.all.disable_ipv6=0`"
                    .to_owned(),
            ),
            Failure::PortNotPermitted => Some(
                "choose a port from 1024 up, or allow low ones: `sysctl net.ipv4.ip_unprivileged_port_start=80`".to_owned(),
            ),
            _ => None,
        },
        _ => None,
    }
}

/// Where an engine's program finds its engine.
fn address_source(engine: &str) -> &'static str {
    match engine {
        "podman" => "CONTAINER_HOST or podman's default connection",
        "docker" => "DOCKER_HOST or the docker context",
        _ => "CONTAINERD_ADDRESS or nerdctl.toml",
    }
}

/// Many nodes on one host use up inotify instances; the limit that is too low shows as services that cannot start.
fn inotify_hint() -> Option<String> {
    let limit = inotify_instances()?;
    (limit < INOTIFY_INSTANCES).then(|| few_inotify_instances(limit))
}

/// The host's limit.
pub(super) fn inotify_instances() -> Option<u32> {
    std::fs::read_to_string("/proc/sys/fs/inotify/max_user_instances")
        .ok()?
        .trim()
        .parse()
        .ok()
}

fn few_inotify_instances(limit: u32) -> String {
    format!(
        "fs.inotify.max_user_instances is {limit} on this host, which is few: \
         `sysctl fs.inotify.max_user_instances=512` (and fs.inotify.max_user_watches=524288)"
    )
}

/// Below this many inotify instances a node's services may not start; a node needs some 30 to 60.
pub const INOTIFY_INSTANCES: u32 = 128;

fn containerd_hint(lines: &[String]) -> String {
    if lines.iter().any(|line| line.contains("config_path")) {
        return "mirrors in the configuration and the folder of `config_path` exclude each other: take the mirrors out of \
                the patch, and mount a folder with a hosts.toml for each registry at /etc/containerd/certs.d (`extraMounts`)"
            .to_owned();
    }
    "correct the patch; `containerd config default` in a node shows what its containerd knows".to_owned()
}

fn command_hint(lines: &[String]) -> Option<String> {
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    if has("too many open files") {
        // All nodes of a host share its limit, so that one which is fine for some is too low for more.
        return inotify_instances().map(few_inotify_instances);
    }
    if has("kubelet is not healthy") || has("kubelet isn't running") {
        return inotify_hint().or_else(|| {
            Some(
                "the kubelet did not start: its journal in the logs says why (cgroups, swap, disk)"
                    .to_owned(),
            )
        });
    }
    None
}
