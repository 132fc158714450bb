//! The arguments with which containers are made, beside those of the real kind, on any engine. No container is made: a
//! stand-in before the engine's program writes the calls down and says that all went well.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::case::Case;
use crate::common::{Engine, TestEnvironment, node_image_for_kind, peer, under_test};
use crate::inspected;

/// Answers what makes something and when a node is up; its files cannot be read then, which ends the create.
const ANSWERS: &str = r#"case "$1 $2" in
    run*) echo made; exit 0;;
    "volume create") echo made; exit 0;;
    logs*) echo 'Reached target multi-user.target - Multi-User System.'; exit 0;;
    exec*|inspect\ *-control-plane*) exit 1;;
esac"#;

/// Those whose arguments differ from each other.
const CASES: [&str; 7] = [
    "config-examples/multi-node.yaml",
    "config-examples/mounts.yaml",
    "config-examples/dual-stack.yaml",
    "config-examples/high-availability.yaml",
    "tests/compare/cases/mounts-propagation.yaml",
    "tests/compare/cases/ports-protocols.yaml",
    "tests/compare/cases/ports-free.yaml",
];

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn arguments_are_those_of_kind() {
    let engine = Engine::chosen();
    engine.require();
    let image = node_image_for_kind(&engine);
    engine.require_image(&image);
    let mut wrong = Vec::new();
    for name in CASES {
        let text =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("read a case");
        let case = Case::new(name, &text.replace("@NAME@", "kt-arguments"));
        let [kind, kindr] = [peer(), under_test()].map(|program| runs(&program, &case, &image));
        assert!(!kind.is_empty(), "{name}: kind made nothing");
        assert_eq!(
            kind.keys().collect::<Vec<_>>(),
            kindr.keys().collect::<Vec<_>>(),
            "{name}: the containers"
        );
        for (container, expected) in &kind {
            let expected = meant(expected, engine.program());
            let found = &kindr[container];
            if &expected != found {
                wrong.push(format!(
                    "{name}: {container}\n  kind:  {}\n  kindr: {}",
                    expected.join(" "),
                    found.join(" ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The arguments of each node's `run`, by its name. The load balancer's are another program's.
fn runs(program: &Path, case: &Case, image: &str) -> BTreeMap<String, Vec<String>> {
    let _turn = case.turn();
    let world = TestEnvironment::with_engine().answering(ANSWERS);
    let file = world.write("cluster.yaml", &case.text.replace("@IMAGE@", image));
    let ended = world
        .run_program(
            program,
            ["create", "cluster", "--name", "kt-arguments", "--image", image],
        )
        .args(["--config".as_ref(), file.as_os_str()])
        .within(LIMIT)
        .any_stdout()
        .start()
        .ends();
    let calls = world.recorder().calls();
    let runs: BTreeMap<_, _> = calls
        .iter()
        .filter(|call| call.first().is_some_and(|word| word == "run"))
        .filter(|call| !call.iter().any(|word| word.ends_with("=external-load-balancer")))
        .map(|call| (call[2].clone(), plain(call, case, &world.path(""))))
        .collect();
    assert!(!runs.is_empty(), "{}", ended.report());
    runs
}

/// What does not change from run to run.
fn plain(call: &[String], case: &Case, home: &Path) -> Vec<String> {
    call.iter()
        .map(|word| {
            if let Some(rest) = word.strip_prefix("--publish=") {
                let (place, node) = rest.rsplit_once(':').expect("a port of the node");
                let (address, port) = place.rsplit_once(':').expect("a port of the host");
                let port = inspected::port(port, &case.text);
                return format!("--publish={address}:{port}:{node}");
            }
            match word.split_once(":/var:") {
                Some((_, options)) => format!("VOLUME:/var:{options}"),
                None => word.replace(&*home.to_string_lossy(), "HOME/"),
            }
        })
        .collect()
}

/// kind's arguments with what kindr means to do otherwise.
fn meant(call: &[String], engine: &str) -> Vec<String> {
    let mut call = call.to_vec();
    if engine == "nerdctl" {
        // Without control groups of its own no node starts on cgroup v1.
        let at = call.iter().position(|word| word == "--init=false");
        call.insert(at.expect("--init=false") + 1, "--cgroupns=private".to_owned());
        // A port that the engine picks is no 0 for it.
        for word in &mut call {
            if word.starts_with("--publish=") {
                *word = word.replace(":0:", "::");
            }
        }
    }
    call
}
