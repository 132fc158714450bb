use kindr_providers::EngineInfo;

use super::engine::{disk, is_node_image, of_info};
use super::machine;
use super::{Row, Verdict};
use crate::host::testing::machine as machine_with;

/// What is not well, and how bad it is.
fn complaints(rows: &[Row]) -> Vec<(&'static str, Verdict)> {
    let bad = rows.iter().filter(|row| row.verdict != Verdict::Ok);
    bad.map(|row| (row.check, row.verdict)).collect()
}

/// A machine on which all is well.
const GOOD: [(&str, &str); 8] = [
    ("/sys/fs/cgroup/cgroup.controllers", "cpu"),
    ("/proc/sys/fs/inotify/max_user_instances", "512\n"),
    ("/proc/sys/fs/inotify/max_user_watches", "524288\n"),
    (
        "/proc/self/limits",
        "Max open files            1024                 524288               files\n",
    ),
    ("/proc/sys/kernel/osrelease", "6.1.0\n"),
    (
        "/lib/modules/6.1.0/modules.builtin",
        "k/overlay.ko\nk/veth.ko\nk/bridge.ko\nk/nf_tables.ko\nk/nf_conntrack.ko\nk/br_netfilter.ko\n",
    ),
    ("/lib/modules/6.1.0/modules.dep", ""),
    ("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0\n"),
];

fn after(path: &str, text: Option<&str>) -> Vec<(&'static str, Verdict)> {
    let mut files: Vec<_> = GOOD.into_iter().filter(|(name, _)| *name != path).collect();
    files.extend(text.map(|text| (path, text)));
    complaints(&machine::rows(&machine_with(&files).1))
}

#[test]
fn a_machine_on_which_all_is_well_has_no_complaints() {
    assert_eq!(after("/nothing", None), []);
}

#[test]
fn each_thing_that_is_broken_on_a_machine_is_seen() {
    use Verdict::{Failure, Unknown, Warning};
    let builtin = "/lib/modules/6.1.0/modules.builtin";
    let all = GOOD[5].1;
    assert_eq!(
        after("/sys/fs/cgroup/cgroup.controllers", None),
        [("cgroup", Unknown)]
    );
    assert_eq!(
        after("/proc/sys/fs/inotify/max_user_instances", Some("8")),
        [("inotify-instances", Warning)]
    );
    assert_eq!(
        after("/proc/sys/fs/inotify/max_user_watches", Some("8192")),
        [("inotify-watches", Warning)]
    );
    let few = "Max open files            1024                 4096                 files\n";
    assert_eq!(after("/proc/self/limits", Some(few)), [("open-files", Warning)]);
    for part in ["overlay", "veth", "bridge", "nf_tables", "nf_conntrack"] {
        let others = all.replace(&format!("k/{part}.ko\n"), "");
        assert_eq!(after(builtin, Some(&others)), [("kernel", Failure)], "{part}");
    }
    let others = all.replace("k/br_netfilter.ko\n", "");
    assert_eq!(after(builtin, Some(&others)), [("kernel", Warning)]);
    assert_eq!(
        after("/proc/sys/net/ipv6/conf/all/disable_ipv6", Some("1")),
        [("ipv6", Warning)]
    );
}

#[test]
fn cgroup_v1_is_seen() {
    let mut files = GOOD.to_vec();
    files[0] = ("/sys/fs/cgroup/memory/tasks", "");
    assert_eq!(
        complaints(&machine::rows(&machine_with(&files).1)),
        [("cgroup", Verdict::Warning)]
    );
}

#[test]
fn each_thing_that_is_wrong_with_an_engine_is_seen() {
    let good = EngineInfo {
        version: "1".to_owned(),
        storage_driver: "overlay".to_owned(),
        memory_limit: true,
        pids_limit: true,
        cpu_shares: true,
        ..EngineInfo::default()
    };
    assert_eq!(complaints(&of_info(&good)), []);
    for (change, rootless, verdict) in [
        (0, true, Verdict::Failure),
        (1, true, Verdict::Failure),
        (2, true, Verdict::Failure),
        (0, false, Verdict::Warning),
    ] {
        let info = EngineInfo {
            memory_limit: change != 0,
            pids_limit: change != 1,
            cpu_shares: change != 2,
            rootless,
            ..good.clone()
        };
        assert_eq!(complaints(&of_info(&info)), [("controllers", verdict)]);
    }
    let vfs = EngineInfo {
        storage_driver: "vfs".to_owned(),
        ..good
    };
    assert_eq!(complaints(&of_info(&vfs)), [("storage", Verdict::Warning)]);
}

#[test]
fn a_disk_that_is_nearly_full_is_seen() {
    assert_eq!(disk(Some(50 << 30), "/d").verdict, Verdict::Ok);
    assert_eq!(disk(Some(9 << 30), "/d").verdict, Verdict::Warning);
    assert_eq!(disk(Some(1 << 30), "/d").verdict, Verdict::Failure);
    assert_eq!(disk(None, "/d").verdict, Verdict::Unknown);
    assert_eq!(
        disk(Some((10 << 30) + (1 << 29)), "/d").found,
        "10.5 GiB are free in /d"
    );
}

#[test]
fn node_images_are_known_by_their_names() {
    assert!(is_node_image("kindest/node:v1.34.0"));
    assert!(is_node_image("localhost/kindr/node:v1.34.4"));
    assert!(is_node_image("registry.example:5000/a/node@sha256:1"));
    assert!(!is_node_image("node:22"));
    assert!(!is_node_image("kindest/base:v1"));
}

#[test]
fn passwords_of_proxies_are_not_shown() {
    assert_eq!(
        machine::without_password("http://a:b@proxy.example:3128"),
        "http://...@proxy.example:3128"
    );
    assert_eq!(
        machine::without_password("http://proxy.example"),
        "http://proxy.example"
    );
}
