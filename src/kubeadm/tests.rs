//! What is special about each kind of cluster, and whole files by version.

mod versions;

use std::collections::BTreeMap;

use super::{
    API_SERVER_BIND_PORT, ClusterFacts, KubeadmError, NodeFacts, init_config, join_config, kubernetes_version,
};
use crate::config::{Document, ProxyMode, Role, Settings};

/// The facts of a cluster with these network settings, as flow YAML.
fn cluster(version: &str, networking: &str) -> ClusterFacts {
    let document = Document::from_text(format!(
        "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnetworking: {{{networking}}}\n"
    ));
    let config = document.unwrap().resolve(&Settings::default()).unwrap();
    ClusterFacts {
        cluster_name: config.name,
        provider: "docker".to_owned(),
        kubernetes_version: kubernetes_version(version).unwrap(),
        control_plane_endpoint: "kind-control-plane:6443".to_owned(),
        api_server_address: config.networking.api_server_address,
        extra_cert_sans: Vec::new(),
        api_server_bind_port: API_SERVER_BIND_PORT,
        pod_subnet: config.networking.pod_subnet,
        service_subnet: config.networking.service_subnet,
        ip_family: config.networking.ip_family,
        feature_gates: BTreeMap::new(),
        runtime_config: BTreeMap::new(),
        kube_proxy_mode: config.networking.kube_proxy_mode,
        token: "abcdef.0123456789abcdef".parse().unwrap(),
        ca_cert_hash: Some("sha256:00ff".to_owned()),
        single_control_plane: true,
        rootless: false,
        cgroup_v1: false,
    }
}

fn node(role: Role) -> NodeFacts {
    NodeFacts {
        name: format!("kind-{}", role.as_str()),
        ipv4: Some([172, 18, 0, 2].into()),
        ipv6: Some("fc00:f853:ccd:e793::2".parse().unwrap()),
        role,
        labels: BTreeMap::new(),
    }
}

fn init(cluster: &ClusterFacts) -> String {
    init_config(cluster, &node(Role::ControlPlane)).unwrap()
}

/// The lines of one text that the other lacks, marked, so that a snapshot shows what is special.
fn difference(plain: &str, special: &str) -> String {
    let lacks = |text: &str, line: &str| !text.lines().any(|other| other == line);
    let gone = plain.lines().filter(|line| lacks(special, line));
    let new = special.lines().filter(|line| lacks(plain, line));
    let lines: Vec<String> = gone
        .map(|line| format!("-{line}"))
        .chain(new.map(|line| format!("+{line}")))
        .collect();
    lines.join("\n")
}

