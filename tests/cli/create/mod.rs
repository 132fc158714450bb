//! `create cluster` with input that it must refuse.

mod config;
mod dry_run;
mod engine;
mod name;
mod wait;
mod with_engine;

use crate::common::{Finished, Invocation, TestEnvironment, is_peer};

/// Runs a create that must be refused before the engine is asked for anything.
fn refused_at_once(env: &TestEnvironment, create: Invocation) -> Finished {
    let before = env.kube_folder();
    let run = create.fails();
    assert_eq!(
        env.kube_folder(),
        before,
        "the folder of the kubeconfig has changed:\n{}",
        run.report()
    );
    // kind looks for engines before it looks at its input; neither may change anything.
    let calls = if is_peer() {
        env.recorder().changes()
    } else {
        env.recorder().calls()
    };
    assert!(
        calls.is_empty(),
        "the engine was called: {calls:#?}\n{}",
        run.report()
    );
    run
}

/// Runs a create that must be refused before the engine is asked to change anything.
fn refused_early(env: &TestEnvironment, cluster: &str, create: Invocation) -> Finished {
    let before = env.kube_folder();
    let run = create.fails();
    assert_eq!(
        env.kube_folder(),
        before,
        "the folder of the kubeconfig has changed:\n{}",
        run.report()
    );
    let changes = env.recorder().changes();
    assert!(
        changes.is_empty(),
        "the engine was asked for: {changes:#?}\n{}",
        run.report()
    );
    env.assert_no_containers(cluster);
    run
}

/// Runs a create that must fail and take back what it did.
fn undone(env: &TestEnvironment, cluster: &str, create: Invocation) -> Finished {
    let before = env.kube_folder();
    let run = create.fails();
    assert_eq!(
        env.kube_folder(),
        before,
        "the folder of the kubeconfig has changed:\n{}",
        run.report()
    );
    env.assert_no_containers(cluster);
    run
}
