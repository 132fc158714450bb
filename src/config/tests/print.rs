//! What is printed is read as the same configuration.

use super::*;
use crate::config::to_yaml;

fn assert_round_trip(config: &ClusterConfig) -> String {
    let text = to_yaml(config).unwrap();
    let again = read(&text).unwrap().resolve(&Settings::default()).unwrap();
    assert_eq!(&again, config, "{text}");
    text
}

#[test]
fn the_default_has_every_field() {
    let config = Document::default().resolve(&settings()).unwrap();
    insta::assert_snapshot!(assert_round_trip(&config), @r#"
    kind: Cluster
    apiVersion: kind.x-k8s.io/v1alpha4
    name: kind
    nodes:
    - role: control-plane
      image: node:default
      labels: {}
      extraMounts: []
      extraPortMappings: []
      kubeadmConfigPatches: []
      kubeadmConfigPatchesJSON6902: []
    networking:
      ipFamily: ipv4
      apiServerPort: 0
      apiServerAddress: "127.0.0.1"
      podSubnet: 10.244.0.0/16
      serviceSubnet: 10.96.0.0/16
      disableDefaultCNI: false
      kubeProxyMode: iptables
      dnsSearch: null
    featureGates: {}
    runtimeConfig: {}
    kubeadmConfigPatches: []
    kubeadmConfigPatchesJSON6902: []
    containerdConfigPatches: []
    containerdConfigPatchesJSON6902: []
    "#);
}

#[test]
fn a_full_file_stays_what_it_is() {
    let config = read(FULL).unwrap().resolve(&settings()).unwrap();
    insta::assert_snapshot!(assert_round_trip(&config), @r#"
    kind: Cluster
    apiVersion: kind.x-k8s.io/v1alpha4
    name: full
    nodes:
    - role: worker
      image: i
      labels:
        a: b
        empty: ""
        node-role.kubernetes.io/x: "true"
      extraMounts:
      - containerPath: /b
        hostPath: ./a
        readOnly: true
        selinuxRelabel: true
        propagation: Bidirectional
      extraPortMappings:
      - containerPort: 1
        hostPort: 2
        listenAddress: "::1"
        protocol: SCTP
      - containerPort: 2
        hostPort: -1
        listenAddress: "0.0.0.0"
        protocol: TCP
      resources:
        cpus: "1.50"
        memory: 1536m
      kubeadmConfigPatches:
      - |
        kind: JoinConfiguration
      kubeadmConfigPatchesJSON6902:
      - group: kubeadm.k8s.io
        version: v1beta3
        kind: JoinConfiguration
        patch: "[]"
    - role: control-plane
      image: node:default
      labels: {}
      extraMounts: []
      extraPortMappings: []
      kubeadmConfigPatches: []
      kubeadmConfigPatchesJSON6902: []
    networking:
      ipFamily: dual
      apiServerPort: -1
      apiServerAddress: "::1"
      apiServerCertSANs:
      - "*.a.b"
      - "192.0.2.1"
      podSubnet: 10.0.0.0/16,fd00::/56
      serviceSubnet: fd01::/112,10.1.0.0/16
      disableDefaultCNI: true
      kubeProxyMode: none
      dnsSearch: []
    featureGates:
      A: true
      B: false
    runtimeConfig:
      api/all: "true"
      api/b: "1.10"
    kubeadmConfigPatches:
    - |-
      kind: ClusterConfiguration
      apiServer: {}
    kubeadmConfigPatchesJSON6902:
    - group: kubeadm.k8s.io
      version: v1beta3
      kind: ClusterConfiguration
      patch: "[]"
    containerdConfigPatches:
    - |
      version = 2
    containerdConfigPatchesJSON6902:
    - "[]"
    "#);
}

#[test]
fn every_example_stays_what_it_is() {
    for (name, text) in example_files() {
        let config = read(&text).unwrap().resolve(&settings());
        assert_round_trip(&config.unwrap_or_else(|error| panic!("{name}: {error}")));
    }
}

#[test]
fn search_domains_that_are_absent_empty_or_given_stay_so() {
    for (field, expected) in [
        ("{}", None),
        ("{dnsSearch: }", None),
        ("{dnsSearch: []}", Some(0)),
        ("{dnsSearch: [a.b, c]}", Some(2)),
    ] {
        let config = resolve(&format!("networking: {field}")).unwrap();
        assert_eq!(config.networking.dns_search.as_ref().map(Vec::len), expected);
        assert_round_trip(&config);
    }
}

#[test]
fn texts_that_look_like_something_else_stay_texts() {
    let config = resolve(
        "runtimeConfig: {a: \"true\", b: \"0x1F\", c: \"\", d: \"null\", e: \"1e3\", f: \"yes\", g: \"-\", h: \" a: b #c\", i: \"~\"}\nkubeadmConfigPatches: [\"\\n kind: InitConfiguration\\n\\n\", \"kind: InitConfiguration # a\\tb\", \"# a\\r\\n\"]\n",
    )
    .unwrap();
    assert_round_trip(&config);
}
