//! The contract of a node image, beyond which nothing may be assumed of it.
//!
//! An image says its version in /kind/version, its pod network in /kind/manifests/default-cni.yaml (where `PodSubnet` of
//! the cluster is filled in) and its storage in /kind/manifests/default-storage.yaml. The image here has other contents
//! in each, so that a create which brings its own would be seen.

use crate::cluster::{Cluster, create_from};
use crate::common::node_image;
use crate::world::World;

const CONFIG: &str = "kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
networking:
  podSubnet: 10.99.0.0/16
";

/// Says what the template was given, and how: kind's own images quote and space it as they like.
const NETWORK_MARK: &str = r#"
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kt-network, namespace: kube-system}
data:
  spaced: "{{ .PodSubnet }}"
  tight: "{{.PodSubnet}}"
"#;

const STORAGE: &str = r#"apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: kt-storage
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: kt.example/none
"#;

#[test]
fn an_image_that_keeps_the_contract_is_enough() {
    let world = World::new();
    let (image, engine) = (world.image_name(), world.engine());
    let read = |path: &str| engine.read_in_image(&node_image(), path);
    let files = [
        (
            "version",
            format!("{}\n", read("/kind/version").trim()),
            "/kind/version",
        ),
        (
            "cni.yaml",
            format!("{}{NETWORK_MARK}", read("/kind/manifests/default-cni.yaml")),
            "/kind/manifests/default-cni.yaml",
        ),
        (
            "storage.yaml",
            STORAGE.to_owned(),
            "/kind/manifests/default-storage.yaml",
        ),
    ];
    let files = files.map(|(name, content, place)| (world.write(name, &content), place));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, place)| (path.to_str().expect("a path in UTF-8"), *place))
        .collect();
    engine.derive_image(
        &node_image(),
        &image,
        &files,
        &["LABEL kt.example=other", "ENV KT=other"],
    );

    let name = world.cluster_name();
    create_from(&world, &name, CONFIG, &image).succeeds();
    let cluster = Cluster::named(&world, &name);
    cluster.ready_nodes();
    let subnets = "jsonpath={.data.spaced} {.data.tight}";
    let given = cluster.kubectl([
        "get",
        "configmap",
        "kt-network",
        "-n",
        "kube-system",
        "--output",
        subnets,
    ]);
    assert_eq!(given, "10.99.0.0/16 10.99.0.0/16");
    let classes = cluster.kubectl(["get", "storageclass", "--output", "name"]);
    assert_eq!(classes, "storageclass.storage.k8s.io/kt-storage");
    let range = cluster.kubectl(["get", "nodes", "--output", "jsonpath={.items[0].spec.podCIDR}"]);
    assert!(range.starts_with("10.99."), "{range}");
    cluster.delete();
}
