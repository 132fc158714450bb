//! What happens after a failure: the logs are saved, and what was made is removed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::future::join_all;

use super::context::Context;
use crate::events::Event;

/// Time limit for one node's journal.
const JOURNAL: Duration = Duration::from_secs(30);

/// Prints what the node's pods have logged: why a part of the control plane ended is said nowhere else.
const PODS: &str = r#"cd /var/log/pods 2>/dev/null || exit
for file in */*/*.log; do
    if [ -f "$file" ]; then printf '==> %s\n' "$file" && tail -n 500 "$file"; fi
done"#;

/// Saves each container's output, its journal and the logs of its pods to a new folder; `None` if there was no container, or no place to write.
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
    let (log, journal, pods) = tokio::join!(
        ctx.provider.logs(name),
        ctx.provider.exec(name, &journal, None, JOURNAL),
        ctx.provider.exec(name, &["sh", "-c", PODS], None, JOURNAL),
    );
    // What cannot be read or written is left out: the error that led here is what counts.
    if let Ok(log) = log {
        let _ = tokio::fs::write(folder.join(format!("{name}.log")), log).await;
    }
    for (what, output) in [("journal", journal), ("pods", pods)] {
        if let Ok(output) = output
            && output.status.success()
            && !output.stdout.is_empty()
        {
            let _ = tokio::fs::write(folder.join(format!("{name}.{what}.log")), output.stdout).await;
        }
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
