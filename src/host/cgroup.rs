//! Control groups: which version, and which controllers an unprivileged user has.

use super::Host;

/// The controllers that a Kubernetes node needs.
pub const NEEDED: [&str; 4] = ["cpu", "cpuset", "memory", "pids"];

/// The versions of control groups that a machine can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// A hierarchy for each controller, or some of each kind.
    V1,
    /// One hierarchy.
    V2,
}

/// Returns the version; none if none is mounted.
#[must_use]
pub fn version(host: &Host) -> Option<Version> {
    if host.has("/sys/fs/cgroup/cgroup.controllers") {
        return Some(Version::V2);
    }
    host.has("/sys/fs/cgroup").then_some(Version::V1)
}

/// Returns the controllers that are delegated to the user's services, in which rootless engines run; none if the user
/// has no systemd of their own.
#[must_use]
pub fn delegated(host: &Host) -> Option<Vec<String>> {
    let uid = host.uid;
    let controllers = host.read(&format!(
        "/sys/fs/cgroup/user.slice/user-{uid}.slice/user@{uid}.service/cgroup.controllers"
    ))?;
    Some(controllers.split_whitespace().map(str::to_owned).collect())
}

/// Returns which of those that are needed are not among these.
#[must_use]
pub fn missing(controllers: &[String]) -> Vec<&'static str> {
    let there = |name: &str| controllers.iter().any(|controller| controller == name);
    NEEDED.into_iter().filter(|name| !there(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::machine;

    #[test]
    fn versions_are_told_by_what_is_mounted() {
        let v2 = machine(&[("/sys/fs/cgroup/cgroup.controllers", "cpu")]);
        assert_eq!(version(&v2.1), Some(Version::V2));
        let v1 = machine(&[("/sys/fs/cgroup/memory/tasks", "")]);
        assert_eq!(version(&v1.1), Some(Version::V1));
        assert_eq!(version(&machine(&[]).1), None);
    }

    #[test]
    fn each_controller_that_is_not_delegated_is_named() {
        let path = "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/cgroup.controllers";
        for gone in NEEDED {
            let others: Vec<&str> = NEEDED.into_iter().filter(|name| *name != gone).collect();
            let (_folder, host) = machine(&[(path, &others.join(" "))]);
            assert_eq!(missing(&delegated(&host).unwrap()), [gone]);
        }
        assert_eq!(delegated(&machine(&[]).1), None);
    }
}
