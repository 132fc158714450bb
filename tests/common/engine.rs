//! The container engine as the tests see it: to look at what a run made, to prepare what it meets, and to clean up.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::process::{Finished, Process};
use super::{tools_image, variable};

/// The label by which kind and kindr know the containers of a cluster.
pub const CLUSTER_LABEL: &str = "io.x-k8s.kind.cluster";
/// The label that holds a node's role.
pub const ROLE_LABEL: &str = "io.x-k8s.kind.role";

const LIMIT: Duration = Duration::from_secs(180);

/// The engine that `KINDR_TEST_PROVIDER` names.
pub struct Engine {
    program: String,
}

impl Engine {
    /// Returns the engine of this test run.
    pub fn chosen() -> Self {
        let program = variable("KINDR_TEST_PROVIDER", "docker");
        assert!(
            ["docker", "podman", "nerdctl"].contains(&program.as_str()),
            "KINDR_TEST_PROVIDER is `{program}`: say docker, podman or nerdctl"
        );
        Self::named(&program)
    }

    /// Returns the engine of this name, whatever the run's is.
    pub fn named(program: &str) -> Self {
        Self {
            program: program.to_owned(),
        }
    }

    /// Returns the name of the provider, which is also that of its program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Runs the engine's program and hands back how it ended.
    pub fn attempt<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Finished {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        Process::start(command, LIMIT).finish()
    }

    /// Runs the engine's program, which must succeed, and gives its stdout without the last line's end.
    pub fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> String {
        self.attempt(arguments).expect_success().trim_end().to_owned()
    }

    /// Fails the test if the engine does not answer.
    pub fn require(&self) {
        let answer = self.attempt(["version"]);
        assert!(
            answer.status.success(),
            "this test needs {}, which does not answer (`make engines` starts it):\n{}",
            self.program,
            answer.report()
        );
    }

    /// Fails the test if the engine does not have an image.
    pub fn require_image(&self, image: &str) {
        let answer = self.attempt(["image", "inspect", image]);
        assert!(
            answer.status.success(),
            "this test needs the image {image} in {} (`make node-image` builds it)",
            self.program
        );
    }

    /// Returns the names of all containers of a cluster, running or not, in order.
    pub fn containers_of(&self, cluster: &str) -> BTreeSet<String> {
        let filter = format!("label={CLUSTER_LABEL}={cluster}");
        let names = self.run(["ps", "--all", "--filter", &filter, "--format", "{{.Names}}"]);
        names.lines().map(str::to_owned).collect()
    }

    /// Returns what the engine knows about a container.
    pub fn inspect(&self, container: &str) -> Value {
        let text = self.run(["container", "inspect", container]);
        let list: Value = serde_json::from_str(&text).expect("inspect prints JSON");
        list[0].clone()
    }

    /// Returns the names of the volumes that the containers of a cluster use.
    pub fn volumes_of(&self, cluster: &str) -> BTreeSet<String> {
        self.containers_of(cluster)
            .iter()
            .flat_map(|container| {
                let mounts = self.inspect(container)["Mounts"].clone();
                mounts.as_array().cloned().unwrap_or_default()
            })
            .filter(|mount| mount["Type"] == "volume")
            .filter_map(|mount| mount["Name"].as_str().map(str::to_owned))
            .collect()
    }

    /// Returns the names of all volumes.
    pub fn volumes(&self) -> BTreeSet<String> {
        self.run(["volume", "ls", "--quiet"])
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// Returns the volumes that containers of a cluster, gone or not, have had since a moment in Unix time.
    pub fn volumes_mounted_since(&self, seconds: u64, cluster: &str) -> BTreeSet<String> {
        if self.program != "docker" {
            // They name a node's volumes by labels and tell by those.
            let filter = format!("label={CLUSTER_LABEL}={cluster}");
            let names = self.run(["volume", "ls", "--quiet", "--filter", &filter]);
            return names.lines().map(str::to_owned).collect();
        }
        let since = seconds.to_string();
        let events = |filter: &str| -> Vec<Value> {
            let arguments = [
                "events",
                "--since",
                &since,
                "--until",
                "0s",
                "--format",
                "{{json .}}",
                "--filter",
                filter,
            ];
            self.run(arguments)
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok())
                .collect()
        };
        let containers: BTreeSet<String> = events(&format!("label={CLUSTER_LABEL}={cluster}"))
            .iter()
            .filter_map(|event| event["Actor"]["ID"].as_str().map(str::to_owned))
            .collect();
        assert!(!containers.is_empty(), "no container of {cluster} was ever made");
        let volumes: BTreeSet<String> = events("type=volume")
            .iter()
            .filter(|event| {
                event["Actor"]["Attributes"]["container"]
                    .as_str()
                    .is_some_and(|id| containers.contains(id))
            })
            .filter_map(|event| event["Actor"]["ID"].as_str().map(str::to_owned))
            .collect();
        assert!(!volumes.is_empty(), "no container of {cluster} ever had a volume");
        volumes
    }

