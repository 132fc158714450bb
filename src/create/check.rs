//! What must hold before anything is made. Nothing here changes anything.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use kindr_providers::EngineInfo;

use super::context::{Context, Failed};
use super::error::{Cause, INOTIFY_INSTANCES, inotify_instances};
use crate::config::HostPort;

use crate::host::rootless::{self, Lack};
use crate::host::{Host, cgroup, firewall};
use crate::kubeconfig::{self, KubeconfigPaths};
use crate::plan::{Plan, PlanError};

/// Plans the cluster. A port that is in use is told with the container that has it.
pub(super) async fn plan(ctx: &Context) -> Result<Plan, Failed> {
    let remote = ctx.remote.is_some();
    let hidden = ctx.provider.dialect().hides_ports;
    let taken = if hidden {
        ctx.provider.published().await?
    } else {
        Vec::new()
    };
    match Plan::new(&ctx.config, remote, taken) {
        // Whether the engine answers is not the question here.
        Err(error @ PlanError::PortInUse { .. }) if !hidden => match ctx.provider.published().await {
            Ok(taken) => Ok(Plan::new(&ctx.config, remote, taken)?),
            Err(_) => Err(error.into()),
        },
        other => Ok(other?),
    }
}

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
    if !info.rootless && !ctx.provider.dialect().ipv6_loopback {
        ports_out_of_reach(ctx);
    }
    // Rootless engines have a network of their own, which docker does not see.
    let apart = info.rootless || ctx.remote.is_some() || ctx.provider.dialect().name == "docker";
    if !apart && ctx.config.nodes.len() > 1 && firewall::drops_what_pods_send(&Host::here()).await {
        ctx.warn(format!(
            "docker's firewall on this host drops what pods on different nodes send each other: let it through with `{}`",
            firewall::REMEDY
        ));
    }
    Ok(info)
}

/// Warns of ports that the configuration puts where the engine cannot publish them.
fn ports_out_of_reach(ctx: &Context) {
    for (index, node) in ctx.config.nodes.iter().enumerate() {
        for (at, port) in node.extra_port_mappings.iter().enumerate() {
            if port.listen_address == IpAddr::V6(Ipv6Addr::LOCALHOST) {
                ctx.warn(format!(
                    "`nodes[{index}].extraPortMappings[{at}].listenAddress` is ::1, on which {} cannot publish: nothing \
                     will answer there",
                    ctx.provider.dialect().name
                ));
            }
        }
    }
}

/// Whether Kubernetes can run on an engine as it is set up.
fn suitable(ctx: &Context, info: &EngineInfo) -> Result<(), Failed> {
    let engine = ctx.provider.dialect().name;
    let local = ctx.remote.is_none();
    if info.rootless && local {
        let lacks = lacks(ctx, &Host::here());
        let (fatal, others): (Vec<Lack>, Vec<Lack>) = lacks.into_iter().partition(|lack| lack.fatal);
        if !fatal.is_empty() {
            return Err(Cause::Unsuitable(unsuitable(engine, &fatal)).into());
        }
        for Lack { what, remedy, .. } in others {
            ctx.warn(format!("{what}: {remedy}"));
        }
    }
    let missing: Vec<&str> = [
        (info.memory_limit, "memory"),
        (info.pids_limit, "pids"),
        (info.cpu_shares, "cpu"),
    ]
    .into_iter()
    .filter_map(|(there, name)| (!there).then_some(name))
    .collect();
    // podman tells of the controllers that its caller's own service or session has, which may be fewer than nodes get.
    let told_by_host = local && cgroup::delegated(&Host::here()).is_some();
    if info.rootless && !told_by_host && !missing.is_empty() {
        return Err(Cause::Unsuitable(format!(
            "rootless {engine} has no control over {}: the cgroup controllers must be delegated to its user. Put \
             `[Service]` and `Delegate=cpu cpuset io memory pids` into /etc/systemd/system/user@.service.d/delegate.conf, \
             run `systemctl daemon-reload`, and log in again",
            missing.join(", ")
        ))
        .into());
    }
    if local
        && let Some(limit) = inotify_instances()
        && limit < INOTIFY_INSTANCES
    {
        ctx.warn(format!(
            "fs.inotify.max_user_instances is {limit} on this host; nodes may not start with fewer than \
             {INOTIFY_INSTANCES}: `sysctl fs.inotify.max_user_instances=512`"
        ));
    }
    Ok(())
}

/// What the machine lacks for this cluster: low ports only matter to one that publishes some.
fn lacks(ctx: &Context, host: &Host) -> Vec<Lack> {
    let low = |first: u64| {
        let ports = ctx.config.nodes.iter().flat_map(|node| &node.extra_port_mappings);
        let given = ports.filter_map(|mapping| match mapping.host_port {
            HostPort::Fixed(port) => Some(u64::from(port)),
            _ => None,
        });
        given.filter(|port| *port < first).min()
    };
    let mut lacks = rootless::lacks(host);
    lacks.retain_mut(|lack| {
        if lack.check != rootless::PORTS {
            return true;
        }
        let Some(port) = rootless::first_port(host).and_then(low) else {
            return false;
        };
        lack.fatal = true;
        lack.what = format!("the configuration publishes port {port}, and {}", lack.what);
        true
    });
    lacks
}

/// What is missing, each with what mends it.
fn unsuitable(engine: &str, lacks: &[Lack]) -> String {
    let each = lacks
        .iter()
        .map(|Lack { what, remedy, .. }| format!("{what}: {remedy}"));
    format!(
        "{engine} runs without root's rights here, and {}",
        each.collect::<Vec<_>>().join("; and ")
    )
}
