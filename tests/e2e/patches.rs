//! Patches of the kubeadm documents and of containerd's configuration, in clusters that use them.

use std::time::Duration;

use crate::cluster::{Cluster, create};
use crate::common::{is_peer, node_image};
use crate::kindr_only;
use crate::world::World;

const PATCHED: &str = r#"kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
- role: control-plane
  kubeadmConfigPatches:
  - |
    kind: InitConfiguration
    nodeRegistration:
      kubeletExtraArgs:
        node-labels: "who=first"
- role: worker
  kubeadmConfigPatches:
  - |
    kind: JoinConfiguration
    nodeRegistration:
      kubeletExtraArgs:
        node-labels: "who=second"
kubeadmConfigPatches:
- |
  kind: ClusterConfiguration
  apiServer:
    certSANs: [api.example.com]
    extraArgs:
      profiling: "false"
  ---
  kind: KubeletConfiguration
  maxPods: 77
containerdConfigPatches:
- |
  oom_score = -997
containerdConfigPatchesJSON6902:
- '[{"op": "add", "path": "/debug", "value": {"level": "debug"}}]'
"#;

#[test]
fn patches_reach_every_part() {
    let world = World::new();
    let cluster = Cluster::create(&world, PATCHED);
    cluster.ready_nodes();
    let nodes = [("control-plane", "first"), ("worker", "second")];
    for (node, who) in nodes.map(|(end, who)| (cluster.node(end), who)) {
        let field =
            |path: &str| cluster.kubectl(["get", "node", &node, "--output", &format!("jsonpath={{{path}}}")]);
        assert_eq!(field(".metadata.labels.who"), who);
        assert_eq!(field(".status.capacity.pods"), "77");
        let config = world
            .engine()
            .exec(&node, &["cat", "/etc/containerd/config.toml"]);
        for text in ["oom_score = -997", "level = \"debug\"", "SystemdCgroup = true"] {
            assert!(config.contains(text), "no `{text}` in\n{config}");
        }
    }
    let front = cluster.node("control-plane");
    let text = |file: &str| world.engine().exec(&front, &["cat", file]);
    assert!(text("/etc/kubernetes/manifests/kube-apiserver.yaml").contains("--profiling=false"));
    let documents = text("/kind/kubeadm.conf");
    for name in ["api.example.com", "localhost"] {
        assert!(documents.contains(name), "no `{name}` in\n{documents}");
    }
    cluster.delete();
}

#[test]
fn tokens_and_phases_of_the_user_are_kept() {
    let world = World::new();
    let config = "kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes: [{role: control-plane}, {role: worker}]
kubeadmConfigPatches:
- |
  kind: InitConfiguration
  bootstrapTokens:
  - token: abcdef.0123456789abcdef
  skipPhases: [preflight, addon/kube-proxy]
- |
  kind: JoinConfiguration
  discovery:
    bootstrapToken:
      token: abcdef.0123456789abcdef
";
    // Without kube-proxy no pod reaches the API, so the nodes' readiness is not waited for.
    let name = world.cluster_name();
    create(&world, &name, config).args(["--wait", "0s"]).succeeds();
    let cluster = Cluster::named(&world, &name);
    let names = cluster.kubectl(["get", "nodes", "--output", "name"]);
    assert_eq!(names.lines().count(), 2, "{names}");
    let parts = cluster.kubectl([
        "get",
        "daemonsets,deployments",
        "--all-namespaces",
        "--output",
        "name",
    ]);
    assert!(
        parts.contains("coredns") && !parts.contains("kube-proxy"),
        "{parts}"
    );
    cluster.delete();
}

/// What a registry's mirror was once told to containerd with.
const FOR_CONTAINERD_1: &str = r#"
    [plugins."io.containerd.grpc.v1.cri".registry.mirrors."registry.example:5000"]
      endpoint = ["http://mirror.example:5000"]
"#;
const FOR_CONTAINERD_2: &str = r#"
    version = 3
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.mirror-example]
      runtime_type = "io.containerd.runc.v2"
"#;

#[test]
fn patches_are_for_the_containerd_of_the_image() {
    let world = World::new();
    let config = world
        .engine()
        .read_in_image(&node_image(), "/etc/containerd/config.toml");
    let second = config.lines().any(|line| line == "version = 3");
    let (own, other, mark, advice) = if second {
        (
            FOR_CONTAINERD_2,
            FOR_CONTAINERD_1,
            "mirror-example",
            "hosts.toml for each registry",
        )
    } else {
        (
            FOR_CONTAINERD_1,
            FOR_CONTAINERD_2,
            "http://mirror.example:5000",
            "write it for version 2",
        )
    };
    if !is_peer() {
        it_is_rejected(&world, other, &[advice]);
    }

    let cluster = Cluster::create(&world, &containerd_patched(own));
    cluster.ready_nodes();
    let seen = world
        .engine()
        .exec(&cluster.node("control-plane"), &["crictl", "info"]);
    assert!(seen.contains(mark), "no `{mark}` in\n{seen}");
    cluster.delete();
}

#[test]
fn a_containerd_that_rejects_its_patch_is_told_within_seconds() {
    kindr_only!("kind lets kubeadm run into its time limit");
    let world = World::new();
    // One table for each generation of containerd: each reads its own.
    let of_another_type = r#"
    [plugins."io.containerd.grpc.v1.cri".containerd]
      snapshotter = 5
    [plugins."io.containerd.cri.v1.images"]
      snapshotter = 5
"#;
    it_is_rejected(&world, of_another_type, &["CRI"]);
    let two_that_exclude_each_other = r#"
    [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = "/etc/containerd/certs.d"
      mirrors."registry.example:5000".endpoint = ["http://mirror.example:5000"]
    [plugins."io.containerd.cri.v1.images".registry]
      config_path = "/etc/containerd/certs.d"
      mirrors."registry.example:5000".endpoint = ["http://mirror.example:5000"]
"#;
    let words = [
        "CRI",
        "`mirrors` cannot be set when `config_path` is provided",
        "hosts.toml",
    ];
    it_is_rejected(&world, two_that_exclude_each_other, &words);
}

/// A config with a patch beside another that does no harm.
fn containerd_patched(patch: &str) -> String {
    format!(
        "kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
containerdConfigPatches:
- oom_score = -997
- |{patch}"
    )
}

/// Creating a cluster with a patch must fail within seconds, with the patch and these words, and leave nothing.
fn it_is_rejected(world: &World, patch: &str, words: &[&str]) {
    let name = world.cluster_name();
    let node = format!("{name}-control-plane");
    let finished = create(world, &name, &containerd_patched(patch))
        .kindr_mentions(["containerdConfigPatches[1]", &node])
        .kindr_mentions(words.iter().copied())
        .fails();
    assert!(finished.took < Duration::from_secs(60), "{}", finished.report());
    world.assert_no_containers(&name);
}
