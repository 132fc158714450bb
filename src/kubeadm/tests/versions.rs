//! Whole files, by Kubernetes version.

use super::*;

/// What a node with gates, runtime settings and labels has on top.
fn busy(mut cluster: ClusterFacts) -> (ClusterFacts, NodeFacts) {
    cluster.feature_gates = BTreeMap::from([("B".to_owned(), false), ("A".to_owned(), true)]);
    cluster.runtime_config = BTreeMap::from([("api/all".to_owned(), "true".to_owned())]);
    let mut node = node(Role::ControlPlane);
    node.labels = BTreeMap::from([
        ("tier".to_owned(), "x".to_owned()),
        ("empty".to_owned(), String::new()),
        ("node-role.kubernetes.io/worker".to_owned(), String::new()),
    ]);
    (cluster, node)
}

#[test]
fn v1beta4_from_1_36() {
    let (cluster, node) = busy(cluster("v1.37.0", ""));
    insta::assert_snapshot!(init_config(&cluster, &node).unwrap(), @r#"
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: ClusterConfiguration
    kubernetesVersion: v1.37.0
    clusterName: kind
    controlPlaneEndpoint: kind-control-plane:6443
    apiServer:
      certSANs:
      - localhost
      - "127.0.0.1"
      extraArgs:
      - name: runtime-config
        value: api/all=true
      - name: feature-gates
        value: A=true,B=false
    controllerManager:
      extraArgs:
      - name: feature-gates
        value: A=true,B=false
      - name: enable-hostpath-provisioner
        value: "true"
      - name: leader-elect
        value: "false"
      - name: kube-api-qps
        value: "100"
      - name: kube-api-burst
        value: "200"
    scheduler:
      extraArgs:
      - name: feature-gates
        value: A=true,B=false
      - name: leader-elect
        value: "false"
    networking:
      podSubnet: 10.244.0.0/16
      serviceSubnet: 10.96.0.0/16
    ---
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: InitConfiguration
    bootstrapTokens:
    - token: abcdef.0123456789abcdef
    localAPIEndpoint:
      advertiseAddress: "172.18.0.2"
      bindPort: 6443
    nodeRegistration:
      criSocket: unix:///run/containerd/containerd.sock
      kubeletExtraArgs:
      - name: node-ip
        value: "172.18.0.2"
      - name: provider-id
        value: kind://docker/kind/kind-control-plane
      - name: node-labels
        value: empty=,tier=x
    skipPhases:
    - preflight
    - addon
    ---
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
    cgroupDriver: systemd
    cgroupRoot: /kubelet
    failSwapOn: false
    imageGCHighThresholdPercent: 100
    evictionHard:
      imagefs.available: 0%
      nodefs.available: 0%
      nodefs.inodesFree: 0%
    featureGates:
      A: true
      B: false
    ---
    apiVersion: kubeproxy.config.k8s.io/v1alpha1
    kind: KubeProxyConfiguration
    mode: iptables
    featureGates:
      A: true
      B: false
    iptables:
      minSyncPeriod: 1s
    conntrack:
      maxPerCore: 0
    "#);
    insta::assert_snapshot!(join_config(&cluster, &node).unwrap(), @r#"
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: JoinConfiguration
    controlPlane:
      localAPIEndpoint:
        advertiseAddress: "172.18.0.2"
        bindPort: 6443
    discovery:
      bootstrapToken:
        apiServerEndpoint: kind-control-plane:6443
        token: abcdef.0123456789abcdef
        caCertHashes:
        - sha256:00ff
    nodeRegistration:
      criSocket: unix:///run/containerd/containerd.sock
      kubeletExtraArgs:
      - name: node-ip
        value: "172.18.0.2"
      - name: provider-id
        value: kind://docker/kind/kind-control-plane
      - name: node-labels
        value: empty=,tier=x
    skipPhases:
    - preflight
    "#);
}

#[test]
fn v1beta3_from_1_23() {
    let (cluster, node) = busy(cluster("v1.34.4", ""));
    insta::assert_snapshot!(init_config(&cluster, &node).unwrap(), @r#"
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: ClusterConfiguration
    kubernetesVersion: v1.34.4
    clusterName: kind
    controlPlaneEndpoint: kind-control-plane:6443
    apiServer:
      certSANs:
      - localhost
      - "127.0.0.1"
      extraArgs:
        runtime-config: api/all=true
        feature-gates: A=true,B=false
    controllerManager:
      extraArgs:
        feature-gates: A=true,B=false
        enable-hostpath-provisioner: "true"
        leader-elect: "false"
        kube-api-qps: "100"
        kube-api-burst: "200"
    scheduler:
      extraArgs:
        feature-gates: A=true,B=false
        leader-elect: "false"
    networking:
      podSubnet: 10.244.0.0/16
      serviceSubnet: 10.96.0.0/16
    ---
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: InitConfiguration
    bootstrapTokens:
    - token: abcdef.0123456789abcdef
    localAPIEndpoint:
      advertiseAddress: "172.18.0.2"
      bindPort: 6443
    nodeRegistration:
      criSocket: unix:///run/containerd/containerd.sock
      kubeletExtraArgs:
        node-ip: "172.18.0.2"
        provider-id: kind://docker/kind/kind-control-plane
        node-labels: empty=,tier=x
    skipPhases:
    - preflight
    - addon
    ---
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
    cgroupDriver: systemd
    cgroupRoot: /kubelet
    failSwapOn: false
    imageGCHighThresholdPercent: 100
    evictionHard:
      imagefs.available: 0%
      nodefs.available: 0%
      nodefs.inodesFree: 0%
    featureGates:
      A: true
      B: false
    ---
    apiVersion: kubeproxy.config.k8s.io/v1alpha1
    kind: KubeProxyConfiguration
    mode: iptables
    featureGates:
      A: true
      B: false
    iptables:
      minSyncPeriod: 1s
    conntrack:
      maxPerCore: 0
    "#);
    insta::assert_snapshot!(join_config(&cluster, &node).unwrap(), @r#"
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: JoinConfiguration
    controlPlane:
      localAPIEndpoint:
        advertiseAddress: "172.18.0.2"
        bindPort: 6443
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
        provider-id: kind://docker/kind/kind-control-plane
        node-labels: empty=,tier=x
    skipPhases:
    - preflight
    "#);
}

#[test]
fn v1beta2_before() {
    let cluster = cluster("v1.20.15", "");
    insta::assert_snapshot!(init(&cluster), @r#"
    apiVersion: kubeadm.k8s.io/v1beta2
    kind: ClusterConfiguration
    kubernetesVersion: v1.20.15
    clusterName: kind
    controlPlaneEndpoint: kind-control-plane:6443
    featureGates:
      IPv6DualStack: true
    apiServer:
      certSANs:
      - localhost
      - "127.0.0.1"
      extraArgs:
        runtime-config: ""
    controllerManager:
      extraArgs:
        enable-hostpath-provisioner: "true"
        leader-elect: "false"
        kube-api-qps: "100"
        kube-api-burst: "200"
    scheduler:
      extraArgs:
        leader-elect: "false"
    networking:
      podSubnet: 10.244.0.0/16
      serviceSubnet: 10.96.0.0/16
    ---
    apiVersion: kubeadm.k8s.io/v1beta2
    kind: InitConfiguration
    bootstrapTokens:
    - token: abcdef.0123456789abcdef
    localAPIEndpoint:
      advertiseAddress: "172.18.0.2"
      bindPort: 6443
    nodeRegistration:
      criSocket: unix:///run/containerd/containerd.sock
      kubeletExtraArgs:
        node-ip: "172.18.0.2"
        provider-id: kind://docker/kind/kind-control-plane
        node-labels: ""
    ---
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
    cgroupDriver: cgroupfs
    cgroupRoot: /kubelet
    failSwapOn: false
    imageGCHighThresholdPercent: 100
    evictionHard:
      imagefs.available: 0%
      nodefs.available: 0%
      nodefs.inodesFree: 0%
    ---
    apiVersion: kubeproxy.config.k8s.io/v1alpha1
    kind: KubeProxyConfiguration
    mode: iptables
    iptables:
      minSyncPeriod: 1s
    conntrack:
      maxPerCore: 0
    "#);
    insta::assert_snapshot!(join_config(&cluster, &node(Role::Worker)).unwrap(), @r#"
    apiVersion: kubeadm.k8s.io/v1beta2
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
    "#);
}
