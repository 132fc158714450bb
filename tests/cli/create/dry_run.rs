//! `create --dry-run`: the plan, and an engine that is not asked for anything.

use crate::common::TestEnvironment;
use crate::kindr_only;

const CONFIG: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nname: planned\nnodes:\n- role: control-plane\n- role: worker\n  image: kindest/node:v1.36.1\n  extraMounts: [{hostPath: \"./my data\", containerPath: /data}]\nnetworking: {apiServerPort: 16443}\n";

#[test]
fn the_plan_is_printed_and_nothing_is_asked_or_made() {
    kindr_only!("kind has no such option");
    let env = TestEnvironment::new().recorded();
    let file = env.write("cluster.yaml", CONFIG);
    let before = env.kube_folder();
    let run = env
        .run([
            "create",
            "cluster",
            "--dry-run",
            "--image",
            "node:v1.34.4",
            "--config",
        ])
        .args([&file])
        .any_stdout()
        .mentions(["my data", "does not exist"])
        .succeeds();
    for part in [
        "run --name planned-control-plane",
        "--publish=127.0.0.1:16443:6443/TCP",
        "/my data:/data'",
        "kubernetesVersion: v1.34.4",
        "kind: JoinConfiguration",
        "token: xxxxxx.xxxxxxxxxxxxxxxx",
    ] {
        // podman wants the protocol of a port in lower case.
        let found = run.stdout.to_lowercase().contains(&part.to_lowercase());
        assert!(found, "{part} is missing:\n{}", run.report());
    }
    assert_eq!(env.kube_folder(), before);
    let calls = env.recorder().calls();
    assert!(calls.is_empty(), "the engine was called: {calls:#?}");
}

#[test]
fn kindrs_own_name_for_the_snapshotter_goes_before_kinds() {
    kindr_only!("kind has no such option");
    let env = TestEnvironment::new();
    let run = env
        .run(["create", "--dry-run"])
        .env("KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER", "overlayfs")
        .env("KINDR_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER", "native")
        .any_stdout()
        .succeeds();
    let given: Vec<_> = run
        .stdout
        .split_whitespace()
        .filter(|word| word.contains("SNAPSHOTTER"))
        .collect();
    assert_eq!(given, ["KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER=native"]);
}

#[test]
fn programs_read_it_as_json_or_yaml() {
    kindr_only!("kind has no such option");
    let env = TestEnvironment::new();
    let create = |format| {
        env.run(["create", "--dry-run", "--name", "planned", "-o", format])
            .any_stdout()
            .succeeds()
            .stdout
    };
    let plan: serde_json::Value = serde_json::from_str(&create("json")).expect("JSON");
    assert_eq!(plan["cluster"], "planned");
    assert_eq!(plan["nodes"][0]["name"], "planned-control-plane");
    assert_eq!(plan["nodes"][0]["files"][0]["path"], "/kind/kubeadm.conf");
    assert!(create("yaml").contains("\nnodes:\n- name: planned-control-plane\n"));
}

#[test]
fn a_bad_config_or_a_format_without_a_plan_is_refused() {
    kindr_only!("kind has no such option");
    let env = TestEnvironment::new();
    env.run(["create", "--dry-run", "--config", "-"])
        .input(&CONFIG.replace("worker", "worke"))
        .mentions(["worke", "did you mean"])
        .fails();
    env.run(["create", "-o", "json"])
        .mentions(["--dry-run"])
        .ends_as_misuse();
    env.run(["create", "--dry-run", "-o", "xml"])
        .mentions(["xml", "json"])
        .ends_as_misuse();
}
