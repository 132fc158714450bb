//! Messages about files that can be read but make no sense.

use super::*;

#[test]
fn names_of_clusters() {
    insta::assert_snapshot!(error("name: My_Cluster"), @"
    the cluster configuration is not valid
      kind.yaml:3:1: name: `My_Cluster` cannot be a cluster name because of 'M' at position 1: use only a-z, 0-9, `-` and `.`
    ");
    insta::assert_snapshot!(Document::default().resolve(&Settings { name: Some("a.".to_owned()), ..settings() }).unwrap_err(), @"
    the cluster configuration is not valid
      cluster name: `a.` cannot be a cluster name: it must begin and end with a letter or a digit
    ");
}

#[test]
fn networks() {
    insta::assert_snapshot!(error("networking: {ipFamily: ipv6, podSubnet: 10.1.0.0/16}"), @"
    the cluster configuration is not valid
      kind.yaml:3:30: networking.podSubnet: `10.1.0.0/16` is an IPv4 range, but `networking.ipFamily` is `ipv6`; change either
    ");
    insta::assert_snapshot!(error("networking: {podSubnet: \"10.1.0.0/16,fd00::/56\"}"), @"
    the cluster configuration is not valid
      kind.yaml:3:14: networking.podSubnet: `10.1.0.0/16,fd00::/56` is more than one range; only `ipFamily: dual` has two
    ");
    insta::assert_snapshot!(error("networking: {ipFamily: dual, serviceSubnet: \"10.1.0.0/16,10.2.0.0/16\"}"), @"
    the cluster configuration is not valid
      kind.yaml:3:30: networking.serviceSubnet: `10.1.0.0/16,10.2.0.0/16` has two ranges of one family; a dual-stack cluster needs one IPv4 and one IPv6 range
    ");
    insta::assert_snapshot!(error("networking: {podSubnet: 10.1.0.0, serviceSubnet: 10.0.0.0/8}"), @"
    the cluster configuration has 2 problems
      kind.yaml:3:14: networking.podSubnet: `10.1.0.0` is no address range; write one such as `10.244.0.0/16`
      kind.yaml:3:35: networking.serviceSubnet: `10.0.0.0/8` is too large for services; kubeadm takes a prefix of /12 to /28
    ");
    insta::assert_snapshot!(error("networking: {podSubnet: 10.96.1.0/24}"), @"
    the cluster configuration is not valid
      kind.yaml:3:14: networking.podSubnet: pods have `10.96.1.0/24` and services `10.96.0.0/16` (the default), which overlap
    ");
    insta::assert_snapshot!(error("networking: {apiServerAddress: localhost, apiServerPort: 65536, dnsSearch: [\"\"]}"), @"
    the cluster configuration has 3 problems
      kind.yaml:3:14: networking.apiServerAddress: `localhost` is no IP address; names are not possible here
      kind.yaml:3:43: networking.apiServerPort: 65536 is no port; 1 to 65535 are, 0 is any free one, and -1 lets the engine choose
      kind.yaml:3:77: networking.dnsSearch[0]: `` is no domain name
    ");
}

#[test]
fn labels_and_mounts() {
    insta::assert_snapshot!(error("nodes:\n- labels:\n    \"a=b\": \"\"\n    ok: not ok\n  extraMounts:\n  - containerPath: rel\n  - {hostPath: /a, containerPath: /x}\n  - {hostPath: /b, containerPath: /x}"), @r#"
    the cluster configuration has 5 problems
      kind.yaml:5:5: nodes[0].labels["a=b"]: the whole pair was taken for the key; quote neither or both sides, as in `key: "value"`
      kind.yaml:6:5: nodes[0].labels["ok"]: the value `not ok` contains ' '; letters, digits, `-`, `_` and `.` are possible
      kind.yaml:8:5: nodes[0].extraMounts[0].hostPath: say what to mount
      kind.yaml:8:5: nodes[0].extraMounts[0].containerPath: `rel` must be absolute and not `/` itself
      kind.yaml:10:20: nodes[0].extraMounts[2].containerPath: `/x` is already taken by `nodes[0].extraMounts[1]`
    "#);
}

#[test]
fn everything_at_once() {
    insta::assert_snapshot!(error("name: -x\nnetworking:\n  podSubnet: nonsense\nfeatureGates: {\"A,B\": true}\nnodes:\n- role: worker\n  image: a b\n  extraPortMappings:\n  - containerPort: 0\n    hostPort: 70000\n    listenAddress: here\n  - {}\n"), @r#"
    the cluster configuration has 9 problems
      kind.yaml:3:1: name: `-x` cannot be a cluster name: it must begin and end with a letter or a digit
      kind.yaml:5:3: networking.podSubnet: `nonsense` is no address range; write one such as `10.244.0.0/16`
      kind.yaml:6:16: featureGates["A,B"]: a name is one word without `,` and `=`; write `Name: value`
      kind.yaml:7:1: nodes: at least one node must have `role: control-plane`
      kind.yaml:9:3: nodes[0].image: `a b` is no image: it contains white space
      kind.yaml:11:5: nodes[0].extraPortMappings[0].containerPort: 0 is no port; 1 to 65535 are
      kind.yaml:12:5: nodes[0].extraPortMappings[0].hostPort: 70000 is no port; 1 to 65535 are, 0 is any free one, and -1 lets the engine choose
      kind.yaml:13:5: nodes[0].extraPortMappings[0].listenAddress: `here` is no IP address; names are not possible here
      kind.yaml:14:5: nodes[0].extraPortMappings[1].containerPort: say which port of the node to publish
    "#);
}

#[test]
fn clashing_ports() {
    insta::assert_snapshot!(error("networking: {apiServerPort: 6443}\nnodes:\n- extraPortMappings:\n  - {containerPort: 1, hostPort: 6443}\n  - {containerPort: 1, hostPort: 80, listenAddress: 127.0.0.1}\n- role: worker\n  extraPortMappings:\n  - {containerPort: 2, hostPort: 80, listenAddress: 0.0.0.0}\n"), @"
    the cluster configuration has 2 problems
      kind.yaml:6:24: nodes[0].extraPortMappings[0].hostPort: host port 6443/TCP on all addresses is already taken by `networking.apiServerPort` on 127.0.0.1; use another port, or leave it out to get a free one
      kind.yaml:10:24: nodes[1].extraPortMappings[0].hostPort: host port 80/TCP on all addresses is already taken by `nodes[0].extraPortMappings[1].hostPort` on 127.0.0.1; use another port, or leave it out to get a free one
    ");
}

#[test]
fn ports_that_do_not_clash() {
    let many = |port: &str| {
        format!(
            "nodes:\n- extraPortMappings: [{{containerPort: 80{port}}}, {{containerPort: 443{port}}}]\n- role: worker\n  extraPortMappings: [{{containerPort: 80{port}}}]"
        )
    };
    for port in [
        "",
        ", hostPort: 0",
        ", hostPort: -1",
        ", listenAddress: 127.0.0.1",
    ] {
        assert!(resolve(&many(port)).is_ok(), "{port}");
    }
    let body = "nodes:\n- extraPortMappings:\n  - {containerPort: 1, hostPort: 80, listenAddress: 127.0.0.1}\n  - {containerPort: 1, hostPort: 80, listenAddress: 127.0.0.2}\n  - {containerPort: 1, hostPort: 80, protocol: UDP}";
    assert!(resolve(body).is_ok());
}

#[test]
fn limits_and_names_of_the_certificate() {
    insta::assert_snapshot!(error("nodes:\n- resources: {cpus: 500m, memory: 2x}\n- role: worker\n  resources: {cpus: 0, memory: 5m}\nnetworking:\n  apiServerCertSANs: [a.b, \"*.a.b\", \"::1\", 10.0.0.1, A.b, \"\", \"https://a\"]\n"), @"
    the cluster configuration has 7 problems
      kind.yaml:8:54: networking.apiServerCertSANs[4]: `A.b` is neither an address nor a lower-case DNS name
      kind.yaml:8:59: networking.apiServerCertSANs[5]: `` is neither an address nor a lower-case DNS name
      kind.yaml:8:63: networking.apiServerCertSANs[6]: `https://a` is neither an address nor a lower-case DNS name
      kind.yaml:4:15: nodes[0].resources.cpus: `500m` is no number of processors; write one such as `2` or `0.5`, at least 0.01
      kind.yaml:4:27: nodes[0].resources.memory: `2x` is no amount of memory; write one such as `2g`, `512Mi` or `1.5GiB`
      kind.yaml:6:15: nodes[1].resources.cpus: `0` is no number of processors; write one such as `2` or `0.5`, at least 0.01
      kind.yaml:6:24: nodes[1].resources.memory: `5m` is too little: no container runs with less than 6m
    ");
}
