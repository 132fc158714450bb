//! A cluster that the program under test made, and ways to work with it.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Finished, Invocation, Process, TestEnvironment, node_image, tools_image};
use crate::image::Images;

/// What a create may take on a busy machine with two cores.
pub const CREATE_LIMIT: Duration = Duration::from_secs(420);
const KUBECTL_LIMIT: Duration = Duration::from_secs(300);

/// A config of one control plane.
pub const ONE_NODE: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n";
/// A config of one control plane and one worker.
pub const TWO_NODES: &str = "kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
- role: control-plane
- role: worker
";

/// A cluster that stands. Its environment removes what the test leaves of it.
pub struct Cluster<'w> {
    world: &'w TestEnvironment,
    name: String,
    kubeconfig: PathBuf,
}

/// Prepares to create the cluster `name` from a config, and to wait for it.
pub fn create(world: &TestEnvironment, name: &str, config: &str) -> Invocation {
    create_from(world, name, config, &node_image())
}

/// The same with another image.
pub fn create_from(world: &TestEnvironment, name: &str, config: &str, image: &str) -> Invocation {
    let config = world.write(&format!("{name}.yaml"), config);
    world
        .run([
            "create", "cluster", "--name", name, "--image", image, "--wait", "4m", "--config",
        ])
        .args([&config])
        .within(CREATE_LIMIT)
}

/// Prepares to create what is a cluster for all but Kubernetes: nodes, network and kubeconfig, in a fifth of the time.
pub fn create_hollow(world: &TestEnvironment, name: &str, images: &Images<'_>) -> Invocation {
    create_from(world, name, ONE_NODE, images.of(None)).args(["--wait", "0s"])
}

impl<'w> Cluster<'w> {
    /// Creates a cluster.
    pub fn create(world: &'w TestEnvironment, config: &str) -> Self {
        let name = world.cluster_name();
        create(world, &name, config).succeeds();
        Self::named(world, &name)
    }

    /// Takes a cluster that was created otherwise.
    pub fn named(world: &'w TestEnvironment, name: &str) -> Self {
        Self {
            world,
            name: name.to_owned(),
            kubeconfig: world.kubeconfig(),
        }
    }

    /// Uses another kubeconfig, which may also be a list of files.
    pub fn with_kubeconfig(mut self, path: impl Into<PathBuf>) -> Self {
        self.kubeconfig = path.into();
        self
    }

    /// Returns the cluster's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of its kubeconfig context.
    pub fn context(&self) -> String {
        format!("kind-{}", self.name)
    }

    /// Returns the name of the node whose name ends so.
    pub fn node(&self, end: &str) -> String {
        format!("{}-{end}", self.name)
    }

    /// Runs kubectl in the cluster's context and hands back how it ended.
    pub fn attempt<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Finished {
        self.start_kubectl(arguments, None).finish()
    }

    /// Runs kubectl, which must succeed, and gives its stdout without the last line's end.
    pub fn kubectl<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> String {
        self.attempt(arguments).expect_success().trim_end().to_owned()
    }

