//! What the tests of this module share.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::KubeconfigPaths;

/// An admin.conf as kubeadm writes it, with short certificates.
pub(super) const ADMIN_CONF: &str = "\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTi==
    server: https://x-control-plane:6443
  name: x
contexts:
- context:
    cluster: x
    user: kubernetes-admin
  name: kubernetes-admin@x
current-context: kubernetes-admin@x
kind: Config
users:
- name: kubernetes-admin
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
";

/// The address that tests put in.
pub(super) const SERVER: &str = "https://127.0.0.1:40000";

/// A directory of its own for a test, with files by name.
pub(super) struct Sandbox(tempfile::TempDir);

impl Sandbox {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A stale lock of the file of that name.
    pub fn lock(&self, name: &str) -> PathBuf {
        self.write(&format!("{name}.lock"), "")
    }

    /// The paths as a `KUBECONFIG` list.
    pub fn paths(&self, names: &[&str]) -> KubeconfigPaths {
        let list = std::env::join_paths(names.iter().map(|name| self.path(name))).unwrap();
        KubeconfigPaths::resolve(None, Some(OsStr::new(&list)), None).unwrap()
    }

    /// The names of all that is in the directory.
    pub fn names(&self) -> Vec<String> {
        names(self.0.path())
    }
}

/// The names of all that is in a directory, sorted.
pub(super) fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
