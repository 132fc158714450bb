//! What engines say of themselves and of what they hold.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

/// The host's control group hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CgroupVersion {
    /// One hierarchy a controller.
    V1,
    /// The unified hierarchy.
    #[default]
    V2,
}

/// What an engine says of itself and its host, fetched once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineInfo {
    /// The engine's version, as it spells it.
    pub version: String,
    /// Whether it runs without root's rights.
    pub rootless: bool,
    /// The host's control groups.
    pub cgroup: CgroupVersion,
    /// Whether it maps container users to others on the host (docker's `userns-remap`).
    pub userns_remap: bool,
    /// The storage driver, in lower case.
    pub storage_driver: String,
    /// The file system below the storage driver, in lower case, where the engine tells.
    pub backing_filesystem: Option<String>,
    /// Whether it can limit memory.
    pub memory_limit: bool,
    /// Whether it can limit the number of processes.
    pub pids_limit: bool,
    /// Whether it can weigh processor time.
    pub cpu_shares: bool,
    /// The folder that holds its images and containers, where it tells.
    pub root: Option<PathBuf>,
    /// What makes its networks, where it tells.
    pub network_backend: Option<String>,
    /// Whether it cannot start a container again that ended with a failure.
    pub no_restart_policy: bool,
    /// The proxy by which it reaches registries, as variables: the client's for its containers, or else the daemon's.
    pub proxy: Vec<(String, String)>,
}

impl EngineInfo {
    /// Whether nodes need the host's device mapper: cAdvisor cannot read such file systems without it.
    pub fn needs_device_mapper(&self) -> bool {
        let named = |name: &str, set: &[&str]| set.contains(&name);
        !self.rootless
            && (named(&self.storage_driver, &["btrfs", "zfs", "devicemapper"])
                || self
                    .backing_filesystem
                    .as_deref()
                    .is_some_and(|fs| named(fs, &["btrfs", "zfs", "xfs"])))
    }
}

/// A network that nodes join.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Network {
    /// Its id.
    pub id: String,
    /// Its subnets, of both families.
    pub subnets: Vec<String>,
    /// When it was made, as the engine spells it.
    pub created: String,
    /// How many containers are on it.
    pub containers: usize,
}

impl Network {
    /// Whether it has an IPv6 subnet.
    pub fn has_ipv6(&self) -> bool {
        self.subnets.iter().any(|subnet| subnet.contains(':'))
    }
}

/// An image on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImageInfo {
    /// The name by which the engine finds it.
    pub name: String,
    /// Its id.
    pub id: String,
    /// Its other names, with tags and digests, as far as the engine tells them.
    pub names: Vec<String>,
    /// The program that its containers start with, and its arguments.
    pub entrypoint: Vec<String>,
}

/// A container of a cluster, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClusterNode {
    /// The cluster.
    pub cluster: String,
    /// The container.
    pub name: String,
    /// Its role.
    pub role: String,
}

/// A container in detail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeState {
    /// Its name.
    pub name: String,
    /// Its role, if it has the label.
    pub role: String,
    /// Whether it runs.
    pub running: bool,
    /// The exit code of its last run.
    pub exit_code: Option<i64>,
    /// Its IPv4 address on the cluster's network.
    pub ipv4: Option<Ipv4Addr>,
    /// Its IPv6 address on the cluster's network.
    pub ipv6: Option<Ipv6Addr>,
    /// Published ports: the node's (`6443/tcp`), the host's address and port.
    pub ports: Vec<(String, String, u16)>,
}

/// How a node's system came up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Booted {
    /// The line that both node images print was seen.
    Ready,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_mapper_only_where_the_file_system_needs_it() {
        let info = |driver: &str, fs: Option<&str>, rootless| EngineInfo {
            storage_driver: driver.to_owned(),
            backing_filesystem: fs.map(str::to_owned),
            rootless,
            ..EngineInfo::default()
        };
        assert!(info("btrfs", None, false).needs_device_mapper());
        assert!(info("overlay2", Some("xfs"), false).needs_device_mapper());
        assert!(!info("overlay2", Some("extfs"), false).needs_device_mapper());
        assert!(!info("zfs", None, true).needs_device_mapper());
    }
}
