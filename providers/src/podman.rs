//! podman.

mod info;

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde::Deserialize;
use tokio::sync::OnceCell;

use crate::CLUSTER_LABEL;
use crate::classify::{EngineError, Failure};
use crate::dialect::{self, Dialect};
use crate::exec::{CHANGE, Call, Engine};
use crate::provider::{EngineInfo, Network, Provider, Result};
use crate::spec::Container;
use crate::{endpoint, network};

/// The oldest podman that kindr works with: before it, published ports cannot be read back.
const OLDEST: &str = "3.0.0";

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
        let info = info::read(&output.stdout).map_err(|reason| self.unreadable("info", reason))?;
        if info::is_older(&info.version, OLDEST) {
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
            .filter(|volume| {
                let labels = volume.labels.as_ref();
                labels.is_some_and(|labels| nodes.iter().any(|node| labels.contains_key(node)))
            })
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
    labels: Option<BTreeMap<String, String>>,
}
