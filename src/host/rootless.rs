//! What an engine without root's rights needs of its machine.

use super::cgroup::{self, Version};
use super::modules::{self, State};
use super::{Host, modules::PARTS};

/// The check of [`lacks`] for ports of the host.
pub const PORTS: &str = "ports";

/// Ids that a user needs for the users inside containers.
const IDS: u64 = 65_536;

/// Something that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// A word for it, stable for programs.
    pub check: &'static str,
    /// What is missing, as a sentence without its end.
    pub what: String,
    /// What mends it.
    pub remedy: String,
    /// Whether no cluster comes up without it.
    pub fatal: bool,
}

/// Returns everything that is missing for an engine that runs without root's rights.
#[must_use]
pub fn lacks(host: &Host) -> Vec<Lack> {
    [
        control_groups(host),
        ids(host, "subuid"),
        ids(host, "subgid"),
        kernel(host),
        file_system(host),
    ]
    .into_iter()
    .flatten()
    .chain([ports(host), lingering(host)].into_iter().flatten())
    .collect()
}

fn control_groups(host: &Host) -> Option<Lack> {
    let lack = |what: String, remedy: &str| {
        Some(Lack {
            check: "delegation",
            what,
            remedy: remedy.to_owned(),
            fatal: true,
        })
    };
    if cgroup::version(host) != Some(Version::V2) {
        return lack(
            "the host has cgroup v1, where an unprivileged user cannot limit a node's resources".to_owned(),
            "boot the host with cgroup v2 (kernel option systemd.unified_cgroup_hierarchy=1)",
        );
    }
    let missing = cgroup::missing(&cgroup::delegated(host)?);
    if missing.is_empty() {
        return None;
    }
    lack(
        format!(
            "of the cgroup controllers that a node needs, user {} lacks {}",
            host.user,
            missing.join(", ")
        ),
        "put `[Service]` and `Delegate=cpu cpuset io memory pids` into /etc/systemd/system/user@.service.d/delegate.conf, \
         run `sudo systemctl daemon-reload`, and log in again",
    )
}

/// Looks for a range of ids in a file such as /etc/subuid, whose lines are `USER:FIRST:COUNT`.
fn ids(host: &Host, file: &'static str) -> Option<Lack> {
    let text = host.read(&format!("/etc/{file}")).unwrap_or_default();
    let owner = [host.user.clone(), host.uid.to_string()];
    let count: u64 = text
        .lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.trim().split(':').collect();
            match fields.as_slice() {
                [user, _, count] if owner.iter().any(|owner| owner == user) => count.parse::<u64>().ok(),
                _ => None,
            }
        })
        .sum();
    if count >= IDS {
        return None;
    }
    let flag = if file == "subuid" {
        "--add-subuids"
    } else {
        "--add-subgids"
    };
    Some(Lack {
        check: file,
        what: format!(
            "user {} has {count} ids in /etc/{file}, and nodes need {IDS}",
            host.user
        ),
        remedy: format!(
            "sudo usermod {flag} 100000-165535 {}, and restart the engine (podman: `podman system migrate`)",
            host.user
        ),
        fatal: true,
    })
}

/// Modules that only root can load.
fn kernel(host: &Host) -> Option<Lack> {
    let mut wanted: Vec<&str> = PARTS
        .iter()
        .filter(|part| !part.optional && modules::state(host, part) == State::Loadable)
        .map(|part| part.module)
        .collect();
    if modules::packet_filter(host) == State::Loadable {
        wanted.extend(["nf_tables", "iptable_nat", "ip6table_nat"]);
    }
    if wanted.is_empty() {
        return None;
    }
    Some(Lack {
        check: "modules",
        what: format!(
            "the kernel modules {} are not loaded, and an engine without root's rights cannot load them",
            wanted.join(", ")
        ),
        remedy: format!(
            "sudo modprobe -a {}; to keep it so, write their names into /etc/modules-load.d/kindr.conf",
            wanted.join(" ")
        ),
        fatal: false,
    })
}

/// Layers of images inside user namespaces: the kernel's own overlay from 5.11 on, or else FUSE.
fn file_system(host: &Host) -> Option<Lack> {
    let release = host.read("/proc/sys/kernel/osrelease")?;
    let mut numbers = release
        .split(['.', '-'])
        .map_while(|number| number.parse::<u32>().ok());
    let kernel = (numbers.next()?, numbers.next()?);
    if kernel >= (5, 11) || host.has("/dev/fuse") {
        return None;
    }
    Some(Lack {
        check: "fuse",
        what: format!("the kernel ({release}) has no overlay in user namespaces, and there is no /dev/fuse"),
        remedy: "sudo modprobe fuse, or use a kernel from 5.11 on".to_owned(),
        fatal: true,
    })
}

/// Returns the first port of the host that users other than root may listen on; none if the machine does not tell.
#[must_use]
pub fn first_port(host: &Host) -> Option<u64> {
    host.number("/proc/sys/net/ipv4/ip_unprivileged_port_start")
}

