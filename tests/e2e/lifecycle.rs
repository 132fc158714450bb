//! The life of a cluster: it is created, does what a cluster is for, and is deleted.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::cluster::{Cluster, ONE_NODE, TWO_NODES, create, entries, eventually, lock_of, read_kubeconfig};
use crate::common::{CLUSTER_LABEL, ROLE_LABEL, TestEnvironment, is_peer};
use crate::workload;
use crate::world::World;

#[test]
fn a_cluster_does_what_clusters_are_for() {
    let world = World::new();
    let cluster = Cluster::create(&world, TWO_NODES);
    nodes_are_ready_and_labelled(&world, &cluster);
    the_kubeconfig_is_private_and_current(&world, &cluster);

    cluster.load_tools();
    cluster.apply(&workload::client());
    cluster.apply(&workload::web());
    cluster.apply(workload::claim());
    cluster.apply(&workload::keeper());
    cluster.wait_for_pod("client");

    a_service_reaches_pods_on_both_nodes(&cluster);
    if world.engine().program() != "nerdctl" {
        // nerdctl has no resolver: its containers know each other from a file of the host.
        a_name_outside_the_cluster_is_asked_for(&cluster);
    }
    exec_and_logs_work(&cluster);
    logs_are_exported(&world, &cluster);
    a_port_is_forwarded(&cluster);
    a_claim_keeps_a_file_over_a_restart(&cluster);
    cluster.delete();
}

#[test]
fn nodes_use_the_snapshotter_that_is_asked_for() {
    let world = World::new();
    let name = world.cluster_name();
    // kind's name for it, which the engine's client passes on.
    create(&world, &name, ONE_NODE)
        .env("KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER", "fuse-overlayfs")
        .succeeds();
    let cluster = Cluster::named(&world, &name);
    assert_eq!(cluster.ready_nodes().len(), 1);
    let mounts = world
        .engine()
        .exec(&cluster.node("control-plane"), &["cat", "/proc/mounts"]);
    let pods = mounts.lines().filter(|mount| mount.contains("/rootfs "));
    let kinds: BTreeSet<_> = pods.filter_map(|mount| mount.split_whitespace().nth(2)).collect();
    assert_eq!(kinds, BTreeSet::from(["fuse.fuse-overlayfs"]), "{mounts}");
    cluster.delete();
}

fn nodes_are_ready_and_labelled(world: &TestEnvironment, cluster: &Cluster<'_>) {
    let expected = BTreeSet::from([cluster.node("control-plane"), cluster.node("worker")]);
    assert_eq!(cluster.ready_nodes(), expected);
    assert_eq!(world.engine().containers_of(cluster.name()), expected);
    for (end, role) in [("control-plane", "control-plane"), ("worker", "worker")] {
        let labels = world.engine().inspect(&cluster.node(end))["Config"]["Labels"].clone();
        assert_eq!(labels[CLUSTER_LABEL], cluster.name());
        assert_eq!(labels[ROLE_LABEL], role);
    }
}

fn the_kubeconfig_is_private_and_current(world: &TestEnvironment, cluster: &Cluster<'_>) {
    let path = world.kubeconfig();
    assert_eq!(
        path.metadata().unwrap().permissions().mode() & 0o777,
        0o600,
        "{} is not private",
        path.display()
    );
    assert!(!lock_of(&path).exists(), "the lock is left");
    let kubeconfig = read_kubeconfig(&path);
    assert_eq!(kubeconfig["apiVersion"], "v1");
    assert_eq!(kubeconfig["kind"], "Config");
    assert_eq!(kubeconfig["current-context"], cluster.context());
    for list in ["clusters", "contexts", "users"] {
        assert_eq!(entries(&kubeconfig, list), [cluster.context()]);
    }
    let printed = world
        .run(["get", "kubeconfig", "--name", cluster.name()])
        .any_stdout()
        .succeeds();
    let printed: serde_json::Value =
        serde_yaml::from_str(&printed.stdout).expect("get kubeconfig prints YAML");
    assert_eq!(printed["clusters"], kubeconfig["clusters"]);
    assert_eq!(printed["users"], kubeconfig["users"]);
}

fn a_service_reaches_pods_on_both_nodes(cluster: &Cluster<'_>) {
    cluster.kubectl(["rollout", "status", "deployment/web", "--timeout=180s"]);
    let path = "jsonpath={.items[*].spec.nodeName}";
    let nodes = cluster.kubectl(["get", "pods", "--selector", "app=web", "--output", path]);
    let nodes: BTreeSet<&str> = nodes.split(' ').collect();
    assert_eq!(nodes.len(), 2, "the replicas are on one node: {nodes:?}");

    let address = cluster.kubectl(["get", "service", "web", "--output", "jsonpath={.spec.clusterIP}"]);
    for host in [address.as_str(), "web", "web.default.svc.cluster.local"] {
        workload::both_replicas_answer(cluster, host);
    }
}

