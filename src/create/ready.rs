//! Waiting until all nodes are ready.

use std::time::Duration;

use super::context::{Context, Failed};
use super::init::ADMIN_CONF;

/// How much longer the engine call may take than the wait that kubectl was asked for.
const SLACK: Duration = Duration::from_secs(30);

/// Waits until every node is ready, in one call that watches. Returns the nodes' conditions where the time passed: the
/// cluster stays, as with kind, and the user is told.
pub(super) async fn run(
    ctx: &Context,
    control_plane: &str,
    limit: Duration,
) -> Result<Option<Vec<String>>, Failed> {
    let timeout = format!("--timeout={}s", limit.as_secs_f64().ceil());
    let mut command = vec!["kubectl", ADMIN_CONF, "wait", "--for=condition=Ready", &timeout];
    let nodes: Vec<String> = ctx
        .config
        .nodes
        .iter()
        .map(|node| format!("node/{}", node.name))
        .collect();
    command.extend(nodes.iter().map(String::as_str));
    let output = ctx
        .provider
        .exec(control_plane, &command, None, limit + SLACK)
        .await
        .map_err(|error| Failed::on(control_plane, error))?;
    if output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Ok(Some(text.lines().map(str::to_owned).collect()))
}
