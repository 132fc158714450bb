//! Several control planes: one of them stops, and clients hardly notice.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::{Cluster, create, eventually};
use crate::common::{Process, node_image};
use crate::kindr_only;
use crate::network::network_variable;
use crate::world::World;

const CONFIG: &str = "kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
- role: control-plane
- role: control-plane
- role: control-plane
";

/// How long a control plane that stops may still be asked.
const OUT_OF_ROTATION: Duration = Duration::from_secs(5);
/// The time between two requests.
const PACE: Duration = Duration::from_millis(100);
/// How many requests are made, and how many of them may fail: one in fifty.
const REQUESTS: usize = 100;
const MAY_FAIL: usize = REQUESTS / 50;
/// Enough requests to reach each of three several times, where none may fail.
const FEW: usize = 20;

#[test]
fn envoy_takes_a_control_plane_out_and_back() {
    kindr_only!("kind's balancer asks every 2 s and takes up to 7 to notice");
    takes_out_and_back("envoy", |world, balancer, node| {
        let request = r"GET /clusters HTTP/1.1\r\nHost: envoy\r\nConnection: close\r\n\r\n";
        let script = format!("exec 3<>/dev/tcp/127.0.0.1/10000; printf '{request}' >&3; cat <&3");
        let clusters = world.engine().exec(balancer, &["bash", "-c", &script]);
        let name = format!("::hostname::{node}");
        let address = clusters
            .lines()
            .find_map(|line| line.strip_suffix(&name))
            .ok_or_else(|| format!("{node} is not known:\n{clusters}"))?;
        let healthy = format!("{address}::health_flags::healthy");
        if clusters.lines().any(|line| line == healthy) {
            Ok(())
        } else {
            Err(format!("no `{healthy}`:\n{clusters}"))
        }
    });
}

#[test]
fn haproxy_from_the_node_image_takes_a_control_plane_out_and_back() {
    kindr_only!("kind's balancer always needs an image of its own");
    takes_out_and_back("node-image", |world, balancer, node| {
        let log = world.engine().run(["logs", balancer]);
        let server = format!("/{node} is ");
        match log.lines().rfind(|line| line.contains(&server)) {
            Some(line) if line.contains(" is UP") => Ok(()),
            // It counts as up until a check fails, and one that starts late sees no failure.
            None => Ok(()),
            last => Err(format!("the last that is said of {node}: {last:?}")),
        }
    });
}

/// `in_rotation` says why a node is not asked, if it is not.
fn takes_out_and_back(program: &str, in_rotation: impl Fn(&World, &str, &str) -> Result<(), String>) {
    let world = World::measuring();
    let (name, network) = (world.cluster_name(), world.network_name());
    // A network of its own: nobody else takes the address of a node that is stopped.
    let engine = world.engine();
    engine.run(["network", "create", &network]);
    let holder = (engine.program() == "docker").then(|| Holder::new(&world, &network));
    create(&world, &name, CONFIG)
        .env(network_variable(engine), &network)
        .args(["--load-balancer", program])
        .succeeds();
    let cluster = Cluster::named(&world, &name);
    assert_eq!(cluster.ready_nodes().len(), 3);
    let balancer = cluster.node("external-load-balancer");
    let role = world.engine().inspect(&balancer)["Config"]["Labels"]["io.x-k8s.kind.role"].clone();
    assert_eq!(role, "external-load-balancer");
    let server = cluster.kubectl([
        "config",
        "view",
        "--minify",
        "--output",
        "jsonpath={.clusters[0].cluster.server}",
    ]);
    let url = format!("{server}/healthz");
    for node in ["control-plane", "control-plane2", "control-plane3"] {
        eventually(Duration::from_secs(30), || {
            in_rotation(&world, &balancer, &cluster.node(node))
        });
    }
    let quiet = world.quiet();
    assert_eq!(
        failures(&url, FEW),
        Vec::<String>::new(),
        "all control planes run"
    );

    let stopped = cluster.node("control-plane2");
    world.engine().run(["kill", &stopped]);
    thread::sleep(OUT_OF_ROTATION);
    in_rotation(&world, &balancer, &stopped).expect_err("a control plane that is gone is not asked");
    let failed = failures(&url, REQUESTS);
    assert!(
        failed.len() <= MAY_FAIL,
        "{} of {REQUESTS} failed: {failed:?}",
        failed.len()
    );

    let Some(holder) = holder else {
        // podman and nerdctl give it another address as well, which their balancers' files of names do not know.
        cluster.delete();
        return;
    };
    let address = holder.address.clone();
    drop(holder);
    engine.run(["start", &stopped]);
    assert_eq!(
        address_on(&world, &stopped, &network),
        address,
        "the lowest is given"
    );
    drop(quiet);
    eventually(Duration::from_secs(120), || {
        in_rotation(&world, &balancer, &stopped)
    });
    let _quiet = world.quiet();
    assert_eq!(failures(&url, FEW), Vec::<String>::new(), "all of them run again");
    cluster.ready_nodes();
    cluster.delete();
}

/// A container that has the network's lowest address for as long as it lives, so that nodes have higher ones.
struct Holder<'w> {
    world: &'w World,
    container: String,
    address: String,
}

impl<'w> Holder<'w> {
    fn new(world: &'w World, network: &str) -> Self {
        let container = format!("{network}-holder");
        let run = ["run", "--detach", "--name", &container, "--network", network];
        let image = node_image();
        let sleep = ["--entrypoint", "sleep", image.as_str(), "infinity"];
        world.engine().run(run.into_iter().chain(sleep));
        Self {
            world,
            address: address_on(world, &container, network),
            container,
        }
    }
}

impl Drop for Holder<'_> {
    fn drop(&mut self) {
        self.world.engine().attempt(["rm", "--force", &self.container]);
    }
}

fn address_on(world: &World, container: &str, network: &str) -> String {
    let networks = world.engine().inspect(container)["NetworkSettings"]["Networks"].clone();
    networks[network]["IPAddress"]
        .as_str()
        .expect("an address")
        .to_owned()
}

/// Asks for a page of the API server again and again, at a steady pace, and returns what went wrong.
fn failures(url: &str, requests: usize) -> Vec<String> {
    let mut failed = Vec::new();
    for number in 0..requests {
        let started = Instant::now();
        let mut curl = Command::new("curl");
        curl.args([
            "--silent",
            "--show-error",
            "--fail",
            "--insecure",
            "--max-time",
            "2",
            url,
        ]);
        let finished = Process::start(curl, Duration::from_secs(10)).finish();
        if !finished.status.success() {
            failed.push(format!("{number}: {}", finished.stderr.trim()));
        }
        thread::sleep(PACE.saturating_sub(started.elapsed()));
    }
    failed
}
