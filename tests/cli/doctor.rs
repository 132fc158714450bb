//! `doctor`.

use std::fs;

use serde_json::Value;

use crate::common::{Finished, TestEnvironment};
use crate::kindr_only;

fn report(run: &Finished) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.report()))
}

/// The verdict of an engine's check, and what mends it.
fn check<'r>(report: &'r Value, engine: usize, name: &str) -> (&'r str, &'r str) {
    let checks = report["engines"][engine]["checks"]
        .as_array()
        .expect("an engine has checks");
    let row = checks.iter().find(|row| row["check"] == name);
    let row = row.unwrap_or_else(|| panic!("no check `{name}` in {report:#}"));
    (
        row["verdict"].as_str().unwrap(),
        row["remedy"].as_str().unwrap_or_default(),
    )
}

#[test]
fn a_machine_without_engines_is_told() {
    kindr_only!("kind has no such command");
    let env = TestEnvironment::new();
    let empty = env.path("empty");
    fs::create_dir(&empty).unwrap();
    let run = env
        .run(["doctor"])
        .env("PATH", &empty)
        .without("KIND_EXPERIMENTAL_PROVIDER")
        .any_stdout();
    let run = run
        .mentions(["no container engine is installed", "docker", "podman", "nerdctl"])
        .fails();
    assert!(run.stdout.starts_with("This machine\n"), "{}", run.report());
    let run = env
        .run(["doctor", "-o", "json"])
        .env("PATH", &empty)
        .without("KIND_EXPERIMENTAL_PROVIDER")
        .any_stdout()
        .fails();
    let report = report(&run);
    assert_eq!(
        (&report["usable"], &report["engines"]),
        (&Value::Bool(false), &Value::Array(Vec::new()))
    );
    let checks: Vec<&str> = report["machine"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["check"].as_str().unwrap())
        .collect();
    for expected in [
        "cgroup",
        "inotify-instances",
        "inotify-watches",
        "open-files",
        "kernel",
        "ipv6",
        "proxy",
    ] {
        assert!(checks.contains(&expected), "no `{expected}` among {checks:?}");
    }
}

#[test]
fn passwords_of_proxies_stay_secret() {
    kindr_only!("kind has no such command");
    let env = TestEnvironment::new();
    let run = env
        .run(["doctor"])
        .env("HTTPS_PROXY", "http://me:secret@proxy.example:3128")
        .any_stdout();
    let run = run.start().ends();
    assert!(
        run.stdout.contains("proxy.example:3128") && !run.stdout.contains("secret"),
        "{}",
        run.report()
    );
}

mod with_engine {
    use super::{check, report};
    use crate::common::TestEnvironment;
    use crate::kindr_only;

    #[test]
    fn an_engine_that_works_is_usable() {
        kindr_only!("kind has no such command");
        let env = TestEnvironment::with_engine().recorded();
        let engine = env.engine().program();
        let cluster = env.cluster_name();
        env.engine()
            .create_labelled(&cluster, &format!("{cluster}-control-plane"), "control-plane");
        let run = env
            .run(["doctor", "--provider", engine, "-o", "json"])
            .any_stdout()
            .succeeds();
        let report = report(&run);
        assert_eq!(report["engines"][0]["engine"], engine);
        assert_eq!(report["engines"][0]["usable"], true);
        for name in [
            "answers",
            "rootless",
            "engine-cgroup",
            "controllers",
            "storage",
            "network-backend",
            "network",
            "images",
            "clusters",
        ] {
            check(&report, 0, name);
        }
        assert!(run.stdout.contains(&cluster), "{}", run.report());
        let changes = env.recorder().changes();
        assert!(changes.is_empty(), "doctor changed something: {changes:?}");
        let run = env.run(["doctor", "--provider", engine]).any_stdout().succeeds();
        assert!(
            run.stdout.contains(&format!("\n{engine}\n")) && run.stdout.contains(" ✓ version "),
            "{}",
            run.report()
        );
    }

    #[test]
    fn an_engine_that_is_silent_fails_with_a_remedy() {
        kindr_only!("kind has no such command");
        let env = TestEnvironment::with_engine().answering("echo 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?' >&2; exit 1");
        let run = env
            .run(["doctor", "--provider", env.engine().program(), "-o", "json"])
            .any_stdout();
        let run = run.mentions(["no engine here could run a cluster"]).fails();
        let report = report(&run);
        let (verdict, remedy) = check(&report, 0, "answers");
        assert_eq!(verdict, "failure");
        assert!(!remedy.is_empty(), "{}", run.report());
    }
}
