//! Every environment variable that kindr reads, each with its meaning. A `KINDR_` twin goes before kind's own name.

/// The engine: `docker`, `podman`, `nerdctl` or `finch`. kind's own name is [`KIND_EXPERIMENTAL_PROVIDER`].
pub const KINDR_PROVIDER: &str = "KINDR_PROVIDER";
/// As [`KINDR_PROVIDER`], for scripts written for kind.
pub const KIND_EXPERIMENTAL_PROVIDER: &str = "KIND_EXPERIMENTAL_PROVIDER";
/// The name of the cluster that a command is about, where `--name` is not given.
pub const KINDR_CLUSTER_NAME: &str = "KINDR_CLUSTER_NAME";
/// As [`KINDR_CLUSTER_NAME`], for scripts written for kind.
pub const KIND_CLUSTER_NAME: &str = "KIND_CLUSTER_NAME";
/// The docker network that nodes join, in place of `kind`.
pub const KINDR_EXPERIMENTAL_DOCKER_NETWORK: &str = "KINDR_EXPERIMENTAL_DOCKER_NETWORK";
/// As [`KINDR_EXPERIMENTAL_DOCKER_NETWORK`], for scripts written for kind.
pub const KIND_EXPERIMENTAL_DOCKER_NETWORK: &str = "KIND_EXPERIMENTAL_DOCKER_NETWORK";
/// The podman network that nodes join, in place of `kind`.
pub const KINDR_EXPERIMENTAL_PODMAN_NETWORK: &str = "KINDR_EXPERIMENTAL_PODMAN_NETWORK";
/// As [`KINDR_EXPERIMENTAL_PODMAN_NETWORK`], for scripts written for kind.
pub const KIND_EXPERIMENTAL_PODMAN_NETWORK: &str = "KIND_EXPERIMENTAL_PODMAN_NETWORK";
/// The nerdctl network that nodes join, in place of `kind`; kind has no such variable.
pub const KINDR_EXPERIMENTAL_NERDCTL_NETWORK: &str = "KINDR_EXPERIMENTAL_NERDCTL_NETWORK";
/// The snapshotter of the nodes' containerd, for a node image that knows it: `overlayfs`, `fuse-overlayfs` or `native`. kind's
/// own name, `KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER`, is passed on by the engine's client.
pub const KINDR_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER: &str = "KINDR_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER";
/// The node image, where neither `--image` nor the configuration names one.
pub const KINDR_NODE_IMAGE: &str = "KINDR_NODE_IMAGE";
/// The kubeconfig files, as kubectl reads it: several, with `:` between.
pub const KUBECONFIG: &str = "KUBECONFIG";
/// What is logged to standard error, in `tracing`'s filter syntax: `kindr::engine=debug` shows each call of the engine.
pub const KINDR_LOG: &str = "KINDR_LOG";

/// Reads the first of these variables that is set and not empty.
pub fn first(names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}
