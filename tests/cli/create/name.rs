//! Names that a container or a DNS label cannot hold.

use super::refused_at_once;
use crate::common::{TestEnvironment, node_image};
use crate::kindr_only;

fn named(env: &TestEnvironment, name: &str) -> crate::common::Invocation {
    env.run(["create", "cluster", "--name", name, "--image", &node_image()])
        .mentions([name])
}

#[test]
fn a_character_that_does_not_belong_is_refused() {
    for name in ["kt_under", "kt slash/", "kt:colon", "kt-ümlaut", "kt\ttab"] {
        let env = TestEnvironment::new().recorded();
        // A tab or a letter beyond ASCII may be told in another writing.
        let create = env
            .run(["create", "cluster", "--name", name, "--image", &node_image()])
            .mentions(["name", "kt"]);
        refused_at_once(&env, create);
    }
}

#[test]
fn upper_case_is_refused() {
    let env = TestEnvironment::new().recorded();
    refused_at_once(&env, named(&env, "KtUpper").kindr_mentions(["a-z"]));
}

#[test]
fn a_name_that_begins_or_ends_with_a_sign_is_refused() {
    kindr_only!("kind accepts such a name and lets the engine or kubeadm stumble over it");
    for name in ["-kt-sign", ".kt-sign", "kt-sign-.", "kt-sign."] {
        let env = TestEnvironment::new().recorded();
        let flag = format!("--name={name}");
        let create = env
            .run(["create", "cluster", &flag, "--image", &node_image()])
            .mentions([name]);
        refused_at_once(&env, create);
    }
}

#[test]
fn a_name_too_long_for_a_host_is_refused() {
    kindr_only!("kind only warns that the name is probably too long");
    let env = TestEnvironment::new().recorded();
    let create = env.run([
        "create",
        "cluster",
        "--name",
        &"k".repeat(64),
        "--image",
        &node_image(),
    ]);
    refused_at_once(&env, create.mentions(["64", "long"]));
}

#[test]
fn a_name_from_the_environment_is_refused_alike() {
    let env = TestEnvironment::new().recorded();
    let create = env.run(["create", "cluster", "--image", &node_image()]);
    refused_at_once(
        &env,
        create
            .env("KIND_CLUSTER_NAME", "Kt_Env")
            .mentions(["Kt_Env"])
            .kindr_mentions(["KIND_CLUSTER_NAME"]),
    );
}

#[test]
fn a_name_from_the_config_is_refused_alike() {
    let env = TestEnvironment::new().recorded();
    let config = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nname: Kt_Config\n";
    let path = env.write("cluster.yaml", config);
    let create = env
        .run(["create", "cluster", "--image", &node_image(), "--config"])
        .args([&path]);
    refused_at_once(
        &env,
        create.mentions(["Kt_Config"]).kindr_mentions(["cluster.yaml"]),
    );
}
