//! The steps of a create in words.

use std::time::Duration;

use super::PreviewStep;
use super::files::KUBEADM_CONF;
use crate::config::{ClusterConfig, NodeConfig, ProxyMode, Role};
use crate::events::Step;
use crate::kubeadm::{self, ClusterFacts};
use crate::kubeconfig::context_name;

/// Says what a create does, step by step.
pub(super) fn steps(
    config: &ClusterConfig,
    facts: &ClusterFacts,
    addon_phase: Option<&str>,
    network: &str,
    wait: Duration,
) -> Vec<PreviewStep> {
    let mut images: Vec<&str> = config.nodes.iter().map(|node| node.image.as_str()).collect();
    images.sort_unstable();
    images.dedup();
    let (first, others) = split(config);
    let mut steps = vec![
        step(
            Step::Check,
            [
                format!("the engine answers, and no cluster is named {}", config.name),
                "the kubeconfig can be written".to_owned(),
            ],
        ),
        step(
            Step::Network,
            [format!("the network {network} is there, or is made")],
        ),
        step(
            Step::Image,
            images
                .iter()
                .map(|image| format!("{image} is there, or is fetched")),
        ),
        step(
            Step::Nodes,
            config.nodes.iter().map(|node| format!("{} runs", node.name)),
        ),
        step(
            Step::ControlPlane,
            first.map(|node| on(node, &command(facts, "init", &kubeadm::init_skip_phases()))),
        ),
        step(
            Step::Addons,
            first
                .into_iter()
                .flat_map(|node| addons(config, addon_phase, node)),
        ),
    ];
    if !others.is_empty() {
        let join = command(facts, "join", &kubeadm::join_skip_phases());
        steps.push(step(Step::Workers, others.iter().map(|node| on(node, &join))));
    }
    let labels = first.into_iter().flat_map(|first| labels(config, first));
    let mut ready: Vec<String> = labels.collect();
    if !wait.is_zero() {
        ready.push(format!("wait up to {}s for all nodes", wait.as_secs_f64()));
    }
    if !ready.is_empty() {
        steps.push(step(Step::Ready, ready));
    }
    let context = context_name(&config.name);
    steps.push(step(
        Step::Kubeconfig,
        [format!("its current context is {context}")],
    ));
    steps
}

fn step(step: Step, does: impl IntoIterator<Item = String>) -> PreviewStep {
    PreviewStep {
        title: step.title(),
        does: does.into_iter().collect(),
    }
}

/// The first control plane, and the nodes that join it.
fn split(config: &ClusterConfig) -> (Option<&NodeConfig>, Vec<&NodeConfig>) {
    let first = config.nodes_with(Role::ControlPlane).next();
    let others = config
        .nodes
        .iter()
        .filter(|node| first.is_none_or(|first| first.name != node.name));
    (first, others.collect())
}

fn on(node: &NodeConfig, command: &str) -> String {
    format!("{}: {command}", node.name)
}

fn command(facts: &ClusterFacts, what: &str, skipped: &[&str]) -> String {
    let by_flag = kubeadm::skip_phases_by_flag(&facts.kubernetes_version);
    let phases = if by_flag {
        format!(" --skip-phases={}", skipped.join(","))
    } else {
        String::new()
    };
    format!("kubeadm {what} --config={KUBEADM_CONF}{phases}")
}

fn addons(config: &ClusterConfig, phase: Option<&str>, node: &NodeConfig) -> Vec<String> {
    let mode = config.networking.kube_proxy_mode;
    let install = phase.map(|phase| {
        on(
            node,
            &format!("kubeadm init phase addon {phase} --config={KUBEADM_CONF}"),
        )
    });
    let mut does: Vec<String> = install.into_iter().collect();
    if mode == ProxyMode::None {
        does.push("no kube-proxy, as the configuration says".to_owned());
    }
    does.push(if config.networking.disable_default_cni {
        "no pod network, as the configuration says".to_owned()
    } else {
        "the image's pod network".to_owned()
    });
    does.push("the image's storage class".to_owned());
    if config.nodes.len() == 1 {
        let label = "kubectl label nodes --all node.kubernetes.io/exclude-from-external-load-balancers-";
        does.push(on(node, label));
    }
    does
}

/// The labels that kubelets may not set themselves.
fn labels<'a>(config: &'a ClusterConfig, first: &'a NodeConfig) -> impl Iterator<Item = String> + 'a {
    config.nodes.iter().filter_map(move |node| {
        let pairs: Vec<String> = node
            .api_labels()
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        (!pairs.is_empty()).then(|| {
            let command = format!("kubectl label --overwrite node {} {}", node.name, pairs.join(" "));
            on(first, &command)
        })
    })
}
