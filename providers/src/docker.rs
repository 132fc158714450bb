//! docker, and whatever answers to its command line.

use std::path::PathBuf;

use async_trait::async_trait;
use serde::Deserialize;
use tokio::sync::OnceCell;

use crate::classify::{EngineError, Failure};
use crate::dialect::{self, Dialect};
use crate::exec::{Call, Engine};
use crate::provider::{CgroupVersion, EngineInfo, Network, Provider, Result};
use crate::{endpoint, network, proxy};

/// The oldest docker that kindr works with: the first that gives containers control groups of their own.
const OLDEST: &str = "20.10";

/// docker.
#[derive(Debug, Clone)]
pub struct Docker {
    engine: Engine,
    info: OnceCell<EngineInfo>,
    endpoint: OnceCell<String>,
}

impl Docker {
    /// The `docker` on the PATH.
    pub fn new() -> Self {
        Self {
            engine: Engine::new("docker"),
            info: OnceCell::new(),
            endpoint: OnceCell::new(),
        }
    }

    /// Where the client finds the daemon.
    async fn endpoint(&self) -> Result<String> {
        let get = |name: &str| std::env::var(name).ok();
        let ask = || async { endpoint::docker(&self.engine, get, client_config().as_deref()).await };
        self.endpoint.get_or_try_init(ask).await.cloned()
    }

    #[cfg(test)]
    pub(crate) fn with(engine: Engine) -> Self {
        Self {
            engine,
            ..Self::new()
        }
    }
}

impl Default for Docker {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Provider for Docker {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn dialect(&self) -> &Dialect {
        &dialect::DOCKER
    }

    async fn info(&self) -> Result<EngineInfo> {
        let ask = || async {
            let (info, endpoint) = tokio::try_join!(ask_info(self), self.endpoint())?;
            if is_old(&info.version) {
                return Err(EngineError::TooOld {
                    engine: self.engine.name(),
                    version: info.version,
                    needed: OLDEST,
                });
            }
            let client = client_config()
                .map(|config| proxy::docker_client(&config, &endpoint))
                .unwrap_or_default();
            Ok(EngineInfo {
                proxy: if client.is_empty() { info.proxy } else { client },
                ..info
            })
        };
        self.info.get_or_try_init(ask).await.cloned()
    }

    async fn remote_host(&self) -> Result<Option<String>> {
        Ok(endpoint::host_of(&self.endpoint().await?))
    }

    async fn check_itself(&self) -> Result<()> {
        let output = self.engine.run(Call::new(["-v"])).await?;
        let text = output.text();
        // `podman version 4.3.1`: a program says first what it is.
        let real = text.split_whitespace().next().unwrap_or_default().to_lowercase();
        if ["podman", "nerdctl"].contains(&real.as_str()) {
            return Err(EngineError::Disguised {
                engine: self.engine.name(),
                real,
            });
        }
        Ok(())
    }

    async fn ensure_network(&self, name: &str) -> Result<Network> {
        // The daemon says itself whether its host has IPv6.
        network::ensure(&self.engine, self.dialect(), name, true).await
    }
}

/// What docker, or nerdctl in the same words, says of itself.
pub(crate) async fn ask_info(provider: &dyn Provider) -> Result<EngineInfo> {
    let args = ["info", "--format", "{{json .}}"];
    let engine = provider.engine();
    let output = engine.run(Call::new(args)).await?;
    read_info(&output.stdout).map_err(|bad| match bad {
        // Some clients exit with 0 and put the daemon's silence in the answer.
        BadInfo::ServerErrors(errors) => EngineError::Failed {
            engine: engine.name(),
            args: args.map(str::to_owned).to_vec(),
            code: Some(0),
            failure: match Failure::of(&errors) {
                Failure::Other => Failure::NotAnswering,
                failure => failure,
            },
            output: errors,
        },
        BadInfo::Shape(reason) => provider.unreadable("info", reason),
        BadInfo::OfPodman => EngineError::Disguised {
            engine: engine.name(),
            real: "podman".to_owned(),
        },
    })
}

/// Whether a docker of this version is too old. One that does not tell its version is not.
fn is_old(version: &str) -> bool {
    let mut numbers = version
        .split(['.', '-', '+'])
        .map_while(|part| part.parse::<u64>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) => (major, minor) < (20, 10),
        _ => false,
    }
}

/// The configuration of docker's client, if there is one.
fn client_config() -> Option<String> {
    let folder = std::env::var_os("DOCKER_CONFIG")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".docker")))?;
    std::fs::read_to_string(folder.join("config.json")).ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[derive(Default)]
struct Info {
    server_version: String,
    cgroup_driver: String,
    cgroup_version: String,
    memory_limit: bool,
    pids_limit: bool,
    #[serde(rename = "CPUShares")]
    cpu_shares: bool,
    security_options: Option<Vec<String>>,
    driver: String,
    driver_status: Option<Vec<Vec<String>>>,
    server_errors: Option<Vec<String>>,
    /// podman's own, in lower case.
    #[serde(rename = "host")]
    podman: Option<serde::de::IgnoredAny>,
    http_proxy: String,
    https_proxy: String,
    no_proxy: String,
    docker_root_dir: String,
}

