//! Patches of the kubeadm documents and of containerd's configuration, in clusters that use them.

use std::time::{Duration, Instant};

use crate::cluster::{Cluster, create};
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

#[test]
fn a_containerd_that_rejects_its_patch_is_told_within_seconds() {
    kindr_only!("kind lets kubeadm run into its time limit");
    let world = World::new();
    let config = r#"kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
containerdConfigPatches:
- |
  oom_score = -997
- |
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = 5
  [plugins."io.containerd.cri.v1.images"]
    snapshotter = 5
"#;
    let name = world.cluster_name();
    let started = Instant::now();
    create(&world, &name, config)
        .kindr_mentions([
            "containerdConfigPatches[1]",
            "CRI",
            &format!("{name}-control-plane"),
        ])
        .fails();
    assert!(
        started.elapsed() < Duration::from_secs(60),
        "{:?}",
        started.elapsed()
    );
    world.assert_no_containers(&name);
}
