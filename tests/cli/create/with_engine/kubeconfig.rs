//! A kubeconfig that the new cluster could not be written to is found before there are nodes.

use std::fs;
use std::time::Duration;

use super::super::refused_early;
use crate::common::{Finished, TestEnvironment, node_image};
use crate::kindr_only;

/// What kindr may spend on waiting for somebody else's lock.
const PATIENCE: Duration = Duration::from_secs(20);

/// Creates a cluster that must be refused early with these words.
fn refused(env: &TestEnvironment, words: &[&str]) -> Finished {
    env.engine().require_image(&node_image());
    let name = env.cluster_name();
    let create = env.run(["create", "cluster", "--name", &name, "--image", &node_image()]);
    refused_early(env, &name, create.mentions(words.iter().copied()))
}

#[test]
fn a_locked_file_is_told_with_the_lock_which_stays() {
    kindr_only!("kind finds the lock when the cluster stands, and leaves that");
    let env = TestEnvironment::with_engine().recorded();
    let lock = env.write("kube/config.lock", "");
    let run = refused(&env, &[&lock.to_string_lossy(), "rm "]);
    assert!(lock.exists(), "somebody else's lock was removed");
    assert!(run.took < PATIENCE, "{}", run.report());
}

#[test]
fn a_folder_is_told() {
    kindr_only!("kind finds it when the cluster stands");
    let env = TestEnvironment::with_engine().recorded();
    fs::create_dir(env.kubeconfig()).unwrap();
    refused(&env, &[&env.kubeconfig().to_string_lossy(), "directory"]);
}

#[test]
fn what_is_not_yaml_is_told_with_its_line() {
    kindr_only!("kind finds it when the cluster stands");
    let env = TestEnvironment::with_engine().recorded();
    env.write("kube/config", "apiVersion: v1\nkind: Config\nclusters: [\n");
    refused(&env, &[&env.kubeconfig().to_string_lossy(), "line"]);
}

#[test]
fn an_unknown_shape_is_told() {
    kindr_only!("kind finds it when the cluster stands");
    let texts = [
        "- a\n- list\n",
        "clusters: {a: b}\n",
        "apiVersion: v1\nkind: Config\nusers: [1, 2]\n",
        "words\n",
    ];
    for text in texts {
        let env = TestEnvironment::with_engine().recorded();
        env.write("kube/config", text);
        refused(&env, &[&env.kubeconfig().to_string_lossy()]);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    kindr_only!("kind finds it when the cluster stands");
    let env = TestEnvironment::with_engine().recorded();
    let file = env.write("in-the-way", "not a folder");
    let name = env.cluster_name();
    let target = file.join("config");
    let create = env
        .run([
            "create",
            "cluster",
            "--name",
            &name,
            "--image",
            &node_image(),
            "--kubeconfig",
        ])
        .args([&target])
        .mentions([target.to_string_lossy()]);
    refused_early(&env, &name, create);
    assert_eq!(fs::read_to_string(file).unwrap(), "not a folder");
}
