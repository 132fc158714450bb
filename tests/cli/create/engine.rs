//! No engine, or one that does not answer. The other commands are here too: they fail alike.

use std::fs;

use crate::common::TestEnvironment;

const COMMANDS: [&[&str]; 5] = [
    &["create", "cluster", "--name", "kt-engine"],
    &["delete", "cluster", "--name", "kt-engine"],
    &["get", "clusters"],
    &["get", "nodes", "--name", "kt-engine"],
    &["get", "kubeconfig", "--name", "kt-engine"],
];

#[test]
fn no_engine_on_the_path_is_told_with_one_that_would_do() {
    for command in COMMANDS {
        let env = TestEnvironment::new();
        let empty = env.path("empty");
        fs::create_dir(&empty).unwrap();
        let before = env.kube_folder();
        env.run(command)
            .env("PATH", &empty)
            .without("KIND_EXPERIMENTAL_PROVIDER")
            .mentions(["docker"])
            .kindr_mentions(["install"])
            .fails();
        assert_eq!(env.kube_folder(), before);
    }
}

#[test]
fn a_provider_that_is_asked_for_and_not_installed_is_told() {
    let env = TestEnvironment::new();
    let empty = env.path("empty");
    fs::create_dir(&empty).unwrap();
    let provider = env.engine().program();
    env.run(["get", "clusters"])
        .env("PATH", &empty)
        .mentions([provider])
        .kindr_mentions(["install"])
        .fails();
}

mod with_engine {
    use super::COMMANDS;
    use crate::common::TestEnvironment;

    #[test]
    fn an_engine_that_does_not_answer_is_told_with_its_address() {
        let env = TestEnvironment::with_engine();
        let (variable, address) = match env.engine().program() {
            "docker" => ("DOCKER_HOST", "unix:///nonexistent.sock"),
            "nerdctl" => ("CONTAINERD_ADDRESS", "/nonexistent.sock"),
            // podman has no daemon that could be silent.
            _ => return,
        };
        for command in COMMANDS {
            let before = env.kube_folder();
            env.run(command)
                .env(variable, address)
                .mentions(["nonexistent.sock"])
                .kindr_mentions([env.engine().program(), variable])
                .fails();
            assert_eq!(env.kube_folder(), before);
        }
    }
}
