//! podman.

use std::path::PathBuf;

use async_trait::async_trait;
use serde::Deserialize;
use tokio::sync::OnceCell;

use crate::CLUSTER_LABEL;
use crate::classify::{EngineError, Failure};
use crate::dialect::{self, Dialect};
use crate::exec::{CHANGE, Call, Engine};
use crate::provider::{CgroupVersion, EngineInfo, Network, Provider, Result};
use crate::spec::Container;
use crate::{endpoint, network};

/// The oldest podman that kindr works with: before it, published ports cannot be read back.
const OLDEST: &str = "3.0.0";

/// The first podman that tells which controllers it has.
const TELLS_CONTROLLERS: u64 = 4;

/// podman.
#[derive(Debug, Clone)]
pub struct Podman {
    engine: Engine,
    info: OnceCell<EngineInfo>,
}

impl Podman {
    /// The `podman` on the PATH.
    pub fn new() -> Self {
        Self {
            engine: Engine::new("podman"),
            info: OnceCell::new(),
        }
    }

    #[cfg(test)]
    pub(crate) fn with(engine: Engine) -> Self {
        Self {
            engine,
            ..Self::new()
        }
    }

    async fn ask_info(&self) -> Result<EngineInfo> {
        let output = self.engine.run(Call::new(["info", "--format", "json"])).await?;
        let info = read_info(&output.stdout).map_err(|reason| self.unreadable("info", reason))?;
        if number(&info.version) < number(OLDEST) {
            return Err(EngineError::TooOld {
                engine: self.engine.name(),
                version: info.version,
                needed: OLDEST,
            });
        }
        Ok(info)
    }

    /// Makes the volume for a node's /var. podman's own anonymous volumes are mounted without suid, exec and dev.
    ///
    /// It bears the node's name as a label, by which kind and kindr find it when the node is deleted.
    async fn create_volume(&self, volume: &str, container: &Container) -> Result<()> {
        let node = format!("{}=true", container.name);
        let cluster = container
            .args
            .iter()
            .find(|arg| arg.starts_with(&format!("{CLUSTER_LABEL}=")));
        let mut args = vec!["volume", "create", "--label", &node];
        args.extend(cluster.iter().flat_map(|label| ["--label", label.as_str()]));
        args.push(volume);
        let create = || Call::new(args.clone()).limit(CHANGE);
        match self.engine.run(create()).await {
            // Left by a create that was killed: what is in it is nobody's any more. One in use is not removed.
            Err(error) if error.failure() == Some(&Failure::VolumeExists) => {
                self.engine.run(remove_volumes(&[volume])).await?;
                self.engine.run(create()).await
            }
            other => other,
        }
        .map(drop)
    }

    /// The volumes that bear the name of one of these nodes.
    async fn volumes(&self, nodes: &[String]) -> Result<Vec<String>> {
        let output = self
            .engine
            .run(Call::new(["volume", "ls", "--format", "json"]))
            .await?;
        let volumes: Vec<Volume> = match output.stdout.trim_ascii() {
            [] => Vec::new(),
            json => serde_json::from_slice(json)
                .map_err(|error| self.unreadable("volume ls", error.to_string()))?,
        };
        Ok(volumes
            .into_iter()
            .filter(|volume| nodes.iter().any(|node| volume.labels.contains_key(node)))
            .map(|volume| volume.name)
            .collect())
    }
}

impl Default for Podman {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Provider for Podman {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn dialect(&self) -> &Dialect {
        &dialect::PODMAN
    }

    async fn info(&self) -> Result<EngineInfo> {
        self.info.get_or_try_init(|| self.ask_info()).await.cloned()
    }

    async fn remote_host(&self) -> Result<Option<String>> {
        let endpoint = endpoint::podman(&self.engine, |name| std::env::var(name).ok()).await?;
        Ok(endpoint.and_then(|endpoint| endpoint::host_of(&endpoint)))
    }

    async fn ensure_network(&self, name: &str) -> Result<Network> {
        let ipv6 = self.remote_host().await?.is_some() || network::host_has_ipv6();
        network::ensure(&self.engine, self.dialect(), name, ipv6).await
    }

    async fn provision(&self, container: &Container) -> Result<()> {
        if let Some(volume) = &container.volume {
            self.create_volume(volume, container).await?;
        }
        let run = Call::new(container.args.iter()).limit(CHANGE);
        let result = self.engine.run(run).await;
        if let (Err(_), Some(volume)) = (&result, &container.volume) {
            // Where the container was made all the same, this is refused, and the volume goes with the container.
            let _ = self.engine.run(remove_volumes(&[volume])).await;
        }
        result.map(drop)
    }

