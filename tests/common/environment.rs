//! The world of one test: a home folder, a kubeconfig in it, and clusters with names of their own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tempfile::TempDir;

use super::binary;
use super::engine::Engine;
use super::invocation::Invocation;
use super::recorder::Recorder;

/// Variables of the person who runs the tests that the engine's client needs to find its engine.
const KEPT: [&str; 10] = [
    "PATH",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "CONTAINER_HOST",
    "CONTAINERS_CONF",
    "CONTAINERD_ADDRESS",
    "CONTAINERD_NAMESPACE",
    "NERDCTL_TOML",
    "XDG_RUNTIME_DIR",
];

static COUNTER: AtomicUsize = AtomicUsize::new(0);

/// A home folder and the clusters of one test; both are gone with it.
pub struct TestEnvironment {
    home: TempDir,
    engine: Engine,
    recorder: Option<Recorder>,
    clusters: RefCell<Vec<String>>,
    networks: RefCell<Vec<String>>,
    images: RefCell<Vec<String>>,
}

impl TestEnvironment {
    /// Makes a world in which no engine need be there.
    pub fn new() -> Self {
        let home = tempfile::Builder::new()
            .prefix("kindr-test-")
            .tempdir()
            .expect("make a home folder");
        for folder in ["kube", "tmp"] {
            fs::create_dir(home.path().join(folder)).expect("make a folder");
        }
        Self {
            home,
            engine: Engine::chosen(),
            recorder: None,
            clusters: RefCell::default(),
            networks: RefCell::default(),
            images: RefCell::default(),
        }
    }

    /// Makes a world with another engine than this run's; it must answer.
    pub fn on(engine: Engine) -> Self {
        engine.require();
        let mut environment = Self::new();
        environment.engine = engine;
        environment
    }

    /// Makes a world with an engine that answers.
    pub fn with_engine() -> Self {
        let environment = Self::new();
        environment.engine.require();
        environment
    }

    /// Writes down the calls that the program under test makes of the engine.
    pub fn recorded(mut self) -> Self {
        self.recorder = Some(Recorder::new(self.home.path(), self.engine.program()));
        self
    }

    /// Writes down the calls and answers some of them by a piece of shell, in which `$1` is the subcommand.
    pub fn answering(mut self, shell: &str) -> Self {
        self.recorder = Some(Recorder::with(self.home.path(), self.engine.program(), shell));
        self
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the calls' recorder; the test must have asked for one.
    pub fn recorder(&self) -> &Recorder {
        self.recorder.as_ref().expect("the environment is not recorded()")
    }

    /// Returns the kubeconfig that `KUBECONFIG` names. It is not there at first.
    pub fn kubeconfig(&self) -> PathBuf {
        self.path("kube/config")
    }

    /// Returns a path below the home folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file below the home folder.
    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("make a folder");
        fs::write(&path, content).expect("write a file");
        path
    }

    /// Returns a cluster name that nobody else has. What is left of the cluster at the end is removed.
    pub fn cluster_name(&self) -> String {
        let name = unique("kt");
        self.clusters.borrow_mut().push(name.clone());
        name
    }

    /// Returns a network name that nobody else has. The network is removed at the end.
    pub fn network_name(&self) -> String {
        let name = unique("kt-net");
        self.networks.borrow_mut().push(name.clone());
        name
    }

    /// Returns an image name that nobody else has. The image is removed at the end.
    pub fn image_name(&self) -> String {
        let mut name = format!("{}:v1", unique("kt-image"));
        if self.engine.program() == "podman" {
            // So podman calls what is made here, and the real kind must hear it.
            name.insert_str(0, "localhost/");
        }
        self.images.borrow_mut().push(name.clone());
        name
    }

    /// Prepares a run of the program under test.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Invocation {
        self.run_program(&binary::under_test(), arguments)
    }

    /// Prepares a run in the same world of the program under test or of the real kind.
    pub fn run_program<S: AsRef<OsStr>>(
        &self,
        program: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Invocation {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.home.path()).args(arguments);
        for name in KEPT {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Some(recorder) = &self.recorder {
            command.env("PATH", self.path_with(recorder.folder()));
        }
        command
            .env("HOME", self.home.path())
            .env("TMPDIR", self.path("tmp"))
            .env("KUBECONFIG", self.kubeconfig())
            .env("KIND_EXPERIMENTAL_PROVIDER", self.engine.program());
        let of_kind = binary::is_peer() || program != binary::under_test();
        Invocation::new(command, of_kind)
    }

    /// Returns every file below the folder of the kubeconfig with its bytes, to be compared later.
    pub fn kube_folder(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fs::read_dir(self.path("kube"))
            .expect("read the folder of the kubeconfig")
            .map(|entry| entry.expect("read an entry").path())
            .map(|path| (path.clone(), fs::read(&path).unwrap_or_default()))
            .collect()
    }

    /// Fails the test if the engine has a container of the cluster.
    pub fn assert_no_containers(&self, cluster: &str) {
        let left = self.engine.containers_of(cluster);
        assert!(left.is_empty(), "containers of {cluster} are left: {left:?}");
    }

    fn path_with(&self, first: &Path) -> OsString {
        let rest = env::var_os("PATH").unwrap_or_default();
        env::join_paths(std::iter::once(first.to_owned()).chain(env::split_paths(&rest))).expect("a PATH")
    }
}

impl Drop for TestEnvironment {
    fn drop(&mut self) {
        if thread::panicking() {
            // The logs of a create that failed are in there.
            self.home.disable_cleanup(true);
            eprintln!("kept for a look: {}", self.home.path().display());
        }
        if super::which(self.engine.program()).is_none() {
            return;
        }
        // A failure of the clean-up must not hide the failure of the test.
        let clean_up = AssertUnwindSafe(|| {
            for cluster in self.clusters.take() {
                self.engine.remove_cluster(&cluster);
            }
            for network in self.networks.take() {
                for id in self.engine.networks_named(&network) {
                    self.engine.attempt(["network", "rm", &id]);
                }
            }
            for image in self.images.take() {
                self.engine.attempt(["rmi", "--force", &image]);
            }
        });
        if catch_unwind(clean_up).is_err() {
            eprintln!("the clean-up of {} failed", self.home.path().display());
        }
    }
}

fn unique(prefix: &str) -> String {
    format!(
        "{prefix}-{}-{}",
        std::process::id(),
        COUNTER.fetch_add(1, Ordering::Relaxed)
    )
}
