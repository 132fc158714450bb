//! kind and kindr on each other's clusters.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::cluster::{CREATE_LIMIT, Cluster, entries, read_kubeconfig};
use crate::common::{
    Engine, Finished, Invocation, TestEnvironment, node_image, node_image_for_kind, peer, under_test,
};
use crate::world::World;

/// kind leaves it to the user that Kubernetes 1.35 and newer starts on cgroup v1.
const CONFIG: &str = "kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
kubeadmConfigPatches:
- |
  kind: KubeletConfiguration
  failCgroupV1: false
";

#[test]
fn kind_works_with_a_cluster_of_ours() {
    the_second_works_with_a_cluster_of_the_first(&under_test(), &peer());
}

#[test]
fn we_work_with_a_cluster_of_kind() {
    if Engine::chosen().program() == "nerdctl" {
        // kind does not ask nerdctl for control groups of their own, and its nodes do not start on cgroup v1.
        return;
    }
    the_second_works_with_a_cluster_of_the_first(&peer(), &under_test());
}

fn the_second_works_with_a_cluster_of_the_first(first: &Path, second: &Path) {
    let world = World::new();
    let name = world.cluster_name();
    let on_it = |program: &Path, words: &[&str]| -> Invocation {
        world
            .run_program(program, words)
            .args(["--name", &name])
            .within(CREATE_LIMIT)
    };
    let config = world.write("cluster.yaml", CONFIG);
    let image = node_image_for_kind(world.engine());
    on_it(first, &["create", "cluster", "--wait", "4m", "--image", &image])
        .args(["--config".as_ref(), config.as_os_str()])
        .succeeds();
    let cluster = Cluster::named(&world, &name);

    let listed = world
        .run_program(second, ["get", "clusters"])
        .any_stdout()
        .succeeds();
    assert!(
        listed.stdout.lines().any(|line| line == name),
        "{}",
        listed.report()
    );
    let listed = on_it(second, &["get", "nodes"])
        .stdout(format!("{name}-control-plane\n"))
        .succeeds();
    assert_eq!(
        listed.stdout,
        on_it(first, &["get", "nodes"]).any_stdout().succeeds().stdout
    );

    for place in [&[][..], &["--internal"]] {
        let words = [&["get", "kubeconfig"][..], place].concat();
        let [one, two] = [first, second].map(|program| yaml(&on_it(program, &words).any_stdout().succeeds()));
        assert_eq!(one, two, "the kubeconfigs differ ({place:?})");
        if !place.is_empty() {
            assert_eq!(
                two["clusters"][0]["cluster"]["server"],
                format!("https://{name}-control-plane:6443")
            );
        }
    }
    it_can_be_dialled(
        &world,
        &name,
        &on_it(second, &["get", "kubeconfig"])
            .any_stdout()
            .succeeds()
            .stdout,
    );

    on_it(second, &["create", "cluster", "--image", &node_image()])
        .mentions(["exist"])
        .fails();

    let volumes = world.engine().volumes_of(&name);
    on_it(second, &["delete", "cluster"]).mentions([&name]).succeeds();
    cluster.assert_gone(&volumes);
    let left = entries(&read_kubeconfig(&world.kubeconfig()), "contexts");
    assert!(left.is_empty(), "{left:?}");
}

fn it_can_be_dialled(world: &TestEnvironment, name: &str, kubeconfig: &str) {
    let path: PathBuf = world.write("printed/config", kubeconfig);
    let cluster = Cluster::named(world, name).with_kubeconfig(path);
    assert_eq!(
        cluster.ready_nodes(),
        BTreeSet::from([format!("{name}-control-plane")])
    );
}

fn yaml(printed: &Finished) -> Value {
    assert!(printed.took < Duration::from_secs(30), "{}", printed.report());
    serde_yaml::from_str(&printed.stdout).unwrap_or_else(|error| panic!("{error}: {}", printed.report()))
}