#[derive(Debug, PartialEq)]
enum BadInfo {
    ServerErrors(String),
    Shape(String),
    OfPodman,
}

/// Reads docker's and nerdctl's `info`.
fn read_info(json: &[u8]) -> std::result::Result<EngineInfo, BadInfo> {
    let info: Info = serde_json::from_slice(json).map_err(|e| BadInfo::Shape(e.to_string()))?;
    if let Some(errors) = info.server_errors.filter(|errors| !errors.is_empty()) {
        return Err(BadInfo::ServerErrors(errors.join("\n")));
    }
    if info.podman.is_some() {
        return Err(BadInfo::OfPodman);
    }
    // An option is `name=NAME[,key=value...]`.
    let options = info.security_options.unwrap_or_default();
    let has = |name: &str| {
        options
            .iter()
            .any(|option| option.split(',').any(|field| field == format!("name={name}")))
    };
    let limits = info.cgroup_driver != "none";
    let proxy = [
        ("HTTP_PROXY", info.http_proxy),
        ("HTTPS_PROXY", info.https_proxy),
        ("NO_PROXY", info.no_proxy),
    ];
    Ok(EngineInfo {
        rootless: has("rootless"),
        userns_remap: has("userns"),
        cgroup: if info.cgroup_version == "2" {
            CgroupVersion::V2
        } else {
            CgroupVersion::V1
        },
        version: info.server_version,
        storage_driver: info.driver.to_lowercase(),
        backing_filesystem: info
            .driver_status
            .unwrap_or_default()
            .into_iter()
            .find(|pair| pair.first().is_some_and(|key| key == "Backing Filesystem"))
            .and_then(|pair| pair.get(1).map(|value| value.to_lowercase())),
        memory_limit: limits && info.memory_limit,
        pids_limit: limits && info.pids_limit,
        cpu_shares: limits && info.cpu_shares,
        root: Some(info.docker_root_dir)
            .filter(|root| !root.is_empty())
            .map(PathBuf::from),
        network_backend: Some("libnetwork".to_owned()),
        no_restart_policy: false,
        proxy: proxy
            .into_iter()
            // docker shows `xxxxx` in place of a password, and with that a proxy is of no use.
            .filter(|(_, value)| !value.is_empty() && !value.contains("xxxxx"))
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_of_docker_20_10_on_cgroup_v1() {
        let json = br#"{"Driver":"overlay2","DriverStatus":[["Backing Filesystem","extfs"],["Supports d_type","true"]],
            "MemoryLimit":true,"PidsLimit":true,"CPUShares":true,"CgroupDriver":"cgroupfs","CgroupVersion":"1",
            "SecurityOptions":["name=seccomp,profile=default"],"ServerVersion":"20.10.24+dfsg1",
            "HttpProxy":"http://proxy.example:3128","HttpsProxy":"http://user:xxxxx@proxy.example"}"#;
        assert_eq!(
            read_info(json).unwrap(),
            EngineInfo {
                version: "20.10.24+dfsg1".to_owned(),
                rootless: false,
                cgroup: CgroupVersion::V1,
                userns_remap: false,
                storage_driver: "overlay2".to_owned(),
                backing_filesystem: Some("extfs".to_owned()),
                memory_limit: true,
                pids_limit: true,
                cpu_shares: true,
                root: None,
                network_backend: Some("libnetwork".to_owned()),
                no_restart_policy: false,
                proxy: vec![("HTTP_PROXY".to_owned(), "http://proxy.example:3128".to_owned())],
            }
        );
    }

    #[test]
    fn info_of_a_rootless_docker_without_control_groups() {
        let json = br#"{"MemoryLimit":true,"CgroupDriver":"none","CgroupVersion":"2",
            "SecurityOptions":["name=seccomp,profile=default","name=rootless","name=cgroupns"]}"#;
        let info = read_info(json).unwrap();
        assert!(info.rootless && !info.memory_limit && !info.userns_remap);
        assert_eq!(info.cgroup, CgroupVersion::V2);
    }

    #[test]
    fn info_that_holds_the_daemons_silence() {
        let json = br#"{"ServerErrors":["Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?"]}"#;
        assert!(
            matches!(read_info(json), Err(BadInfo::ServerErrors(errors)) if errors.contains("Cannot connect"))
        );
        assert!(matches!(read_info(b"oops"), Err(BadInfo::Shape(_))));
    }

    #[test]
    fn a_docker_without_private_control_groups_is_old() {
        assert!(is_old("19.03.15"));
        assert!(!is_old("20.10.24+dfsg1") && !is_old("28.0.0-rc.1") && !is_old("dev") && !is_old(""));
    }
}
