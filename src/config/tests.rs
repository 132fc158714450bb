//! Whole files: the examples, and what is said about faulty ones.

mod checks;
mod examples;
mod faults;
mod reading;

use std::path::Path;

use super::types::Cluster;
use super::{ClusterConfig, ConfigError, Document, HostPort, Origin, Role, Settings};

const HEAD: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n";

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
    let config = resolve("featureGates: {A: yes, B: off, C: true, D: \"true\"}").unwrap();
    let gates: Vec<bool> = config.feature_gates.into_values().collect();
    assert_eq!(gates, [true, false, true, true]);
}

#[test]
fn a_last_separator_is_no_second_document() {
    assert!(read(&format!("---\n{HEAD}---\n# nothing\n")).is_ok());
    assert!(read(&format!("{HEAD}...\n")).is_ok());
}

#[test]
fn every_field_of_the_schema_is_read() {
    let document = Document::from_text(format!(
        "{HEAD}{}",
        r#"
name: full
nodes:
- role: worker
  image: i
  labels: {a: b}
  extraMounts: [{hostPath: /a, containerPath: /b, readOnly: true, selinuxRelabel: true, propagation: Bidirectional}]
  extraPortMappings: [{containerPort: 1, hostPort: 2, listenAddress: "::1", protocol: SCTP}]
  kubeadmConfigPatches: [x]
  kubeadmConfigPatchesJSON6902: [{group: g, version: v, kind: k, patch: p}]
networking: {ipFamily: dual, apiServerPort: -1, apiServerAddress: "::1", podSubnet: a, serviceSubnet: b, disableDefaultCNI: true, kubeProxyMode: none, dnsSearch: []}
featureGates: {A: true}
runtimeConfig: {a: b}
kubeadmConfigPatches: [x]
kubeadmConfigPatchesJSON6902: [{group: g, version: v, kind: k, patch: p}]
containerdConfigPatches: [x]
containerdConfigPatchesJSON6902: [x]
"#
    ))
    .unwrap();
    let Cluster {
        nodes, networking, ..
    } = document.cluster;
    assert_eq!(nodes[0].kubeadm_config_patches_json6902[0].patch, "p");
    assert_eq!(networking.disable_default_cni, Some(true));
}
