//! The images of the nodes: found on this machine, or fetched.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::try_join_all;
use kindr_providers::{EngineError, Failure, ImageInfo};

use super::context::{Context, Failed};
use super::error::Cause;

/// Pauses before another try where a registry failed in a way that may pass.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// Images by the name that the configuration gives them.
pub(super) type Images = BTreeMap<String, ImageInfo>;

/// Sees that every image of the configuration is on this machine.
pub(super) async fn run(ctx: &Context) -> Result<Images, Failed> {
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
