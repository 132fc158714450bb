//! kubeadm init on the first control plane.

use std::time::Duration;

use kindr_providers::EngineInfo;

use super::context::{Context, Failed};
use super::error::Cause;
use super::nodes::Node;
use crate::kubeadm::{self, BootstrapToken, ClusterFacts, KubeadmError, NodeFacts};
use crate::patch;

/// kubectl's option for the administrator's credentials in a control plane.
pub(super) const ADMIN_CONF: &str = "--kubeconfig=/etc/kubernetes/admin.conf";

/// Time limit for a kubectl call.
pub(super) const KUBECTL: Duration = Duration::from_secs(120);

/// Time limit for kubeadm, above the limits that it sets itself (4 minutes for each of its waits).
pub(super) const KUBEADM: Duration = Duration::from_secs(900);

/// Writes the configuration from standard input where kind puts it, runs kubeadm, and prints the administrator's
/// credentials: one call of the engine in place of three. The text is fixed; nothing of the user's is in it.
const INIT: &str = r#"umask 077 && cat >/kind/kubeadm.conf &&
    kubeadm init --config=/kind/kubeadm.conf --skip-token-print "$@" >&2 &&
    cat /etc/kubernetes/admin.conf"#;

/// Runs a phase of kubeadm and then the command that follows, if there is one.
const ADDONS: &str =
    r#"kubeadm init phase addon "$1" --config=/kind/kubeadm.conf && shift && { [ $# = 0 ] || exec "$@"; }"#;

/// A label that kubeadm puts on control planes. A cluster of one node would have no load balancers with it.
const EXCLUDE_FROM_LB: &str = "node.kubernetes.io/exclude-from-external-load-balancers-";

/// What init leaves behind for the steps after it.
#[derive(Debug)]
pub(super) struct ControlPlane {
    /// The administrator's credentials, as kubeadm writes them.
    pub(super) admin_conf: String,
    /// What all kubeadm configurations of the cluster share, with the authority's hash.
    pub(super) facts: ClusterFacts,
    /// The phase of kubeadm's that installs its add-ons, if the user left any.
    pub(super) addons: Option<&'static str>,
}

/// Runs kubeadm init.
pub(super) async fn run(ctx: &Context, info: &EngineInfo, node: &Node) -> Result<ControlPlane, Failed> {
    let name = node.state.name.as_str();
    let bad = |error: KubeadmError| Failed::on(name, Cause::Node(error.to_string()));
    let mut facts = cluster_facts(ctx, info, node).map_err(bad)?;
    let mut documents = kubeadm::init_documents(&facts, &node_facts(ctx, node)?).map_err(bad)?;
    if ctx.config.nodes.len() == 1 {
        kubeadm::run_workloads(&mut documents);
    }
    let patched = patch::patch_init(&ctx.config, &facts, name, &mut documents)
        .map_err(|error| Failed::on(name, error))?;
    for warning in &patched.warnings {
        ctx.warn(warning);
    }
    facts.token = patched.token;
    let config = kubeadm::render(&documents).map_err(bad)?;
    let mut command = vec!["sh", "-c", INIT, "kubeadm"];
    let phases = format!("--skip-phases={}", kubeadm::init_skip_phases().join(","));
    if kubeadm::skip_phases_by_flag(&facts.kubernetes_version) {
        command.push(&phases);
    }
    let shown = "kubeadm init --config=/kind/kubeadm.conf --skip-token-print";
    let output = ctx
        .run(name, &command, shown, Some(config.into_bytes()), KUBEADM)
        .await?;
    let admin_conf = output.text();
    facts.ca_cert_hash =
        Some(authority_hash(&admin_conf).map_err(|reason| {
            Failed::on(name, Cause::Node(format!("/etc/kubernetes/admin.conf {reason}")))
        })?);
    Ok(ControlPlane {
        admin_conf,
        facts,
        addons: patched.addons,
    })
}

/// Installs those of kubeadm's own add-ons, CoreDNS and kube-proxy, that the user did not leave out: kubeadm init would do
/// it before the workers can join. Then a cluster of one node is allowed load balancers.
pub(super) async fn install_addons(
    ctx: &Context,
    node: &Node,
    control_plane: &ControlPlane,
) -> Result<(), Failed> {
    let mut command = Vec::new();
    let mut shown = Vec::new();
    if let Some(phase) = control_plane.addons {
        command.extend(["sh", "-c", ADDONS, "kubeadm", phase]);
        shown.push(format!(
            "kubeadm init phase addon {phase} --config=/kind/kubeadm.conf"
        ));
    }
    if ctx.config.nodes.len() == 1 {
        let label = ["kubectl", ADMIN_CONF, "label", "nodes", "--all", EXCLUDE_FROM_LB];
        command.extend(label);
        shown.push(label.join(" "));
    }
    if command.is_empty() {
        return Ok(());
    }
    ctx.run(&node.state.name, &command, &shown.join(" && "), None, KUBEADM)
        .await
        .map(drop)
}

fn cluster_facts(ctx: &Context, info: &EngineInfo, node: &Node) -> Result<ClusterFacts, KubeadmError> {
    Ok(ClusterFacts::new(
        &ctx.config,
        ctx.provider.dialect().name,
        info,
        kubeadm::kubernetes_version(&node.files.version)?,
        &node.state.name,
        BootstrapToken::generate()?,
    ))
}

/// What kubeadm needs to know of one node.
pub(super) fn node_facts(ctx: &Context, node: &Node) -> Result<NodeFacts, Failed> {
    let name = node.state.name.as_str();
    let config = ctx
        .config
        .nodes
        .iter()
        .find(|config| config.name == name)
        .ok_or_else(|| Failed::on(name, Cause::Node("it is not in the configuration".to_owned())))?;
    Ok(NodeFacts {
        name: name.to_owned(),
        ipv4: node.state.ipv4,
        ipv6: node.state.ipv6,
        role: config.role,
        labels: config.labels.clone(),
    })
}

/// The hash of the cluster's authority, from the administrator's credentials.
fn authority_hash(admin_conf: &str) -> Result<String, String> {
    #[derive(serde::Deserialize)]
    struct Config {
        clusters: Vec<Entry>,
    }
    #[derive(serde::Deserialize)]
    struct Entry {
        cluster: Cluster,
    }
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Cluster {
        certificate_authority_data: String,
    }
    use base64::Engine as _;
    let config: Config =
        serde_yaml::from_str(admin_conf).map_err(|error| format!("cannot be read: {error}"))?;
    let data = config.clusters.first().ok_or("has no cluster")?;
    let pem = base64::engine::general_purpose::STANDARD
        .decode(data.cluster.certificate_authority_data.trim())
        .map_err(|error| format!("holds no base64 certificate: {error}"))?;
    kubeadm::ca_cert_hash(&String::from_utf8_lossy(&pem)).map_err(|error| error.to_string())
}

/// Labels that a kubelet may not give itself, set through the API.
pub(super) async fn set_api_labels(ctx: &Context, control_plane: &str) -> Result<(), Failed> {
    for node in &ctx.config.nodes {
        let labels = node.api_labels();
        if labels.is_empty() {
            continue;
        }
        let pairs: Vec<String> = labels
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let mut command = vec!["kubectl", ADMIN_CONF, "label", "--overwrite", "node", &node.name];
        command.extend(pairs.iter().map(String::as_str));
        let shown = command.join(" ");
        ctx.run(control_plane, &command, &shown, None, KUBECTL).await?;
    }
    Ok(())
}
