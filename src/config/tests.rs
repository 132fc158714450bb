//! Whole files: the examples, and what is said about faulty ones.

mod checks;
mod examples;
mod faults;
mod print;
mod reading;
mod schema;

use std::path::Path;

use super::types::Cluster;
use super::{ClusterConfig, ConfigError, Document, HostPort, Origin, Role, Settings};

const HEAD: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n";

/// A file that has every field of the schema.
const FULL: &str = r#"kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: full
nodes:
- role: worker
  image: i
  labels: {a: b, node-role.kubernetes.io/x: "true", empty: ""}
  extraMounts: [{hostPath: ./a, containerPath: /b, readOnly: true, selinuxRelabel: true, propagation: Bidirectional}]
  extraPortMappings: [{containerPort: 1, hostPort: 2, listenAddress: "::1", protocol: SCTP}, {containerPort: 2, hostPort: -1}]
  resources: {cpus: 1.50, memory: 1.5Gi}
  kubeadmConfigPatches: ["kind: JoinConfiguration\n"]
  kubeadmConfigPatchesJSON6902: [{group: kubeadm.k8s.io, version: v1beta3, kind: JoinConfiguration, patch: "[]"}]
- role: control-plane
networking: {ipFamily: dual, apiServerPort: -1, apiServerAddress: "::1", apiServerCertSANs: ["*.a.b", "192.0.2.1"], podSubnet: "10.0.0.0/16,fd00::/56", serviceSubnet: "fd01::/112,10.1.0.0/16", disableDefaultCNI: true, kubeProxyMode: none, dnsSearch: []}
featureGates: {A: true, B: no}
runtimeConfig: {api/all: true, api/b: "1.10"}
kubeadmConfigPatches: ["kind: ClusterConfiguration\napiServer: {}"]
kubeadmConfigPatchesJSON6902: [{group: kubeadm.k8s.io, version: v1beta3, kind: ClusterConfiguration, patch: "[]"}]
containerdConfigPatches: ["version = 2\n"]
containerdConfigPatchesJSON6902: ["[]"]
"#;

fn settings() -> Settings {
    Settings {
        default_image: "node:default".to_owned(),
        ..Settings::default()
    }
}

fn read(text: &str) -> Result<Document, ConfigError> {
    Document::from_reader(text.as_bytes(), Origin::File("kind.yaml".into()))
}

fn resolve(body: &str) -> Result<ClusterConfig, ConfigError> {
    read(&format!("{HEAD}{body}"))?.resolve(&settings())
}

/// The files of `config-examples`, each with its name.
fn example_files() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("config-examples");
    let entries = std::fs::read_dir(directory).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    files
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// The message for a file without the header.
fn raw_error(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

/// The message for a file with the header, which is its first two lines.
fn error(body: &str) -> String {
    resolve(body).unwrap_err().to_string()
}

#[test]
fn no_file_is_one_control_plane() {
    let config = Document::default().resolve(&settings()).unwrap();
    assert_eq!(config, resolve("").unwrap());
    assert_eq!(config.nodes[0].name, "kind-control-plane");
    assert_eq!(config.nodes[0].image, "node:default");
    assert_eq!(config.networking.pod_subnet.to_string(), "10.244.0.0/16");
    assert_eq!(config.networking.service_subnet.to_string(), "10.96.0.0/16");
}

#[test]
fn outside_settings_go_first() {
    let settings = Settings {
        name: Some("flag".to_owned()),
        image: Some("node:flag".to_owned()),
        ..settings()
    };
    let document = read(&format!("{HEAD}name: file\nnodes: [{{image: node:file}}]")).unwrap();
    let config = document.resolve(&settings).unwrap();
    assert_eq!(config.name, "flag");
    assert_eq!(config.nodes[0].image, "node:flag");
}

#[test]
fn keys_without_a_value_are_not_given() {
    let config = resolve(
        "name:\nnodes:\n- role:\n  labels: {a: , b: true, c: 1.10}\n  extraMounts:\n  extraPortMappings: [{containerPort: 1, hostPort: , protocol: tcp}]\nnetworking:\nfeatureGates:\nruntimeConfig: {api/all: true}\n",
    )
    .unwrap();
    assert_eq!(config.name, "kind");
    let labels: Vec<&str> = config.nodes[0].labels.values().map(String::as_str).collect();
    assert_eq!(labels, ["", "true", "1.10"]);
    assert_eq!(config.runtime_config["api/all"], "true");
}

#[test]
fn dns_search_has_three_states() {
    let search = |body: &str| resolve(body).unwrap().networking.dns_search;
    assert_eq!(search("networking: {}"), None);
    assert_eq!(search("networking: {dnsSearch: []}"), Some(Vec::new()));
    assert_eq!(
        search("networking: {dnsSearch: [a.b]}"),
        Some(vec!["a.b".to_owned()])
    );
}

#[test]
fn yaml_1_1_booleans_are_booleans() {
    let config = resolve("featureGates: {A: yes, B: off, C: true}").unwrap();
    let gates: Vec<bool> = config.feature_gates.into_values().collect();
    assert_eq!(gates, [true, false, true]);
}

#[test]
fn a_last_separator_is_no_second_document() {
    assert!(read(&format!("---\n{HEAD}---\n# nothing\n")).is_ok());
    assert!(read(&format!("{HEAD}...\n")).is_ok());
}

#[test]
fn every_field_of_the_schema_is_read() {
    let document = Document::from_text(FULL).unwrap();
    assert_eq!(document.resolve(&settings()).err().map(|e| e.to_string()), None);
    let Cluster {
        nodes, networking, ..
    } = document.cluster;
    assert_eq!(nodes[0].kubeadm_config_patches_json6902[0].patch, "[]");
    assert_eq!(networking.disable_default_cni, Some(true));
}
