//! `get clusters`, `get nodes` and `get kubeconfig`.

mod with_engine {
    use std::collections::BTreeSet;

    use crate::common::{TestEnvironment, is_peer};
    use crate::kindr_only;

    /// A piece of shell that makes an engine say that it has no containers.
    const NO_CONTAINERS: &str = r#"case "$1 $2" in ps*|"container ls"*|"container ps"*) exit 0;; esac"#;

    #[test]
    fn no_clusters_is_told_on_stderr_alone() {
        let env = TestEnvironment::with_engine().answering(NO_CONTAINERS);
        env.run(["get", "clusters"])
            .mentions(["No kind clusters found."])
            .succeeds();
    }

    #[test]
    fn quiet_says_nothing_that_is_not_asked_for() {
        let env = TestEnvironment::with_engine().answering(NO_CONTAINERS);
        let run = env.run(["get", "clusters", "-q"]).succeeds();
        assert_eq!(run.stderr, "");
    }

    #[test]
    fn clusters_are_listed_once_and_sorted() {
        let env = TestEnvironment::with_engine();
        let names = [env.cluster_name(), env.cluster_name()];
        for name in &names {
            env.engine()
                .create_labelled(name, &format!("{name}-control-plane"), "control-plane");
            env.engine()
                .create_labelled(name, &format!("{name}-worker"), "worker");
        }
        let run = env.run(["get", "clusters"]).any_stdout().succeeds();
        let lines: Vec<&str> = run.stdout.lines().collect();
        for name in &names {
            assert_eq!(
                lines.iter().filter(|line| *line == name).count(),
                1,
                "{}",
                run.report()
            );
        }
        assert!(lines.is_sorted(), "{}", run.report());
        // kind tells which variable chose the engine.
        assert!(is_peer() || run.stderr.is_empty(), "{}", run.report());
    }

    #[test]
    fn the_nodes_of_one_cluster_are_listed() {
        let env = TestEnvironment::with_engine();
        let (name, other) = (env.cluster_name(), env.cluster_name());
        let nodes: BTreeSet<String> = ["control-plane", "worker", "worker2"]
            .iter()
            .map(|end| format!("{name}-{end}"))
            .collect();
        for node in &nodes {
            let role = if node.ends_with("plane") {
                "control-plane"
            } else {
                "worker"
            };
            env.engine().create_labelled(&name, node, role);
        }
        env.engine()
            .create_labelled(&other, &format!("{other}-control-plane"), "control-plane");

        let listed = env.run(["get", "nodes", "--name", &name]).any_stdout().succeeds();
        assert_eq!(
            listed.stdout.lines().map(str::to_owned).collect::<BTreeSet<_>>(),
            nodes
        );
        let by_variable = env
            .run(["get", "nodes"])
            .env("KIND_CLUSTER_NAME", &name)
            .any_stdout()
            .succeeds();
        assert_eq!(by_variable.stdout, listed.stdout);

        let all = env.run(["get", "nodes", "-A"]).any_stdout().succeeds();
        for node in nodes.iter().chain([&format!("{other}-control-plane")]) {
            assert!(
                all.stdout.lines().any(|line| line == node),
                "{node} is not in\n{}",
                all.report()
            );
        }
    }

    #[test]
    fn our_own_variable_goes_before_the_one_of_kind() {
        kindr_only!("the variable is kindr's own");
        let env = TestEnvironment::with_engine();
        let name = env.cluster_name();
        let node = format!("{name}-control-plane");
        env.engine().create_labelled(&name, &node, "control-plane");
        env.run(["get", "nodes"])
            .env("KIND_CLUSTER_NAME", "kt-nobody")
            .env("KINDR_CLUSTER_NAME", &name)
            .stdout(format!("{node}\n"))
            .succeeds();
    }

    #[test]
    fn a_cluster_without_nodes_is_no_failure() {
        let env = TestEnvironment::with_engine();
        let name = env.cluster_name();
        env.run(["get", "nodes", "--name", &name])
            .mentions(["No kind nodes found", &name])
            .succeeds();
    }

    #[test]
    fn the_kubeconfig_of_no_cluster_is_refused() {
        let env = TestEnvironment::with_engine();
        let name = env.cluster_name();
        for extra in [&[][..], &["--internal"]] {
            let arguments = ["get", "kubeconfig", "--name", &name];
            env.run(arguments.iter().chain(extra))
                .mentions([name.as_str()])
                .kindr_mentions(["no cluster"])
                .fails();
        }
    }
}
