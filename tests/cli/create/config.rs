//! Config files that cannot be meant.

use super::refused_at_once;
use crate::common::{TestEnvironment, is_peer, node_image};
use crate::kindr_only;

const HEAD: &str = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n";

/// Creates with a config of this text, which must be refused with these words; kindr has to say some more.
fn refused(text: &str, words: &[&str], own_words: &[&str]) {
    let env = TestEnvironment::new().recorded();
    let path = env.write("cluster.yaml", text);
    let create = env
        .run([
            "create",
            "cluster",
            "--name",
            "kt-config",
            "--image",
            &node_image(),
            "--config",
        ])
        .args([&path])
        .mentions(words.iter().copied())
        .kindr_mentions(["cluster.yaml"])
        .kindr_mentions(own_words.iter().copied());
    refused_at_once(&env, create);
}

/// Returns how a line of the file is told: kindr does it as compilers do, for editors to jump there.
fn line(number: usize) -> String {
    if is_peer() {
        format!("line {number}")
    } else {
        format!("cluster.yaml:{number}:")
    }
}

/// The same for a text that follows the usual head.
fn refused_below_head(text: &str, words: &[&str], own_words: &[&str]) {
    refused(&format!("{HEAD}{text}"), words, own_words);
}

#[test]
fn a_missing_file_is_refused() {
    let env = TestEnvironment::new().recorded();
    let create = env.run(["create", "cluster", "--config", "nowhere/cluster.yaml"]);
    refused_at_once(&env, create.mentions(["nowhere/cluster.yaml"]));
}

#[test]
fn a_folder_is_refused() {
    let env = TestEnvironment::new().recorded();
    let create = env
        .run(["create", "cluster", "--config"])
        .args([env.path("kube")]);
    refused_at_once(&env, create.mentions(["kube", "directory"]));
}

#[test]
fn an_empty_file_is_refused() {
    refused("", &["apiVersion"], &["empty", "kind.x-k8s.io/v1alpha4"]);
    refused(
        "# only a remark\n",
        &["apiVersion"],
        &["empty", "kind.x-k8s.io/v1alpha4"],
    );
}

#[test]
fn what_is_not_yaml_is_refused_with_its_line() {
    refused(
        "kind: Cluster\nnodes: [role: control-plane\n",
        &["yaml"],
        &["cluster.yaml:"],
    );
    refused_below_head("networking: @here\n", &["yaml", &line(3)], &[]);
    refused_below_head("nodes:\n\t- role: control-plane\n", &[&line(4)], &["tab"]);
    refused("\u{0}\u{1}\u{2}not text", &["yaml"], &[]);
    refused("just some words\n", &["config"], &["kind"]);
}

#[test]
fn another_kind_is_refused() {
    refused(
        "kind: Pod\napiVersion: kind.x-k8s.io/v1alpha4\n",
        &["Pod"],
        &["Cluster"],
    );
}

#[test]
fn another_version_is_refused() {
    refused(
        "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha9\n",
        &["kind.x-k8s.io/v1alpha9"],
        &["v1alpha4"],
    );
    refused(
        "kind: Cluster\napiVersion: v1\n",
        &["apiVersion", "v1"],
        &["v1alpha4"],
    );
    refused("kind: Cluster\n", &["apiVersion"], &["kind.x-k8s.io/v1alpha4"]);
}

#[test]
fn an_unknown_field_is_refused_with_the_known_one() {
    refused_below_head(
        "nodez:\n- role: control-plane\n",
        &["nodez", &line(3)],
        &["nodes"],
    );
    refused_below_head(
        "networking:\n  apiServerprot: 1\n",
        &["apiServerprot", &line(4)],
        &["apiServerPort"],
    );
    refused_below_head(
        "nodes:\n- role: control-plane\n  lables: {a: b}\n",
        &["lables", &line(5)],
        &["labels"],
    );
}

#[test]
fn a_field_that_was_only_ever_proposed_is_refused() {
    let config = "nodes:\n- role: control-plane\n  constraints: {memory: 1G}\n";
    refused_below_head(config, &["constraints", &line(5)], &[]);
}

