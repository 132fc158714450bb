//! What a configuration can ask of kindr and not of kind.

use crate::cluster::create;
use crate::kindr_only;
use crate::world::World;

const CONFIG: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnetworking:\n  apiServerCertSANs: [machine.example.com, 192.0.2.10]\nnodes:\n- role: control-plane\n  resources: {cpus: 1.5, memory: 2Gi}\n";

#[test]
fn limits_reach_the_engine_and_names_the_certificate() {
    kindr_only!("kind has neither of the fields");
    let world = World::new();
    let name = world.cluster_name();
    create(&world, &name, CONFIG).succeeds();
    let node = format!("{name}-control-plane");
    let limits = &world.engine().inspect(&node)["HostConfig"];
    if world.engine().program() == "nerdctl" {
        assert_eq!(limits["CpuQuota"], 150_000);
        assert_eq!(limits["CpuPeriod"], 100_000);
    } else {
        assert_eq!(limits["NanoCpus"], 1_500_000_000_u64);
    }
    assert_eq!(limits["Memory"], 2_u64 << 30);
    let command = [
        "openssl",
        "x509",
        "-in",
        "/etc/kubernetes/pki/apiserver.crt",
        "-noout",
        "-ext",
        "subjectAltName",
    ];
    let names = world.engine().exec(&node, &command);
    assert!(names.contains("DNS:machine.example.com"), "{names}");
    assert!(names.contains("192.0.2.10"), "{names}");
}
