//! Images that are not there, or are no node images.

use std::thread;
use std::time::{Duration, Instant};

use super::super::undone;
use crate::common::{Finished, Invocation, TestEnvironment, is_peer, node_image, tools_image};
use crate::kindr_only;

/// How soon an image that is no node image has to be told.
const SOON: Duration = Duration::from_secs(15);

fn create_from(env: &TestEnvironment, name: &str, image: &str) -> Invocation {
    env.run(["create", "cluster", "--name", name, "--image", image])
        .within(Duration::from_secs(120))
}

/// Checks that a failure came soon, where it is kindr's.
fn told_soon(run: &Finished) {
    // kind waits half a minute for a line that never comes.
    assert!(
        is_peer() || run.took < SOON,
        "it took {:?} to tell:\n{}",
        run.took,
        run.report()
    );
}

#[test]
fn an_image_that_is_nowhere_is_told() {
    let env = TestEnvironment::with_engine().recorded();
    let name = env.cluster_name();
    // Nothing listens on port 1: the pull is refused at once.
    let image = "127.0.0.1:1/kt/none:v1";
    let create = create_from(&env, &name, image)
        .mentions([image])
        .kindr_mentions(["refused"]);
    undone(&env, &name, create);
    let made: Vec<_> = env
        .recorder()
        .calls()
        .into_iter()
        .filter(|call| call[0] == "run" || call[0] == "create")
        .collect();
    assert!(made.is_empty(), "containers were made: {made:?}");
}

#[test]
fn what_is_not_an_image_name_is_told() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    undone(
        &env,
        &name,
        create_from(&env, &name, "Not An Image").mentions(["Not An Image"]),
    );
}

#[test]
fn an_image_that_exits_at_once_is_told_with_its_code_and_last_lines() {
    let env = TestEnvironment::with_engine();
    let (name, image) = (env.cluster_name(), env.image_name());
    let entrypoint = r#"ENTRYPOINT ["sh", "-c", "echo kt: out of luck; exit 3"]"#;
    env.engine()
        .derive_image(&tools_image(), &image, &[], &[entrypoint]);
    let create = create_from(&env, &name, &image)
        .mentions([format!("{name}-control-plane")])
        .kindr_mentions(["node image", &image, "code 3", "kt: out of luck"]);
    told_soon(&undone(&env, &name, create));
}

#[test]
fn an_image_that_sleeps_is_told_as_no_node_image() {
    let env = TestEnvironment::with_engine();
    let (name, image) = (env.cluster_name(), env.image_name());
    let entrypoint = r#"ENTRYPOINT ["sh", "-c", "echo kt: sleeping; sleep 300"]"#;
    env.engine()
        .derive_image(&tools_image(), &image, &[], &[entrypoint]);
    let create = create_from(&env, &name, &image)
        .mentions([format!("{name}-control-plane")])
        .kindr_mentions(["node image", &image]);
    told_soon(&undone(&env, &name, create));
}

#[test]
fn an_image_without_a_command_is_told() {
    let env = TestEnvironment::with_engine();
    let (name, image) = (env.cluster_name(), env.image_name());
    let changes = ["ENTRYPOINT []", r#"CMD ["/no/such/program"]"#];
    env.engine().derive_image(&tools_image(), &image, &[], &changes);
    let create = create_from(&env, &name, &image)
        .mentions([format!("{name}-control-plane")])
        .kindr_mentions(["node image", &image]);
    told_soon(&undone(&env, &name, create));
}

#[test]
fn a_node_that_is_killed_while_it_boots_is_told() {
    kindr_only!(
        "kind waits for a line in the log of a container that is dead, and tells only that it did not come"
    );
    let env = TestEnvironment::with_engine();
    env.engine().require_image(&node_image());
    let name = env.cluster_name();
    let node = format!("{name}-control-plane");
    let before = env.kube_folder();
    let create = create_from(&env, &name, &node_image())
        .mentions([node.as_str(), "137"])
        .kindr_mentions_one_of([
            "ended with exit code",
            "exited",
            "not running",
            "stopped",
            "killed",
        ])
        .start();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_up(&env, &node) {
        assert!(Instant::now() < deadline, "the node did not start");
        thread::sleep(Duration::from_millis(50));
    }
    thread::sleep(Duration::from_secs(1));
    env.engine().run(["kill", &node]);
    let killed = Instant::now();
    let run = create.fails();
    assert!(
        killed.elapsed() < SOON,
        "it took {:?} to notice:\n{}",
        killed.elapsed(),
        run.report()
    );
    env.assert_no_containers(&name);
    assert_eq!(env.kube_folder(), before);
}

fn is_up(env: &TestEnvironment, node: &str) -> bool {
    let state = env
        .engine()
        .attempt(["container", "inspect", "--format", "{{.State.Running}}", node]);
    state.stdout.trim() == "true"
}
