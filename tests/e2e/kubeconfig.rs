//! `KUBECONFIG` as a list of files, by the rules of kubectl.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::cluster::{
    Cluster, ONE_NODE, create, create_hollow, entries, eventually, lock_of, read_kubeconfig,
};
use crate::common::TestEnvironment;
use crate::image::Images;
use crate::kindr_only;
use crate::world::World;

const FOREIGN: &str = "apiVersion: v1
kind: Config
clusters:
- {name: other, cluster: {server: https://other.example:6443}}
contexts:
- {name: other, context: {cluster: other, user: other}}
users:
- {name: other, user: {token: abc}}
current-context: other
";

/// Three ports that the engine is to choose.
const CHOSEN_PORTS: &str = "kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
- role: control-plane
  extraPortMappings:
  - {containerPort: 80}
  - {containerPort: 443, hostPort: 0}
  - {containerPort: 8443, hostPort: -1, listenAddress: 127.0.0.1}
";

#[test]
fn a_list_of_new_files_is_begun_with_the_last() {
    let world = World::new();
    // The folder of the last is not there either, and has a space.
    let (one, two) = (world.path("kube/one"), world.path("new folder/two"));
    let list = env::join_paths([&one, &two]).unwrap();
    let name = world.cluster_name();
    create(&world, &name, CHOSEN_PORTS)
        .env("KUBECONFIG", &list)
        .succeeds();
    assert!(!one.exists(), "{} was made", one.display());
    assert_eq!(two.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(
        entries(&read_kubeconfig(&two), "contexts"),
        [format!("kind-{name}")]
    );
    assert!(!world.kubeconfig().exists(), "another file was made");
    each_port_is_its_own(&world, &name);

    // Now the context is in the second file only, and the first has something else.
    fs::write(&one, FOREIGN).unwrap();
    let cluster = Cluster::named(&world, &name).with_kubeconfig(&list);
    cluster.ready_nodes();
    cluster.delete();
    assert_eq!(fs::read_to_string(&one).unwrap(), FOREIGN);
    assert!(two.exists());
}

fn each_port_is_its_own(world: &TestEnvironment, name: &str) {
    let node = world.engine().inspect(&format!("{name}-control-plane"));
    let ports = &node["NetworkSettings"]["Ports"];
    let chosen: BTreeSet<u16> = ["80/tcp", "443/tcp", "8443/tcp", "6443/tcp"]
        .iter()
        .filter_map(|port| ports[*port][0]["HostPort"].as_str()?.parse().ok())
        .filter(|port| *port != 0)
        .collect();
    assert_eq!(chosen.len(), 4, "each has a port of its own: {ports:#}");
}

#[test]
fn an_old_entry_is_renewed_in_the_file_that_holds_it() {
    kindr_only!("kind puts the entry into the first file and leaves the old one in the second");
    let world = World::new();
    let name = world.cluster_name();
    let one = world.write("kube/one", FOREIGN);
    let stale = FOREIGN.replace("other", &format!("kind-{name}"));
    let two = world.write("kube/two", &stale);
    let list = env::join_paths([&one, &two]).unwrap();
    create_hollow(&world, &name, &Images::new(&world))
        .env("KUBECONFIG", &list)
        .succeeds();

    assert_eq!(
        entries(&read_kubeconfig(&one), "clusters"),
        ["other"],
        "the entry is in the first file"
    );
    let renewed = read_kubeconfig(&two);
    assert_eq!(entries(&renewed, "clusters"), [format!("kind-{name}")]);
    let server = renewed["clusters"][0]["cluster"]["server"]
        .as_str()
        .unwrap_or_default();
    assert!(
        server.starts_with("https://127.0.0.1:"),
        "the entry is the old one: {server}"
    );
    assert!(
        !lock_of(&one).exists() && !lock_of(&two).exists(),
        "a lock is left"
    );
    let cluster = Cluster::named(&world, &name).with_kubeconfig(&list);
    // The list's first file says which context is current.
    assert_eq!(cluster.kubectl(["config", "current-context"]), cluster.context());
    cluster.delete();
    assert_eq!(entries(&read_kubeconfig(&one), "clusters"), ["other"]);
}

#[test]
fn a_lock_that_comes_late_does_not_cost_the_cluster() {
    let world = World::new();
    let name = world.cluster_name();
    let node = format!("{name}-control-plane");
    let create = create(&world, &name, ONE_NODE)
        .mentions([lock_of(&world.kubeconfig()).to_string_lossy()])
        .kindr_mentions(["export kubeconfig"])
        .start();
    // By now the file was found to be free.
    eventually(Duration::from_secs(120), || {
        let there = world.engine().containers_of(&name).contains(&node);
        if there {
            Ok(())
        } else {
            Err("there is no node yet".to_owned())
        }
    });
    let lock = world.write("kube/config.lock", "");
    create.fails();
    assert!(lock.exists(), "somebody else's lock was removed");
    assert!(
        !world.kubeconfig().exists(),
        "the file was written in spite of the lock"
    );

    fs::remove_file(lock).unwrap();
    world
        .run(["export", "kubeconfig", "--name", &name])
        .mentions([format!("kind-{name}")])
        .succeeds();
    let cluster = Cluster::named(&world, &name);
    cluster.ready_nodes();
    cluster.delete();
}
