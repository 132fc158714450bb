use super::*;

#[test]
fn a_container_as_each_engine_shows_it() {
    // Captured from docker 20.10, podman 4.3 and nerdctl 2.1, and cut to what is read.
    let docker = br#"[{"Name": "/dev-control-plane", "State": {"Running": true, "ExitCode": 0},
        "Config": {"Labels": {"io.x-k8s.kind.role": "control-plane"}, "Entrypoint": ["/usr/local/bin/entrypoint"]},
        "NetworkSettings": {"Ports": {"6443/tcp": [{"HostIp": "127.0.0.1", "HostPort": "40000"}], "80/tcp": null},
          "Networks": {"kind": {"IPAddress": "172.18.0.2", "GlobalIPv6Address": "fc00:f853:ccd:e793::2"}}}}]"#;
    let podman = br#"[{"Name": "dev-control-plane", "State": {"Status": "running", "Running": true, "ExitCode": 0},
        "Config": {"Labels": {"io.x-k8s.kind.role": "control-plane"}, "Entrypoint": "/usr/local/bin/entrypoint"},
        "NetworkSettings": {"Ports": {"6443/tcp": [{"HostIp": "127.0.0.1", "HostPort": "40000"}]}, "IPAddress": "",
          "Networks": {"kind": {"IPAddress": "172.18.0.2", "GlobalIPv6Address": "fc00:f853:ccd:e793::2"}}}}]"#;
    let nerdctl = br#"[{"Name": "dev-control-plane", "State": {"Status": "running", "Running": true, "ExitCode": 0},
        "Config": {"Labels": {"io.x-k8s.kind.role": "control-plane", "nerdctl/name": "dev-control-plane"}},
        "NetworkSettings": {"Ports": {"6443/tcp": [{"HostIp": "127.0.0.1", "HostPort": "40000"}]},
          "Networks": {"unknown-eth0": {"IPAddress": "172.18.0.2", "GlobalIPv6Address": "fc00:f853:ccd:e793::2"}}}}]"#;
    for json in [&docker[..], podman, nerdctl] {
        let expected = NodeState {
            name: "dev-control-plane".to_owned(),
            role: "control-plane".to_owned(),
            running: true,
            exit_code: Some(0),
            ipv4: "172.18.0.2".parse().ok(),
            ipv6: "fc00:f853:ccd:e793::2".parse().ok(),
            ports: vec![("6443/tcp".to_owned(), "127.0.0.1".to_owned(), 40000)],
        };
        assert_eq!(containers(json).unwrap(), [expected]);
    }
}

#[test]
fn docker_desktop_says_where_a_port_really_is() {
    let json = br#"[{"Name": "/n", "State": {"Running": true},
        "Config": {"Labels": {"desktop.docker.io/ports/6443/tcp": "127.0.0.1:50000"}},
        "NetworkSettings": {"Ports": {"6443/tcp": [{"HostIp": "127.0.0.1", "HostPort": "40000"}]}}}]"#;
    let ports = containers(json).unwrap().remove(0).ports;
    assert_eq!(ports, [("6443/tcp".to_owned(), "127.0.0.1".to_owned(), 50000)]);
}

#[test]
fn a_network_as_each_engine_shows_it() {
    let docker = br#"[{"Name": "kind", "Id": "1", "Created": "2026-12-01T09:57:43Z", "Containers": {},
        "IPAM": {"Driver": "default", "Config": [{"Subnet": "172.18.0.0/16"}, {"Subnet": "fc00::/64"}]}}]"#;
    let podman = br#"[{"name": "kind", "id": "1", "created": "2026-12-01T09:57:43Z", "ipv6_enabled": true,
        "subnets": [{"subnet": "172.18.0.0/16", "gateway": "172.18.0.1"}, {"subnet": "fc00::/64"}]}]"#;
    let nerdctl = br#"[{"Name": "kind", "Id": "1", "Labels": {}, "Containers": {},
        "IPAM": {"Config": [{"Subnet": "172.18.0.0/16"}, {"Subnet": "fc00::/64"}]}}]"#;
    for json in [&docker[..], podman, nerdctl] {
        let found = networks(json, "kind").unwrap();
        assert_eq!(found[0].subnets, ["172.18.0.0/16", "fc00::/64"]);
        assert!(found[0].has_ipv6());
        assert!(networks(json, "kin").unwrap().is_empty());
    }
}

#[test]
fn an_image_as_each_engine_shows_it() {
    let docker = br#"[{"Id": "sha256:1", "RepoTags": ["kindr/node:v1"], "Config": {"Entrypoint": ["/e", "/sbin/init"]}}]"#;
    let podman = br#"[{"Id": "1", "RepoTags": ["localhost/kindr/node:v1"], "RepoDigests": ["localhost/kindr/node@sha256:2"],
        "Config": {"Entrypoint": ["/e", "/sbin/init"]}}]"#;
    let nerdctl =
        br#"[{"Image": {"Name": "docker.io/kindr/node:v1"}, "ImageConfigDesc": {"digest": "sha256:1"},
        "ImageConfig": {"config": {"Entrypoint": ["/e", "/sbin/init"]}}}]"#;
    for json in [&docker[..], podman, nerdctl] {
        assert_eq!(image(json).unwrap().0.entrypoint, ["/e", "/sbin/init"]);
    }
    assert_eq!(
        image(podman).unwrap().1,
        ["localhost/kindr/node:v1", "localhost/kindr/node@sha256:2"]
    );
    assert!(image(b"[]").is_err());
}

#[test]
fn podmans_list_is_read_also_where_it_is_empty() {
    let json = br#"[{"Names": ["dev-worker"], "Labels": {"io.x-k8s.kind.cluster": "dev", "io.x-k8s.kind.role": "worker"}},
        {"Names": ["other"], "Labels": null}]"#;
    let nodes = listed(json).unwrap();
    assert_eq!(nodes.len(), 1);
    assert_eq!(
        (nodes[0].cluster.as_str(), nodes[0].name.as_str()),
        ("dev", "dev-worker")
    );
    assert!(listed(b"[]").unwrap().is_empty());
    assert!(listed(b"").unwrap().is_empty());
}
