//! What patches of a node mean for the rest of its cluster.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::config::Role;
use crate::kubeadm::{
    API_SERVER_BIND_PORT, ClusterFacts, NodeFacts, init_documents, join_documents, kubernetes_version,
};

const OWN: &str = "owntok.0123456789abcdef";
const USER: &str = "abcdef.0123456789abcdef";

fn facts(config: &ClusterConfig, version: &str) -> ClusterFacts {
    ClusterFacts {
        cluster_name: config.name.clone(),
        provider: "docker".to_owned(),
        kubernetes_version: kubernetes_version(version).unwrap(),
        control_plane_endpoint: "kind-control-plane:6443".to_owned(),
        api_server_address: config.networking.api_server_address,
        extra_cert_sans: Vec::new(),
        api_server_bind_port: API_SERVER_BIND_PORT,
        pod_subnet: config.networking.pod_subnet.clone(),
        service_subnet: config.networking.service_subnet.clone(),
        ip_family: config.networking.ip_family,
        feature_gates: BTreeMap::new(),
        runtime_config: BTreeMap::new(),
        kube_proxy_mode: config.networking.kube_proxy_mode,
        token: OWN.parse().unwrap(),
        ca_cert_hash: Some("sha256:00ff".to_owned()),
        single_control_plane: true,
        rootless: false,
        cgroup_v1: false,
    }
}

fn node(role: Role) -> NodeFacts {
    NodeFacts {
        name: format!("kind-{}", role.as_str()),
        ipv4: Some([172, 18, 0, 2].into()),
        ipv6: None,
        role,
        labels: BTreeMap::new(),
    }
}

/// What init makes of these patches, and its InitConfiguration.
fn init(version: &str, patches: &str) -> Result<(PatchedInit, serde_json::Value), NodePatchError> {
    let config = config(&format!("nodes: [{{}}, {{role: worker}}]\n{patches}"));
    let facts = facts(&config, version);
    let mut documents = init_documents(&facts, &node(Role::ControlPlane))?;
    let patched = patch_init(&config, &facts, "kind-control-plane", &mut documents)?;
    Ok((patched, documents.remove(1)))
}

#[test]
fn without_patches_nothing_changes() {
    for version in ["v1.22.17", "v1.34.4", "v1.37.0"] {
        let config = config("nodes: [{}, {role: worker}]\n");
        let facts = facts(&config, version);
        let mut documents = init_documents(&facts, &node(Role::ControlPlane)).unwrap();
        let before = documents.clone();
        let patched = patch_init(&config, &facts, "kind-control-plane", &mut documents).unwrap();
        assert_eq!(documents, before, "{version}");
        assert_eq!((patched.token.expose(), patched.addons), (OWN, Some("all")));
        let mut documents = join_documents(&facts, &node(Role::Worker)).unwrap();
        let before = documents.clone();
        patch_join(&config, &facts, "kind-worker", &mut documents).unwrap();
        assert_eq!(documents, before, "{version}");
    }
}

#[test]
fn the_users_token_is_that_of_the_cluster() {
    let patches = format!(
        "kubeadmConfigPatches: ['{{kind: InitConfiguration, bootstrapTokens: [{{token: {USER}}}]}}']"
    );
    let (patched, document) = init("v1.34.4", &patches).unwrap();
    assert_eq!(patched.token.expose(), USER);
    assert_eq!(document["bootstrapTokens"], json!([{"token": USER}]));
}

#[test]
fn the_token_of_a_join_patch_is_made_by_init() {
    let patches = format!(
        "kubeadmConfigPatches: ['{{kind: JoinConfiguration, discovery: {{bootstrapToken: {{token: {USER}}}}}}}']"
    );
    let (patched, document) = init("v1.34.4", &patches).unwrap();
    assert_eq!(patched.token.expose(), OWN);
    assert_eq!(
        document["bootstrapTokens"],
        json!([{"token": OWN}, {"token": USER}])
    );
}

#[test]
fn a_bad_join_patch_is_told_before_init() {
    let patches = "kubeadmConfigPatchesJSON6902: [{kind: JoinConfiguration, patch: '[{op: remove, path: /caCertPath}]'}]";
    let error = init("v1.36.0", patches).unwrap_err();
    insta::assert_snapshot!(error, @"kubeadmConfigPatchesJSON6902[0]: operation 0 (`remove /caCertPath`) fails on the JoinConfiguration (kubeadm.k8s.io/v1beta4): the document has no `caCertPath`");
}

#[test]
fn skipped_add_ons_are_not_installed_afterwards() {
    let patches = "kubeadmConfigPatches: ['{kind: InitConfiguration, skipPhases: [addon/kube-proxy]}']";
    let (patched, document) = init("v1.34.4", patches).unwrap();
    assert_eq!(patched.addons, Some("coredns"));
    assert_eq!(
        document["skipPhases"],
        json!(["addon/kube-proxy", "preflight", "addon"])
    );
    let appended = "kubeadmConfigPatchesJSON6902: [{kind: InitConfiguration, patch: '[{op: add, path: /skipPhases/1, value: addon}]'}]";
    assert_eq!(init("v1.34.4", appended).unwrap().0.addons, None);
}

#[test]
fn warnings_come_once() {
    let patches = "kubeadmConfigPatches: ['{kind: JoinConfiguration, discovery: {timeout: 9m}}']";
    let text = format!("{patches}\nnetworking: {{ipFamily: ipv4}}");
    let (patched, _) = init("v1.36.0", &text).unwrap();
    insta::assert_snapshot!(patched.warnings.join("\n"), @"kubeadmConfigPatches[0] sets `discovery.timeout`, which kubeadm.k8s.io/v1beta4 does not have: it will be ignored");
}
