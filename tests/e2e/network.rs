//! The network of the nodes, and what may already be in its place.

use std::io::{Read, Write};
use std::net::Ipv6Addr;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use sha1::{Digest, Sha1};

use crate::cluster::{Cluster, create, create_hollow, entries, read_kubeconfig};
use crate::common::{Engine, TestEnvironment};
use crate::image::Images;
use crate::kindr_only;
use crate::world::World;

/// Returns the variable by which kind is told another network than `kind`.
pub fn network_variable(engine: &Engine) -> &'static str {
    match engine.program() {
        "podman" => "KIND_EXPERIMENTAL_PODMAN_NETWORK",
        // kind has none.
        "nerdctl" => "KINDR_EXPERIMENTAL_NERDCTL_NETWORK",
        _ => "KIND_EXPERIMENTAL_DOCKER_NETWORK",
    }
}

/// Fails the test unless the one node of a cluster is on the only network of this name.
fn assert_on_the_only(world: &TestEnvironment, network: &str, cluster: &str) {
    let ids = world.engine().networks_named(network);
    assert_eq!(ids.len(), 1, "there is one network {network}: {ids:?}");
    let node = world.engine().inspect(&format!("{cluster}-control-plane"));
    if world.engine().program() == "nerdctl" {
        // It calls them by interfaces there.
        let networks = &node["Config"]["Labels"]["nerdctl/networks"];
        assert_eq!(networks, &Value::from(format!(r#"["{network}"]"#)));
        return;
    }
    let networks = node["NetworkSettings"]["Networks"]
        .as_object()
        .expect("the networks of a node");
    assert_eq!(networks.keys().collect::<Vec<_>>(), [network]);
    let id = networks[network]["NetworkID"].as_str().unwrap_or_default();
    assert!(
        id.starts_with(&ids[0]) || world.engine().program() != "docker",
        "the node is on {id}, not on {ids:?}"
    );
}

#[test]
fn three_creates_at_once_make_one_network_and_one_kubeconfig() {
    let world = World::new();
    let (network, variable) = (world.network_name(), network_variable(world.engine()));
    let images = Images::new(&world);
    let names = [world.cluster_name(), world.cluster_name(), world.cluster_name()];
    let started: Vec<_> = names
        .iter()
        .map(|name| {
            create_hollow(&world, name, &images)
                .env(variable, &network)
                .within(Duration::from_secs(900))
                .start()
        })
        .collect();
    for create in started {
        create.succeeds();
    }
    let mut contexts = entries(&read_kubeconfig(&world.kubeconfig()), "contexts");
    contexts.sort();
    let mut expected = names.each_ref().map(|name| format!("kind-{name}"));
    expected.sort();
    assert_eq!(contexts, expected);
    for name in &names {
        assert_on_the_only(&world, &network, name);
    }
    thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| world_free_delete(name));
        }
    });
    for name in &names {
        world
            .run(["delete", "cluster", "--name", name])
            .mentions([name])
            .succeeds();
        world.assert_no_containers(name);
    }
}

/// Removes the containers of a cluster outside of any environment, which threads cannot share.
fn world_free_delete(name: &str) {
    Engine::chosen().remove_cluster(name);
}

#[test]
fn networks_of_one_name_are_reduced_to_one() {
    let world = World::new();
    if world.engine().program() != "docker" {
        // Only docker lets two networks have one name.
        return;
    }
    let network = world.network_name();
    post_network(&network);
    if !post_network(&network) {
        // Engines from 25 on refuse the second: nothing is left to heal.
        return;
    }
    assert_eq!(world.engine().networks_named(&network).len(), 2);

    let name = world.cluster_name();
    create_hollow(&world, &name, &Images::new(&world))
        .env(network_variable(world.engine()), &network)
        .succeeds();
    assert_on_the_only(&world, &network, &name);
    Cluster::named(&world, &name).delete();
}

/// Makes a network without asking whether there is one of that name, and tells whether docker did it.
fn post_network(name: &str) -> bool {
    let body = format!(r#"{{"Name":"{name}"}}"#);
    let mut socket = UnixStream::connect("/var/run/docker.sock").expect("docker's socket");
    let head = "POST /networks/create HTTP/1.0\r\nHost: docker\r\nContent-Type: application/json";
    write!(socket, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).expect("ask docker");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("docker's answer");
    answer
        .lines()
        .next()
        .is_some_and(|status| status.contains(" 201 "))
}

#[test]
fn a_subnet_that_is_taken_does_not_matter() {
    let world = World::new();
    let (network, squatter) = (world.network_name(), world.network_name());
    // Each engine has wishes of its own, but for docker's, which are kind's.
    let program = world.engine().program();
    let salt = if program == "docker" { "" } else { program };
    let subnet = first_choice(&format!("{network}{salt}"));
    world
        .engine()
        .run(["network", "create", "--ipv6", "--subnet", &subnet, &squatter]);

    let name = world.cluster_name();
    create_hollow(&world, &name, &Images::new(&world))
        .env(network_variable(world.engine()), &network)
        .succeeds();
    assert_on_the_only(&world, &network, &name);
    let node = world.engine().inspect(&format!("{name}-control-plane"));
    let networks = node["NetworkSettings"]["Networks"].as_object();
    let address = networks
        .and_then(|networks| networks.values().next())
        .and_then(|endpoint| endpoint["GlobalIPv6Address"].as_str())
        .unwrap_or_default();
    assert!(!address.is_empty(), "the node has no IPv6 address: {node:#}");
    Cluster::named(&world, &name).delete();
}

#[test]
fn the_first_choice_of_a_subnet_is_that_of_kind() {
    assert_eq!(first_choice("kind"), "fc00:f853:ccd:e793::/64");
}

/// Returns the subnet that kind tries first for a network of this name.
fn first_choice(network: &str) -> String {
    let digest = Sha1::new()
        .chain_update(network)
        .chain_update(0_i32.to_le_bytes())
        .finalize();
    let mut bytes = [0; 16];
    bytes[0] = 0xfc;
    bytes[2..8].copy_from_slice(&digest[2..8]);
    format!("{}/64", Ipv6Addr::from(bytes))
}

#[test]
fn an_old_network_without_ipv6_is_told_before_there_are_nodes() {
    kindr_only!("kind takes the network as it is, and fails once the nodes are up");
    let world = World::new();
    let (name, network) = (world.cluster_name(), world.network_name());
    world.engine().run(["network", "create", &network]);
    let config = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnetworking: {ipFamily: dual}\n";
    create(&world, &name, config)
        .env(network_variable(world.engine()), &network)
        .mentions([network.as_str(), "IPv6", "network rm"])
        .fails();
    world.assert_no_containers(&name);
}
