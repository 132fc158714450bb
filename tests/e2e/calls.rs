//! How often a create calls the engine.

use crate::cluster::{Cluster, ONE_NODE, create};
use crate::common::is_peer;
use crate::network::network_variable;
use crate::world::World;

/// One engine call where kind makes several: a promise of the project.
const MOST: usize = 15;

#[test]
fn a_create_calls_the_engine_seldom() {
    let world = World::recorded();
    // The longest case: the network is missing, and the nodes are waited for.
    let (name, network) = (world.cluster_name(), world.network_name());
    create(&world, &name, ONE_NODE)
        .env(network_variable(world.engine()), &network)
        .succeeds();
    let calls = world.recorder().calls();
    let cluster = Cluster::named(&world, &name);
    cluster.ready_nodes();
    let mut lines: Vec<(String, usize)> = Vec::new();
    for call in &calls {
        let line = call.join(" ").replace('\n', "\\n");
        match lines.last_mut() {
            Some((last, times)) if *last == line => *times += 1,
            _ => lines.push((line, 1)),
        }
    }
    let list: Vec<String> = lines
        .into_iter()
        .map(|(line, times)| format!("{times:3} x {line}"))
        .collect();
    println!(
        "{} calls of {}:\n{}",
        calls.len(),
        world.engine().program(),
        list.join("\n")
    );
    if is_peer() {
        // This is how the test knows that it counts.
        assert!(calls.len() >= 40, "kind makes more calls than {}", calls.len());
    } else {
        assert!(
            !calls.is_empty(),
            "no call was seen: the engine was reached by another way"
        );
        assert!(calls.len() <= MOST, "{} calls:\n{}", calls.len(), list.join("\n"));
    }
    cluster.delete();
}
