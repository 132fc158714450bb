//! The trait that every engine implements, and the facts that it answers with.
//!
//! What the engines share is written once, as the trait's own methods over [`Provider::engine`] and
//! [`Provider::dialect`]; an engine's file holds only what is truly its own.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use regex::Regex;

use crate::args;
use crate::classify::{EngineError, Failure};
use crate::dialect::Dialect;
use crate::exec::{CHANGE, Call, Engine, Output, QUICK};
use crate::published::{self, Published};
use crate::spec::{Cluster, Container};
use crate::{CLUSTER_LABEL, ROLE_LABEL};
use crate::{image, inspect, network};

/// Result of a call of an engine.
pub type Result<T> = std::result::Result<T, EngineError>;

/// Time limit for fetching an image; large ones over slow lines take long.
const PULL: Duration = Duration::from_secs(3600);

/// What systemd has reached when a node is up.
const BOOT_TARGET: &str = "multi-user.target";

/// The pause before a node without a log is asked again.
const AGAIN: Duration = Duration::from_millis(300);

/// How many of a container's last lines are kept for a message.
const LAST_LINES: usize = 25;

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

/// A container engine as kindr uses it.
#[async_trait]
pub trait Provider: Debug + Send + Sync {
    /// The engine's program.
    fn engine(&self) -> &Engine;

    /// How it spells things.
    fn dialect(&self) -> &Dialect;

    /// What it says of itself; fails where it does not answer.
    async fn info(&self) -> Result<EngineInfo>;

    /// Whether its program is what its name says, and not another engine's.
    ///
    /// # Errors
    /// It is another's, or does not run.
    async fn check_itself(&self) -> Result<()> {
        Ok(())
    }

    /// The engine's host, if it is not this machine: what it publishes is published there.
    async fn remote_host(&self) -> Result<Option<String>> {
        Ok(None)
    }

    /// The network of this name, made if it is missing; one and only one exists afterwards.
    async fn ensure_network(&self, name: &str) -> Result<Network>;

    /// The containers of a cluster with their arguments. Pure.
    fn plan_creation(&self, cluster: &Cluster, info: &EngineInfo) -> Vec<Container> {
        args::plan_creation(cluster, self.dialect(), info)
    }

    /// Makes and starts one planned container.
    async fn provision(&self, container: &Container) -> Result<()> {
        self.engine()
            .run(Call::new(container.args.iter()).limit(CHANGE))
            .await
            .map(drop)
    }

    /// The containers of one cluster, or of all, by name.
    async fn list_nodes(&self, cluster: Option<&str>) -> Result<Vec<ClusterNode>> {
        let filter = match cluster {
            Some(name) => format!("label={CLUSTER_LABEL}={name}"),
            None => format!("label={CLUSTER_LABEL}"),
        };
        let list = |format: &str| Call::new(["ps", "-a", "--filter", &filter, "--format", format]);
        let mut nodes = match self.dialect().ps_label {
            Some(template) => {
                let label = |key| template.replace("KEY", key);
                let format = format!("{}\t{{{{.Names}}}}\t{}", label(CLUSTER_LABEL), label(ROLE_LABEL));
                let output = self.engine().run(list(&format)).await?;
                output.lines().iter().filter_map(|line| list_line(line)).collect()
            }
            None => {
                let output = self.engine().run(list("json")).await?;
                inspect::listed(&output.stdout).map_err(|reason| self.unreadable("ps", reason))?
            }
        };
        nodes.sort();
        Ok(nodes)
    }

    /// The ports of the host that containers have, also those of no cluster.
    async fn published(&self) -> Result<Vec<Published>> {
        let call = Call::new(["ps", "-a", "--format", "{{.Names}}\t{{.Ports}}"]);
        let output = self.engine().run(call).await?;
        Ok(output
            .lines()
            .iter()
            .flat_map(|line| published::read(line))
            .collect())
    }

    /// Containers in detail, in the order of the names.
    async fn inspect(&self, names: &[String]) -> Result<Vec<NodeState>> {
        let mut args = vec!["inspect".to_owned()];
        args.extend_from_slice(names);
        let output = self.engine().run(Call::new(args)).await?;
        inspect::containers(&output.stdout).map_err(|reason| self.unreadable("inspect", reason))
    }

