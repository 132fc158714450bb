//! An engine on another host, or what looks like one from here: reached by an address that is not the usual loopback.

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::cluster::{Cluster, ONE_NODE, create, eventually, read_kubeconfig};
use crate::common::{Engine, Process};
use crate::kindr_only;
use crate::world::World;

/// The host that the engine seems to be.
const HOST: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// How long podman's service may serve.
const SERVICE: Duration = Duration::from_secs(900);

#[test]
fn the_api_server_of_an_engine_elsewhere_is_reached_there() {
    kindr_only!("kind gives an address of this machine, which the other one's port is not on");
    let world = World::new();
    let Some((variable, address, service)) = elsewhere(world.engine()) else {
        // nerdctl knows no other hosts.
        return;
    };
    let name = world.cluster_name();
    create(&world, &name, ONE_NODE).env(variable, &address).succeeds();
    let server = &read_kubeconfig(&world.kubeconfig())["clusters"][0]["cluster"]["server"];
    let server = server.as_str().expect("a server");
    assert!(server.starts_with(&format!("https://{HOST}:")), "{server}");
    // kubectl believes the certificate only if the name is in it.
    let cluster = Cluster::named(&world, &name);
    assert_eq!(cluster.ready_nodes().len(), 1);
    let printed = world
        .run(["get", "kubeconfig", "--name", &name])
        .env(variable, &address)
        .any_stdout()
        .succeeds();
    assert!(printed.stdout.contains(server), "{}", printed.report());
    cluster.delete();
    drop(service);
}

/// Serves the engine at another address. Returns the variable that tells its client, and the address.
fn elsewhere(engine: &Engine) -> Option<(&'static str, String, Option<Process>)> {
    match engine.program() {
        "docker" => {
            let listener = TcpListener::bind((HOST, 0)).expect("listen");
            let address = listener.local_addr().expect("an address");
            thread::spawn(move || relay(&listener));
            Some(("DOCKER_HOST", format!("tcp://{address}"), None))
        }
        "podman" => {
            let free = TcpListener::bind((HOST, 0)).expect("listen");
            let address = free.local_addr().expect("an address");
            drop(free);
            let mut command = Command::new("podman");
            command.args(["system", "service", "--time", "0"]);
            command.arg(format!("tcp:{address}"));
            let service = Process::start(command, SERVICE);
            eventually(Duration::from_secs(20), || reached(address));
            Some(("CONTAINER_HOST", format!("tcp://{address}"), Some(service)))
        }
        _ => None,
    }
}

fn reached(address: SocketAddr) -> Result<(), String> {
    TcpStream::connect(address)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Passes each connection on to docker's socket.
fn relay(listener: &TcpListener) {
    for client in listener.incoming().flatten() {
        let Ok(engine) = UnixStream::connect("/var/run/docker.sock") else {
            return;
        };
        let (Ok(from), Ok(to)) = (client.try_clone(), engine.try_clone()) else {
            return;
        };
        thread::spawn(move || {
            let (mut from, mut to) = (from, to);
            io::copy(&mut from, &mut to).ok();
            to.shutdown(Shutdown::Write).ok();
        });
        thread::spawn(move || {
            let (mut from, mut to) = (engine, client);
            io::copy(&mut from, &mut to).ok();
            to.shutdown(Shutdown::Write).ok();
        });
    }
}
