//! The kernel's and the user's limits that nodes run into.

use super::Host;

/// A limit, as it is and as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// What is limited.
    pub name: &'static str,
    /// The limit now.
    pub now: u64,
    /// Below this nodes may fail.
    pub needed: u64,
    /// The command that mends it.
    pub remedy: &'static str,
}

impl Limit {
    /// Whether it is too low.
    #[must_use]
    pub const fn is_low(&self) -> bool {
        self.now < self.needed
    }
}

/// Returns the limits that the machine tells: of inotify (a node takes some 30 to 60 instances and thousands of watches)
/// and of open files.
#[must_use]
pub fn all(host: &Host) -> Vec<Limit> {
    let inotify = |name, file: &str, needed, remedy| {
        let now = host.number(&format!("/proc/sys/fs/inotify/{file}"))?;
        Some(Limit {
            name,
            now,
            needed,
            remedy,
        })
    };
    [
        inotify(
            "fs.inotify.max_user_instances",
            "max_user_instances",
            128,
            "sudo sysctl fs.inotify.max_user_instances=512",
        ),
        inotify(
            "fs.inotify.max_user_watches",
            "max_user_watches",
            65_536,
            "sudo sysctl fs.inotify.max_user_watches=524288",
        ),
        open_files(host).map(|now| Limit {
            name: "open files",
            now,
            needed: 8192,
            remedy: "raise `nofile` in /etc/security/limits.conf (hard: 65536), and log in again",
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The hard limit of open files of this process, which its user's engine has, too.
fn open_files(host: &Host) -> Option<u64> {
    let limits = host.read("/proc/self/limits")?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().nth(1)? {
        "unlimited" => Some(u64::MAX),
        hard => hard.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::machine;

    #[test]
    fn each_limit_that_is_low_is_seen() {
        let files = |instances, watches, open| {
            machine(&[
                ("/proc/sys/fs/inotify/max_user_instances", instances),
                ("/proc/sys/fs/inotify/max_user_watches", watches),
                ("/proc/self/limits", open),
            ])
        };
        let open = "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 65536                files\n";
        let few = "Max open files            1024                 4096                files\n";
        let low = |machine: (tempfile::TempDir, Host)| -> Vec<&str> {
            all(&machine.1)
                .into_iter()
                .filter(Limit::is_low)
                .map(|limit| limit.name)
                .collect()
        };
        assert!(low(files("128\n", "65536\n", open)).is_empty());
        assert_eq!(
            low(files("127\n", "65536\n", open)),
            ["fs.inotify.max_user_instances"]
        );
        assert_eq!(
            low(files("128\n", "8192\n", open)),
            ["fs.inotify.max_user_watches"]
        );
        assert_eq!(low(files("128\n", "65536\n", few)), ["open files"]);
        assert!(all(&machine(&[]).1).is_empty());
    }
}
