//! Images into nodes.
//!
//! Each node is asked once which images it has. One that it has is at most given another name; for the others the engine
//! writes one archive, which goes to all nodes that lack any of them at the same time.

mod archive;
mod error;
mod node;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{join_all, try_join_all};
use kindr_providers::{ClusterNode, Provider, image};

pub use self::error::LoadError;
use self::node::{Present, import};
use crate::events::{Event, Events};

/// Time limit for an archive to reach all nodes.
const LOAD: Duration = Duration::from_secs(3600);

/// The role of the container that runs no pods.
const BALANCER: &str = "external-load-balancer";

/// The nodes of a cluster that run pods: all, or those that are named.
///
/// # Errors
/// The cluster has none, or none of a name.
pub async fn nodes(
    provider: &dyn Provider,
    cluster: &str,
    chosen: &[String],
) -> Result<Vec<String>, LoadError> {
    let runs_pods = |node: &ClusterNode| node.role != BALANCER;
    let listed = provider.list_nodes(Some(cluster)).await?.into_iter();
    let all: Vec<String> = listed.filter(runs_pods).map(|node| node.name).collect();
    if all.is_empty() {
        return Err(LoadError::NoNodes {
            cluster: cluster.to_owned(),
        });
    }
    if let Some(unknown) = chosen.iter().find(|name| !all.contains(name)) {
        return Err(LoadError::UnknownNode {
            cluster: cluster.to_owned(),
            node: unknown.clone(),
            nodes: all,
        });
    }
    Ok(if chosen.is_empty() { all } else { chosen.to_vec() })
}

/// An image that an engine has and nodes are to have.
#[derive(Debug, Clone)]
struct Wanted {
    /// The engine that has it.
    holder: Arc<dyn Provider>,
    /// Its name there.
    stored: String,
    /// Its id there.
    id: String,
    /// The name by which pods call it.
    name: String,
}

/// Puts images into nodes, from the cluster's engine or else from another that has them. `engines` are all that answer,
/// the cluster's first.
///
/// # Errors
/// See [`LoadError`].
pub async fn images(
    engines: &[Arc<dyn Provider>],
    nodes: &[String],
    images: &[String],
    events: &Events,
) -> Result<(), LoadError> {
    let Some(cluster) = engines.first() else {
        return Ok(());
    };
    let found = try_join_all(images.iter().map(|name| find(engines, name)));
    let present = try_join_all(nodes.iter().map(|node| Present::ask(cluster.as_ref(), node)));
    let (wanted, present) = tokio::join!(found, present);
    let (wanted, present) = (wanted?, present?);

    let mut renamed = Vec::new();
    let mut lacking: Vec<(&Wanted, Vec<String>)> = Vec::new();
    for wanted in &wanted {
        let mut without = Vec::new();
        for (node, present) in nodes.iter().zip(&present) {
            match present.name_of(&wanted.id) {
                None => without.push(node.clone()),
                Some(_) if present.has(&wanted.id, &wanted.name) => {}
                Some(other) => renamed.push((node, other.to_owned(), wanted.name.clone())),
            }
        }
        if without.is_empty() {
            events.send(Event::Note(format!("{} is on all nodes already", wanted.name)));
        } else {
            lacking.push((wanted, without));
        }
    }
    try_join_all(
        renamed
            .iter()
            .map(|(node, from, to)| node::tag(cluster.as_ref(), node, from, to)),
    )
    .await?;
    // One archive for each engine that something comes from; mostly there is one.
    while let Some((first, _)) = lacking.first() {
        let holder = Arc::clone(&first.holder);
        let name = holder.engine().name();
        let (of_this, others) = lacking
            .into_iter()
            .partition(|(wanted, _)| wanted.holder.engine().name() == name);
        lacking = others;
        send(cluster.as_ref(), holder.as_ref(), of_this, events).await?;
    }
    Ok(())
}

