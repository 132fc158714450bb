//! Images that come into nodes.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::cluster::{Cluster, TWO_NODES, create_from};
use crate::common::{Process, is_peer, tools_image};
use crate::image::Images;
use crate::world::World;

/// What a load of small images may take.
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn nodes_get_what_they_lack_and_nothing_twice() {
    let world = World::recorded();
    let cluster = hollow(&world);
    let nodes = [cluster.node("control-plane"), cluster.node("worker")];
    let load = |words: &[&str]| {
        let run = world.run(["load"]).args(words).args(["--name", cluster.name()]);
        run.within(LIMIT)
    };
    let engine = world.engine();
    let (first, second) = (world.image_name(), world.image_name());
    engine.run(["tag", &tools_image(), &first]);

    load(&["docker-image", &first]).mentions([&first]).succeeds();
    let ids = nodes
        .each_ref()
        .map(|node| id_in(&world, node, &first).expect("it was loaded"));
    assert_eq!(ids[0], ids[1]);
    let sent = saves(&world);
    assert_eq!(sent, 1, "one archive serves all nodes");

    load(&["docker-image", &first]).any_stdout().succeeds();
    engine.run(["tag", &first, &second]);
    load(&["docker-image", &second]).mentions([&second]).succeeds();
    for node in &nodes {
        assert_eq!(id_in(&world, node, &second).as_deref(), Some(ids[0].as_str()));
    }
    assert_eq!(saves(&world), sent, "a name is given and nothing is sent");

    // The name moves to another image, and one node gets that.
    let file = world.write("new/file", "new\n");
    engine.derive_image(&tools_image(), &first, &[(&file.to_string_lossy(), "/file")], &[]);
    load(&["docker-image", &first, "--nodes", &nodes[1]])
        .mentions([&first])
        .succeeds();
    assert_eq!(id_in(&world, &nodes[0], &first).as_ref(), Some(&ids[0]));
    let moved = id_in(&world, &nodes[1], &first).expect("it was loaded");
    assert_ne!(moved, ids[0]);

    let missing = world.image_name();
    load(&["docker-image", &missing]).mentions([&missing]).fails();
    load(&["docker-image", &first, "--nodes", "nobody"])
        .mentions(["nobody"])
        .fails();
    cluster.delete();
}

#[test]
fn archives_are_taken_as_they_are() {
    let world = World::new();
    let cluster = hollow(&world);
    let nodes = [cluster.node("control-plane"), cluster.node("worker")];
    let (one, two) = (world.image_name(), world.image_name());
    let engine = world.engine();
    for name in [&one, &two] {
        engine.run(["tag", &tools_image(), name]);
    }
    let plain = world.path("one image.tar").to_string_lossy().into_owned();
    engine.run(["save", "--output", &plain, &one]);
    let other = world.path("two.tar").to_string_lossy().into_owned();
    engine.run(["save", "--output", &other, &two]);
    // kind hands it on as it is, and not every containerd reads it.
    let compressed = if is_peer() {
        other.clone()
    } else {
        format!("{other}.gz")
    };
    if !is_peer() {
        let mut gzip = Command::new("gzip");
        gzip.arg(&other);
        Process::start(gzip, LIMIT).finish().expect_success();
    }
    for archive in [plain, compressed] {
        world
            .run(["load", "image-archive", &archive, "--name", cluster.name()])
            .within(LIMIT)
            .any_stdout()
            .succeeds();
    }
    for node in &nodes {
        for name in [&one, &two] {
            assert!(id_in(&world, node, name).is_some(), "{name} is not in {node}");
        }
    }
    let missing = world.path("missing.tar").to_string_lossy().into_owned();
    world
        .run(["load", "image-archive", &missing, "--name", cluster.name()])
        .mentions(["missing.tar"])
        .fails();
    let broken = world
        .write("broken.tar", "this is no archive")
        .to_string_lossy()
        .into_owned();
    world
        .run(["load", "image-archive", &broken, "--name", cluster.name()])
        .kindr_mentions([&nodes[0]])
        .fails();
    cluster.delete();
}

/// Two nodes whose containerd runs, and nothing else.
fn hollow(world: &World) -> Cluster<'_> {
    let name = world.cluster_name();
    create_from(world, &name, TWO_NODES, Images::new(world).of(None))
        .args(["--wait", "0s"])
        .succeeds();
    Cluster::named(world, &name)
}

/// Returns how often the engine was asked to write an archive.
fn saves(world: &World) -> usize {
    let calls = world.recorder().calls();
    calls.iter().filter(|call| call[0] == "save").count()
}

/// Returns the id of an image in a node, by the name that pods call it by.
fn id_in(world: &World, node: &str, name: &str) -> Option<String> {
    let list = world
        .engine()
        .exec(node, &["crictl", "images", "--output", "json"]);
    let list: Value = serde_json::from_str(&list).expect("crictl prints JSON");
    let whole = if name.contains('/') {
        name.to_owned()
    } else {
        format!("docker.io/library/{name}")
    };
    let images = list["images"].as_array().expect("a list").clone();
    let has = |image: &&Value| {
        image["repoTags"]
            .as_array()
            .is_some_and(|tags| tags.contains(&Value::from(whole.as_str())))
    };
    images
        .iter()
        .find(has)
        .and_then(|image| Some(image["id"].as_str()?.to_owned()))
}