    /// Removes containers with their volumes; one that is not there is no error.
    async fn delete(&self, names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let mut args = vec!["rm".to_owned(), "-f".to_owned(), "-v".to_owned()];
        args.extend_from_slice(names);
        match self.engine().run(Call::new(args).limit(CHANGE)).await {
            Err(error) if error.failure() == Some(&Failure::NoSuchContainer) => Ok(()),
            other => other.map(drop),
        }
    }

    /// Runs a program in a node to its end, whatever its exit code.
    async fn exec(
        &self,
        node: &str,
        command: &[&str],
        stdin: Option<Vec<u8>>,
        limit: Duration,
    ) -> Result<Output> {
        let mut args = vec!["exec", "--privileged"];
        if stdin.is_some() {
            args.push("-i");
        }
        args.push(node);
        args.extend_from_slice(command);
        let mut call = Call::new(args).limit(limit);
        if let Some(bytes) = stdin {
            call = call.stdin(bytes);
        }
        self.engine().output(call).await
    }

    /// Waits until a node's system is up.
    async fn wait_booted(&self, name: &str, limit: Duration) -> Result<Booted> {
        match self.wait_for_line(name, limit, is_boot_line).await {
            Err(EngineError::NoLog { .. }) => self.ask_until_booted(name, limit).await,
            other => other,
        }
    }

    /// Waits until a node's system is up by asking it again and again, for engines that keep no log.
    async fn ask_until_booted(&self, name: &str, limit: Duration) -> Result<Booted> {
        let started = Instant::now();
        while started.elapsed() < limit {
            let ask = ["systemctl", "is-active", "--quiet", BOOT_TARGET];
            if self.exec(name, &ask, None, QUICK).await?.status.success() {
                return Ok(Booted::Ready);
            }
            let states = self.inspect(&[name.to_owned()]).await?;
            if let Some(state) = states.first().filter(|state| !state.running) {
                return Err(EngineError::Exited {
                    name: name.to_owned(),
                    code: state.exit_code,
                    lines: Vec::new(),
                });
            }
            tokio::time::sleep(AGAIN).await;
        }
        Err(EngineError::NotBooted {
            name: name.to_owned(),
            limit,
            lines: Vec::new(),
        })
    }

