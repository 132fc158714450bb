//! What podman says of itself.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use crate::provider::{CgroupVersion, EngineInfo};

/// The first podman that tells which controllers it has.
const TELLS_CONTROLLERS: u64 = 4;

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
    graph_status: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Version {
    version: String,
}

/// Reads podman's `info`.
pub(super) fn read(json: &[u8]) -> std::result::Result<EngineInfo, String> {
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

/// Whether a version is older than another.
pub(super) fn is_older(version: &str, than: &str) -> bool {
    number(version) < number(than)
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
            read(json).unwrap(),
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
        let info = read(json).unwrap();
        assert!(info.rootless && info.memory_limit && info.pids_limit && !info.cpu_shares);
        assert_eq!(info.cgroup, CgroupVersion::V2);
    }

    #[test]
    fn a_podman_that_does_not_tell_its_controllers_has_them() {
        let json = br#"{"host": {"cgroupVersion": "v2", "security": {"rootless": true}}, "version": {"Version": "3.4.4"}}"#;
        let info = read(json).unwrap();
        assert!(info.memory_limit && info.pids_limit && info.cpu_shares);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(is_older("2.2.1", "3.0.0"));
        assert!(!is_older("10.0.0", "3.0.0"));
        assert!(!is_older("3.0.0-dev", "3.0.0"));
    }
}
