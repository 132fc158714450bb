//! Creates that an engine, its images or the machine stand in the way of.

mod image;
mod kubeconfig;

use std::net::TcpListener;
use std::time::Duration;

use super::{refused_early, undone};
use crate::common::{TestEnvironment, is_peer, node_image};
use crate::kindr_only;

#[test]
fn a_name_that_is_taken_is_refused_and_the_first_is_left_alone() {
    let env = TestEnvironment::with_engine().recorded();
    let name = env.cluster_name();
    let node = format!("{name}-control-plane");
    env.engine().create_labelled(&name, &node, "control-plane");
    let id = env.engine().inspect(&node)["Id"].clone();

    env.run(["create", "cluster", "--name", &name, "--image", &node_image()])
        .mentions([name.as_str(), "exist"])
        .kindr_mentions([format!("delete cluster --name {name}")])
        .fails();
    assert_eq!(env.recorder().changes(), Vec::<Vec<String>>::new());
    assert_eq!(
        env.engine().inspect(&node)["Id"],
        id,
        "the container is another one"
    );
}

#[test]
fn a_container_of_somebody_else_with_the_name_of_a_node_is_left_alone() {
    let env = TestEnvironment::with_engine();
    env.engine().require_image(&node_image());
    let (name, other) = (env.cluster_name(), env.cluster_name());
    let node = format!("{name}-control-plane");
    // It bears the labels of another cluster, so that it is found and removed at the end.
    env.engine().create_labelled(&other, &node, "control-plane");

    let create = env.run(["create", "cluster", "--name", &name, "--image", &node_image()]);
    undone(&env, &name, create.mentions([node.as_str(), "is already"]));
    assert!(
        env.engine().containers_of(&other).contains(&node),
        "the container of {other} is gone"
    );
}

#[test]
fn a_port_that_is_held_is_refused_before_there_are_nodes() {
    let env = TestEnvironment::with_engine().recorded();
    env.engine().require_image(&node_image());
    let name = env.cluster_name();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = env.write(
        "cluster.yaml",
        &format!("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnetworking:\n  apiServerPort: {port}\n"),
    );
    let create = env
        .run([
            "create",
            "cluster",
            "--name",
            &name,
            "--image",
            &node_image(),
            "--config",
        ])
        .args([&config])
        .mentions([port.to_string()])
        .kindr_mentions(["apiServerPort", "in use"]);
    // kind lets the engine stumble over it.
    if is_peer() {
        undone(&env, &name, create)
    } else {
        refused_early(&env, &name, create)
    };
    assert!(listener.local_addr().is_ok(), "the holder of the port was harmed");
}

#[test]
fn a_host_port_that_is_held_is_refused_before_there_are_nodes() {
    kindr_only!("kind makes the nodes and lets the engine stumble over it");
    let env = TestEnvironment::with_engine().recorded();
    env.engine().require_image(&node_image());
    let name = env.cluster_name();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let nodes = format!(
        "nodes:\n- role: control-plane\n  extraPortMappings:\n  - {{containerPort: 80, hostPort: {port}, listenAddress: 127.0.0.1}}\n"
    );
    let config = env.write(
        "cluster.yaml",
        &format!("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n{nodes}"),
    );
    let create = env
        .run([
            "create",
            "cluster",
            "--name",
            &name,
            "--image",
            &node_image(),
            "--config",
        ])
        .args([&config])
        .mentions([port.to_string().as_str(), "hostPort", "in use"]);
    refused_early(&env, &name, create);
}

#[test]
fn the_long_and_the_short_command_are_the_same() {
    kindr_only!("`create` and `delete` without `cluster` are kindr's own");
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    let node = format!("{name}-control-plane");
    env.engine().create_labelled(&name, &node, "control-plane");
    env.run(["create", "--name", &name])
        .mentions([name.as_str(), "exist"])
        .fails();
    env.run(["delete", "--name", &name])
        .within(Duration::from_secs(60))
        .mentions([name.as_str()])
        .succeeds();
    env.assert_no_containers(&name);
}