    /// Waits until a container prints a line that is the sign of its being up, by following what it prints.
    async fn wait_for_line(
        &self,
        name: &str,
        limit: Duration,
        is_sign: for<'a> fn(&'a str) -> bool,
    ) -> Result<Booted> {
        // A container that ends is started once more by its restart policy, so its log may end once.
        for _ in 0..2 {
            let mut last = VecDeque::new();
            let call = Call::new(["logs", "-f", name]).limit(limit);
            let seen = self
                .engine()
                .follow(call, |line: &str| {
                    if last.len() == LAST_LINES {
                        last.pop_front();
                    }
                    last.push_back(plain(line));
                    is_sign(line)
                })
                .await;
            let lines: Vec<String> = last.into_iter().filter(|l| !l.trim().is_empty()).collect();
            match seen {
                Ok(true) => return Ok(Booted::Ready),
                Ok(false) if Failure::of(&lines.join("\n")) == Failure::NoLog => {
                    return Err(EngineError::NoLog {
                        name: name.to_owned(),
                    });
                }
                Ok(false) => {
                    let states = self.inspect(&[name.to_owned()]).await.or_else(|error| {
                        if error.failure() == Some(&Failure::NoSuchContainer) {
                            Ok(Vec::new())
                        } else {
                            Err(error)
                        }
                    })?;
                    let state = states.into_iter().next().unwrap_or_default();
                    if !state.running {
                        return Err(EngineError::Exited {
                            name: name.to_owned(),
                            code: state.exit_code,
                            lines,
                        });
                    }
                }
                Err(EngineError::TimedOut { .. }) => {
                    return Err(EngineError::NotBooted {
                        name: name.to_owned(),
                        limit,
                        lines,
                    });
                }
                Err(error) => return Err(error),
            }
        }
        Err(EngineError::Exited {
            name: name.to_owned(),
            code: None,
            lines: Vec::new(),
        })
    }

    /// Waits until a container has stopped and returns its exit code; `None` if it still runs after that time.
    async fn wait_stopped(&self, name: &str, limit: Duration) -> Result<Option<i64>> {
        match self.engine().run(Call::new(["wait", name]).limit(limit)).await {
            Ok(output) => Ok(output.text().trim().parse().ok()),
            Err(EngineError::TimedOut { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An image, if it is on this machine.
    async fn image(&self, image: &str) -> Result<Option<ImageInfo>> {
        let whole = self.dialect().whole_image_names;
        let name = if whole {
            image::one_of_tag_and_digest(image)
        } else {
            image.to_owned()
        };
        let ask = self.dialect().image_inspect;
        let call = Call::new(ask.iter().copied().chain([name.as_str()]));
        match self.engine().run(call).await {
            Ok(output) => {
                let (mut found, tags) = inspect::image(&output.stdout)
                    .map_err(|reason| self.unreadable(&ask.join(" "), reason))?;
                found.name = if whole { image::found(image, &tags) } else { name };
                Ok(Some(found))
            }
            Err(EngineError::Failed {
                failure: Failure::NoSuchImage | Failure::NoSuchContainer,
                ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The names of all images on this machine.
    async fn list_images(&self) -> Result<Vec<String>> {
        let call = Call::new(["images", "--format", "{{.Repository}}:{{.Tag}}"]);
        let output = self.engine().run(call).await?;
        let mut names = output.lines();
        names.retain(|name| !name.contains("<none>"));
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// The network of this name, if there is one.
    async fn find_network(&self, name: &str) -> Result<Option<Network>> {
        network::look(self.engine(), name).await
    }

    /// Fetches an image from its registry.
    async fn pull(&self, image: &str) -> Result<()> {
        let name = if self.dialect().whole_image_names {
            image::qualified(image)
        } else {
            image.to_owned()
        };
        self.engine()
            .run(Call::new(["pull", &name]).limit(PULL))
            .await
            .map(drop)
    }

    /// All that a container printed.
    async fn logs(&self, name: &str) -> Result<Vec<u8>> {
        let output = self.engine().output(Call::new(["logs", name])).await?;
        Ok([output.stdout, output.stderr].concat())
    }

    /// The last lines that a container printed, for a message.
    async fn last_lines(&self, name: &str) -> Result<Vec<String>> {
        let printed = self.logs(name).await?;
        let printed = String::from_utf8_lossy(&printed);
        let lines = printed.lines().map(plain).filter(|line| !line.trim().is_empty());
        let lines: Vec<String> = lines.collect();
        Ok(lines[lines.len().saturating_sub(LAST_LINES)..].to_vec())
    }

    /// An answer that cannot be read, as an error.
    fn unreadable(&self, what: &str, reason: String) -> EngineError {
        EngineError::Unreadable {
            engine: self.engine().name(),
            what: what.to_owned(),
            reason,
        }
    }
}

/// A line of a list: cluster, name and role with tabs between.
fn list_line(line: &str) -> Option<ClusterNode> {
    let mut fields = line.split('\t').map(str::trim);
    Some(ClusterNode {
        cluster: fields.next().filter(|f| !f.is_empty())?.to_owned(),
        name: fields.next().filter(|f| !f.is_empty())?.to_owned(),
        role: fields.next().unwrap_or_default().to_owned(),
    })
}

/// Whether a line of a node's log says that its system is up: systemd's own words, or those of the entrypoint on a
/// host with cgroup v1, where systemd's do not always reach the log (both as kind waits for them).
fn is_boot_line(line: &str) -> bool {
    line.contains("detected cgroup v1")
        || line
            .split_once("Reached target ")
            .is_some_and(|(_, rest)| rest.contains("Multi-User System"))
}

/// A line of a terminal as plain text.
fn plain(line: &str) -> String {
    static ESCAPES: std::sync::LazyLock<Option<Regex>> =
        std::sync::LazyLock::new(|| Regex::new(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]").ok());
    ESCAPES.as_ref().map_or_else(
        || line.to_owned(),
        |escapes| escapes.replace_all(line, "").into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_signs_of_a_booted_system_are_known() {
        assert!(is_boot_line(
            "[  OK  ] Reached target \u{1b}[0;1;39mmulti-user.target\u{1b}[0m - Multi-User System."
        ));
        assert!(is_boot_line("INFO: detected cgroup v1"));
        assert!(!is_boot_line(
            "[  OK  ] Reached target basic.target - Basic System."
        ));
    }

    #[test]
    fn terminal_colours_are_taken_out() {
        assert_eq!(
            plain("[\u{1b}[0;32m  OK  \u{1b}[0m] Started x.\r"),
            "[  OK  ] Started x."
        );
    }

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
