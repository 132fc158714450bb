//! The containers that the two make, and the files inside.

use std::env;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Map, Value};

use crate::allowed::Allowed;
use crate::case::{Case, Place};
use crate::common::{TestEnvironment, node_image, peer, under_test};
use crate::difference::{Difference, compare};
use crate::image::Images;
use crate::inspected;
use crate::observed::observe;
use crate::remembered::Remembered;
use crate::verdicts;
use crate::world::World;

/// How many cases are compared at a time.
const WORKERS: usize = 2;

#[test]
fn containers_and_files_are_those_of_kind() {
    let world = World::new();
    assert_eq!(
        world.engine().program(),
        "docker",
        "only docker's words are compared"
    );
    let allowed = Allowed::read();
    let chosen = env::var("KINDR_TEST_CASES").unwrap_or_default();
    let mut cases = Case::all_in("config-examples");
    // What kind does not read is for the verdicts.
    cases.retain(|case| !verdicts::BEYOND_KIND.contains(&case.name.as_str()));
    cases.extend(Case::all_in("tests/compare/cases"));
    cases.retain(|case| case.name.contains(&chosen));
    let mut wrong = Vec::new();
    for (case, result) in compare_all(&cases) {
        let differences = match result {
            Ok(differences) => differences,
            Err(report) => {
                eprintln!("{}: no cluster\n{report}", case.name);
                wrong.push(format!("{}: {report}", case.name));
                continue;
            }
        };
        let unexpected: Vec<_> = differences
            .iter()
            .filter(|found| !allowed.allows(found))
            .collect();
        eprintln!(
            "{}: {} differences, {} of them not allowed",
            case.name,
            differences.len(),
            unexpected.len(),
        );
        unexpected.iter().for_each(|found| eprintln!("{found}"));
        wrong.extend(unexpected.iter().map(|found| format!("{}: {found}", case.name)));
    }
    if chosen.is_empty() {
        let cgroup = world.engine().run(["info", "--format", "{{.CgroupVersion}}"]);
        let idle = allowed.idle_in_containers(&cgroup);
        wrong.extend(
            idle.iter()
                .map(|entry| format!("allowed.yaml: no case needs {entry}")),
        );
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What dockerd says of containers that cannot start on this machine: its mounts are private, so that they cannot be passed
/// on, or its kernel has no SCTP. The command lines are compared instead.
const CANNOT_START: [&str; 2] = ["not a shared", "protocol not supported"];

/// Compares several cases at a time.
fn compare_all(cases: &[Case]) -> Vec<(&Case, Result<Vec<Difference>, String>)> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let world = TestEnvironment::with_engine();
        let images = Images::new(&world);
        let remembered = Remembered::of(&world);
        let mut results = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            results.push((case, compare_case(&world, &images, &remembered, case)));
        }
        results
    };
    thread::scope(|scope| {
        let workers = [(); WORKERS].map(|()| scope.spawn(worker));
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a case can be compared"))
            .collect()
    })
}

fn compare_case(
    world: &TestEnvironment,
    images: &Images,
    remembered: &Remembered,
    case: &Case,
) -> Result<Vec<Difference>, String> {
    let _turn = case.turn();
    let place = Place::for_case(world, case);
    let mut seen: Vec<Value> = remembered
        .recall(world, case, &place, images)
        .into_iter()
        .collect();
    for program in [peer(), under_test()].into_iter().skip(seen.len()) {
        let finished = case.create(world, &program, &place, images);
        if CANNOT_START.iter().any(|words| finished.stderr.contains(words)) {
            world.engine().remove_cluster(&place.cluster);
            let [kind, kindr] = [peer(), under_test()].map(|program| commands(&program, case));
            return Ok(compare(&kind, &kindr));
        }
        if !finished.status.success() {
            return Err(finished.report());
        }
        seen.push(observe(world, case, &place));
        world.engine().remove_cluster(&place.cluster);
        if let Some(network) = &place.network {
            world.engine().run(["network", "rm", network]);
        }
        fs::remove_file(world.kubeconfig()).expect("remove the kubeconfig");
        if let [kind] = seen.as_slice() {
            remembered.keep(world, case, &place, images, kind);
        }
    }
    Ok(compare(&seen[0], &seen[1]))
}

/// Returns the command lines by which a program would make the containers, where this machine cannot start them.
fn commands(program: &Path, case: &Case) -> Value {
    let world = TestEnvironment::with_engine().answering(verdicts::NO_CONTAINERS);
    let file = world.write("cluster.yaml", &case.text);
    let run = world.run_program(
        program,
        ["create", "cluster", "--name", "kt-commands", "--config"],
    );
    run.args([&file]).args(["--image", &node_image()]).start().ends();
    let calls = world.recorder().calls();
    let runs = calls.into_iter().filter(|call| call[0] == "run");
    let home = world.path("").to_string_lossy().into_owned();
    let named = runs.map(|mut call| {
        for word in &mut call {
            *word = word.replace(&home, "/home-of-the-test/");
            if let Some(mapping) = word.strip_prefix("--publish=")
                && let [address @ .., host, node] = mapping.split(':').collect::<Vec<_>>().as_slice()
            {
                let host = inspected::port(host, &case.text);
                *word = format!("--publish={}:{host}:{node}", address.join(":"));
            }
        }
        let name = call[2].clone();
        // What comes first means nothing.
        call.sort_unstable();
        (name, call.into())
    });
    let named: Map<String, Value> = named.collect();
    assert!(
        !named.is_empty(),
        "{} makes no containers of {}",
        program.display(),
        case.name
    );
    Value::Object(named)
}