#[test]
fn workers_have_no_endpoint_of_their_own() {
    let mut cluster = cluster("v1.34.4", "");
    insta::assert_snapshot!(join_config(&cluster, &node(Role::Worker)).unwrap(), @r#"
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: JoinConfiguration
    discovery:
      bootstrapToken:
        apiServerEndpoint: kind-control-plane:6443
        token: abcdef.0123456789abcdef
        caCertHashes:
        - sha256:00ff
    nodeRegistration:
      criSocket: unix:///run/containerd/containerd.sock
      kubeletExtraArgs:
        node-ip: "172.18.0.2"
        provider-id: kind://docker/kind/kind-worker
        node-labels: ""
    skipPhases:
    - preflight
    "#);
    let with_pin = join_config(&cluster, &node(Role::Worker)).unwrap();
    cluster.ca_cert_hash = None;
    let without = join_config(&cluster, &node(Role::Worker)).unwrap();
    insta::assert_snapshot!(difference(&with_pin, &without), @"
    -    caCertHashes:
    -    - sha256:00ff
    +    unsafeSkipCAVerification: true
    ");
}

#[test]
fn address_families() {
    let plain = init(&cluster("v1.34.4", ""));
    let ipv6 = init(&cluster("v1.34.4", "ipFamily: ipv6"));
    insta::assert_snapshot!(difference(&plain, &ipv6), @r#"
    -  - "127.0.0.1"
    -  podSubnet: 10.244.0.0/16
    -  serviceSubnet: 10.96.0.0/16
    -  advertiseAddress: "172.18.0.2"
    -    node-ip: "172.18.0.2"
    +  - "::1"
    +    bind-address: "::"
    +    bind-address: "::1"
    +  podSubnet: fd00:10:244::/56
    +  serviceSubnet: fd00:10:96::/112
    +  advertiseAddress: fc00:f853:ccd:e793::2
    +    node-ip: fc00:f853:ccd:e793::2
    +address: "::"
    +healthzBindAddress: "::"
    "#);
    let dual = init(&cluster("v1.34.4", "ipFamily: dual"));
    insta::assert_snapshot!(difference(&plain, &dual), @r#"
    -  podSubnet: 10.244.0.0/16
    -  serviceSubnet: 10.96.0.0/16
    -    node-ip: "172.18.0.2"
    +  podSubnet: 10.244.0.0/16,fd00:10:244::/56
    +  serviceSubnet: 10.96.0.0/16,fd00:10:96::/112
    +    node-ip: 172.18.0.2,fc00:f853:ccd:e793::2
    "#);
    let services = "ipFamily: dual, serviceSubnet: \"fd00:10:96::/112,10.96.0.0/16\"";
    let ipv6_first = init(&cluster("v1.34.4", services));
    insta::assert_snapshot!(difference(&plain, &ipv6_first), @r#"
    -  podSubnet: 10.244.0.0/16
    -  serviceSubnet: 10.96.0.0/16
    -  advertiseAddress: "172.18.0.2"
    -    node-ip: "172.18.0.2"
    +  podSubnet: 10.244.0.0/16,fd00:10:244::/56
    +  serviceSubnet: fd00:10:96::/112,10.96.0.0/16
    +  advertiseAddress: fc00:f853:ccd:e793::2
    +    node-ip: fc00:f853:ccd:e793::2,172.18.0.2
    "#);
}

#[test]
fn a_node_needs_the_clusters_addresses() {
    let cluster = cluster("v1.34.4", "ipFamily: dual");
    let mut node = node(Role::Worker);
    node.ipv6 = None;
    insta::assert_snapshot!(join_config(&cluster, &node).unwrap_err(), @"the node `kind-worker` has no IPv6 address, but the cluster's ipFamily needs one; check that the engine's network has IPv6 enabled");
}

#[test]
fn proxy_modes() {
    let plain = init(&cluster("v1.34.4", ""));
    let nftables = init(&cluster("v1.34.4", "kubeProxyMode: nftables"));
    insta::assert_snapshot!(difference(&plain, &nftables), @"
    -mode: iptables
    +mode: nftables
    +  tcpBeLiberal: true
    ");
    let none = init(&cluster("v1.34.4", "kubeProxyMode: none"));
    insta::assert_snapshot!(difference(&plain, &none), @"
    -apiVersion: kubeproxy.config.k8s.io/v1alpha1
    -kind: KubeProxyConfiguration
    -mode: iptables
    -iptables:
    -  minSyncPeriod: 1s
    -conntrack:
    -  maxPerCore: 0
    ");
}

#[test]
fn rootless() {
    let mut facts = cluster("v1.34.4", "kubeProxyMode: nftables");
    let plain = init(&facts);
    facts.rootless = true;
    insta::assert_snapshot!(difference(&plain, &init(&facts)), @"
    -  tcpBeLiberal: true
    +    feature-gates: KubeletInUserNamespace=true
    +    feature-gates: KubeletInUserNamespace=true
    +    feature-gates: KubeletInUserNamespace=true
    +featureGates:
    +  KubeletInUserNamespace: true
    +featureGates:
    +  KubeletInUserNamespace: true
    +  tcpEstablishedTimeout: 0s
    +  tcpCloseWaitTimeout: 0s
    ");
    facts.kubernetes_version = kubernetes_version("v1.21.14").unwrap();
    let error = init_config(&facts, &node(Role::ControlPlane)).unwrap_err();
    assert!(matches!(error, KubeadmError::TooOldForRootless { .. }));
}

#[test]
fn cgroup_v1_is_allowed_where_it_would_be_refused() {
    let with = |version: &str| {
        let mut facts = cluster(version, "");
        facts.cgroup_v1 = true;
        init(&facts)
    };
    assert!(with("v1.35.0").contains("\nfailCgroupV1: false\n"));
    assert!(!with("v1.34.4").contains("failCgroupV1"));
    assert!(!init(&cluster("v1.35.0", "")).contains("failCgroupV1"));
}

#[test]
fn certificates_hold_what_clients_dial() {
    let mut facts = cluster("v1.34.4", "apiServerAddress: 0.0.0.0");
    facts.extra_cert_sans = vec!["engine.example".to_owned(), "localhost".to_owned()];
    let plain = init(&cluster("v1.34.4", ""));
    insta::assert_snapshot!(difference(&plain, &init(&facts)), @r#"
    +  - "0.0.0.0"
    +  - "::1"
    +  - engine.example
    "#);
}

#[test]
fn texts_that_look_like_numbers_stay_texts() {
    for token in [
        "123456.0123456789012345",
        "1e2345.0000000000000000",
        "0x1234.5678901234567890",
    ] {
        let mut facts = cluster("v1.34.4", "");
        facts.token = token.parse().unwrap();
        facts.cluster_name = "1e3".to_owned();
        facts.kube_proxy_mode = ProxyMode::Ipvs;
        let text = init(&facts);
        let documents: Vec<serde_json::Value> = serde_yaml::from_multiple(&text).unwrap();
        assert_eq!(documents[0]["clusterName"], "1e3", "{text}");
        assert_eq!(documents[1]["bootstrapTokens"][0]["token"], token, "{text}");
    }
}
