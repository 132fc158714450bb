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
    use std::process::Command;

    use super::COMMANDS;
    use crate::common::{CLUSTER_LABEL, TestEnvironment, tools_image};
    use crate::kindr_only;

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

    #[test]
    fn dockers_context_is_honoured() {
        let env = TestEnvironment::with_engine();
        if env.engine().program() != "docker" {
            return;
        }
        let made = Command::new("docker")
            .args([
                "context",
                "create",
                "kt-far",
                "--docker",
                "host=unix:///nonexistent.sock",
            ])
            .env("HOME", env.path(""))
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        env.run(["get", "clusters"])
            .env("DOCKER_CONTEXT", "kt-far")
            .without("DOCKER_HOST")
            .mentions(["nonexistent.sock"])
            .fails();
        let config = r#"{"currentContext": "kt-far"}"#;
        env.write(".docker/config.json", config);
        env.run(["get", "clusters"])
            .without("DOCKER_HOST")
            .mentions(["nonexistent.sock"])
            .fails();
    }

    #[test]
    fn containerds_namespace_is_honoured() {
        let env = TestEnvironment::with_engine();
        if env.engine().program() != "nerdctl" {
            return;
        }
        let name = env.cluster_name();
        env.engine()
            .create_labelled(&name, &format!("{name}-control-plane"), "control-plane");
        let listed = env.run(["get", "clusters"]).any_stdout().succeeds();
        assert!(
            listed.stdout.lines().any(|line| line == name),
            "{}",
            listed.report()
        );
        env.run(["get", "clusters"])
            .env("CONTAINERD_NAMESPACE", "kt-elsewhere")
            .mentions(["No kind clusters found"])
            .succeeds();
    }

    #[test]
    fn a_port_that_a_container_has_is_refused_with_the_containers_name() {
        kindr_only!("kind finds it once the node is made, or never");
        let env = TestEnvironment::with_engine();
        let (holder, name) = (env.cluster_name(), env.cluster_name());
        let node = format!("{holder}-worker");
        let label = format!("{CLUSTER_LABEL}={holder}");
        let run = ["run", "--detach", "--name", &node, "--label", &label];
        let publish = ["--publish", "127.0.0.1:18077:80"];
        let image = tools_image();
        env.engine()
            .run(run.into_iter().chain(publish).chain([image.as_str()]));
        let config = "kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes: [{role: control-plane, extraPortMappings: [{containerPort: 80, hostPort: 18077, listenAddress: 127.0.0.1}]}]
";
        let config = env.write("cluster.yaml", config);
        env.run(["create", "cluster", "--name", &name, "--config"])
            .args([&config])
            .mentions(["18077", "nodes[0].extraPortMappings[0].hostPort", node.as_str()])
            .fails();
        env.assert_no_containers(&name);
    }
}
