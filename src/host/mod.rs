//! Facts of this machine that decide whether an engine on it can run Kubernetes nodes.
//!
//! Everything is read below one root folder, `/` unless a test brings its own.

pub mod cgroup;
pub mod firewall;
pub mod limits;
pub mod modules;
pub mod rootless;

use std::path::{Path, PathBuf};

/// A machine and the user on it.
#[derive(Debug, Clone)]
pub struct Host {
    root: PathBuf,
    /// The user's name; empty if the user has none.
    pub user: String,
    /// The user's number.
    pub uid: u32,
}

impl Host {
    /// This machine and this user.
    #[must_use]
    pub fn here() -> Self {
        let uid = nix::unistd::getuid();
        let user = nix::unistd::User::from_uid(uid).ok().flatten();
        Self {
            root: PathBuf::from("/"),
            user: user.map(|user| user.name).unwrap_or_default(),
            uid: uid.as_raw(),
        }
    }

    /// A machine whose files are below a folder.
    #[must_use]
    pub fn below(root: impl Into<PathBuf>, user: &str, uid: u32) -> Self {
        Self {
            root: root.into(),
            user: user.to_owned(),
            uid,
        }
    }

    /// Where a file of the machine is.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// Reads a file, without the line's end; none if it cannot be read.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.path(path)).ok()?;
        Some(text.trim_end().to_owned())
    }

    /// Reads a number that is the whole of a file.
    pub(crate) fn number(&self, path: &str) -> Option<u64> {
        self.read(path)?.parse().ok()
    }

    /// Whether there is a file or folder.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// Whether IPv6 is switched on; none if the machine does not tell.
    #[must_use]
    pub fn ipv6(&self) -> Option<bool> {
        if !self.has("/proc/sys/net") {
            return None;
        }
        let off = self.read("/proc/sys/net/ipv6/conf/all/disable_ipv6");
        Some(off.is_some_and(|off| off == "0"))
    }

    /// Bytes that are free for others than root in the file system of a folder, or of the nearest one above it that
    /// there is; none if the machine does not tell.
    #[must_use]
    pub fn free_bytes(&self, folder: &Path) -> Option<u64> {
        let folder = self.path(folder.to_str()?);
        let there = folder.ancestors().find(|folder| folder.exists())?;
        let stat = nix::sys::statvfs::statvfs(there).ok()?;
        // How wide the two are depends on the system.
        #[allow(clippy::useless_conversion)]
        let (blocks, size) = (
            u64::from(stat.blocks_available()),
            u64::from(stat.fragment_size()),
        );
        blocks.checked_mul(size)
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::Host;

    /// A machine with these files, and the folder that they are in.
    pub(crate) fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, Host) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path.trim_start_matches('/'));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let host = Host::below(folder.path(), "dev", 1000);
        (folder, host)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::testing::machine;

    #[test]
    fn ipv6_is_on_off_or_not_told() {
        let at = |text| machine(&[("/proc/sys/net/ipv6/conf/all/disable_ipv6", text)]);
        assert_eq!(at("0\n").1.ipv6(), Some(true));
        assert_eq!(at("1\n").1.ipv6(), Some(false));
        assert_eq!(machine(&[("/proc/sys/net/core/x", "")]).1.ipv6(), Some(false));
        assert_eq!(machine(&[]).1.ipv6(), None);
    }

    #[test]
    fn free_space_is_that_of_the_nearest_folder() {
        let (_folder, host) = machine(&[]);
        assert!(host.free_bytes(Path::new("/not/there")).unwrap() > 0);
    }
}
