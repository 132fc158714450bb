//! The machine's rows.

use super::{Row, Verdict};
use crate::host::cgroup::{self, Version};
use crate::host::modules::{self, State};
use crate::host::{Host, limits};

/// The variables by which proxies are set.
const PROXIES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

pub(super) fn rows(host: &Host) -> Vec<Row> {
    let mut rows = vec![control_groups(host)];
    rows.extend(limits::all(host).into_iter().map(|limit| {
        let check = match limit.name {
            "fs.inotify.max_user_instances" => "inotify-instances",
            "fs.inotify.max_user_watches" => "inotify-watches",
            _ => "open-files",
        };
        let now = match limit.now {
            u64::MAX => "unlimited".to_owned(),
            now => now.to_string(),
        };
        if limit.is_low() {
            let found = format!("{} is {now}, and nodes may need {}", limit.name, limit.needed);
            Row::new(check, Verdict::Warning, found).remedy(limit.remedy)
        } else {
            Row::ok(check, format!("{} {now}", limit.name))
        }
    }));
    rows.push(kernel(host));
    rows.push(match host.ipv6() {
        Some(true) => Row::ok("ipv6", "IPv6 is on"),
        Some(false) => Row::new(
            "ipv6",
            Verdict::Warning,
            "IPv6 is off: `ipFamily: ipv6` and `dual` cannot work",
        )
        .remedy("sudo sysctl net.ipv6.conf.all.disable_ipv6=0"),
        None => Row::new(
            "ipv6",
            Verdict::Unknown,
            "the machine does not tell whether IPv6 is on",
        ),
    });
    let set: Vec<String> = PROXIES
        .iter()
        .filter_map(|name| {
            let value = [(*name).to_owned(), name.to_lowercase()]
                .iter()
                .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))?;
            Some(format!("{name}={}", without_password(&value)))
        })
        .collect();
    rows.push(Row::ok(
        "proxy",
        if set.is_empty() {
            "no proxy is set".to_owned()
        } else {
            set.join(" ")
        },
    ));
    rows
}

fn control_groups(host: &Host) -> Row {
    match cgroup::version(host) {
        Some(Version::V2) => Row::ok("cgroup", "cgroup v2"),
        Some(Version::V1) => Row::new(
            "cgroup",
            Verdict::Warning,
            "cgroup v1: engines without root's rights cannot run nodes, and Kubernetes will give it up",
        )
        .remedy("boot with cgroup v2 (kernel option systemd.unified_cgroup_hierarchy=1)"),
        None => Row::new("cgroup", Verdict::Unknown, "no control groups are mounted here"),
    }
}

fn kernel(host: &Host) -> Row {
    let mut missing = Vec::new();
    let (mut fatal, mut unknown, mut loadable) = (false, Vec::new(), Vec::new());
    let mut judge = |name: &'static str, purpose: &str, state, optional: bool| match state {
        State::Present => {}
        State::Loadable => loadable.push(name),
        State::Unknown => unknown.push(name),
        State::Missing => {
            missing.push(format!("{name} (for {purpose})"));
            fatal |= !optional;
        }
    };
    for part in &modules::PARTS {
        judge(
            part.module,
            part.purpose,
            modules::state(host, part),
            part.optional,
        );
    }
    judge(
        "nf_tables or iptable_nat",
        "services",
        modules::packet_filter(host),
        false,
    );
    if !missing.is_empty() {
        let verdict = if fatal { Verdict::Failure } else { Verdict::Warning };
        return Row::new(
            "kernel",
            verdict,
            format!("the kernel lacks {}", missing.join(", ")),
        )
        .remedy("install the kernel's modules (Debian, Ubuntu: linux-modules-extra), or use another kernel");
    }
    if !unknown.is_empty() {
        return Row::new(
            "kernel",
            Verdict::Unknown,
            format!(
                "the machine does not tell whether the kernel has {}",
                unknown.join(", ")
            ),
        );
    }
    if loadable.is_empty() {
        Row::ok("kernel", "the kernel has what nodes use")
    } else {
        Row::ok(
            "kernel",
            format!(
                "the kernel has what nodes use; not loaded yet: {}",
                loadable.join(", ")
            ),
        )
    }
}

/// A proxy's address without what is in it between `//` and `@`.
pub(super) fn without_password(value: &str) -> String {
    match (value.split_once("//"), value.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}//...@{host}"),
        _ => value.to_owned(),
    }
}
