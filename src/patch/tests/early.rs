//! What is told before anything is made.

use super::*;

fn errors(body: &str) -> String {
    let text = format!("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n{body}");
    match Document::from_text(text).unwrap().resolve(&Settings::default()) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

/// One kubeadm patch of the cluster.
fn patch(text: &str) -> String {
    errors(&format!(
        "kubeadmConfigPatches:\n- |\n  {}\n",
        text.replace('\n', "\n  ")
    ))
}

#[test]
fn faults_of_one_patch() {
    insta::assert_snapshot!(patch("kind: ClusterConfiguration\na: 1\na: 2"), @"
    the cluster configuration is not valid
      <text>:7:3: kubeadmConfigPatches[0]: line 3 of the patch: the key `a` is given twice; keep one
    ");
    insta::assert_snapshot!(patch("kind: ClusterConfiguration\na: [1"), @"
    the cluster configuration is not valid
      <text>:6:3: kubeadmConfigPatches[0]: line 2 of the patch: not valid YAML: unclosed bracket '['
    ");
    insta::assert_snapshot!(patch("apiServer: {}"), @"
    the cluster configuration is not valid
      <text>:5:3: kubeadmConfigPatches[0]: it has no `kind`, so it matches nothing; add the document's, such as `kind: ClusterConfiguration`
    ");
    insta::assert_snapshot!(patch("kind: ClusterConfig"), @"
    the cluster configuration is not valid
      <text>:5:3: kubeadmConfigPatches[0]: it matches nothing: there is no document of kind `ClusterConfig`; did you mean `ClusterConfiguration`?
    ");
    insta::assert_snapshot!(patch("kind: Pod"), @"
    the cluster configuration is not valid
      <text>:5:3: kubeadmConfigPatches[0]: it matches nothing: there is no document of kind `Pod`; the kinds are `ClusterConfiguration`, `InitConfiguration`, `JoinConfiguration`, `KubeletConfiguration`, `KubeProxyConfiguration`
    ");
    insta::assert_snapshot!(patch("- a"), @"
    the cluster configuration is not valid
      <text>:5:3: kubeadmConfigPatches[0]: a merge patch is a mapping with `kind` and the fields to change, not a list
    ");
    insta::assert_snapshot!(patch("kind: KubeletConfiguration\napiVersion: kubeadm.k8s.io/v1beta3"), @"
    the cluster configuration is not valid
      <text>:5:3: kubeadmConfigPatches[0]: it matches nothing: `KubeletConfiguration` is of the group `kubelet.config.k8s.io`, not `kubeadm.k8s.io`
    ");
    insta::assert_snapshot!(patch("kind: ClusterConfiguration\napiVersion: kubeadm.k8s.io/v1"), @"
    the cluster configuration is not valid
      <text>:5:3: kubeadmConfigPatches[0]: it matches nothing: `ClusterConfiguration` is never of version `v1` (known: v1beta1, v1beta2, v1beta3, v1beta4); leave the version out to match any
    ");
    assert_eq!(patch("kind: ClusterConfiguration"), "");
    assert_eq!(patch("# nothing"), "");
}

#[test]
fn the_line_is_that_of_the_file() {
    let broken = "kubeadmConfigPatches:\n- |- # why\n\n  # remark\n  kind: ClusterConfiguration\n  a: [\n";
    insta::assert_snapshot!(errors(broken), @"
    the cluster configuration is not valid
      <text>:8:3: kubeadmConfigPatches[0]: line 4 of the patch: not valid YAML: unclosed bracket '['
    ");
    let json = "kubeadmConfigPatchesJSON6902:\n- kind: ClusterConfiguration\n  patch: |\n    - op: add\n      op: add\n";
    insta::assert_snapshot!(errors(json), @"
    the cluster configuration is not valid
      <text>:7:7: kubeadmConfigPatchesJSON6902[0].patch: line 2 of the patch: the key `op` is given twice; keep one
    ");
    let second = "kubeadmConfigPatches:\n- |\n  kind: ClusterConfiguration\n  ---\n  kind: X\n";
    insta::assert_snapshot!(errors(second), @"
    the cluster configuration is not valid
      <text>:7:3: kubeadmConfigPatches[0]: line 3 of the patch: it matches nothing: there is no document of kind `X`; the kinds are `ClusterConfiguration`, `InitConfiguration`, `JoinConfiguration`, `KubeletConfiguration`, `KubeProxyConfiguration`
    ");
}

#[test]
fn kinds_that_no_node_has() {
    insta::assert_snapshot!(patch("kind: JoinConfiguration"), @"
    the cluster configuration is not valid
      <text>:5:3: kubeadmConfigPatches[0]: it would change nothing: the cluster's only node does not join; patch the InitConfiguration, or remove the patch
    ");
    insta::assert_snapshot!(errors("
networking: {kubeProxyMode: none}
kubeadmConfigPatches: ['kind: KubeProxyConfiguration']
nodes:
- kubeadmConfigPatches: ['kind: JoinConfiguration', 'kind: KubeletConfiguration']
- role: worker
  kubeadmConfigPatches: ['kind: InitConfiguration', 'kind: ClusterConfiguration', 'kind: KubeletConfiguration', 'kind: JoinConfiguration']
  kubeadmConfigPatchesJSON6902: [{kind: InitConfiguration, patch: '[]'}]
"), @"
    the cluster configuration has 6 problems
      <text>:5:24: kubeadmConfigPatches[0]: it would change nothing: `kubeProxyMode` is `none`, so there is no kube-proxy; remove the patch
      <text>:7:26: nodes[0].kubeadmConfigPatches[0]: it would change nothing: this node is the first control plane, which does not join; patch the InitConfiguration
      <text>:9:26: nodes[1].kubeadmConfigPatches[0]: it would change nothing: this node joins, and reads no InitConfiguration; patch the JoinConfiguration
      <text>:9:53: nodes[1].kubeadmConfigPatches[1]: it would change nothing: this node joins, and gets the ClusterConfiguration from the cluster; patch it for the whole cluster
      <text>:9:83: nodes[1].kubeadmConfigPatches[2]: it would change nothing: this node joins, and gets its KubeletConfiguration from the cluster; patch it for the whole cluster, or give this kubelet arguments by `nodeRegistration.kubeletExtraArgs` of its JoinConfiguration
      <text>:10:34: nodes[1].kubeadmConfigPatchesJSON6902[0]: it would change nothing: this node joins, and reads no InitConfiguration; patch the JoinConfiguration
    ");
    assert_eq!(
        errors(
            "nodes: [{}, {role: worker}]\nkubeadmConfigPatches: ['kind: JoinConfiguration', 'kind: InitConfiguration']"
        ),
        ""
    );
}

#[test]
fn operations_that_are_none() {
    let patch = |text: &str| {
        errors(&format!(
            "kubeadmConfigPatchesJSON6902:\n- kind: ClusterConfiguration\n  patch: |\n    {text}\n"
        ))
    };
    insta::assert_snapshot!(patch("{op: add}"), @"
    the cluster configuration is not valid
      <text>:4:3: kubeadmConfigPatchesJSON6902[0]: not a JSON 6902 patch: it must be a list of operations, each with `op` and `path`
    ");
    insta::assert_snapshot!(patch("[{op: add, path: /x, value: 1}, {op: put, path: /x}]"), @"
    the cluster configuration is not valid
      <text>:4:3: kubeadmConfigPatchesJSON6902[0]: not a JSON 6902 patch: operation 1: unknown variant `put`, expected one of `add`, `remove`, `replace`, `move`, `copy`, `test`
    ");
    insta::assert_snapshot!(patch("[{op: add, path: x, value: 1}]"), @"
    the cluster configuration is not valid
      <text>:4:3: kubeadmConfigPatchesJSON6902[0]: not a JSON 6902 patch: operation 0: json pointer failed to parse; does not start with a slash ('/') and is not empty
    ");
    insta::assert_snapshot!(patch("[{op: add, path: /x}]"), @"
    the cluster configuration is not valid
      <text>:4:3: kubeadmConfigPatchesJSON6902[0]: not a JSON 6902 patch: operation 0: missing field `value`
    ");
    assert_eq!(
        patch("[{\"op\": \"add\", \"path\": \"/x\", \"value\": null}]"),
        ""
    );
}

#[test]
fn toml_is_read() {
    insta::assert_snapshot!(errors("containerdConfigPatches:\n- |\n  a = 1\n  b = [\n  a = 2\n"), @"
    the cluster configuration is not valid
      <text>:7:3: containerdConfigPatches[0]: line 3 of the patch: not valid TOML: unexpected `=` in array, expected value, `]`
    ");
    insta::assert_snapshot!(errors("containerdConfigPatches: ['version = \"two\"']\ncontainerdConfigPatchesJSON6902: ['{']"), @"
    the cluster configuration has 2 problems
      <text>:3:27: containerdConfigPatches[0]: not valid TOML: `version` is a number, 2 or 3
      <text>:4:35: containerdConfigPatchesJSON6902[0]: line 1 of the patch: not valid YAML: unclosed bracket '{'
    ");
}
