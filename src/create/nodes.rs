//! The node containers: made together, each followed until its system is up.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use kindr_providers::args::LOAD_BALANCER_ROLE;
use kindr_providers::spec::Container;
use kindr_providers::{EngineError, Failure, ImageInfo, NodeState};
use tokio::sync::oneshot;

use super::containerd;
use super::context::{Context, Failed};
use super::error::Cause;
use super::files::NodeFiles;
use super::image::Images;
use crate::loadbalancer;

/// How long a node's system may take to come up; one that ends is noticed at once.
const BOOT: Duration = Duration::from_secs(180);

/// The same for an image that does not start like a node image.
const BOOT_UNKNOWN: Duration = Duration::from_secs(10);

/// How long the load balancer may take to listen.
const BALANCER: Duration = Duration::from_secs(60);

/// The program that node images start with, by their contract.
const ENTRYPOINT: &str = "/usr/local/bin/entrypoint";

/// A node whose system is up.
#[derive(Debug)]
pub(super) struct Node {
    /// Its container.
    pub(super) state: NodeState,
    /// What its image brings.
    pub(super) files: NodeFiles,
}

/// Makes all containers and waits for their systems. The first control plane is handed to `first` as soon as it is up.
pub(super) async fn run(
    ctx: &Arc<Context>,
    containers: Vec<Container>,
    images: &Images,
    first: oneshot::Sender<Arc<Node>>,
) -> Result<Vec<Arc<Node>>, Failed> {
    let bootstrap = containers.first_control_plane();
    let mut starts: FuturesUnordered<_> = containers
        .iter()
        .map(|container| start(ctx, container, images.get(&container.image)))
        .collect();
    let mut first = Some(first);
    let mut nodes = Vec::with_capacity(containers.len());
    while let Some(started) = starts.next().await {
        let Some(node) = started?.map(Arc::new) else {
            continue;
        };
        if Some(&node.state.name) == bootstrap.as_ref()
            && let Some(first) = first.take()
        {
            // The receiver is gone only if the create has failed already.
            let _ = first.send(Arc::clone(&node));
        }
        nodes.push(node);
    }
    Ok(nodes)
}

/// The first control plane of a list, on which kubeadm init runs.
trait FirstControlPlane {
    fn first_control_plane(&self) -> Option<String>;
}

impl FirstControlPlane for Vec<Container> {
    fn first_control_plane(&self) -> Option<String> {
        self.iter()
            .find(|c| c.role == "control-plane")
            .map(|c| c.name.clone())
    }
}

/// Makes a container and waits until it is up. The load balancer is no node, and gives none.
async fn start(
    ctx: &Arc<Context>,
    container: &Container,
    image: Option<&ImageInfo>,
) -> Result<Option<Node>, Failed> {
    let name = container.name.as_str();
    make(ctx, container).await?;
    if container.role == LOAD_BALANCER_ROLE {
        let up = ctx
            .provider
            .wait_for_line(name, BALANCER, loadbalancer::is_up)
            .await;
        return match up {
            // What it says cannot be read; kubeadm will try until it answers.
            Ok(_) | Err(EngineError::NoLog { .. }) => Ok(None),
            Err(error) => Err(Failed::on(name, error)),
        };
    }
    let like_a_node = image.is_none_or(|i| i.entrypoint.iter().any(|e| e == ENTRYPOINT));
    let limit = if like_a_node { BOOT } else { BOOT_UNKNOWN };
    let names = [name.to_owned()];
    let (booted, states, files) = tokio::join!(
        ctx.provider.wait_booted(name, limit),
        ctx.provider.inspect(&names),
        async {
            if containerd::is_patched(ctx) {
                None
            } else {
                Some(NodeFiles::read(ctx, name, false).await)
            }
        }
    );
    // A container that ended explains why the other two calls failed.
    booted.map_err(|error| Failed::on(name, not_a_node(container, image, like_a_node, error)))?;
    let state = states
        .map_err(|error| Failed::on(name, error))?
        .into_iter()
        .next()
        .ok_or_else(|| Failed::on(name, Cause::Node("the container is gone".to_owned())))?;
    let files = match files {
        Some(files) => files?,
        None => containerd::patch(ctx, name).await?,
    };
    Ok(Some(Node { state, files }))
}

/// Makes one container, in a task of its own: a `run` that was begun is always seen to its end.
async fn make(ctx: &Arc<Context>, container: &Container) -> Result<(), Failed> {
    let task = {
        let (ctx, container) = (Arc::clone(ctx), container.clone());
        let token = ctx.busy();
        tokio::spawn(async move {
            let result = ctx.provider.provision(&container).await;
            // A name that was taken is somebody else's container, and so is whatever runs under it.
            if !matches!(&result, Err(error) if error.failure() == Some(&Failure::NameTaken)) {
                ctx.made(&container.name);
            }
            drop(token);
            result
        })
    };
    task.await
        .map_err(|_| {
            Failed::on(
                &container.name,
                Cause::Node("the task that makes it ended early".to_owned()),
            )
        })?
        .map_err(|error| Failed::on(&container.name, not_started(container, error)))
}

/// An image whose program is missing is told as what it is.
fn not_started(container: &Container, error: EngineError) -> Cause {
    match &error {
        EngineError::Failed {
            failure: Failure::NoSuchProgram,
            output,
            ..
        } => Cause::NotANodeImage {
            image: container.image.clone(),
            reason: "its container cannot start, because its program is missing".to_owned(),
            lines: output.lines().take(1).map(str::to_owned).collect(),
        },
        _ => error.into(),
    }
}

/// A container that did not boot from an image that does not start like a node is told as what it is.
fn not_a_node(
    container: &Container,
    image: Option<&ImageInfo>,
    like_a_node: bool,
    error: EngineError,
) -> Cause {
    let entrypoint = image.map(|i| i.entrypoint.join(" ")).unwrap_or_default();
    let starts_with = if entrypoint.is_empty() {
        "no entrypoint".to_owned()
    } else {
        format!("the entrypoint `{entrypoint}`")
    };
    match error {
        EngineError::Exited { code, lines, .. } if !like_a_node => Cause::NotANodeImage {
            image: container.image.clone(),
            reason: format!(
                "its container ended{} (it has {starts_with} where a node image has {ENTRYPOINT})",
                code.map_or(String::new(), |c| format!(" with exit code {c}"))
            ),
            lines,
        },
        EngineError::NotBooted { limit, lines, .. } if !like_a_node => Cause::NotANodeImage {
            image: container.image.clone(),
            reason: format!(
                "no system came up in it within {limit:?} (it has {starts_with} where a node image has {ENTRYPOINT})"
            ),
            lines,
        },
        error => error.into(),
    }
}