    async fn delete(&self, names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let volumes = self.volumes(names).await?;
        // Without `-i` nothing is removed where one of them is missing, and podman calls that a success. Without `-t` each
        // node is given its time to end by itself.
        let at_once = ["rm", "-f", "-v", "-i", "-t", "0"];
        let remove = |words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned());
            Call::new(words.chain(names.iter().cloned())).limit(CHANGE)
        };
        match self.engine.run(remove(&at_once)).await {
            // podman 3 has no `-t` here.
            Err(EngineError::Failed { output, .. }) if output.contains("unknown shorthand flag") => {
                self.engine.run(remove(&at_once[..4])).await
            }
            other => other,
        }?;
        if volumes.is_empty() {
            return Ok(());
        }
        let volumes: Vec<&str> = volumes.iter().map(String::as_str).collect();
        self.engine.run(remove_volumes(&volumes)).await.map(drop)
    }
}

fn remove_volumes(volumes: &[&str]) -> Call {
    Call::new(["volume", "rm"].iter().chain(volumes)).limit(CHANGE)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Volume {
    name: String,
    #[serde(default)]
    labels: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Info {
    host: Host,
    #[serde(default)]
    store: Store,
    version: Version,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Host {
    cgroup_version: String,
    cgroup_controllers: Option<Vec<String>>,
    security: Security,
    network_backend: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Security {
    rootless: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Store {
    graph_driver_name: String,
    graph_root: String,
    graph_status: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Version {
    version: String,
}

/// Reads podman's `info`.
fn read_info(json: &[u8]) -> std::result::Result<EngineInfo, String> {
    let info: Info = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let Host {
        cgroup_version,
        cgroup_controllers,
        security,
        network_backend,
    } = info.host;
    let version = info.version.version;
    // An older one has them without saying so; what is missing is then found by the nodes.
    let known = number(&version).0 >= TELLS_CONTROLLERS;
    let controllers = cgroup_controllers.unwrap_or_default();
    let has = |name: &str| !known || controllers.iter().any(|controller| controller == name);
    Ok(EngineInfo {
        rootless: security.rootless,
        userns_remap: false,
        cgroup: if cgroup_version == "v2" {
            CgroupVersion::V2
        } else {
            CgroupVersion::V1
        },
        storage_driver: info.store.graph_driver_name.to_lowercase(),
        backing_filesystem: info
            .store
            .graph_status
            .get("Backing Filesystem")
            .map(|name| name.to_lowercase()),
        memory_limit: has("memory"),
        pids_limit: has("pids"),
        cpu_shares: has("cpu"),
        root: Some(info.store.graph_root)
            .filter(|root| !root.is_empty())
            .map(PathBuf::from),
        network_backend: Some(network_backend).filter(|name| !name.is_empty()),
        no_restart_policy: true,
        version,
        proxy: Vec::new(),
    })
}

/// A version's first two numbers; 0 for what cannot be read.
fn number(version: &str) -> (u64, u64) {
    let mut numbers = version.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_of_podman_4_3_on_cgroup_v1() {
        let json =
            br#"{"host": {"cgroupVersion": "v1", "cgroupControllers": ["cpuset", "cpu", "memory", "pids"],
              "security": {"rootless": false}},
            "store": {"graphDriverName": "overlay", "graphStatus": {"Backing Filesystem": "extfs"}},
            "version": {"APIVersion": "4.3.1", "Version": "4.3.1"}}"#;
        assert_eq!(
            read_info(json).unwrap(),
            EngineInfo {
                version: "4.3.1".to_owned(),
                cgroup: CgroupVersion::V1,
                storage_driver: "overlay".to_owned(),
                backing_filesystem: Some("extfs".to_owned()),
                memory_limit: true,
                pids_limit: true,
                cpu_shares: true,
                no_restart_policy: true,
                ..EngineInfo::default()
            }
        );
    }

    #[test]
    fn info_of_a_rootless_podman_that_lacks_controllers() {
        let json = br#"{"host": {"cgroupVersion": "v2", "cgroupControllers": ["memory", "pids"],
              "security": {"rootless": true}}, "version": {"Version": "5.2.0-dev"}}"#;
        let info = read_info(json).unwrap();
        assert!(info.rootless && info.memory_limit && info.pids_limit && !info.cpu_shares);
        assert_eq!(info.cgroup, CgroupVersion::V2);
    }

    #[test]
    fn a_podman_that_does_not_tell_its_controllers_has_them() {
        let json = br#"{"host": {"cgroupVersion": "v2", "security": {"rootless": true}}, "version": {"Version": "3.4.4"}}"#;
        let info = read_info(json).unwrap();
        assert!(info.memory_limit && info.pids_limit && info.cpu_shares);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(number("2.2.1") < number(OLDEST));
        assert!(number("10.0.0") > number(OLDEST));
        assert!(number("3.0.0-dev") >= number(OLDEST));
    }
}
