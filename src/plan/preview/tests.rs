use kindr_providers::docker::Docker;

use super::*;
use crate::config::{Document, Settings};

fn preview_with(body: &str, image: &str, wait: u64) -> Result<Preview, PreviewError> {
    let text = format!("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n{body}");
    let settings = Settings {
        default_image: image.to_owned(),
        ..Settings::default()
    };
    let config = Document::from_text(text).unwrap().resolve(&settings).unwrap();
    let wait = Duration::from_secs(wait);
    Preview::new(
        &config,
        &Docker::new(),
        "kind",
        wait,
        &Version::new(1, 37, 0),
        Program::Haproxy,
    )
}

fn preview(body: &str) -> Preview {
    preview_with(body, "kindest/node:v1.34.4", 0).unwrap()
}

#[test]
fn a_cluster_of_one_node() {
    insta::assert_snapshot!(preview(""), @r#"
    # Cluster kind with docker: 1 node, Kubernetes v1.34.4
    # - the engine was not asked: one with root's rights and cgroup v2 is assumed
    # - addresses from 192.0.2.0/24 stand in for those that the engine will give the nodes
    # - each cluster has a token of its own, and nodes that join it know the hash of its authority; both are `x` here
    # - host port 0 is any free one: picked and kept by kindr, or chosen by the engine at each start if the configuration says -1

    # Steps
    # 1. Checking the engine
    #    the engine answers, and no cluster is named kind
    #    the kubeconfig can be written
    # 2. Preparing the network
    #    the network kind is there, or is made
    # 3. Getting the node image
    #    kindest/node:v1.34.4 is there, or is fetched
    # 4. Starting the nodes
    #    kind-control-plane runs
    # 5. Starting the control plane
    #    kind-control-plane: kubeadm init --config=/kind/kubeadm.conf
    # 6. Installing pod network and storage class
    #    kind-control-plane: kubeadm init phase addon all --config=/kind/kubeadm.conf
    #    the image's pod network
    #    the image's storage class
    #    kind-control-plane: kubectl label nodes --all node.kubernetes.io/exclude-from-external-load-balancers-
    # 7. Writing the kubeconfig
    #    its current context is kind-kind

    # Container kind-control-plane
    docker run --name kind-control-plane --hostname kind-control-plane --label io.x-k8s.kind.role=control-plane --privileged --security-opt seccomp=unconfined --security-opt apparmor=unconfined --tmpfs /tmp --tmpfs /run --volume /var --volume /lib/modules:/lib/modules:ro -e KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER --detach --tty --label io.x-k8s.kind.cluster=kind --net kind --restart=on-failure:1 --init=false --cgroupns=private --publish=127.0.0.1:0:6443/TCP -e KUBECONFIG=/etc/kubernetes/admin.conf kindest/node:v1.34.4

    # /kind/kubeadm.conf in kind-control-plane
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
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: InitConfiguration
    bootstrapTokens:
    - token: xxxxxx.xxxxxxxxxxxxxxxx
    localAPIEndpoint:
      advertiseAddress: "192.0.2.1"
      bindPort: 6443
    nodeRegistration:
      criSocket: unix:///run/containerd/containerd.sock
      kubeletExtraArgs:
        node-ip: "192.0.2.1"
        provider-id: kind://docker/kind/kind-control-plane
        node-labels: ""
      taints: []
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
    ---
    apiVersion: kubeproxy.config.k8s.io/v1alpha1
    kind: KubeProxyConfiguration
    mode: iptables
    iptables:
      minSyncPeriod: 1s
    conntrack:
      maxPerCore: 0
    "#);
}

#[test]
fn everything_that_a_plan_can_hold() {
    let body = "name: dev\nnodes:\n- role: worker\n  labels: {a: b, node-role.kubernetes.io/w: \"\"}\n- role: control-plane\n  image: node:latest\n  resources: {cpus: 2}\n  extraPortMappings: [{containerPort: 80, hostPort: 8080}]\nnetworking: {ipFamily: dual, apiServerPort: 6443, disableDefaultCNI: true, kubeProxyMode: none, dnsSearch: []}\n";
    let preview = preview_with(body, "node:v1.20.0", 90).unwrap();
    let parts: Vec<String> = preview
        .steps
        .iter()
        .map(|step| format!("{}: {}", step.title, step.does.join("; ")))
        .collect();
    insta::assert_snapshot!(parts.join("\n"), @"
    Checking the engine: the engine answers, and no cluster is named dev; the kubeconfig can be written
    Preparing the network: the network kind is there, or is made
    Getting the node image: node:latest is there, or is fetched; node:v1.20.0 is there, or is fetched
    Starting the nodes: dev-worker runs; dev-control-plane runs
    Starting the control plane: dev-control-plane: kubeadm init --config=/kind/kubeadm.conf
    Installing pod network and storage class: dev-control-plane: kubeadm init phase addon coredns --config=/kind/kubeadm.conf; no kube-proxy, as the configuration says; no pod network, as the configuration says; the image's storage class
    Joining the other nodes: dev-worker: kubeadm join --config=/kind/kubeadm.conf
    Waiting for the nodes to be ready: dev-control-plane: kubectl label --overwrite node dev-worker node-role.kubernetes.io/w=; wait up to 90s for all nodes
    Writing the kubeconfig: its current context is kind-dev
    ");
    insta::assert_snapshot!(preview.notes.join("\n"), @"
    the tag of node:latest is no Kubernetes version: the files are written for v1.37.0
    the engine was not asked: one with root's rights and cgroup v2 is assumed
    addresses from 192.0.2.0/24 and 2001:db8::/32 stand in for those that the engine will give the nodes
    each cluster has a token of its own, and nodes that join it know the hash of its authority; both are `x` here
    ");
    insta::assert_snapshot!(preview.nodes[1].command, @"docker run --name dev-control-plane --hostname dev-control-plane --label io.x-k8s.kind.role=control-plane --privileged --security-opt seccomp=unconfined --security-opt apparmor=unconfined --tmpfs /tmp --tmpfs /run --volume /var --volume /lib/modules:/lib/modules:ro -e KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER --detach --tty --label io.x-k8s.kind.cluster=dev --net kind --restart=on-failure:1 --init=false --cgroupns=private --sysctl=net.ipv6.conf.all.disable_ipv6=0 --sysctl=net.ipv6.conf.all.forwarding=1 -e KIND_DNS_SEARCH= --publish=0.0.0.0:8080:80/TCP --publish=127.0.0.1:6443:6443/TCP -e KUBECONFIG=/etc/kubernetes/admin.conf --cpus=2 node:latest");
    insta::assert_snapshot!(preview.nodes[0].files[0].content, @"
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: JoinConfiguration
    discovery:
      bootstrapToken:
        apiServerEndpoint: dev-control-plane:6443
        token: xxxxxx.xxxxxxxxxxxxxxxx
        caCertHashes:
        - sha256:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    nodeRegistration:
      criSocket: unix:///run/containerd/containerd.sock
      kubeletExtraArgs:
      - name: node-ip
        value: 192.0.2.1,2001:db8::1
      - name: provider-id
        value: kind://docker/dev/dev-worker
      - name: node-labels
        value: a=b
    skipPhases:
    - preflight
    ");
}

#[test]
fn a_port_in_use_is_no_reason_against_a_plan() {
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port();
    let preview = preview(&format!("networking: {{apiServerPort: {port}}}\n"));
    assert!(
        preview.nodes[0]
            .command
            .contains(&format!("--publish=127.0.0.1:{port}:6443/TCP"))
    );
}

#[test]
fn programs_get_the_same() {
    let preview = preview("");
    let json = serde_json::to_value(&preview).unwrap();
    assert_eq!(json["kubernetesVersion"], "v1.34.4");
    assert_eq!(json["nodes"][0]["files"][0]["path"], "/kind/kubeadm.conf");
    assert_eq!(json["nodes"][0]["args"][0], "run");
    let yaml = serde_yaml::to_string(&preview).unwrap();
    let again: serde_json::Value = serde_yaml::from_str(&yaml).unwrap();
    assert_eq!(again, json);
}

#[test]
fn old_versions_have_their_phases_as_an_option() {
    let preview = preview_with("", "node:v1.20.0", 0).unwrap();
    let init = &preview.steps[4].does[0];
    assert!(init.ends_with("--skip-phases=preflight,addon"), "{init}");
}

#[test]
fn the_certificate_holds_what_clients_dial() {
    let preview =
        preview("networking: {apiServerAddress: 0.0.0.0, apiServerCertSANs: [a.example, 127.0.0.1]}\n");
    let file = &preview.nodes[0].files[0].content;
    let names: Vec<&str> = file
        .lines()
        .skip_while(|line| !line.contains("certSANs"))
        .skip(1)
        .map_while(|line| line.trim().strip_prefix("- "))
        .collect();
    insta::assert_snapshot!(names.join(" "), @r#"localhost "0.0.0.0" "127.0.0.1" "::1" a.example"#);
}

#[test]
fn patches_are_seen_in_the_files() {
    let text = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes:\n- role: control-plane\n- role: worker\n  kubeadmConfigPatches:\n  - |\n    kind: JoinConfiguration\n    nodeRegistration: {kubeletExtraArgs: {v: \"4\"}}\nkubeadmConfigPatches:\n- |\n  kind: InitConfiguration\n  bootstrapTokens: [{token: abcdef.0123456789abcdef}]\ncontainerdConfigPatches:\n- |\n  [debug]\n  level = \"debug\"\ncontainerdConfigPatchesJSON6902:\n- '[{\"op\": \"remove\", \"path\": \"/debug\"}]'\n";
    let settings = Settings {
        default_image: "node:v1.34.4".to_owned(),
        ..Settings::default()
    };
    let config = Document::from_text(text).unwrap().resolve(&settings).unwrap();
    let none = Duration::ZERO;
    let version = Version::new(1, 37, 0);
    let preview = Preview::new(&config, &Docker::new(), "kind", none, &version, Program::Envoy).unwrap();
    let files = &preview.nodes[1].files;
    assert!(
        files[0].content.contains("token: abcdef.0123456789abcdef"),
        "{}",
        files[0].content
    );
    assert!(files[0].content.contains("v: \"4\""), "{}", files[0].content);
    insta::assert_snapshot!(files[1].content, @r#"
    # the image's own, merged with
    [debug]
    level = "debug"
    # then changed by
    #   [{"op": "remove", "path": "/debug"}]
    "#);
    assert_eq!(preview.nodes[0].files[1], files[1]);
}

#[test]
fn several_control_planes_have_a_balancer_before_them() {
    let body = "networking: {apiServerPort: 6443}\nnodes: [{role: control-plane}, {role: control-plane}, {role: worker}]\n";
    let preview = preview(body);
    let published = |name: &str| {
        let node = preview.nodes.iter().find(|node| node.name == name).unwrap();
        node.args
            .iter()
            .filter(|arg| arg.starts_with("--publish"))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        published("kind-external-load-balancer"),
        ["--publish=127.0.0.1:6443:6443/TCP"]
    );
    assert_eq!(
        published("kind-control-plane"),
        ["--publish=127.0.0.1:0:6443/TCP"]
    );
    assert!(published("kind-worker").is_empty());
    let file = |name: &str| {
        let node = preview.nodes.iter().find(|node| node.name == name).unwrap();
        node.files[0].content.clone()
    };
    assert!(file("kind-control-plane").contains("controlPlaneEndpoint: kind-external-load-balancer:6443"));
    assert!(!file("kind-control-plane").contains("leader-elect"));
    assert!(file("kind-control-plane2").contains("controlPlane:"));
    assert!(file("kind-worker").contains("apiServerEndpoint: kind-external-load-balancer:6443"));
}
