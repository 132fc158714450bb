//! kubeadm join on all nodes but the first control plane.

use std::sync::Arc;

use futures::future::try_join_all;

use super::authority::Authorities;
use super::context::{Context, Failed};
use super::error::Cause;
use super::init::{ControlPlane, KUBEADM, node_facts};
use super::nodes::Node;
use crate::config::{NodeConfig, Role};
use crate::kubeadm::{self, KubeadmError};
use crate::patch::{self, NodePatchError};

/// Since Kubernetes 1.34 kubeadm is done before the kubelet has registered its node, whose name is `$0` here. Who is told
/// that the cluster is there, or waits for its nodes, must find them all. A kubelet that does not come to it says why.
macro_rules! kubeadm_join {
    () => {
        r#" && kubeadm join --config=/kind/kubeadm.conf "$@" >&2 || exit
n=0
until kubectl --kubeconfig=/etc/kubernetes/kubelet.conf get node "$0" >/dev/null 2>&1; do
    n=$((n + 1))
    if [ $n = 300 ]; then
        echo "the kubelet has not registered $0; the errors that it told last:" >&2
        journalctl --no-pager --output=cat --unit=kubelet --lines=200 | grep '^E[0-9]' | tail -n 8 >&2
        exit 1
    fi
    sleep 0.1
done"#
    };
}

/// As for init: one call writes the configuration and runs kubeadm.
const JOIN: &str = concat!("umask 077 && cat >/kind/kubeadm.conf", kubeadm_join!());

/// The same for a control plane, which also gets the cluster's authorities.
const JOIN_CONTROL_PLANE: &str = concat!("umask 077 && tar -C / -xf -", kubeadm_join!());

/// Joins every other node: the workers all together, and meanwhile the control planes one after another, as etcd takes
/// one new member at a time.
pub(super) async fn run(
    ctx: &Context,
    nodes: &[Arc<Node>],
    control_plane: &ControlPlane,
    first: &str,
) -> Result<(), Failed> {
    let named = |config: &NodeConfig| nodes.iter().find(|node| node.state.name == config.name);
    let workers = ctx.config.nodes_with(Role::Worker).filter_map(named);
    let others: Vec<&Arc<Node>> = ctx
        .config
        .nodes_with(Role::ControlPlane)
        .filter(|config| config.name != first)
        .filter_map(named)
        .collect();
    let workers = try_join_all(workers.map(|node| join(ctx, node, control_plane, None)));
    let control_planes = async {
        if others.is_empty() {
            return Ok(());
        }
        let authorities = Authorities::read(ctx, first).await?;
        for node in others {
            join(ctx, node, control_plane, Some(&authorities)).await?;
        }
        Ok(())
    };
    tokio::try_join!(workers, control_planes).map(drop)
}

async fn join(
    ctx: &Context,
    node: &Node,
    control_plane: &ControlPlane,
    authorities: Option<&Authorities>,
) -> Result<(), Failed> {
    let name = node.state.name.as_str();
    let bad = |error: KubeadmError| Failed::on(name, Cause::Node(error.to_string()));
    let facts = &control_plane.facts;
    let mut documents = kubeadm::join_documents(facts, &node_facts(ctx, node)?).map_err(bad)?;
    patch::patch_join(&ctx.config, facts, name, &mut documents)
        .map_err(|error| Failed::on(name, NodePatchError::from(error)))?;
    let config = kubeadm::render(&documents).map_err(bad)?;
    let (script, input) = match authorities {
        None => (JOIN, config.into_bytes()),
        Some(authorities) => (JOIN_CONTROL_PLANE, authorities.with_config(name, &config)?),
    };
    let mut command = vec!["sh", "-c", script, name];
    let phases = format!("--skip-phases={}", kubeadm::join_skip_phases().join(","));
    if kubeadm::skip_phases_by_flag(&control_plane.facts.kubernetes_version) {
        command.push(&phases);
    }
    let shown = "kubeadm join --config=/kind/kubeadm.conf";
    ctx.run(name, &command, shown, Some(input), KUBEADM)
        .await
        .map(drop)
}
