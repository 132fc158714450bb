//! The pod network of kindr's node image, one process a node on the host's network.
//!
//! It follows the cluster's nodes and keeps three things as they should be: this node's CNI configuration, from the pod
//! ranges that Kubernetes gave the node; a route to every other node's pod ranges; and a rule that gives what leaves the
//! pod network the node's address. There is no overlay, as all nodes of a cluster are on one bridge.

mod api;
mod cni;
mod command;
mod masquerade;
mod nodes;
mod routes;

use std::env;
use std::net::IpAddr;
use std::path::Path;
use std::process::exit;
use std::thread::{self, sleep};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::signal::{SigSet, Signal};

use nodes::{Change, Nodes};

const CNI_FOLDER: &str = "/etc/cni/net.d";
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);

fn main() -> Result<()> {
    end_when_told()?;
    let own_name = env::var("NODE_NAME").context("NODE_NAME must name the node")?;
    let subnets = env::var("POD_SUBNET").context("POD_SUBNET must hold the pod ranges of the cluster")?;
    masquerade::apply(&subnets)?;
    let mut network = Network {
        own_name,
        configuration: String::new(),
    };
    let mut pause = FIRST_PAUSE;
    for attempt in 0_usize.. {
        let servers = api::servers();
        let server = &servers[attempt % servers.len()];
        match network.follow(server, &mut pause) {
            Ok(()) => {}
            Err(error) => {
                eprintln!("{server}: {error:#}, again in {pause:?}");
                sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
    Ok(())
}

/// The first process of a container gets no signal that it does not ask for: without this, each stop would wait until the
/// process is killed.
fn end_when_told() -> Result<()> {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    signals.add(Signal::SIGINT);
    // Threads inherit what is blocked, so this comes before any other starts.
    signals.thread_block().context("cannot block signals")?;
    thread::spawn(move || {
        if signals.wait().is_ok() {
            exit(0);
        }
    });
    Ok(())
}

/// What was last written on this node.
struct Network {
    own_name: String,
    configuration: String,
}

impl Network {
    /// Lists the nodes and follows their changes until the server ends the watch, which it does every few minutes.
    /// A change that cannot be carried out ends it with an error, and the next round starts from a new list.
    fn follow(&mut self, server: &str, pause: &mut Duration) -> Result<()> {
        let client = api::Client::new(server)?;
        let mut nodes = Nodes::default();
        let version = client.list(&mut nodes)?;
        self.apply(&nodes)?;
        *pause = FIRST_PAUSE;
        client.watch(&version, |event| {
            let change = nodes.take(event)?;
            if change == Change::Some {
                self.apply(&nodes)
            } else {
                Ok(())
            }
        })
    }

    fn apply(&mut self, nodes: &Nodes) -> Result<()> {
        routes::apply(&nodes.routes_from(&self.own_name))?;
        let Some(own) = nodes.get(&self.own_name) else {
            return Ok(());
        };
        if own.pod_ranges.is_empty() {
            return Ok(());
        }
        let mtu = own
            .addresses
            .first()
            .map(|address| mtu_of(*address))
            .transpose()?
            .flatten();
        let configuration = cni::render(&own.pod_ranges, mtu);
        if configuration != self.configuration {
            cni::write(Path::new(CNI_FOLDER), &configuration)?;
            println!(
                "pods of {} get addresses from {}",
                self.own_name,
                own.pod_ranges.join(" and ")
            );
            self.configuration = configuration;
        }
        Ok(())
    }
}

/// The largest packet that the interface with this address takes: pods must not send larger ones.
fn mtu_of(address: IpAddr) -> Result<Option<u64>> {
    let interfaces = command::run("ip", &["-json", "address", "show"], None)?;
    cni::find_mtu(&interfaces, address)
}