    /// Starts kubectl with something on its stdin.
    pub fn start_kubectl<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        input: Option<&str>,
    ) -> Process {
        let program = env::var_os("KINDR_TEST_KUBECTL").filter(|value| !value.is_empty());
        let mut command = Command::new(program.unwrap_or_else(|| "kubectl".into()));
        // The kubeconfig goes by the variable: it may be a list.
        command
            .env("KUBECONFIG", &self.kubeconfig)
            .env("HOME", self.world.path(""));
        command.args(["--context", &self.context()]).args(arguments);
        Process::start_with(command, KUBECTL_LIMIT, input.map(|text| text.as_bytes().to_vec()))
    }

    /// Applies a manifest.
    pub fn apply(&self, manifest: &str) {
        self.start_kubectl(["apply", "-f", "-"], Some(manifest))
            .finish()
            .expect_success();
    }

    /// Waits until all nodes are ready, and returns their names.
    pub fn ready_nodes(&self) -> BTreeSet<String> {
        self.kubectl([
            "wait",
            "nodes",
            "--all",
            "--for=condition=Ready",
            "--timeout=120s",
        ]);
        let names = self.kubectl(["get", "nodes", "--output", "jsonpath={.items[*].metadata.name}"]);
        names.split(' ').map(str::to_owned).collect()
    }

    /// Waits until a pod is ready.
    pub fn wait_for_pod(&self, pod: &str) {
        self.kubectl([
            "wait",
            &format!("pod/{pod}"),
            "--for=condition=Ready",
            "--timeout=180s",
        ]);
    }

    /// Puts the image that test pods run into every node.
    pub fn load_tools(&self) {
        let (engine, image) = (self.world.engine(), tools_image());
        engine.require_image(&image);
        for node in engine.containers_of(&self.name) {
            engine.pipe_image(&image, &node);
        }
    }

    /// Deletes the cluster with the program under test and checks that nothing of it is left.
    pub fn delete(self) {
        let engine = self.world.engine();
        let volumes = engine.volumes_of(&self.name);
        self.world
            .run(["delete", "cluster", "--name", &self.name])
            .env("KUBECONFIG", &self.kubeconfig)
            .within(Duration::from_secs(120))
            .mentions([&self.name])
            .succeeds();
        self.assert_gone(&volumes);
    }

    /// Checks that the cluster has left no container, volume, kubeconfig entry or lock.
    pub fn assert_gone(&self, volumes: &BTreeSet<String>) {
        let engine = self.world.engine();
        self.world.assert_no_containers(&self.name);
        let left: Vec<_> = engine.volumes().intersection(volumes).cloned().collect();
        assert!(left.is_empty(), "volumes of {} are left: {left:?}", self.name);
        for path in env::split_paths(&self.kubeconfig) {
            assert!(!lock_of(&path).exists(), "{} is left", lock_of(&path).display());
            if path.exists() {
                let text = fs::read_to_string(&path).expect("read a kubeconfig");
                assert!(
                    !text.contains(&self.context()),
                    "{} still knows the cluster:\n{text}",
                    path.display()
                );
            }
        }
        let listed = self.world.run(["get", "clusters"]).any_stdout().succeeds();
        assert!(
            !listed.stdout.lines().any(|line| line == self.name),
            "{}",
            listed.report()
        );
    }
}

impl Drop for Cluster<'_> {
    fn drop(&mut self) {
        // A test that fails shows the state in which it left the cluster.
        if thread::panicking() && !self.world.engine().containers_of(&self.name).is_empty() {
            for arguments in [
                ["get", "nodes,pods", "-A", "-o", "wide"],
                ["get", "events", "-A", "--sort-by", "lastTimestamp"],
            ] {
                let finished = self.attempt(arguments.into_iter().chain(["--request-timeout=10s"]));
                eprintln!("{}", finished.report());
            }
        }
    }
}

/// Returns the lock of a kubeconfig, as kubectl names it.
pub fn lock_of(kubeconfig: &Path) -> PathBuf {
    let mut path = kubeconfig.as_os_str().to_owned();
    path.push(".lock");
    PathBuf::from(path)
}

/// Reads a kubeconfig.
pub fn read_kubeconfig(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{} is not YAML: {error}", path.display()))
}

/// Returns the names of the entries in one list of a kubeconfig.
pub fn entries(kubeconfig: &Value, list: &str) -> Vec<String> {
    let entries = kubeconfig[list].as_array().cloned().unwrap_or_default();
    entries
        .iter()
        .filter_map(|entry| entry["name"].as_str().map(str::to_owned))
        .collect()
}

/// Tries again until it works, for at most `limit`; then fails the test with what was last wrong.
pub fn eventually<T>(limit: Duration, mut attempt: impl FnMut() -> Result<T, String>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        match attempt() {
            Ok(value) => return value,
            Err(problem) => assert!(Instant::now() < deadline, "not within {limit:?}: {problem}"),
        }
        thread::sleep(Duration::from_millis(500));
    }
}
