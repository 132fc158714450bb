//! An engine's rows.

use std::collections::BTreeSet;

use kindr_providers::{CgroupVersion, EngineError, EngineInfo, Provider};

use super::machine::without_password;
use super::{Row, Verdict};
use crate::cluster::network_name;
use crate::create::engine_hint;
use crate::host::{Host, cgroup, rootless};

/// Below this much a node image hardly fits, and above it no second one.
const LITTLE: u64 = 2 << 30;
const ENOUGH: u64 = 10 << 30;

pub(super) async fn rows(host: &Host, provider: &dyn Provider, local: bool) -> Vec<Row> {
    let info = match tokio::try_join!(provider.check_itself(), provider.info()) {
        Ok(((), info)) => info,
        Err(error) => return vec![silent(&error)],
    };
    let mut info = info;
    if local && info.rootless && cgroup::delegated(host).is_some() {
        // The machine knows better; see below. podman tells of the controllers that its caller's own service has.
        (info.memory_limit, info.pids_limit, info.cpu_shares) = (true, true, true);
    }
    let mut rows = of_info(&info);
    if !local {
        rows.push(Row::new(
            "host",
            Verdict::Unknown,
            "it runs on another machine, which is not looked at",
        ));
    } else if info.rootless {
        rows.extend(of_rootless(host));
    }
    match &info.root {
        _ if !local => {}
        Some(folder) => rows.push(disk(host.free_bytes(folder), &folder.display().to_string())),
        None => rows.push(Row::new(
            "disk",
            Verdict::Unknown,
            "the engine does not tell where it keeps images, so neither how much space is left there",
        )),
    }
    let name = network_name(provider.dialect());
    let (found, images, nodes) = tokio::join!(
        provider.find_network(&name),
        provider.list_images(),
        provider.list_nodes(None)
    );
    rows.push(match found {
        Ok(None) => Row::ok(
            "network",
            format!("network {name} is made with the first cluster"),
        ),
        Ok(Some(network)) if network.has_ipv6() => Row::ok(
            "network",
            format!("network {name} has {}", network.subnets.join(", ")),
        ),
        Ok(Some(_)) => Row::new(
            "network",
            Verdict::Warning,
            format!("network {name} has no IPv6: `ipFamily: ipv6` and `dual` cannot work"),
        )
        .remedy(format!(
            "delete the clusters on it, then `{} network rm {name}`: kindr makes it anew",
            provider.engine().name()
        )),
        Err(error) => not_told("network", &error),
    });
    rows.push(match images {
        Ok(names) => {
            let of_nodes: Vec<String> = names.into_iter().filter(|name| is_node_image(name)).collect();
            Row::ok(
                "images",
                if of_nodes.is_empty() {
                    "no node images".to_owned()
                } else {
                    format!("node images: {}", of_nodes.join(", "))
                },
            )
        }
        Err(error) => not_told("images", &error),
    });
    rows.push(match nodes {
        Ok(nodes) => {
            let names: BTreeSet<String> = nodes.into_iter().map(|node| node.cluster).collect();
            let names: Vec<String> = names.into_iter().collect();
            Row::ok(
                "clusters",
                if names.is_empty() {
                    "no clusters".to_owned()
                } else {
                    format!("clusters: {}", names.join(", "))
                },
            )
        }
        Err(error) => not_told("clusters", &error),
    });
    rows
}

fn silent(error: &EngineError) -> Row {
    let row = Row::new("answers", Verdict::Failure, error.to_string());
    match engine_hint(error) {
        Some(hint) => row.remedy(hint),
        None => row,
    }
}

fn not_told(check: &'static str, error: &EngineError) -> Row {
    Row::new(check, Verdict::Unknown, error.to_string())
}

pub(super) fn of_info(info: &EngineInfo) -> Vec<Row> {
    let mut rows = vec![
        Row::ok("answers", format!("version {}", info.version)),
        Row::ok(
            "rootless",
            match (info.rootless, info.userns_remap) {
                (true, _) => "runs without root's rights",
                (false, true) => "runs as root, with users mapped to others (userns-remap)",
                (false, false) => "runs as root",
            },
        ),
        Row::ok(
            "engine-cgroup",
            match info.cgroup {
                CgroupVersion::V1 => "uses cgroup v1",
                CgroupVersion::V2 => "uses cgroup v2",
            },
        ),
    ];
    let missing: Vec<&str> = [
        (info.memory_limit, "memory"),
        (info.pids_limit, "pids"),
        (info.cpu_shares, "cpu"),
    ]
    .into_iter()
    .filter_map(|(there, name)| (!there).then_some(name))
    .collect();
    rows.push(if missing.is_empty() {
        Row::ok("controllers", "controls cpu, memory and pids")
    } else {
        let verdict = if info.rootless { Verdict::Failure } else { Verdict::Warning };
        Row::new("controllers", verdict, format!("has no control over {}", missing.join(", ")))
            .remedy("delegate the cgroup controllers to your user, or boot with the kernel option cgroup_enable=memory")
    });
    let on = info
        .backing_filesystem
        .as_ref()
        .map_or(String::new(), |name| format!(" on {name}"));
    rows.push(if info.storage_driver == "vfs" {
        Row::new(
            "storage",
            Verdict::Warning,
            "storage driver vfs: each container copies the whole of its image",
        )
        .remedy("use overlay (rootless before Linux 5.11: install fuse-overlayfs)")
    } else {
        Row::ok("storage", format!("storage driver {}{on}", info.storage_driver))
    });
    if let Some(backend) = &info.network_backend {
        rows.push(Row::ok("network-backend", format!("network backend {backend}")));
    }
    if !info.proxy.is_empty() {
        let set: Vec<String> = info
            .proxy
            .iter()
            .map(|(name, value)| format!("{name}={}", without_password(value)))
            .collect();
        rows.push(Row::ok(
            "engine-proxy",
            format!("its own proxy: {}", set.join(" ")),
        ));
    }
    rows
}

fn of_rootless(host: &Host) -> Vec<Row> {
    let lacks = rootless::lacks(host);
    if lacks.is_empty() {
        return vec![Row::ok(
            "rootless-host",
            "the machine has what it needs without root's rights",
        )];
    }
    lacks
        .into_iter()
        .map(|lack| {
            let verdict = if lack.fatal {
                Verdict::Failure
            } else {
                Verdict::Warning
            };
            Row::new(lack.check, verdict, lack.what).remedy(lack.remedy)
        })
        .collect()
}

pub(super) fn disk(free: Option<u64>, folder: &str) -> Row {
    let Some(free) = free else {
        return Row::new(
            "disk",
            Verdict::Unknown,
            format!("free space in {folder} cannot be told"),
        );
    };
    // In tenths, without the rounding of floating point.
    let tenths = free / ((1 << 30) / 10);
    let found = format!("{}.{} GiB are free in {folder}", tenths / 10, tenths % 10);
    match free {
        _ if free >= ENOUGH => Row::ok("disk", found),
        _ if free >= LITTLE => Row::new("disk", Verdict::Warning, found)
            .remedy("make room: kubelets remove images and end pods when a disk is nearly full"),
        _ => {
            Row::new("disk", Verdict::Failure, found).remedy("make room: a node image takes more than 1 GiB")
        }
    }
}

/// Whether an image's name is that of node images, kind's own or others of the kind.
pub(super) fn is_node_image(name: &str) -> bool {
    let name = name.split('@').next().unwrap_or(name);
    let file = name.rsplit('/').next().unwrap_or(name);
    name.contains('/') && file.split(':').next() == Some("node")
}
