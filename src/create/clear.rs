//! What happens after a failure: the logs are saved, and what was made is removed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::future::join_all;

use super::context::Context;
use crate::events::Event;

/// Time limit for one node's journal.
const JOURNAL: Duration = Duration::from_secs(30);

/// Saves each container's output and journal to a new folder; `None` if there was no container, or no place to write.
pub(super) async fn save_logs(ctx: &Context) -> Option<PathBuf> {
    let made = ctx.all_made();
    if made.is_empty() {
        return None;
    }
    let folder = tempfile::Builder::new()
        .prefix(&format!("kindr-{}-", ctx.config.name))
        .tempdir()
        .ok()?
        .keep();
    join_all(made.iter().map(|name| save_node(ctx, name, &folder))).await;
    Some(folder)
}

async fn save_node(ctx: &Context, name: &str, folder: &Path) {
    let journal = ["journalctl", "--no-pager", "--output=short-precise"];
    let (log, journal) = tokio::join!(
        ctx.provider.logs(name),
        ctx.provider.exec(name, &journal, None, JOURNAL)
    );
    // What cannot be read or written is left out: the error that led here is what counts.
    if let Ok(log) = log {
        let _ = tokio::fs::write(folder.join(format!("{name}.log")), log).await;
    }
    if let Ok(journal) = journal
        && journal.status.success()
    {
        let _ = tokio::fs::write(folder.join(format!("{name}.journal.log")), journal.stdout).await;
    }
}

/// Removes what this create made; returns what could not be removed.
pub(super) async fn remove(ctx: &Context) -> Vec<String> {
    let made = ctx.all_made();
    if made.is_empty() {
        return made;
    }
    ctx.events
        .send(Event::Note(format!("Removing {}", made.join(", "))));
    match ctx.provider.delete(&made).await {
        Ok(()) => Vec::new(),
        Err(error) => {
            ctx.warn(error.to_string());
            made
        }
    }
}
