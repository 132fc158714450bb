//! The images of the nodes: found on this machine, or fetched.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::try_join_all;
use kindr_providers::{EngineError, Failure, ImageInfo};

use super::context::{Context, Failed};
use super::error::Cause;
use crate::loadbalancer::{self, Choice, Program};

/// Pauses before another try where a registry failed in a way that may pass.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// Images by the name that the configuration gives them.
pub(super) type Images = BTreeMap<String, ImageInfo>;

/// Sees that every image of the cluster is on this machine, and chooses the program that balances.
pub(super) async fn run(ctx: &Context, choice: Choice) -> Result<(Images, Program), Failed> {
    let (images, program) = tokio::try_join!(nodes(ctx), balancer(ctx, choice))?;
    Ok((images, program))
}

/// What the engine calls the images.
pub(super) fn names(images: &Images) -> BTreeMap<String, String> {
    images
        .iter()
        .filter(|(_, image)| !image.name.is_empty())
        .map(|(name, image)| (name.clone(), image.name.clone()))
        .collect()
}

/// The program that balances: Envoy where its image is to be had, unless the user chose.
async fn balancer(ctx: &Context, choice: Choice) -> Result<Program, Failed> {
    if ctx.config.load_balancer_name().is_none() {
        // Nothing is to be balanced, and nothing will read this.
        return Ok(Program::Envoy);
    }
    match choice {
        Choice::NodeImage => Ok(Program::Haproxy),
        Choice::Envoy => ensure(ctx, loadbalancer::IMAGE).await.map(|_| Program::Envoy),
        Choice::Auto => {
            if ctx.provider.image(loadbalancer::IMAGE).await?.is_some() {
                return Ok(Program::Envoy);
            }
            match ctx.provider.pull(loadbalancer::IMAGE).await {
                Ok(()) => Ok(Program::Envoy),
                Err(error) => {
                    tracing::info!("the load balancer runs from the node image: {error}");
                    Ok(Program::Haproxy)
                }
            }
        }
    }
}

/// Sees that every node's image is on this machine.
async fn nodes(ctx: &Context) -> Result<Images, Failed> {
    let mut names: Vec<&str> = ctx.config.nodes.iter().map(|node| node.image.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let images = try_join_all(names.into_iter().map(|name| ensure(ctx, name))).await?;
    Ok(images.into_iter().collect())
}

async fn ensure(ctx: &Context, name: &str) -> Result<(String, ImageInfo), Failed> {
    if let Some(image) = ctx.provider.image(name).await? {
        return Ok((name.to_owned(), image));
    }
    let mut pauses = PAUSES.iter();
    loop {
        match ctx.provider.pull(name).await {
            Ok(()) => break,
            Err(error) => match pauses.next() {
                Some(pause) if may_pass(&error) => tokio::time::sleep(*pause).await,
                _ => {
                    return Err(Cause::NoImage {
                        image: name.to_owned(),
                        source: error,
                    }
                    .into());
                }
            },
        }
    }
    let image = ctx.provider.image(name).await?.unwrap_or_default();
    Ok((name.to_owned(), image))
}

/// Whether the same pull may succeed a moment later. A name that does not resolve or a refusal will not.
fn may_pass(error: &EngineError) -> bool {
    match error {
        EngineError::Failed { failure, output, .. } => {
            *failure == Failure::RegistryUnreachable
                && !output.contains("no such host")
                && !output.contains("server misbehaving")
        }
        _ => false,
    }
}
