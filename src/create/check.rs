//! What must hold before anything is made. Nothing here changes anything.

use std::sync::Arc;

use kindr_providers::{CgroupVersion, EngineInfo};

use super::context::{Context, Failed};
use super::error::{Cause, INOTIFY_INSTANCES};
use crate::kubeconfig::{self, KubeconfigPaths};

/// Asks the engine for its facts while the cluster's name and the user's kubeconfig are looked at.
pub(super) async fn run(ctx: &Arc<Context>, paths: &KubeconfigPaths) -> Result<EngineInfo, Failed> {
    let paths = paths.clone();
    let name = ctx.config.name.clone();
    let probe = tokio::task::spawn_blocking(move || kubeconfig::probe(&paths, &name));
    let (info, taken, probe) = tokio::join!(
        ctx.provider.info(),
        ctx.provider.list_nodes(Some(&ctx.config.name)),
        probe
    );
    // The engine's own silence says more than that it could not list anything.
    let info = info?;
    let taken = taken?;
    if !taken.is_empty() {
        return Err(Cause::NameTaken {
            name: ctx.config.name.clone(),
            nodes: taken.into_iter().map(|node| node.name).collect(),
        }
        .into());
    }
    if let Ok(probed) = probe {
        probed?;
    }
    suitable(ctx, &info)?;
    Ok(info)
}

/// Whether Kubernetes can run on an engine as it is set up.
fn suitable(ctx: &Context, info: &EngineInfo) -> Result<(), Failed> {
    let engine = ctx.provider.dialect().name;
    if info.rootless && info.cgroup == CgroupVersion::V1 {
        return Err(Cause::Unsuitable(format!(
            "rootless {engine} runs on a host with cgroup v1, where an unprivileged user cannot limit a node's resources: \
             boot the host with cgroup v2 (systemd.unified_cgroup_hierarchy=1)"
        ))
        .into());
    }
    let missing: Vec<&str> = [
        (info.memory_limit, "memory"),
        (info.pids_limit, "pids"),
        (info.cpu_shares, "cpu"),
    ]
    .into_iter()
    .filter_map(|(there, name)| (!there).then_some(name))
    .collect();
    if info.rootless && !missing.is_empty() {
        return Err(Cause::Unsuitable(format!(
            "rootless {engine} has no control over {}: the cgroup controllers must be delegated to your user. Put \
             `[Service]` and `Delegate=cpu cpuset io memory pids` into /etc/systemd/system/user@.service.d/delegate.conf, \
             run `systemctl daemon-reload`, and log in again",
            missing.join(", ")
        ))
        .into());
    }
    if let Some(limit) = inotify_instances()
        && limit < INOTIFY_INSTANCES
    {
        ctx.warn(format!(
            "fs.inotify.max_user_instances is {limit} on this host; nodes may not start with fewer than \
             {INOTIFY_INSTANCES}: `sysctl fs.inotify.max_user_instances=512`"
        ));
    }
    Ok(())
}

fn inotify_instances() -> Option<u32> {
    std::fs::read_to_string("/proc/sys/fs/inotify/max_user_instances")
        .ok()?
        .trim()
        .parse()
        .ok()
}
