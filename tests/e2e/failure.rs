//! A create that fails midway: what is told, what is taken back, and what `--retain` keeps.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cluster::{Cluster, ONE_NODE, TWO_NODES, create_from};
use crate::common::{Finished, TestEnvironment, is_peer, node_image};
use crate::kindr_only;
use crate::world::World;

/// What the stand-in for kubeadm says last.
const LAST_WORDS: &str = "kt: this control plane is not to be";

/// Makes a node image whose kubeadm fails.
fn image_with_a_broken_kubeadm(world: &TestEnvironment) -> String {
    let (image, engine) = (world.image_name(), world.engine());
    let find = [
        "run",
        "--rm",
        "--entrypoint",
        "sh",
        &node_image(),
        "-c",
        "command -v kubeadm",
    ]
    .map(str::to_owned);
    let place = engine.run(find.iter().map(String::as_str));
    let script = world.write(
        "kubeadm",
        &format!("#!/bin/sh\necho kt: kubeadm was asked for \"$1\"\necho '{LAST_WORDS}' >&2\nexit 9\n"),
    );
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    engine.derive_image(&node_image(), &image, &[(&script.to_string_lossy(), &place)], &[]);
    image
}

/// Checks that a failure names the step, the node, the command, its last lines and where the logs are.
fn assert_told(world: &TestEnvironment, run: &Finished, node: &str) {
    for word in ["kubeadm", "init", LAST_WORDS] {
        assert!(
            run.stderr.contains(word),
            "stderr does not mention `{word}`:\n{}",
            run.report()
        );
    }
    if is_peer() {
        return;
    }
    for word in [node, "9"] {
        assert!(
            run.stderr.contains(word),
            "stderr does not mention `{word}`:\n{}",
            run.report()
        );
    }
    let logs = paths_in(&run.stderr)
        .into_iter()
        .find(|path| path.is_dir() || path.is_file());
    let logs = logs.unwrap_or_else(|| panic!("stderr names no logs that are there:\n{}", run.report()));
    assert!(
        logs.starts_with(world.path("")),
        "the logs are outside of HOME and TMPDIR: {}",
        logs.display()
    );
    let size = if logs.is_dir() {
        fs::read_dir(&logs).unwrap().count() as u64
    } else {
        logs.metadata().unwrap().len()
    };
    assert!(size > 0, "there is nothing in {}", logs.display());
}

/// Returns what looks like an absolute path in a text.
fn paths_in(text: &str) -> Vec<PathBuf> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| "`'\"(),.:;".contains(c)))
        .filter(|word| word.starts_with('/') && word.len() > 1)
        .map(PathBuf::from)
        .collect()
}

#[test]
fn a_failed_create_takes_back_what_it_made() {
    let world = World::new();
    let (image, name) = (image_with_a_broken_kubeadm(&world), world.cluster_name());
    world.write("kube/config", "apiVersion: v1\nkind: Config\n# mine\n");
    let before = world.kube_folder();
    let started = seconds();
    let run = create_from(&world, &name, TWO_NODES, &image)
        .mentions([&name])
        .fails();
    assert_told(&world, &run, &format!("{name}-control-plane"));
    world.assert_no_containers(&name);
    assert_eq!(
        world.kube_folder(),
        before,
        "the folder of the kubeconfig has changed"
    );
    let left: Vec<_> = world
        .engine()
        .volumes_mounted_since(started, &name)
        .intersection(&world.engine().volumes())
        .cloned()
        .collect();
    assert!(left.is_empty(), "volumes are left: {left:?}");
    // The name is free again.
    let again = create_from(&world, &name, ONE_NODE, &image).fails();
    assert!(!again.stderr.contains("already exist"), "{}", again.report());
}

#[test]
fn retain_keeps_the_nodes_of_a_failed_create() {
    let world = World::new();
    let (image, name) = (image_with_a_broken_kubeadm(&world), world.cluster_name());
    let before = world.kube_folder();
    let run = create_from(&world, &name, ONE_NODE, &image)
        .args(["--retain"])
        .kindr_mentions([format!("delete cluster --name {name}")])
        .fails();
    let node = format!("{name}-control-plane");
    assert_told(&world, &run, &node);
    assert_eq!(
        world.engine().inspect(&node)["State"]["Running"],
        true,
        "the node does not run"
    );
    assert!(!world.engine().exec(&node, &["cat", "/kind/version"]).is_empty());
    assert_eq!(
        world.kube_folder(),
        before,
        "the folder of the kubeconfig has changed"
    );
    world
        .run(["get", "nodes", "--name", &name])
        .stdout(format!("{node}\n"))
        .succeeds();
    if !is_peer() {
        logs_of_a_broken_cluster_are_exported(&world, &name);
    }
    Cluster::named(&world, &name).delete();
}

/// Also of a node that has stopped.
fn logs_of_a_broken_cluster_are_exported(world: &TestEnvironment, name: &str) {
    let node = format!("{name}-control-plane");
    for (folder, told) in [("half", "no API server answered"), ("stopped", "has stopped")] {
        if told == "has stopped" {
            world.engine().run(["kill", &node]);
        }
        let folder = world.path(folder);
        world
            .run(["export", "logs", "--name", name])
            .args([&folder])
            .stdout(format!("{}\n", folder.display()))
            .succeeds();
        let summary = fs::read_to_string(folder.join("summary.txt")).expect("a summary");
        assert!(summary.contains(told), "{summary}");
        let serial =
            fs::read_to_string(folder.join(&node).join("serial.log")).expect("what the node printed");
        assert!(!serial.is_empty());
    }
}

#[test]
fn a_node_whose_system_ends_is_told_with_its_last_words() {
    kindr_only!("kind shows kubeadm's exit code alone");
    let world = World::new();
    let (image, name) = (world.image_name(), world.cluster_name());
    // As it goes where the host's inotify instances are used up: the sign of a booted system comes first.
    let words = "Failed to allocate manager object: Too many open files";
    let entrypoint = format!("#!/bin/sh\necho INFO: detected cgroup v1\nsleep 1\necho '{words}'\nexit 255\n");
    let file = world.write("entrypoint", &entrypoint);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let files = [(file.to_str().unwrap(), "/usr/local/bin/entrypoint")];
    world.engine().derive_image(&node_image(), &image, &files, &[]);
    create_from(&world, &name, ONE_NODE, &image)
        .mentions([&format!("{name}-control-plane"), words])
        .fails();
    world.assert_no_containers(&name);
}

fn seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock")
        .as_secs()
}
