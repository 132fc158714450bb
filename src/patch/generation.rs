//! Tables of containerd's other generation. Up to version 2 of its configuration one plugin held everything about the CRI;
//! version 3, which came with containerd 2, divides it, and containerd passes over tables that nobody reads.

use toml::Value;
use toml::value::Table;

/// The CRI's plugin up to version 2. Version 3 has one of that name too, for the few settings of its server.
pub(super) const OLD: &str = "io.containerd.grpc.v1.cri";
/// What version 3 has of it for images.
pub(super) const IMAGES: &str = "io.containerd.cri.v1.images";
/// What version 3 has of it for running containers.
pub(super) const RUNTIME: &str = "io.containerd.cri.v1.runtime";

/// What version 3 still reads in the old plugin's table.
const SERVER: [&str; 6] = [
    "disable_tcp_service",
    "stream_server_address",
    "stream_server_port",
    "stream_idle_timeout",
    "enable_tls_streaming",
    "x509_key_pair_streaming",
];

/// What the new plugin for images took over.
const OF_IMAGES: [&str; 7] = [
    "registry",
    "snapshotter",
    "disable_snapshot_annotations",
    "discard_unpacked_layers",
    "max_concurrent_downloads",
    "image_pull_progress_timeout",
    "image_decryption",
];

/// Where containerd 2 looks for registries by default. A patch for containerd 1 that says so is in many scripts.
const CERTS: &str = "/etc/containerd/certs.d";

/// Tables of one patch that a configuration of this version does not read, with what to write instead; `None` if there are
/// none. `config` is the configuration to patch: what it holds already in the place that is read, the patch may repeat in
/// the old one.
#[must_use]
pub fn foreign_tables(config: &Table, patch: &Table, version: i64) -> Option<String> {
    let plugin = |table: &Table, name: &str| -> Option<Table> {
        table.get("plugins")?.as_table()?.get(name)?.as_table().cloned()
    };
    if version >= 3 {
        let old = plugin(patch, OLD)?;
        let mut images = plugin(config, IMAGES).unwrap_or_default();
        if let Value::Table(registry) = images.entry("registry").or_insert_with(|| Table::new().into()) {
            registry.entry("config_path").or_insert_with(|| CERTS.into());
        }
        let own = [IMAGES, RUNTIME].iter().find_map(|name| plugin(patch, name));
        let stale: Vec<&str> = old
            .iter()
            .filter(|(key, value)| !SERVER.contains(&key.as_str()) && !repeats(&images, key, value))
            .map(|(key, _)| key.as_str())
            .collect();
        // Who writes both generations means the patch for either.
        let first = stale.first().filter(|_| own.is_none())?;
        return Some(format!(
            "`plugins.\"{OLD}\".{first}` is where containerd 1 looked, and this node image has version {version} of \
             containerd's configuration, which does not read it; {}",
            advice(first, &old)
        ));
    }
    let name = [IMAGES, RUNTIME]
        .into_iter()
        .find(|name| plugin(patch, name).is_some())?;
    if plugin(patch, OLD).is_some() {
        return None;
    }
    Some(format!(
        "`plugins.\"{name}\"` is for version 3 of containerd's configuration (containerd 2), and this node image has \
         version {version}; write `plugins.\"{OLD}\"`"
    ))
}

/// Whether the new place has the same already.
fn repeats(images: &Table, key: &str, value: &Value) -> bool {
    fn within(value: &Value, there: Option<&Value>) -> bool {
        match (value, there) {
            (Value::Table(table), Some(Value::Table(there))) => {
                table.iter().all(|(key, value)| within(value, there.get(key)))
            }
            (value, there) => there == Some(value),
        }
    }
    within(value, images.get(key))
}

fn advice(key: &str, old: &Table) -> String {
    let has = |field: &str| {
        let registry = old.get("registry").and_then(Value::as_table);
        key == "registry" && registry.is_some_and(|registry| registry.contains_key(field))
    };
    if has("mirrors") || has("configs") {
        return "mount a folder with a hosts.toml for each registry at /etc/containerd/certs.d (`extraMounts`)".to_owned();
    }
    match key {
        "sandbox_image" => format!("write `plugins.\"{IMAGES}\".pinned_images.sandbox`"),
        "containerd" => format!(
            "write `plugins.\"{RUNTIME}\".containerd` (and the snapshotter to `plugins.\"{IMAGES}\"`)"
        ),
        key if OF_IMAGES.contains(&key) => format!("write `plugins.\"{IMAGES}\".{key}`"),
        key => format!("write `plugins.\"{RUNTIME}\".{key}`"),
    }
}
