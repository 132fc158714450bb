//! kubeadm join on the workers, all together.

use std::sync::Arc;

use futures::future::try_join_all;

use super::context::{Context, Failed};
use super::error::Cause;
use super::init::{ControlPlane, KUBEADM, is_worker, node_facts};
use super::nodes::Node;
use crate::kubeadm::{self, KubeadmError};
use crate::patch::{self, NodePatchError};

/// As for init: one call writes the configuration and runs kubeadm.
const JOIN: &str =
    r#"umask 077 && cat >/kind/kubeadm.conf && kubeadm join --config=/kind/kubeadm.conf "$@" >&2"#;

/// Joins every worker.
pub(super) async fn run(
    ctx: &Context,
    nodes: &[Arc<Node>],
    control_plane: &ControlPlane,
) -> Result<(), Failed> {
    let workers = nodes.iter().filter(|node| is_worker(ctx, &node.state.name));
    try_join_all(workers.map(|node| join(ctx, node, control_plane)))
        .await
        .map(drop)
}

async fn join(ctx: &Context, node: &Node, control_plane: &ControlPlane) -> Result<(), Failed> {
    let name = node.state.name.as_str();
    let bad = |error: KubeadmError| Failed::on(name, Cause::Node(error.to_string()));
    let facts = &control_plane.facts;
    let mut documents = kubeadm::join_documents(facts, &node_facts(ctx, node)?).map_err(bad)?;
    patch::patch_join(&ctx.config, facts, name, &mut documents)
        .map_err(|error| Failed::on(name, NodePatchError::from(error)))?;
    let config = kubeadm::render(&documents).map_err(bad)?;
    let mut command = vec!["sh", "-c", JOIN, "kubeadm"];
    let phases = format!("--skip-phases={}", kubeadm::join_skip_phases().join(","));
    if kubeadm::skip_phases_by_flag(&control_plane.facts.kubernetes_version) {
        command.push(&phases);
    }
    let shown = "kubeadm join --config=/kind/kubeadm.conf";
    ctx.run(name, &command, shown, Some(config.into_bytes()), KUBEADM)
        .await
        .map(drop)
}
