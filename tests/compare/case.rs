//! Configurations to compare, and what goes with them.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::common::{Finished, TestEnvironment};
use crate::image::Images;

/// What a create may take whose kubeadm does nothing.
const LIMIT: Duration = Duration::from_secs(120);

/// How a comment begins that says more about a case.
const DIRECTIVE: &str = "#! ";

/// A configuration file.
///
/// In its text `@NAME@` stands for the cluster's name and `@IMAGE@` and `@OTHER_IMAGE@` for two node images, which are
/// otherwise given on the command line. Comments that begin with `#!` say what else is set:
/// `#! env NAME=VALUE` a variable, `#! version v1.36.1` the Kubernetes version that the node image claims to have, and
/// `#! network` that the cluster gets a network of its own, which is compared as well.
#[derive(Debug)]
pub struct Case {
    /// The file's name.
    pub name: String,
    /// The file.
    pub text: String,
    /// Variables of the environment.
    env: Vec<(String, String)>,
    /// The version that the image claims, if not its own.
    pub version: Option<String>,
    /// Whether it gets a network of its own.
    pub own_network: bool,
}

impl Case {
    /// Reads a case.
    pub fn new(name: &str, text: &str) -> Self {
        let mut case = Self {
            name: name.to_owned(),
            text: text.to_owned(),
            env: Vec::new(),
            version: None,
            own_network: false,
        };
        for line in text.lines().filter_map(|line| line.strip_prefix(DIRECTIVE)) {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("env", pair) => {
                    let (key, value) = pair.split_once('=').expect("`#! env` is followed by NAME=VALUE");
                    case.env.push((key.to_owned(), value.to_owned()));
                }
                ("version", version) => case.version = Some(version.to_owned()),
                ("network", "") => case.own_network = true,
                _ => panic!("{name}: what does `{line}` say?"),
            }
        }
        case
    }

    /// Reads the files of a folder, in the order of their names.
    pub fn all_in(folder: &str) -> Vec<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("read a folder").path())
            .collect();
        files.sort();
        files
            .iter()
            .map(|file| {
                let name = file.file_name().expect("a file has a name").to_string_lossy();
                let text = fs::read_to_string(file).expect("read a case");
                Self::new(&format!("{folder}/{name}"), &text)
            })
            .collect()
    }

    /// Waits until no other case is at work that may ask for the same ports of the host.
    pub fn turn(&self) -> Option<MutexGuard<'static, ()>> {
        static PORTS: Mutex<()> = Mutex::new(());
        let asks = ["hostPort", "apiServerPort"]
            .iter()
            .any(|field| self.text.contains(field));
        // A case that failed has made no promise that is broken now.
        asks.then(|| PORTS.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Creates a cluster with a program and hands back how it ended.
    pub fn create(&self, world: &TestEnvironment, program: &Path, at: &Place, images: &Images) -> Finished {
        let image = images.of(self.version.as_deref());
        let text = self
            .text
            .replace("@NAME@", &at.cluster)
            .replace("@IMAGE@", image)
            .replace("@OTHER_IMAGE@", images.other());
        let file = world.write("cluster.yaml", &text);
        let mut run = world.run_program(program, ["create", "cluster", "--config"]);
        run = run.args([&file]).any_stdout().within(LIMIT);
        if !self.text.contains("@NAME@") {
            run = run.args(["--name", &at.cluster]);
        }
        if !self.text.contains("@IMAGE@") {
            run = run.args(["--image", image]);
        }
        for (key, value) in &self.env {
            run = run.env(key, value);
        }
        if let Some(network) = &at.network {
            run = run.env("KIND_EXPERIMENTAL_DOCKER_NETWORK", network);
        }
        run.start().ends()
    }
}

/// Where a case takes place: the same for both programs, one after the other.
#[derive(Debug)]
pub struct Place {
    /// The cluster's name.
    pub cluster: String,
    /// The network, if it is not the usual one.
    pub network: Option<String>,
}

impl Place {
    /// Finds a place for a case.
    pub fn for_case(world: &TestEnvironment, case: &Case) -> Self {
        Self {
            cluster: world.cluster_name(),
            network: case.own_network.then(|| world.network_name()),
        }
    }
}
