//! Which engine is used, where nobody names one or several have something to say. The engines here are stand-ins.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Invocation, TestEnvironment};
use crate::kindr_only;

/// What an engine says that is installed and whose daemon does not run.
const SILENT: &str = "echo 'Cannot connect to the Docker daemon. Is the docker daemon running?' >&2; exit 1";

/// An engine that answers like docker or nerdctl, and has these containers, a line each.
fn docker_like(name: &str, containers: &str) -> String {
    format!(
        r#"case "$1" in
  -v) echo '{name} version 1.0.0';;
  info) echo '{{"ServerVersion": "28.0.0", "CgroupVersion": "2", "MemoryLimit": true}}';;
  ps) printf '{containers}';;
esac"#
    )
}

/// An engine that answers like podman, and has these containers, as JSON.
fn podman_like(containers: &Value) -> String {
    format!(
        r#"case "$1 $2" in
  "-v "*) echo 'podman version 5.0.0';;
  info*) echo '{{"host": {{"cgroupVersion": "v2"}}, "version": {{"Version": "5.0.0"}}}}';;
  ps*) case "$*" in *=kt-none*) echo '[]';; *) echo '{containers}';; esac;;
  "volume ls") echo '[]';;
esac"#
    )
}

/// A container of podman's list.
fn listed(cluster: &str) -> Value {
    json!([{"Names": [format!("{cluster}-control-plane")], "Labels": {
        "io.x-k8s.kind.cluster": cluster, "io.x-k8s.kind.role": "control-plane"}}])
}

/// A line of docker's list.
fn line(cluster: &str) -> String {
    format!(r"{cluster}\t{cluster}-control-plane\tcontrol-plane\n")
}

/// Puts stand-ins in a folder that is the whole PATH of what is run. Each writes down how it was called.
struct Engines {
    env: TestEnvironment,
}