#[test]
fn a_list_where_a_mapping_belongs_is_refused() {
    refused_below_head("featureGates: [\"A=true\"]\n", &[&line(3)], &["featureGates"]);
}

#[test]
fn a_mistyped_gate_is_refused() {
    refused_below_head(
        "featureGates: {A: ture}\n",
        &["ture"],
        &["featureGates", &line(3)],
    );
}

#[test]
fn two_documents_are_refused() {
    kindr_only!("kind reads the first document and forgets the second");
    refused(&format!("{HEAD}---\n{HEAD}"), &["document"], &[]);
}

#[test]
fn an_unknown_role_is_refused() {
    refused_below_head(
        "nodes:\n- role: master\n",
        &["master"],
        &["control-plane", "worker", &line(4)],
    );
}

#[test]
fn a_cluster_without_a_control_plane_is_refused() {
    refused_below_head("nodes:\n- role: worker\n", &["control-plane"], &["nodes"]);
}

#[test]
fn a_port_that_cannot_be_is_refused() {
    refused_below_head(
        "networking: {apiServerPort: 70000}\n",
        &["apiServerPort", "70000"],
        &["65535"],
    );
}

#[test]
fn two_mappings_of_one_host_port_are_refused() {
    let mappings = "  extraPortMappings:\n  - {containerPort: 80, hostPort: 18080}\n  - {containerPort: 81, hostPort: 18080, listenAddress: 127.0.0.1}\n";
    let config = format!("nodes:\n- role: control-plane\n{mappings}");
    refused_below_head(&config, &["18080"], &["extraPortMappings"]);
}

#[test]
fn one_host_port_on_two_nodes_is_refused() {
    kindr_only!("kind compares the mappings of one node only, and the engine fails later");
    let mapping = "  extraPortMappings: [{containerPort: 80, hostPort: 18080}]\n";
    let config = format!("nodes:\n- role: control-plane\n{mapping}- role: worker\n{mapping}");
    refused_below_head(&config, &["18080", "extraPortMappings"], &[]);
}

#[test]
fn all_faults_are_told_at_once() {
    let config = "networking: {apiServerPort: 70000, ipFamily: ipv5}\nnodes:\n- role: master\n";
    refused_below_head(config, &["70000", "ipv5", "master"], &[]);
}

#[test]
fn a_config_on_stdin_is_read_and_refused_alike() {
    let env = TestEnvironment::new().recorded();
    let create = env
        .run(["create", "cluster", "--config", "-"])
        .input(&format!("{HEAD}nodez: []\n"));
    refused_at_once(&env, create.mentions(["nodez"]).kindr_mentions(["<stdin>:3:"]));
}

#[test]
fn a_patch_that_cannot_be_applied_is_refused() {
    refused_below_head(
        "containerdConfigPatches: ['a = [']\n",
        &["toml"],
        &["containerdConfigPatches[0]", &line(3)],
    );
}

#[test]
fn a_patch_that_changes_nothing_is_refused() {
    kindr_only!("kind leaves it out without a word");
    let config = "nodes:\n- role: control-plane\n- role: worker\n  kubeadmConfigPatches:\n  - |\n    kind: InitConfiguration\n";
    refused_below_head(
        config,
        &["nodes[1].kubeadmConfigPatches[0]", "JoinConfiguration"],
        &[&line(8)],
    );
    let typo = "kubeadmConfigPatches:\n- |\n  kind: ClusterConfigurations\n";
    refused_below_head(typo, &["`ClusterConfiguration`"], &[&line(5)]);
}

#[test]
fn a_patch_with_a_key_twice_is_refused() {
    kindr_only!("kind takes the last");
    let config =
        "kubeadmConfigPatches:\n- |\n  kind: ClusterConfiguration\n  clusterName: a\n  clusterName: b\n";
    refused_below_head(config, &["`clusterName`", "twice"], &[&line(7)]);
}
