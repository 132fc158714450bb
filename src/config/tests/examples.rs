//! Every file of `config-examples` can be used and says what it is there to show.

use super::*;

macro_rules! examples {
    ($($test:ident: $file:literal => $check:expr;)*) => {
        $(#[test]
        fn $test() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("config-examples").join($file);
            let config = Document::from_path(&path).unwrap().resolve(&settings()).unwrap();
            let check: fn(&ClusterConfig) -> bool = $check;
            assert!(check(&config), "{config:#?}");
        })*
    };
}

examples! {
    single_node: "single-node.yaml" => |c| c.nodes.len() == 1 && c.name == "kind";
    multi_node: "multi-node.yaml" => |c| {
        c.nodes_with(Role::Worker).count() == 2
            && c.nodes[2].api_labels().contains_key("node-role.kubernetes.io/worker")
            && c.nodes[2].kubelet_labels().len() == 1
    };
    ports: "ports.yaml" => |c| {
        let ports: Vec<HostPort> =
            c.nodes[0].extra_port_mappings.iter().map(|port| port.host_port).collect();
        ports == [HostPort::Fixed(8080), HostPort::Free, HostPort::EngineChoice]
    };
    mounts: "mounts.yaml" => |c| c.nodes[0].extra_mounts[0].read_only;
    networking: "networking.yaml" => |c| {
        c.networking.pod_subnet.to_string() == "10.10.0.0/16"
            && c.networking.dns_search.as_ref().is_some_and(|domains| domains.len() == 1)
    };
    ipv6: "ipv6.yaml" => |c| {
        c.networking.api_server_address.to_string() == "::1"
            && c.networking.service_subnet.to_string() == "fd00:10:96::/112"
    };
    dual_stack: "dual-stack.yaml" => |c| c.networking.pod_subnet.as_slice().len() == 2;
    beyond_kind: "beyond-kind.yaml" => |c| {
        c.nodes[1].resources.cpus.as_deref() == Some("1.5")
            && c.nodes[1].resources.memory == Some(2 << 30)
            && c.networking.api_server_cert_sans.len() == 2
    };
    own_cni: "own-cni.yaml" => |c| c.networking.disable_default_cni;
    high_availability: "high-availability.yaml" => |c| {
        c.load_balancer_name().as_deref() == Some("ha-external-load-balancer") && c.nodes.len() == 4
    };
    patches: "patches.yaml" => |c| {
        c.nodes[1].kubeadm_config_patches.len() == 1 && c.containerd_config_patches_json6902.len() == 1
    };
}

#[test]
fn every_example_is_tested() {
    for (name, _) in example_files() {
        assert!(
            include_str!("examples.rs").contains(&format!("{name:?} =>")),
            "{name} has no test"
        );
    }
}