impl Engines {
    fn new(programs: &[(&str, &str)]) -> Self {
        let env = TestEnvironment::new();
        fs::create_dir(env.path("bin")).unwrap();
        for (name, shell) in programs {
            let log = env.path(&format!("{name}.calls"));
            let script = format!("#!/bin/sh\necho \"$*\" >>'{}'\n{shell}\n", log.display());
            let path = env.write(&format!("bin/{name}"), &script);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { env }
    }

    fn run(&self, words: &[&str]) -> Invocation {
        let run = self.env.run(words).env("PATH", self.env.path("bin"));
        run.without("KIND_EXPERIMENTAL_PROVIDER")
    }

    fn calls(&self, name: &str) -> String {
        let log = self.env.path(&format!("{name}.calls"));
        if !Path::new(&log).exists() {
            return String::new();
        }
        fs::read_to_string(log).unwrap()
    }
}

#[test]
fn the_first_that_answers_creates_and_the_others_are_told_of_when_asked() {
    kindr_only!("kind takes the first that is installed");
    let podman = podman_like(&listed("kt-taken"));
    let engines = Engines::new(&[("docker", SILENT), ("podman", &podman)]);
    // A name that is taken ends it before anything is made.
    let create = ["create", "cluster", "--name", "kt-taken", "-v", "1"];
    engines
        .run(&create)
        .mentions([
            "with podman",
            "exists already",
            "passed over",
            "Cannot connect",
            "nerdctl",
        ])
        .fails();
    let quiet = engines.run(&create[..4]).fails();
    assert!(!quiet.stderr.contains("passed over"), "{}", quiet.report());
}

#[test]
fn a_cluster_is_found_on_the_engine_that_has_it() {
    kindr_only!("kind asks one engine alone");
    let docker = docker_like("Docker", &line("kt-other"));
    let podman = podman_like(&listed("kt-mine"));
    let engines = Engines::new(&[("docker", &docker), ("podman", &podman)]);
    engines
        .run(&["get", "nodes", "--name", "kt-mine"])
        .stdout("kt-mine-control-plane\n")
        .succeeds();
    engines
        .run(&["delete", "cluster", "--name", "kt-mine"])
        .mentions(["kt-mine-control-plane"])
        .succeeds();
    let removed = |calls: String| {
        calls
            .lines()
            .any(|call| call.starts_with("rm ") && call.contains("kt-mine"))
    };
    assert!(removed(engines.calls("podman")), "{}", engines.calls("podman"));
    assert!(!removed(engines.calls("docker")), "{}", engines.calls("docker"));
    engines
        .run(&["get", "kubeconfig", "--name", "kt-none"])
        .mentions(["kt-none", "kt-mine", "kt-other"])
        .fails();
}

#[test]
fn a_name_on_two_engines_is_an_error_that_says_how_to_choose() {
    kindr_only!("kind asks one engine alone");
    let docker = docker_like("Docker", &line("kt-both"));
    let podman = podman_like(&listed("kt-both"));
    let engines = Engines::new(&[("docker", &docker), ("podman", &podman)]);
    for command in [
        &["delete", "cluster"][..],
        &["get", "kubeconfig"],
        &["get", "nodes"],
        &["export", "kubeconfig"],
    ] {
        engines
            .run(&[command, &["--name", "kt-both"]].concat())
            .mentions(["kt-both", "--provider docker", "--provider podman"])
            .fails();
    }
    assert!(!engines.calls("docker").contains("rm "));
    assert!(!engines.calls("podman").contains("rm "));
    engines
        .run(&["delete", "cluster", "--name", "kt-both", "--provider", "podman"])
        .mentions(["kt-both-control-plane"])
        .succeeds();
    assert!(engines.calls("podman").contains("rm "));
}

#[test]
fn clusters_of_all_engines_are_listed_with_their_engine() {
    kindr_only!("kind asks one engine alone");
    let docker = docker_like("Docker", &line("kt-a"));
    let nerdctl = docker_like("nerdctl", &line("kt-c"));
    let podman = podman_like(&listed("kt-b"));
    let engines = Engines::new(&[("docker", &docker), ("nerdctl", &nerdctl), ("podman", &podman)]);
    engines
        .run(&["get", "clusters"])
        .stdout("kt-a\nkt-b\nkt-c\n")
        .succeeds();
    engines
        .run(&["get", "clusters", "-o", "wide"])
        .stdout("NAME   ENGINE    NODES\nkt-a   docker    1\nkt-b   podman    1\nkt-c   nerdctl   1\n")
        .succeeds();
    let printed = engines
        .run(&["get", "clusters", "-o", "json"])
        .any_stdout()
        .succeeds();
    let list: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(list[2]["name"], "kt-c");
    assert_eq!(list[2]["engine"], "nerdctl");
    assert_eq!(list[1]["nodes"][0]["name"], "kt-b-control-plane");
    engines
        .run(&["get", "clusters", "--provider", "podman"])
        .stdout("kt-b\n")
        .succeeds();
}

#[test]
fn an_engine_that_is_silent_hides_no_other_and_is_not_forgotten() {
    kindr_only!("kind asks one engine alone");
    let podman = podman_like(&listed("kt-b"));
    let engines = Engines::new(&[("docker", SILENT), ("podman", &podman)]);
    let listed = engines.run(&["get", "clusters"]).stdout("kt-b\n").succeeds();
    assert_eq!(listed.stderr, "");
    // It may be on the engine that does not answer.
    engines
        .run(&["delete", "cluster", "--name", "kt-none"])
        .mentions(["no cluster named", "docker", "Cannot connect"])
        .succeeds();
    let engines = Engines::new(&[("docker", SILENT), ("podman", SILENT)]);
    engines
        .run(&["get", "clusters"])
        .mentions(["no container engine answers", "docker", "podman"])
        .fails();
}

#[test]
fn another_engine_is_named_where_the_one_asked_for_is_silent() {
    kindr_only!("kind tells of the one alone");
    let podman = podman_like(&json!([]));
    let engines = Engines::new(&[("docker", SILENT), ("podman", &podman)]);
    for command in [
        &["get", "clusters"][..],
        &["create", "cluster"],
        &["delete", "cluster"],
    ] {
        engines
            .run(&[command, &["--provider", "docker"]].concat())
            .mentions(["Cannot connect", "podman answers", "--provider podman"])
            .fails();
    }
}

#[test]
fn engines_that_are_too_old_are_refused_with_what_would_do() {
    kindr_only!("kind accepts podman from 1.8");
    let podman = podman_like(&json!([])).replace("5.0.0", "2.2.1");
    let docker = docker_like("Docker", "").replace("28.0.0", "19.03.15");
    let engines = Engines::new(&[("docker", &docker), ("podman", &podman)]);
    for (engine, words) in [("podman", ["2.2.1", "3.0.0"]), ("docker", ["19.03.15", "20.10"])] {
        engines
            .run(&["create", "cluster", "--provider", engine])
            .mentions(words)
            .fails();
    }
}

#[test]
fn a_docker_that_is_really_podman_is_podman() {
    kindr_only!("kind takes the next one silently, or fails later");
    let podman = podman_like(&listed("kt-b"));
    let engines = Engines::new(&[("docker", &podman), ("podman", &podman)]);
    engines
        .run(&["get", "clusters", "-o", "wide"])
        .stdout("NAME   ENGINE   NODES\nkt-b   podman   1\n")
        .succeeds();
    engines
        .run(&["create", "cluster", "--name", "kt-new", "--provider", "docker"])
        .mentions(["`docker` on the PATH is really podman", "--provider podman"])
        .fails();
}

#[test]
fn finch_is_nerdctl_by_another_name() {
    kindr_only!("kind asks it otherwise");
    let finch = docker_like("finch", &line("kt-f"));
    let engines = Engines::new(&[("finch", &finch)]);
    engines
        .run(&["get", "clusters", "-o", "wide"])
        .stdout("NAME   ENGINE   NODES\nkt-f   finch    1\n")
        .succeeds();
    engines
        .run(&["get", "clusters"])
        .env("KIND_EXPERIMENTAL_PROVIDER", "finch")
        .stdout("kt-f\n")
        .succeeds();
}