fn ports(host: &Host) -> Option<Lack> {
    let first = first_port(host)?;
    (first > 80).then(|| Lack {
        check: PORTS,
        what: format!("ports of the host below {first} cannot be published"),
        remedy: "sudo sysctl net.ipv4.ip_unprivileged_port_start=80".to_owned(),
        fatal: false,
    })
}

fn lingering(host: &Host) -> Option<Lack> {
    let known = host.has("/run/systemd/system");
    (known && !host.has(&format!("/var/lib/systemd/linger/{}", host.user))).then(|| Lack {
        check: "lingering",
        what: format!("clusters end when user {} logs out", host.user),
        remedy: format!("sudo loginctl enable-linger {}", host.user),
        fatal: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::machine;

    const CONTROLLERS: &str =
        "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/cgroup.controllers";

    /// A machine on which all is well.
    const GOOD: [(&str, &str); 10] = [
        ("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids"),
        (CONTROLLERS, "cpuset cpu io memory pids"),
        ("/etc/subuid", "other:100000:1\ndev:100000:65536\n"),
        ("/etc/subgid", "1000:100000:65536\n"),
        ("/proc/sys/kernel/osrelease", "6.1.0-amd64\n"),
        (
            "/lib/modules/6.1.0-amd64/modules.builtin",
            "k/overlay.ko\nk/veth.ko\nk/bridge.ko\nk/nf_conntrack.ko\nk/nf_tables.ko\n",
        ),
        ("/lib/modules/6.1.0-amd64/modules.dep", ""),
        ("/proc/sys/net/ipv4/ip_unprivileged_port_start", "80\n"),
        ("/run/systemd/system/x", ""),
        ("/var/lib/systemd/linger/dev", ""),
    ];

    /// What is missing on that machine after some of its files were changed.
    fn after(changes: &[(&str, &str)]) -> Vec<(&'static str, bool)> {
        let files: Vec<_> = GOOD.iter().chain(changes).copied().collect();
        let (_folder, host) = machine(&files);
        lacks(&host)
            .into_iter()
            .map(|lack| (lack.check, lack.fatal))
            .collect()
    }

    fn without(path: &str) -> Vec<(&'static str, bool)> {
        let files: Vec<_> = GOOD.into_iter().filter(|(name, _)| *name != path).collect();
        let (_folder, host) = machine(&files);
        lacks(&host)
            .into_iter()
            .map(|lack| (lack.check, lack.fatal))
            .collect()
    }

    #[test]
    fn nothing_is_missing_where_all_is_well() {
        assert_eq!(after(&[]), []);
    }

    #[test]
    fn each_thing_that_is_broken_is_seen() {
        assert_eq!(
            without("/sys/fs/cgroup/cgroup.controllers"),
            [("delegation", true)]
        );
        assert_eq!(after(&[(CONTROLLERS, "memory pids")]), [("delegation", true)]);
        assert_eq!(without("/etc/subuid"), [("subuid", true)]);
        assert_eq!(after(&[("/etc/subgid", "dev:100000:1000\n")]), [("subgid", true)]);
        let modules = "/lib/modules/6.1.0-amd64/modules.builtin";
        let loadable = ("/lib/modules/6.1.0-amd64/modules.dep", "k/nf_tables.ko:\n");
        let others = "k/overlay.ko\nk/veth.ko\nk/bridge.ko\nk/nf_conntrack.ko\n";
        assert_eq!(after(&[(modules, others), loadable]), [("modules", false)]);
        assert_eq!(
            after(&[("/proc/sys/kernel/osrelease", "5.4.0\n")]),
            [("fuse", true)]
        );
        assert_eq!(
            after(&[("/proc/sys/kernel/osrelease", "5.4.0\n"), ("/dev/fuse", "")]),
            []
        );
        assert_eq!(
            after(&[("/proc/sys/net/ipv4/ip_unprivileged_port_start", "1024\n")]),
            [("ports", false)]
        );
        assert_eq!(without("/var/lib/systemd/linger/dev"), [("lingering", false)]);
    }

    #[test]
    fn what_is_missing_is_named_with_its_remedy() {
        let files: Vec<_> = GOOD
            .into_iter()
            .chain([(CONTROLLERS, "memory pids"), ("/etc/subuid", "")])
            .collect();
        let (_folder, host) = machine(&files);
        let text: Vec<String> = lacks(&host)
            .into_iter()
            .map(|lack| format!("{}: {}", lack.what, lack.remedy))
            .collect();
        insta::assert_snapshot!(text.join("\n"), @"
        of the cgroup controllers that a node needs, user dev lacks cpu, cpuset: put `[Service]` and `Delegate=cpu cpuset io memory pids` into /etc/systemd/system/user@.service.d/delegate.conf, run `sudo systemctl daemon-reload`, and log in again
        user dev has 0 ids in /etc/subuid, and nodes need 65536: sudo usermod --add-subuids 100000-165535 dev, and restart the engine (podman: `podman system migrate`)
        ");
    }
}