/// Checks that pods can look up names that only the engine's resolver knows.
fn a_name_outside_the_cluster_is_asked_for(cluster: &Cluster<'_>) {
    // The dot at the end keeps the search domains out of it.
    let node = format!("{}.", cluster.node("worker"));
    eventually(Duration::from_secs(30), || {
        let answer = cluster.attempt(["exec", "client", "--", "nslookup", "-type=a", &node]);
        if answer.status.success() {
            Ok(())
        } else {
            Err(answer.report())
        }
    });
}

fn exec_and_logs_work(cluster: &Cluster<'_>) {
    assert_eq!(
        cluster.kubectl(["exec", "client", "--", "echo", "hello"]),
        "hello"
    );
    let exit = cluster.attempt(["exec", "client", "--", "sh", "-c", "exit 7"]);
    assert_eq!(exit.status.code(), Some(7), "{}", exit.report());
    assert_eq!(cluster.kubectl(["logs", "client"]), "client is up");
    let logs = cluster.kubectl(["logs", "--selector", "app=web", "--prefix"]);
    assert_eq!(
        logs.matches("serving as web-").count(),
        2,
        "the logs of both nodes are read:\n{logs}"
    );
}

fn logs_are_exported(world: &TestEnvironment, cluster: &Cluster<'_>) {
    let folder = world.path("new folder/logs");
    world
        .run(["export", "logs", "--name", cluster.name()])
        .args([&folder])
        .within(Duration::from_secs(120))
        .any_stdout()
        .succeeds();
    for end in ["control-plane", "worker"] {
        let node = folder.join(cluster.node(end));
        for file in [
            "journal.log",
            "kubelet.log",
            "containerd.log",
            "images.log",
            "inspect.json",
            "serial.log",
        ] {
            let size = node.join(file).metadata().map_or(0, |file| file.len());
            assert!(size > 0, "{end}/{file} has nothing in it");
        }
        let version = fs::read_to_string(node.join("kubernetes-version.txt")).expect("a version");
        assert!(version.starts_with("v1."), "{version}");
    }
    let logs: Vec<String> = fs::read_dir(folder.join(cluster.node("worker")).join("containers"))
        .expect("the logs of containers")
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("a log"))
        .collect();
    assert!(
        logs.iter().any(|log| log.contains("serving as web-")),
        "the log of a pod is missing:\n{logs:?}"
    );
    assert!(folder.join("kind-version.txt").exists());
    if !is_peer() {
        let summary = fs::read_to_string(folder.join("summary.txt")).expect("a summary");
        assert!(!summary.contains("pod default/"), "{summary}");
    }
}

fn a_port_is_forwarded(cluster: &Cluster<'_>) {
    let log = cluster.start_kubectl(
        [
            "port-forward",
            "service/web",
            "18080:80",
            "--address",
            "127.0.0.2",
        ],
        None,
    );
    let answer = eventually(Duration::from_secs(30), || {
        let mut stream = TcpStream::connect("127.0.0.2:18080").map_err(|error| error.to_string())?;
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .map_err(|error| error.to_string())?;
        stream
            .write_all(b"GET / HTTP/1.0\r\n\r\n")
            .map_err(|error| error.to_string())?;
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .map_err(|error| error.to_string())?;
        if answer.contains("200 OK") {
            Ok(answer)
        } else {
            Err(answer)
        }
    });
    assert!(answer.contains("web-"), "another server answered:\n{answer}");
    drop(log);
}

fn a_claim_keeps_a_file_over_a_restart(cluster: &Cluster<'_>) {
    cluster.wait_for_pod("keeper");
    let phase = cluster.kubectl([
        "get",
        "persistentvolumeclaim",
        "kept",
        "--output",
        "jsonpath={.status.phase}",
    ]);
    assert_eq!(phase, "Bound");
    cluster.kubectl(["exec", "keeper", "--", "sh", "-c", "echo kept > /data/file"]);
    let uid = ["get", "pod", "keeper", "--output", "jsonpath={.metadata.uid}"];
    let first = cluster.kubectl(uid);
    cluster.kubectl(["delete", "pod", "keeper", "--timeout=60s"]);
    cluster.apply(&workload::keeper());
    cluster.wait_for_pod("keeper");
    assert_ne!(cluster.kubectl(uid), first, "it is the same pod");
    assert_eq!(
        cluster.kubectl(["exec", "keeper", "--", "cat", "/data/file"]),
        "kept"
    );
}
