//! What the networking part of a configuration asks for, seen in the cluster.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream, UdpSocket};
use std::time::Duration;

use crate::cluster::{Cluster, create, eventually};
use crate::workload;
use crate::world::World;

const HEAD: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n";
const NODES: &str = "nodes: [{role: control-plane}, {role: worker}]\n";

#[test]
fn a_dual_stack_cluster_works_on_both_families() {
    let world = World::new();
    let config = format!(
        "{HEAD}networking: {{ipFamily: dual, kubeProxyMode: nftables, dnsSearch: [one.example, two.example]}}
nodes:
- role: control-plane
- role: worker
  extraPortMappings:
  - {{containerPort: 5380, hostPort: 25380, listenAddress: 127.0.0.1}}
  - {{containerPort: 5353, hostPort: 25353, listenAddress: 127.0.0.1, protocol: UDP}}
"
    );
    let name = world.cluster_name();
    create(&world, &name, &config)
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("NO_PROXY", "excluded.example")
        .succeeds();
    let cluster = Cluster::named(&world, &name);
    assert_eq!(cluster.ready_nodes().len(), 2);
    pods_and_services_answer(&cluster, 2);

    let mode = cluster.kubectl([
        "get",
        "configmap",
        "kube-proxy",
        "--namespace",
        "kube-system",
        "--output",
        "jsonpath={.data.config\\.conf}",
    ]);
    assert!(mode.contains("mode: nftables"), "{mode}");
    let resolver = cluster.kubectl(["exec", "client", "--", "cat", "/etc/resolv.conf"]);
    assert!(resolver.contains(" one.example two.example"), "{resolver}");
    mapped_ports_answer(&world, &cluster.node("worker"));
    proxy_is_known_to_the_nodes(&world, &cluster);
    cluster.delete();
}

#[test]
fn an_ipv6_cluster_works() {
    let world = World::new();
    let cluster = Cluster::create(&world, &format!("{HEAD}networking: {{ipFamily: ipv6}}\n{NODES}"));
    assert_eq!(cluster.ready_nodes().len(), 2);
    pods_and_services_answer(&cluster, 1);
    cluster.delete();
}

#[test]
fn a_cluster_without_a_pod_network_gets_one_afterwards() {
    let world = World::new();
    let name = world.cluster_name();
    let config = format!("{HEAD}networking: {{disableDefaultCNI: true, kubeProxyMode: none}}\n{NODES}");
    create(&world, &name, &config).args(["--wait", "0s"]).succeeds();
    let cluster = Cluster::named(&world, &name);
    let ready = "jsonpath={.items[*].status.conditions[?(@.type=='Ready')].status}";
    let states = cluster.kubectl(["get", "nodes", "--output", ready]);
    assert_eq!(states, "False False", "nodes without a pod network are not ready");
    let sets = cluster.kubectl(["get", "daemonsets", "--all-namespaces", "--output", "name"]);
    assert_eq!(sets, "", "neither a pod network nor a kube-proxy");
    cluster.kubectl(["get", "storageclass", "standard"]);

    let node = cluster.node("control-plane");
    let manifest = world
        .engine()
        .exec(&node, &["cat", "/kind/manifests/default-cni.yaml"]);
    let manifest = manifest.replace("{{ .PodSubnet }}", "10.244.0.0/16");
    assert!(!manifest.contains("{{"), "{manifest}");
    cluster.apply(&manifest);
    assert_eq!(cluster.ready_nodes().len(), 2);
    cluster.delete();
}

/// Checks that pods on two nodes reach each other, and a Service its pods, on each of so many families.
fn pods_and_services_answer(cluster: &Cluster<'_>, families: usize) {
    cluster.load_tools();
    cluster.apply(&workload::client());
    cluster.apply(&workload::web());
    cluster.wait_for_pod("client");
    cluster.kubectl(["rollout", "status", "deployment/web", "--timeout=180s"]);
    let nodes = workload::of_web(cluster, "{.items[*].spec.nodeName}");
    assert_ne!(nodes[0], nodes[1], "the replicas are on one node");
    let addresses = workload::of_web(cluster, "{.items[*].status.podIPs[*].ip}");
    assert_eq!(addresses.len(), 2 * families, "{addresses:?}");
    for address in &addresses {
        let host = if address.contains(':') {
            format!("[{address}]:8080")
        } else {
            format!("{address}:8080")
        };
        eventually(Duration::from_secs(60), || workload::page(cluster, &host));
    }
    let services = cluster.kubectl([
        "get",
        "service",
        "web",
        "--output",
        "jsonpath={.spec.clusterIPs[*]}",
    ]);
    let services: Vec<&str> = services.split_whitespace().collect();
    assert_eq!(services.len(), families, "{services:?}");
    for host in services.into_iter().chain(["web"]) {
        workload::both_replicas_answer(cluster, host);
    }
}

/// Checks that a node's ports answer on the host.
fn mapped_ports_answer(world: &World, node: &str) {
    let serve = |what: &str| {
        world
            .engine()
            .run(["exec", "--detach", node, "socat", what, "EXEC:cat"])
    };
    serve("TCP4-LISTEN:5380,fork");
    serve("UDP4-RECVFROM:5353,fork");
    let text = eventually(Duration::from_secs(20), || {
        let mut stream = TcpStream::connect("127.0.0.1:25380").map_err(|e| e.to_string())?;
        stream.write_all(b"by tcp").map_err(|e| e.to_string())?;
        stream.shutdown(Shutdown::Write).map_err(|e| e.to_string())?;
        let mut text = String::new();
        stream.read_to_string(&mut text).map_err(|e| e.to_string())?;
        if text.is_empty() {
            Err("no answer".to_owned())
        } else {
            Ok(text)
        }
    });
    assert_eq!(text, "by tcp");
    let text = eventually(Duration::from_secs(20), || {
        let socket = UdpSocket::bind("127.0.0.1:0").map_err(|e| e.to_string())?;
        let limit = Some(Duration::from_secs(2));
        socket.set_read_timeout(limit).map_err(|e| e.to_string())?;
        socket
            .send_to(b"by udp", "127.0.0.1:25353")
            .map_err(|e| e.to_string())?;
        let mut buffer = [0; 64];
        let (length, _) = socket.recv_from(&mut buffer).map_err(|e| e.to_string())?;
        Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
    });
    assert_eq!(text, "by udp");
}

/// Checks that programs of the nodes, those that systemd starts included, know the proxy and what is reached without it.
fn proxy_is_known_to_the_nodes(world: &World, cluster: &Cluster<'_>) {
    let node = cluster.node("worker");
    let script = "tr '\\0' '\\n' </proc/$(pgrep -o containerd)/environ";
    let environment = world.engine().exec(&node, &["sh", "-c", script]);
    let value = |name: &str| {
        let prefix = format!("{name}=");
        environment
            .lines()
            .find_map(|line| line.strip_prefix(&prefix))
            .unwrap_or_else(|| panic!("containerd has no {name}:\n{environment}"))
            .to_owned()
    };
    assert_eq!(value("HTTP_PROXY"), "http://127.0.0.1:9");
    let excluded = value("NO_PROXY");
    let excluded: Vec<&str> = excluded.split(',').collect();
    for name in [
        "excluded.example",
        "10.244.0.0/16",
        "10.96.0.0/16",
        "fd00:10:244::/56",
        &cluster.node("control-plane"),
        &node,
        ".svc.cluster.local",
    ] {
        assert!(excluded.contains(&name), "{name} is not in {excluded:?}");
    }
}
