//! Which configurations the two refuse, before they make anything.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::allowed::Allowed;
use crate::case::{Case, Place};
use crate::common::{Finished, TestEnvironment, node_image, peer, under_test};
use crate::image::Images;
use crate::remembered::Remembered;
use crate::world::World;

/// Examples that kind does not read.
pub const BEYOND_KIND: [&str; 1] = ["config-examples/beyond-kind.yaml"];

const TABLE: &str = include_str!("verdicts.yaml");

/// In front of the engine: no container is made, and the attempt ends the create.
pub const NO_CONTAINERS: &str = "[ \"$1\" = run ] && { echo 'this test makes no containers' >&2; exit 1; }";

/// What a program thinks of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It makes containers of it, and a cluster.
    Accepted,
    /// It refuses it before it changes anything.
    Refused,
    /// It makes containers of it, and then fails.
    Late,
}

/// A configuration, and what is right.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    case: String,
    /// What follows the usual head; with `whole` the file.
    config: String,
    #[serde(default)]
    whole: bool,
    /// What kindr has to think of it.
    verdict: Verdict,
}

const HEAD: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n";

#[test]
fn verdicts_are_those_of_kind() {
    let world = World::new();
    let images = Images::new(&world);
    let allowed = Allowed::read();
    let remembered = Remembered::of(&world);
    let table: Vec<Entry> = serde_yaml::from_str(TABLE).expect("verdicts.yaml can be read");
    let mut cases: Vec<(Case, Verdict)> = table
        .iter()
        .map(|entry| {
            let head = if entry.whole { "" } else { HEAD };
            let case = Case::new(&entry.case, &format!("{head}{}", entry.config));
            (case, entry.verdict)
        })
        .collect();
    let examples = Case::all_in("config-examples").into_iter();
    cases.extend(examples.map(|case| (case, Verdict::Accepted)));
    let mut wrong = Vec::new();
    for (case, right) in &cases {
        let (kind, kind_said) = remembered.verdict(case, || judge(case, &peer()));
        let (kindr, kindr_said) = judge(case, &under_test());
        // Both refuse, or both go on; with the latter the files are compared by the other test.
        if kind == kindr && kindr == *right {
            continue;
        }
        // The one that goes on may still find it out.
        let [kind, kindr] = [(kind, peer()), (kindr, under_test())].map(|(verdict, program)| match verdict {
            Verdict::Accepted => to_the_end(&world, case, &program, &images),
            other => other,
        });
        let meant = kind == kindr || allowed.allows_verdicts(&case.name, kind, kindr);
        eprintln!(
            "{}: kind {kind:?}, kindr {kindr:?}, right {right:?}, listed {meant}",
            case.name
        );
        if !meant || (kindr != *right && !crate::common::is_peer()) {
            wrong.push(format!(
                "{}: kind {kind:?}, kindr {kindr:?}, right is {right:?}\n{}\n{}\n{}",
                case.name,
                case.text,
                kind_said.map_or_else(String::new, |said| said.report()),
                kindr_said.report()
            ));
        }
    }
    let idle = allowed.idle_in_verdicts();
    wrong.extend(
        idle.iter()
            .map(|entry| format!("allowed.yaml: no case needs `{entry}`")),
    );
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Tells whether a program refuses a configuration, by whether it gets as far as making a container.
fn judge(case: &Case, program: &Path) -> (Verdict, Finished) {
    let _turn = case.turn();
    let world = TestEnvironment::with_engine().answering(NO_CONTAINERS);
    let place = Place::for_case(&world, case);
    let text = case.text.replace("@NAME@", &place.cluster);
    let file = world.write("cluster.yaml", &text);
    let finished = world
        .run_program(program, ["create", "cluster", "--image", &node_image()])
        .args(["--name", &place.cluster, "--config"])
        .args([&file])
        .start()
        .ends();
    assert_eq!(
        finished.status.code(),
        Some(1),
        "{}: {}",
        case.name,
        finished.report()
    );
    if world.recorder().calls().iter().any(|call| call[0] == "run") {
        return (Verdict::Accepted, finished);
    }
    let changes = world.recorder().changes();
    assert!(changes.is_empty(), "{}: {changes:?}", case.name);
    (Verdict::Refused, finished)
}

/// Creates a cluster of a configuration with a program that accepts it.
fn to_the_end(world: &TestEnvironment, case: &Case, program: &Path, images: &Images) -> Verdict {
    let _turn = case.turn();
    let place = Place::for_case(world, case);
    let finished = case.create(world, program, &place, images);
    world.engine().remove_cluster(&place.cluster);
    if finished.status.success() {
        Verdict::Accepted
    } else {
        Verdict::Late
    }
}