/// Sends images of one engine, in one archive, to all nodes that lack any of them.
async fn send(
    cluster: &dyn Provider,
    holder: &dyn Provider,
    images: Vec<(&Wanted, Vec<String>)>,
    events: &Events,
) -> Result<(), LoadError> {
    let mut nodes: Vec<String> = images.iter().flat_map(|(_, nodes)| nodes.clone()).collect();
    nodes.sort();
    nodes.dedup();
    let names: Vec<String> = images.iter().map(|(image, _)| image.stored.clone()).collect();
    let shown: Vec<&str> = images.iter().map(|(image, _)| image.name.as_str()).collect();
    events.send(Event::Note(format!(
        "Loading {} into {}",
        shown.join(", "),
        nodes.join(", ")
    )));
    let (streaming, archive) = holder.engine().stream(holder.save_call(&names))?;
    let calls = nodes.iter().map(|node| import(cluster, node)).collect();
    let ends = cluster.engine().fan_out(archive, calls).await;
    // Where the engine failed the nodes got a part, and what they say of that is of no use.
    streaming.end().await?;
    let ends = ends.map_err(LoadError::Stream)?;
    for (node, end) in nodes.iter().zip(ends) {
        node::check(node, end?)?;
    }
    let tags = images.iter().flat_map(|(image, _)| {
        // What an engine calls otherwise than pods do comes under its name.
        let stored = image::qualified(&image.stored);
        let differs = stored != image.name;
        let each = nodes.iter().filter(move |_| differs);
        each.map(move |node| (node, stored.clone(), image.name.clone()))
    });
    let tagged = tags.map(|(node, from, to)| async move { node::tag(cluster, node, &from, &to).await });
    try_join_all(tagged).await.map(drop)
}

/// Puts the images of archives into nodes; docker's and OCI's, also compressed.
///
/// # Errors
/// See [`LoadError`].
pub async fn archives(
    cluster: &dyn Provider,
    nodes: &[String],
    files: &[PathBuf],
    events: &Events,
) -> Result<(), LoadError> {
    for path in files {
        let unreadable = |source| LoadError::Archive {
            path: path.clone(),
            source,
        };
        let archive = archive::open(path).await.map_err(unreadable)?;
        events.send(Event::Note(format!(
            "Loading {} into {}",
            path.display(),
            nodes.join(", ")
        )));
        let calls = nodes.iter().map(|node| import(cluster, node)).collect();
        let ends = cluster
            .engine()
            .fan_out(archive, calls)
            .await
            .map_err(unreadable)?;
        for (node, end) in nodes.iter().zip(ends) {
            node::check(node, end?)?;
        }
    }
    Ok(())
}

/// Finds an image by name or id, on the first engine that has it.
async fn find(engines: &[Arc<dyn Provider>], name: &str) -> Result<Wanted, LoadError> {
    let mut failed = None;
    for engine in engines {
        match engine.image(name).await {
            Ok(Some(found)) => {
                let by_id = is_id(name, &found.id);
                // A pod calls an image by a name, and an archive keeps no image without one.
                let tag = found.names.iter().find(|name| !name.contains('@'));
                let stored = match (by_id, tag) {
                    (false, _) => found.name,
                    (true, Some(tag)) => tag.clone(),
                    (true, None) => {
                        return Err(LoadError::Nameless {
                            image: name.to_owned(),
                            engine: engine.engine().name(),
                        });
                    }
                };
                let called = if by_id { stored.as_str() } else { name };
                return Ok(Wanted {
                    holder: Arc::clone(engine),
                    name: image::qualified(called),
                    stored,
                    // podman leaves out how it was computed.
                    id: match found.id.split_once(':') {
                        Some(_) => found.id,
                        None => format!("sha256:{}", found.id),
                    },
                });
            }
            Ok(None) => {}
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    Err(match failed {
        Some(error) => error.into(),
        None => LoadError::NotFound {
            image: name.to_owned(),
            engines: engines.iter().map(|engine| engine.engine().name()).collect(),
            near: near(engines, name).await,
        },
    })
}

/// Whether a name is the beginning of an id.
fn is_id(name: &str, id: &str) -> bool {
    let digits = name.strip_prefix("sha256:").unwrap_or(name);
    digits.len() >= 4
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && id.strip_prefix("sha256:").unwrap_or(id).starts_with(digits)
}

/// Names of images that were perhaps meant: the same repository with other tags.
async fn near(engines: &[Arc<dyn Provider>], name: &str) -> Vec<String> {
    let repository = repository(name);
    let lists = join_all(engines.iter().map(|engine| engine.list_images())).await;
    let names = lists.into_iter().filter_map(Result::ok).flatten();
    let mut names: Vec<String> = names
        .filter(|found| self::repository(found) == repository)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The last part of a name, without tag and digest.
fn repository(name: &str) -> &str {
    let name = name.split('@').next().unwrap_or(name);
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split(':').next().unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_told_from_a_name() {
        let id = "sha256:6bab7719df1000000000000000000000000000000000000000000000000000ff";
        assert!(is_id("6bab7719df10", id) && is_id("sha256:6bab7719df10", id) && is_id(id, id));
        assert!(!is_id("cafe", id) && !is_id("web", id) && !is_id("6b", id));
    }

    #[test]
    fn images_of_one_repository_are_near() {
        assert_eq!(repository("docker.io/team/web:v2"), "web");
        assert_eq!(repository("localhost:5000/web@sha256:ab"), "web");
        assert_eq!(repository("web"), "web");
    }
}
