//! `config`: files checked, filled in and described, without any engine.

use crate::common::TestEnvironment;
use crate::kindr_only;

const HEAD: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n";

#[test]
fn a_good_file_is_valid_and_nothing_else_is_said() {
    kindr_only!("kind has no such command");
    let env = TestEnvironment::new().recorded();
    let file = env.write("cluster.yaml", HEAD);
    let run = env.run(["config", "validate"]).args([&file]);
    run.mentions(["cluster.yaml is valid"]).succeeds();
    let run = env.run(["config", "validate", "-q"]).args([&file]).succeeds();
    assert_eq!(run.stderr, "");
    let calls = env.recorder().calls();
    assert!(calls.is_empty(), "the engine was called: {calls:#?}");
}

#[test]
fn all_faults_of_a_file_are_told() {
    kindr_only!("kind has no such command");
    let env = TestEnvironment::new();
    let file = env.write(
        "cluster.yaml",
        &format!("{HEAD}nodez: []\nnodes:\n- role: master\n  image: a b\n"),
    );
    let run = env.run(["config", "validate"]).args([&file]);
    run.mentions([
        "cluster.yaml:3:1",
        "did you mean `nodes`",
        "5 | - role: master",
        "nodes[0].image",
    ])
    .fails();
    env.run(["config", "print", "nowhere.yaml"])
        .mentions(["nowhere.yaml"])
        .fails();
    env.run(["config", "validate"]).ends_as_misuse();
}

#[test]
fn what_is_printed_is_valid_and_prints_as_itself() {
    kindr_only!("kind has no such command");
    let env = TestEnvironment::new();
    let default = env.run(["config", "default"]).any_stdout().succeeds().stdout;
    assert!(default.contains("podSubnet: 10.244.0.0/16"), "{default}");
    env.run(["config", "print", "-"])
        .input(&default)
        .stdout(default.clone())
        .succeeds();
    env.run(["config", "validate", "-"]).input(&default).succeeds();
}

#[test]
fn the_schema_is_json() {
    kindr_only!("kind has no such command");
    let env = TestEnvironment::new();
    let text = env.run(["config", "schema"]).any_stdout().succeeds().stdout;
    let schema: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(schema["properties"]["kind"]["const"], "Cluster");
}
