//! Three engines on one host, with a cluster each at the same time.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cluster::{Cluster, TWO_NODES, create};
use crate::common::{Engine, TestEnvironment};
use crate::kindr_only;
use crate::workload;
use crate::world::World;

const ENGINES: [&str; 3] = ["docker", "podman", "nerdctl"];

#[test]
fn three_engines_have_a_cluster_each_and_no_two_are_mixed_up() {
    kindr_only!("kind's networks collide, and it asks one engine alone");
    let world = World::new();
    if world.engine().program() != ENGINES[0] {
        // One of the engines' runs is enough.
        return;
    }
    let others = ENGINES.map(|name| TestEnvironment::on(Engine::named(name)));
    let names = others.each_ref().map(TestEnvironment::cluster_name);
    let started: Vec<_> = others
        .iter()
        .zip(&names)
        .map(|(other, name)| create(other, name, TWO_NODES).start())
        .collect();
    for create in started {
        create.succeeds();
    }
    for (other, name) in others.iter().zip(&names) {
        let cluster = Cluster::named(other, name);
        assert_eq!(cluster.ready_nodes().len(), 2);
        cluster.load_tools();
        cluster.apply(&workload::client());
        cluster.apply(&workload::web());
        cluster.wait_for_pod("client");
        workload::both_replicas_answer(&cluster, "web");
    }

    let listed = world
        .run(["get", "clusters", "-o", "json"])
        .without("KIND_EXPERIMENTAL_PROVIDER")
        .any_stdout()
        .succeeds();
    let list: Vec<Value> = serde_json::from_str(&listed.stdout).expect("JSON");
    let engines: BTreeMap<&str, &str> = list
        .iter()
        .filter_map(|cluster| Some((cluster["name"].as_str()?, cluster["engine"].as_str()?)))
        .collect();
    for (name, engine) in names.iter().zip(ENGINES) {
        assert_eq!(engines.get(name.as_str()), Some(&engine), "{engines:?}");
    }
    // Each is found where it is, without being told.
    for (other, name) in others.iter().zip(&names) {
        let cluster = Cluster::named(other, name);
        let volumes = other.engine().volumes_of(name);
        other
            .run(["delete", "cluster", "--name", name])
            .without("KIND_EXPERIMENTAL_PROVIDER")
            .mentions([name])
            .succeeds();
        cluster.assert_gone(&volumes);
    }
}
