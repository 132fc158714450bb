//! Whole command lines, the three engines side by side.

use std::collections::BTreeMap;

use super::*;
use crate::classify::quote;
use crate::dialect::{DOCKER, NERDCTL, PODMAN};

fn node(name: &str, role: &str) -> Node {
    Node {
        name: name.to_owned(),
        role: role.to_owned(),
        image: "kindr/node:v1.34.4".to_owned(),
        mounts: Vec::new(),
        ports: Vec::new(),
        env: Vec::new(),
        limits: Limits::default(),
        entrypoint: None,
        command: Vec::new(),
    }
}

fn cluster(nodes: Vec<Node>) -> Cluster {
    Cluster {
        name: "dev".to_owned(),
        network: "kind".to_owned(),
        family: Family::Ipv4,
        env: Vec::new(),
        images: BTreeMap::new(),
        nodes,
    }
}

fn lines(cluster: &Cluster, dialect: &Dialect, info: &EngineInfo) -> String {
    plan_creation(cluster, dialect, info)
        .iter()
        .map(|c| c.args.iter().map(|a| quote(a)).collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

fn control_plane() -> Node {
    Node {
        ports: vec![Port {
            address: "127.0.0.1".to_owned(),
            host: HostPort::Fixed(40000),
            container: 6443,
            protocol: Protocol::Tcp,
        }],
        env: vec![("KUBECONFIG".to_owned(), "/etc/kubernetes/admin.conf".to_owned())],
        ..node("dev-control-plane", "control-plane")
    }
}

#[test]
fn docker_control_plane_and_worker() {
    let cluster = cluster(vec![control_plane(), node("dev-worker", "worker")]);
    insta::assert_snapshot!(lines(&cluster, &DOCKER, &EngineInfo::default()), @"
    run --name dev-control-plane --hostname dev-control-plane --label io.x-k8s.kind.role=control-plane --privileged --security-opt seccomp=unconfined --security-opt apparmor=unconfined --tmpfs /tmp --tmpfs /run --volume /var --volume /lib/modules:/lib/modules:ro -e KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER --detach --tty --label io.x-k8s.kind.cluster=dev --net kind --restart=on-failure:1 --init=false --cgroupns=private --publish=127.0.0.1:40000:6443/TCP -e KUBECONFIG=/etc/kubernetes/admin.conf kindr/node:v1.34.4
    run --name dev-worker --hostname dev-worker --label io.x-k8s.kind.role=worker --privileged --security-opt seccomp=unconfined --security-opt apparmor=unconfined --tmpfs /tmp --tmpfs /run --volume /var --volume /lib/modules:/lib/modules:ro -e KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER --detach --tty --label io.x-k8s.kind.cluster=dev --net kind --restart=on-failure:1 --init=false --cgroupns=private kindr/node:v1.34.4
    ");
}

#[test]
fn podman_control_plane() {
    let cluster = cluster(vec![control_plane()]);
    insta::assert_snapshot!(lines(&cluster, &PODMAN, &EngineInfo::default()), @"run --name dev-control-plane --hostname dev-control-plane --label io.x-k8s.kind.role=control-plane --privileged --tmpfs /tmp --tmpfs /run --volume dev-control-plane-var:/var:suid,exec,dev --volume /lib/modules:/lib/modules:ro -e KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER --detach --tty --net kind --label io.x-k8s.kind.cluster=dev -e container=podman --cgroupns=private --publish=127.0.0.1:40000:6443/tcp -e KUBECONFIG=/etc/kubernetes/admin.conf docker.io/kindr/node:v1.34.4");
}

#[test]
fn nerdctl_control_plane() {
    let cluster = cluster(vec![control_plane()]);
    insta::assert_snapshot!(lines(&cluster, &NERDCTL, &EngineInfo::default()), @"run --name dev-control-plane --hostname dev-control-plane --label io.x-k8s.kind.role=control-plane --privileged --security-opt seccomp=unconfined --security-opt apparmor=unconfined --tmpfs /tmp --tmpfs /run --volume /var --volume /lib/modules:/lib/modules:ro -e KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER --detach --tty --label io.x-k8s.kind.cluster=dev --net kind --restart=on-failure:1 --init=false --cgroupns=private --publish=127.0.0.1:40000:6443/TCP -e KUBECONFIG=/etc/kubernetes/admin.conf kindr/node:v1.34.4");
}

#[test]
fn everything_a_node_can_have() {
    let mut worker = node("dev-worker", "worker");
    worker.mounts = vec![
        Mount {
            host: "/srv/my data".into(),
            container: "/data".to_owned(),
            read_only: true,
            selinux_relabel: true,
            propagation: Propagation::HostToContainer,
        },
        Mount {
            host: "/srv/b".into(),
            container: "/b".to_owned(),
            read_only: false,
            selinux_relabel: false,
            propagation: Propagation::None,
        },
    ];
    let port = |address: &str, host, protocol| Port {
        address: address.to_owned(),
        host,
        container: 53,
        protocol,
    };
    worker.ports = vec![
        port("", HostPort::Fixed(5353), Protocol::Udp),
        port("::1", HostPort::Engine, Protocol::Sctp),
    ];
    let mut cluster = cluster(vec![worker]);
    cluster.family = Family::Dual;
    cluster.env = vec![("KIND_DNS_SEARCH".to_owned(), "a.example b.example".to_owned())];
    let info = EngineInfo {
        rootless: true,
        userns_remap: true,
        storage_driver: "btrfs".to_owned(),
        ..EngineInfo::default()
    };
    insta::assert_snapshot!(lines(&cluster, &DOCKER, &info), @"run --name dev-worker --hostname dev-worker --label io.x-k8s.kind.role=worker --privileged --security-opt seccomp=unconfined --security-opt apparmor=unconfined --tmpfs /tmp --tmpfs /run --volume /var --volume /lib/modules:/lib/modules:ro -e KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER --detach --tty --label io.x-k8s.kind.cluster=dev --net kind --restart=on-failure:1 --init=false --cgroupns=private --sysctl=net.ipv6.conf.all.disable_ipv6=0 --sysctl=net.ipv6.conf.all.forwarding=1 --userns=host --device /dev/fuse -e 'KIND_DNS_SEARCH=a.example b.example' '--volume=/srv/my data:/data:ro,Z,rslave' --volume=/srv/b:/b --publish=0.0.0.0:5353:53/UDP '--publish=[::1]:0:53/SCTP' kindr/node:v1.34.4");
    insta::assert_snapshot!(lines(&cluster, &PODMAN, &info), @"run --name dev-worker --hostname dev-worker --label io.x-k8s.kind.role=worker --privileged --tmpfs /tmp --tmpfs /run --volume dev-worker-var:/var:suid,exec,dev --volume /lib/modules:/lib/modules:ro -e KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER --detach --tty --net kind --label io.x-k8s.kind.cluster=dev -e container=podman --cgroupns=private --sysctl=net.ipv6.conf.all.disable_ipv6=0 --sysctl=net.ipv6.conf.all.forwarding=1 --device /dev/fuse -e 'KIND_DNS_SEARCH=a.example b.example' '--volume=/srv/my data:/data:ro,Z,rslave' --volume=/srv/b:/b --publish=0.0.0.0:5353:53/udp '--publish=[::1]::53/sctp' docker.io/kindr/node:v1.34.4");
}

#[test]
fn a_snapshotter_that_is_given_takes_the_place_of_the_users_variable() {
    let mut cluster = cluster(vec![node("dev-worker", "worker")]);
    cluster.env = vec![(SNAPSHOTTER.to_owned(), "native".to_owned())];
    let line = lines(&cluster, &DOCKER, &EngineInfo::default());
    assert_eq!(line.matches(SNAPSHOTTER).count(), 1, "{line}");
    assert!(line.contains(&format!("-e {SNAPSHOTTER}=native ")), "{line}");
}

#[test]
fn the_load_balancer_has_no_rights_over_the_host() {
    let mut balancer = node("dev-external-load-balancer", LOAD_BALANCER_ROLE);
    balancer.entrypoint = Some("/bin/sh".to_owned());
    balancer.command = vec!["-c".to_owned(), "exec balance".to_owned()];
    let line = lines(&cluster(vec![balancer]), &DOCKER, &EngineInfo::default());
    assert!(
        !line.contains("--privileged") && !line.contains("--volume"),
        "{line}"
    );
    assert!(
        line.ends_with(" --entrypoint=/bin/sh kindr/node:v1.34.4 -c 'exec balance'"),
        "{line}"
    );
}

#[test]
fn device_mapper_is_mounted_where_the_file_system_needs_it() {
    let info = EngineInfo {
        storage_driver: "zfs".to_owned(),
        ..EngineInfo::default()
    };
    let line = lines(&cluster(vec![node("dev-worker", "worker")]), &DOCKER, &info);
    assert!(line.contains("--volume /dev/mapper:/dev/mapper"), "{line}");
}

#[test]
fn limits_are_spelled_alike() {
    let mut worker = node("dev-worker", "worker");
    worker.limits = Limits {
        cpus: Some("1.5".to_owned()),
        memory: Some(2 << 30),
    };
    for dialect in [&DOCKER, &PODMAN, &NERDCTL] {
        let line = lines(&cluster(vec![worker.clone()]), dialect, &EngineInfo::default());
        insta::allow_duplicates! {
            let limits = line.split(" --cgroupns=private").nth(1).unwrap().rsplit_once(' ').unwrap().0;
            insta::assert_snapshot!(limits, @" --cpus=1.5 --memory=2147483648");
        }
    }
}

#[test]
fn the_engines_own_name_of_an_image_goes_before_ours() {
    let mut cluster = cluster(vec![node("dev-worker", "worker")]);
    cluster.images = BTreeMap::from([(
        "kindr/node:v1.34.4".to_owned(),
        "localhost/kindr/node:v1.34.4".to_owned(),
    )]);
    for dialect in [&DOCKER, &PODMAN, &NERDCTL] {
        let line = lines(&cluster, dialect, &EngineInfo::default());
        assert!(line.ends_with(" localhost/kindr/node:v1.34.4"), "{line}");
    }
}

#[test]
fn an_engine_that_restarts_nothing_is_not_asked_to() {
    let info = EngineInfo {
        no_restart_policy: true,
        ..EngineInfo::default()
    };
    let line = lines(&cluster(vec![node("dev-worker", "worker")]), &NERDCTL, &info);
    assert!(!line.contains("--restart"), "{line}");
}
