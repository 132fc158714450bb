//! What the kernel must be able to do for Kubernetes, loaded or not.

use super::Host;

/// A part of the kernel.
#[derive(Debug)]
pub struct Part {
    /// Its module.
    pub module: &'static str,
    /// A file that is there where it works, whatever way it got there.
    proof: Option<&'static str>,
    /// What it is for.
    pub purpose: &'static str,
    /// Whether nodes can do without.
    pub optional: bool,
}

/// What is used by nodes. Of the two ways to filter packets one is enough; see [`packet_filter`].
pub const PARTS: [Part; 5] = [
    Part {
        module: "overlay",
        proof: None,
        purpose: "images",
        optional: false,
    },
    Part {
        module: "veth",
        proof: None,
        purpose: "networks of containers",
        optional: false,
    },
    Part {
        module: "bridge",
        proof: None,
        purpose: "networks of containers",
        optional: false,
    },
    Part {
        module: "nf_conntrack",
        proof: Some("/proc/sys/net/netfilter/nf_conntrack_max"),
        purpose: "services",
        optional: false,
    },
    Part {
        module: "br_netfilter",
        proof: Some("/proc/sys/net/bridge"),
        purpose: "services that a pod reaches on its own node",
        optional: true,
    },
];

/// How a part of the kernel is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It works.
    Present,
    /// It is a module that root can load; engines that run as root do so.
    Loadable,
    /// It is not there.
    Missing,
    /// The machine does not tell: nothing shows it, and there is no list of modules.
    Unknown,
}

/// Returns how a part is there.
#[must_use]
pub fn state(host: &Host, part: &Part) -> State {
    if part.proof.is_some_and(|path| host.has(path)) {
        return State::Present;
    }
    of_module(host, part.module)
}

/// Returns whether packets can be filtered: with nftables or the older tables, the better state of the two.
#[must_use]
pub fn packet_filter(host: &Host) -> State {
    let tables = if host.has("/proc/net/ip_tables_names") {
        State::Present
    } else {
        of_module(host, "iptable_nat")
    };
    let states = [of_module(host, "nf_tables"), tables];
    [State::Present, State::Loadable, State::Unknown]
        .into_iter()
        .find(|state| states.contains(state))
        .unwrap_or(State::Missing)
}

fn of_module(host: &Host, module: &str) -> State {
    let file_system = |text: String| {
        text.lines()
            .any(|line| line.trim_start_matches("nodev").trim() == module)
    };
    if host.has(&format!("/sys/module/{module}")) || host.read("/proc/filesystems").is_some_and(file_system) {
        return State::Present;
    }
    let release = host.read("/proc/sys/kernel/osrelease").unwrap_or_default();
    let listed = |list: &str| {
        let text = host.read(&format!("/lib/modules/{release}/{list}"))?;
        // Lines are paths, of which the file's name is the module's, with either stroke.
        Some(text.lines().any(|line| {
            let path = line.split(':').next().unwrap_or_default();
            let file = path.rsplit('/').next().unwrap_or_default();
            let name = file.split('.').next().unwrap_or_default();
            name.replace('-', "_") == module
        }))
    };
    match (listed("modules.builtin"), listed("modules.dep")) {
        (Some(true), _) => State::Present,
        (_, Some(true)) => State::Loadable,
        (None, None) => State::Unknown,
        _ => State::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::machine;

    const RELEASE: (&str, &str) = ("/proc/sys/kernel/osrelease", "6.1.0\n");

    fn overlay(files: &[(&str, &str)]) -> State {
        state(&machine(files).1, &PARTS[0])
    }

    #[test]
    fn a_part_is_loaded_built_in_loadable_or_missing() {
        assert_eq!(overlay(&[("/sys/module/overlay/x", "")]), State::Present);
        assert_eq!(
            overlay(&[("/proc/filesystems", "nodev\toverlay\n\text4\n")]),
            State::Present
        );
        let list = |name, text| [RELEASE, (name, text)];
        let builtin = "/lib/modules/6.1.0/modules.builtin";
        let loadable = "/lib/modules/6.1.0/modules.dep";
        assert_eq!(
            overlay(&list(builtin, "kernel/fs/overlayfs/overlay.ko\n")),
            State::Present
        );
        assert_eq!(
            overlay(&list(loadable, "kernel/fs/overlayfs/overlay.ko.xz: a.ko\n")),
            State::Loadable
        );
        assert_eq!(overlay(&list(loadable, "kernel/fs/ext4.ko:\n")), State::Missing);
        assert_eq!(overlay(&[]), State::Unknown);
    }

    #[test]
    fn each_part_that_is_missing_is_seen() {
        let names = ["overlay", "veth", "bridge", "nf_conntrack", "br_netfilter"];
        for gone in names {
            let mut others = String::new();
            names
                .iter()
                .filter(|name| **name != gone)
                .for_each(|name| others.push_str(&format!("k/{name}.ko:\n")));
            let (_folder, host) = machine(&[RELEASE, ("/lib/modules/6.1.0/modules.dep", &others)]);
            let missing: Vec<&str> = PARTS
                .iter()
                .filter(|part| state(&host, part) == State::Missing)
                .map(|part| part.module)
                .collect();
            assert_eq!(missing, [gone]);
        }
    }

    #[test]
    fn one_packet_filter_is_enough() {
        let filter =
            |dep: &str| packet_filter(&machine(&[RELEASE, ("/lib/modules/6.1.0/modules.dep", dep)]).1);
        assert_eq!(filter("k/nf_tables.ko:\n"), State::Loadable);
        assert_eq!(filter("k/iptable_nat.ko:\n"), State::Loadable);
        assert_eq!(filter("k/x.ko:\n"), State::Missing);
        assert_eq!(
            packet_filter(&machine(&[("/proc/net/ip_tables_names", "")]).1),
            State::Present
        );
    }
}