    /// Returns the ids of the networks that bear exactly this name.
    pub fn networks_named(&self, name: &str) -> Vec<String> {
        self.run(["network", "ls", "--format", "{{.ID}} {{.Name}}"])
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(_, found)| *found == name)
            .map(|(id, _)| id.to_owned())
            .collect()
    }

    /// Runs a command in a node; it must succeed.
    pub fn exec(&self, node: &str, command: &[&str]) -> String {
        self.run(["exec", node].into_iter().chain(command.iter().copied()))
    }

    /// Reads a file of a container, if it is there. Cheaper than a program in it.
    pub fn read_in_container(&self, container: &str, path: &str) -> Option<String> {
        let copy = tempfile::NamedTempFile::new().expect("make a file");
        let (from, to) = (format!("{container}:{path}"), copy.path().to_string_lossy());
        let copied = self.attempt(["cp", &from, &to]).status.success();
        copied.then(|| fs::read_to_string(copy.path()).expect("read a copy"))
    }

    /// Reads a file of an image.
    pub fn read_in_image(&self, image: &str, path: &str) -> String {
        self.run(["run", "--rm", "--entrypoint", "cat", image, path])
    }

    /// Puts an image into a node's containerd, under the name that a pod would call it by.
    pub fn pipe_image(&self, image: &str, node: &str) {
        let program = &self.program;
        let import = "ctr --namespace k8s.io images import -";
        let pipe = format!("{program} save {image} | {program} exec --interactive {node} {import}");
        let mut command = Command::new("bash");
        command.args(["-o", "pipefail", "-c", &pipe]);
        Process::start(command, LIMIT).finish().expect_success();
        // podman calls an image without a registry `localhost/...`, a pod looks for it at docker.io.
        if program == "podman" {
            let (stored, wanted) = (format!("localhost/{image}"), format!("docker.io/{image}"));
            self.exec(
                node,
                &[
                    "ctr",
                    "--namespace",
                    "k8s.io",
                    "images",
                    "tag",
                    "--force",
                    &stored,
                    &wanted,
                ],
            );
        }
    }

    /// Makes the image `name` out of `base`: with files put over it, and a changed configuration.
    ///
    /// A file is a source on this machine and its place in the image; a change is a Dockerfile instruction.
    pub fn derive_image(&self, base: &str, name: &str, files: &[(&str, &str)], changes: &[&str]) {
        self.require_image(base);
        let container = format!("{}-base", name.replace([':', '/'], "-"));
        self.attempt(["rm", "--force", "--volumes", &container]);
        if self.program == "nerdctl" {
            // It commits running containers alone.
            let run = ["run", "--detach", "--name", &container, "--entrypoint", "sleep"];
            self.run(run.into_iter().chain([base, "infinity"]));
        } else {
            self.run(["create", "--name", &container, base, "unused"]);
        }
        for (source, target) in files {
            self.run(["cp", source, &format!("{container}:{target}")]);
        }
        let image = serde_json::from_str::<Value>(&self.run(["image", "inspect", base]))
            .expect("inspect prints JSON");
        // The container's own command is not the image's.
        let command = format!("CMD {}", array(&image[0]["Config"]["Cmd"]));
        // nerdctl changes nothing else.
        let possible = |change: &&str| {
            self.program != "nerdctl"
                || ["CMD ", "ENTRYPOINT "]
                    .iter()
                    .any(|word| change.starts_with(word))
        };
        let changes = [command.as_str()].into_iter().chain(changes.iter().copied());
        let changes = changes.filter(possible);
        let mut arguments = vec!["commit"];
        arguments.extend(changes.flat_map(|change| ["--change", change]));
        arguments.extend([container.as_str(), name]);
        self.run(arguments);
        self.run(["rm", "--force", "--volumes", &container]);
    }

    /// Makes a container that bears the labels of a node and never ran. It has an anonymous volume, as nodes do.
    pub fn create_labelled(&self, cluster: &str, node: &str, role: &str) {
        let image = tools_image();
        self.require_image(&image);
        let (cluster, role) = (
            format!("{CLUSTER_LABEL}={cluster}"),
            format!("{ROLE_LABEL}={role}"),
        );
        self.run([
            "create", "--name", node, "--label", &cluster, "--label", &role, "--volume", "/var", &image, "sh",
        ]);
    }

    /// Removes the containers of a cluster with their volumes, whatever state they are in.
    pub fn remove_cluster(&self, cluster: &str) {
        let filter = format!("label={CLUSTER_LABEL}={cluster}");
        let found = self.attempt(["ps", "--all", "--quiet", "--filter", &filter]);
        let ids: Vec<&str> = found.stdout.split_whitespace().collect();
        if !ids.is_empty() {
            let at_once: &[&str] = if self.program == "podman" {
                &["--time", "0"]
            } else {
                &[]
            };
            let remove = ["rm", "--force", "--volumes"].iter().chain(at_once).copied();
            self.attempt(remove.chain(ids));
        }
        if self.program == "podman" {
            // Its volumes have names, and stay.
            let volumes = self.attempt(["volume", "ls", "--quiet", "--filter", &filter]);
            let names: Vec<&str> = volumes.stdout.split_whitespace().collect();
            if !names.is_empty() {
                self.attempt(["volume", "rm", "--force"].into_iter().chain(names));
            }
        }
    }
}

fn array(value: &Value) -> String {
    if value.is_array() {
        value.to_string()
    } else {
        "[]".to_owned()
    }
}
