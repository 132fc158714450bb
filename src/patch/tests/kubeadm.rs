//! Patches of the kubeadm documents, as one node gets them.

use serde_json::{Value, json};

use super::*;

/// Documents as small as they can be, of one version.
fn documents(version: &str) -> Vec<Value> {
    let args = if version == "v1beta4" {
        json!([{"name": "v", "value": "2"}, {"name": "runtime-config", "value": ""}])
    } else {
        json!({"v": "2", "runtime-config": ""})
    };
    let api_version = format!("kubeadm.k8s.io/{version}");
    vec![
        json!({"apiVersion": api_version, "kind": "ClusterConfiguration", "apiServer": {"certSANs": ["localhost"], "extraArgs": args}}),
        json!({"apiVersion": api_version, "kind": "InitConfiguration", "nodeRegistration": {"taints": []}}),
        json!({"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "evictionHard": {"nodefs.available": "0%"}}),
    ]
}

/// The documents after the patches of `body`, one a line, or what is wrong.
fn patched(version: &str, body: &str) -> String {
    let mut documents = documents(version);
    match apply(&config(body), "kind-control-plane", &mut documents) {
        Ok(warnings) => {
            let documents = documents.iter().map(Value::to_string);
            documents.chain(warnings).collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    }
}

const MAP_STYLE: &str = "
kubeadmConfigPatches:
- |
  kind: ClusterConfiguration
  metadata:
    name: config
  apiServer:
    certSANs: [my.host]
    extraArgs:
      v: 4
      audit-log-path: /var/log/audit
  ---
  kind: KubeletConfiguration
  evictionHard: {imagefs.available: 1%}
";

#[test]
fn a_map_of_arguments_fits_every_version() {
    insta::assert_snapshot!(patched("v1beta3", MAP_STYLE), @r#"
    {"apiVersion":"kubeadm.k8s.io/v1beta3","kind":"ClusterConfiguration","apiServer":{"certSANs":["localhost","my.host"],"extraArgs":{"v":"4","runtime-config":"","audit-log-path":"/var/log/audit"}}}
    {"apiVersion":"kubeadm.k8s.io/v1beta3","kind":"InitConfiguration","nodeRegistration":{"taints":[]}}
    {"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration","evictionHard":{"nodefs.available":"0%","imagefs.available":"1%"}}
    "#);
    insta::assert_snapshot!(patched("v1beta4", MAP_STYLE), @r#"
    {"apiVersion":"kubeadm.k8s.io/v1beta4","kind":"ClusterConfiguration","apiServer":{"certSANs":["localhost","my.host"],"extraArgs":[{"name":"v","value":"4"},{"name":"runtime-config","value":""},{"name":"audit-log-path","value":"/var/log/audit"}]}}
    {"apiVersion":"kubeadm.k8s.io/v1beta4","kind":"InitConfiguration","nodeRegistration":{"taints":[]}}
    {"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration","evictionHard":{"nodefs.available":"0%","imagefs.available":"1%"}}
    "#);
}

#[test]
fn a_list_of_arguments_fits_every_version() {
    let body = "
kubeadmConfigPatches:
- |
  kind: ClusterConfiguration
  apiServer:
    extraArgs:
    - {name: v, value: '4'}
- |
  kind: ClusterConfiguration
  apiServer:
    extraArgs:
    - {name: profiling, value: 'false'}
";
    insta::assert_snapshot!(patched("v1beta3", body), @r#"
    {"apiVersion":"kubeadm.k8s.io/v1beta3","kind":"ClusterConfiguration","apiServer":{"certSANs":["localhost"],"extraArgs":{"v":"4","runtime-config":"","profiling":"false"}}}
    {"apiVersion":"kubeadm.k8s.io/v1beta3","kind":"InitConfiguration","nodeRegistration":{"taints":[]}}
    {"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration","evictionHard":{"nodefs.available":"0%"}}
    "#);
    insta::assert_snapshot!(patched("v1beta4", body), @r#"
    {"apiVersion":"kubeadm.k8s.io/v1beta4","kind":"ClusterConfiguration","apiServer":{"certSANs":["localhost"],"extraArgs":[{"name":"v","value":"4"},{"name":"runtime-config","value":""},{"name":"profiling","value":"false"}]}}
    {"apiVersion":"kubeadm.k8s.io/v1beta4","kind":"InitConfiguration","nodeRegistration":{"taints":[]}}
    {"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration","evictionHard":{"nodefs.available":"0%"}}
    "#);
}

#[test]
fn a_name_twice_needs_a_list() {
    let body = "
kubeadmConfigPatches:
- |
  kind: ClusterConfiguration
  apiServer:
    extraArgs:
    - {name: service-account-issuer, value: a}
    - {name: service-account-issuer, value: b}
";
    insta::assert_snapshot!(patched("v1beta3", body), @"kubeadmConfigPatches[0]: `apiServer.extraArgs` gives `service-account-issuer` twice, which only kubeadm.k8s.io/v1beta4 (Kubernetes 1.36 and newer) can hold");
    assert!(patched("v1beta4", body).contains(
        r#"{"name":"service-account-issuer","value":"a"},{"name":"service-account-issuer","value":"b"}"#
    ));
}

#[test]
fn a_patch_for_another_version_is_translated() {
    let old = MAP_STYLE.replace(
        "  kind: ClusterConfiguration",
        "  kind: ClusterConfiguration\n  apiVersion: kubeadm.k8s.io/v1beta3",
    );
    assert_eq!(patched("v1beta4", &old), patched("v1beta4", MAP_STYLE));
    let new = old.replace("v1beta3", "v1beta4");
    assert_eq!(patched("v1beta3", &new), patched("v1beta3", MAP_STYLE));
}

#[test]
fn a_patch_that_cannot_be_translated_names_both_versions() {
    let body = "
kubeadmConfigPatches:
- |
  kind: ClusterConfiguration
  apiVersion: kubeadm.k8s.io/v1beta3
  apiServer: {timeoutForControlPlane: 10m}
";
    insta::assert_snapshot!(patched("v1beta4", body), @"kubeadmConfigPatches[0]: it is for `kubeadm.k8s.io/v1beta3`, but this Kubernetes has its ClusterConfiguration in `kubeadm.k8s.io/v1beta4`; there is no `apiServer.timeoutForControlPlane` in that one");
    let unversioned = body.replace("  apiVersion: kubeadm.k8s.io/v1beta3\n", "");
    assert!(patched("v1beta4", &unversioned).ends_with("it will be ignored"));
    assert!(!patched("v1beta3", &unversioned).contains("ignored"));
}

#[test]
fn of_patches_for_several_versions_the_right_one_is_taken() {
    let body = "
kubeadmConfigPatches:
- |
  kind: ClusterConfiguration
  apiVersion: kubeadm.k8s.io/v1beta3
  apiServer: {extraArgs: {old: x}}
- |
  kind: ClusterConfiguration
  apiVersion: kubeadm.k8s.io/v1beta4
  apiServer: {extraArgs: [{name: new, value: x}]}
kubeadmConfigPatchesJSON6902:
- {group: kubeadm.k8s.io, version: v1beta3, kind: ClusterConfiguration, patch: '[{op: add, path: /apiServer/extraArgs/json, value: x}]'}
- {group: kubeadm.k8s.io, version: v1beta4, kind: ClusterConfiguration, patch: '[{op: add, path: /apiServer/extraArgs/-, value: {name: json, value: x}}]'}
";
    let has = |version: &str, word: &str| patched(version, body).contains(word);
    assert!(has("v1beta3", "old") && has("v1beta3", "json") && !has("v1beta3", "new"));
    assert!(has("v1beta4", "new") && has("v1beta4", "json") && !has("v1beta4", "old"));
    // A patch that the other one does not stand in for is not skipped.
    let apart = body.replace("v1beta3\n  apiServer", "v1beta3\n  clusterName: x\n  apiServer");
    assert!(patched("v1beta4", &apart).contains("old"));
}

#[test]
fn nodes_come_after_the_cluster() {
    let body = "
kubeadmConfigPatches:
- 'kind: InitConfiguration
  
  nodeRegistration: {ignorePreflightErrors: [a], taints: null}'
nodes:
- kubeadmConfigPatches:
  - 'kind: InitConfiguration

    nodeRegistration: {ignorePreflightErrors: [b]}'
  kubeadmConfigPatchesJSON6902:
  - {kind: InitConfiguration, patch: '[{op: add, path: /nodeRegistration/ignorePreflightErrors/-, value: c}]'}
";
    let text = patched("v1beta3", body);
    assert!(
        text.contains(r#""nodeRegistration":{"ignorePreflightErrors":["b","c"]}"#),
        "{text}"
    );
}

#[test]
fn operations_that_fail() {
    let with = |version: &str, operation: &str| {
        patched(version, &format!("
kubeadmConfigPatchesJSON6902:
- {{group: kubeadm.k8s.io, kind: ClusterConfiguration, patch: '[{{op: test, path: /kind, value: ClusterConfiguration}}, {operation}]'}}
"))
    };
    insta::assert_snapshot!(with("v1beta3", "{op: remove, path: /apiServer/extraArgs/x}"), @"kubeadmConfigPatchesJSON6902[0]: operation 1 (`remove /apiServer/extraArgs/x`) fails on the ClusterConfiguration (kubeadm.k8s.io/v1beta3): /apiServer/extraArgs has no `x`");
    insta::assert_snapshot!(with("v1beta4", "{op: add, path: /apiServer/extraArgs/x, value: y}"), @"kubeadmConfigPatchesJSON6902[0]: operation 1 (`add /apiServer/extraArgs/x`) fails on the ClusterConfiguration (kubeadm.k8s.io/v1beta4): /apiServer/extraArgs is a list of `name` and `value` in this version of kubeadm's API, of 2 elements; a merge patch works with every version");
    insta::assert_snapshot!(with("v1beta3", "{op: add, path: /apiServer/certSANs/7, value: y}"), @"kubeadmConfigPatchesJSON6902[0]: operation 1 (`add /apiServer/certSANs/7`) fails on the ClusterConfiguration (kubeadm.k8s.io/v1beta3): /apiServer/certSANs is a list of 1 elements; `-` is the place after its end");
    insta::assert_snapshot!(with("v1beta3", "{op: add, path: /etcd/local/dataDir, value: y}"), @"kubeadmConfigPatchesJSON6902[0]: operation 1 (`add /etcd/local/dataDir`) fails on the ClusterConfiguration (kubeadm.k8s.io/v1beta3): the document has no `etcd`");
    insta::assert_snapshot!(with("v1beta3", "{op: copy, from: /nothing, path: /x}"), @"kubeadmConfigPatchesJSON6902[0]: operation 1 (`copy /x`) fails on the ClusterConfiguration (kubeadm.k8s.io/v1beta3): the document has no `nothing`");
    insta::assert_snapshot!(with("v1beta3", "{op: test, path: /kind, value: X}"), @"kubeadmConfigPatchesJSON6902[0]: operation 1 (`test /kind`) fails on the ClusterConfiguration (kubeadm.k8s.io/v1beta3): the value there is another one");
}

#[test]
fn operations_for_another_version() {
    let body = "
kubeadmConfigPatchesJSON6902:
- {group: kubeadm.k8s.io, version: v1beta3, kind: ClusterConfiguration, patch: '[{op: add, path: /x, value: y}]'}
";
    insta::assert_snapshot!(patched("v1beta4", body), @"kubeadmConfigPatchesJSON6902[0]: it is for `v1beta3`, but this Kubernetes has its ClusterConfiguration in `v1beta4`; write `version: v1beta4`, or leave the version out to match any");
}

#[test]
fn a_second_node_and_its_token() {
    let body = "
nodes:
- role: control-plane
- role: worker
  kubeadmConfigPatches:
  - |
    kind: JoinConfiguration
    discovery: {bootstrapToken: {token: abcdef.0123456789abcdef, unsafeSkipCAVerification: true}}
    skipPhases: [kubelet-start]
";
    let config = config(body);
    let mut documents = vec![
        json!({"kind": "JoinConfiguration", "apiVersion": "kubeadm.k8s.io/v1beta3",
        "discovery": {"bootstrapToken": {"token": "x", "caCertHashes": ["sha256:1"]}}}),
    ];
    assert!(apply(&config, "kind-worker", &mut documents).unwrap().is_empty());
    assert_eq!(join_tokens(&documents), ["abcdef.0123456789abcdef"]);
}
