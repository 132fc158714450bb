//! What can go wrong with a kubeconfig file.

use std::io;
use std::path::PathBuf;

/// A failure to find, read, lock or write a kubeconfig file.
///
/// Each message is complete: what failed, on which path, why, and what to do about it. The reason is part of
/// the message and not a [`source`](std::error::Error::source), so that a printed error chain does not say it
/// twice.
#[derive(Debug, thiserror::Error)]
pub enum KubeconfigError {
    /// No flag, no `KUBECONFIG` and no home directory: there is no path to use.
    #[error("no kubeconfig file to use: neither KUBECONFIG nor HOME is set; name one with --kubeconfig")]
    NoPath,

    /// The path exists and is a directory, a device, a pipe or a socket.
    #[error("kubeconfig `{}` is {found}, not a file; name a file with --kubeconfig or KUBECONFIG", path.display())]
    NotAFile {
        /// The kubeconfig path.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },

    /// The file exists and cannot be read.
    #[error("cannot read kubeconfig `{}`: {reason}; check who owns it: ls -l {}", path.display(), shell(path))]
    Read {
        /// The kubeconfig path.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// The file is not UTF-8 text.
    #[error(
        "kubeconfig `{}`, line {line}: not UTF-8 text; convert the file to UTF-8, it was left as it is",
        path.display()
    )]
    NotUtf8 {
        /// The kubeconfig path.
        path: PathBuf,
        /// The first line with a bad byte, from 1.
        line: usize,
    },

    /// The file is not YAML that Kubernetes clients accept.
    #[error(
        "kubeconfig `{}`, line {line}, column {column}: {reason}; mend that line, the file was left as it is",
        path.display()
    )]
    Syntax {
        /// The kubeconfig path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the parser said.
        reason: String,
    },

    /// The file is YAML, but does not have the shape of a kubeconfig.
    #[error(
        "kubeconfig `{}`, line {line}: {reason}; mend it or choose another file with --kubeconfig, \
         the file was left as it is",
        path.display()
    )]
    Shape {
        /// The kubeconfig path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What was found and what was expected.
        reason: String,
    },

    /// The admin.conf of a node is not what kubeadm writes.
    #[error(
        "the admin.conf of cluster `{cluster}` cannot be used: {reason}; \
         look at /etc/kubernetes/admin.conf on its control-plane node, or create the cluster again"
    )]
    AdminConf {
        /// The cluster's name.
        cluster: String,
        /// What was found and what was expected.
        reason: String,
    },

    /// Somebody else holds the lock, or left it behind.
    #[error(
        "kubeconfig `{}` is locked: `{}` has been there for {age}; if no kubectl or kindr is writing it now, \
         the lock was left behind, remove it: rm {}",
        path.display(), lock.display(), shell(lock)
    )]
    Locked {
        /// The kubeconfig path.
        path: PathBuf,
        /// The lock file's path.
        lock: PathBuf,
        /// The lock's age in words.
        age: String,
    },

    /// The lock file cannot be made.
    #[error(
        "cannot lock kubeconfig `{}`: making `{}` failed: {reason}; make the directory writable for you or choose \
         another file with --kubeconfig",
        path.display(), lock.display()
    )]
    Lock {
        /// The kubeconfig path.
        path: PathBuf,
        /// The lock file's path.
        lock: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// The directory of the file cannot be made, or nothing can be made in it.
    #[error(
        "kubeconfig `{}` cannot be written: directory `{}`: {reason}; see who owns it (ls -ld {}, after a run with \
         sudo it may be root) and make it writable for you, or choose another file with --kubeconfig",
        path.display(), directory.display(), shell(directory)
    )]
    Directory {
        /// The kubeconfig path.
        path: PathBuf,
        /// The directory that is in the way.
        directory: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// The file itself is read-only for this user.
    #[error(
        "kubeconfig `{}` is read-only: {reason}; allow writing (chmod u+w {}) or choose another file with --kubeconfig",
        path.display(), shell(path)
    )]
    ReadOnly {
        /// The kubeconfig path.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// Writing the new content failed; the old content is still there.
    #[error("cannot write kubeconfig `{}`: {reason}; check the free space and the owner of its directory", path.display())]
    Write {
        /// The kubeconfig path.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// The content cannot be written back without changing what it means.
    #[error(
        "kubeconfig `{}` cannot be rewritten without changing its meaning: {reason}; the file was left as it is, \
         choose another file with --kubeconfig",
        path.display()
    )]
    NotRepresentable {
        /// The kubeconfig path.
        path: PathBuf,
        /// What did not survive.
        reason: String,
    },

    /// Several files failed, each for its own reason; the others were dealt with.
    #[error("{} kubeconfig files failed:{}", errors.len(), bullets(errors))]
    Several {
        /// One error for each file, in the order of the paths; at least two.
        errors: Vec<KubeconfigError>,
    },
}

/// The path as one word of a POSIX shell command.
fn shell(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn bullets(errors: &[KubeconfigError]) -> String {
    errors.iter().map(|error| format!("\n- {error}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_command_to_remove_a_lock_can_be_pasted() {
        assert_eq!(
            shell(Path::new("/home/a/.kube/config.lock")),
            "/home/a/.kube/config.lock"
        );
        assert_eq!(shell(Path::new("/tmp/my dir/it's")), r"'/tmp/my dir/it'\''s'");
    }

    #[test]
    fn several_errors_are_all_told() {
        let error = KubeconfigError::Several {
            errors: vec![
                KubeconfigError::NoPath,
                KubeconfigError::NotAFile {
                    path: "/b".into(),
                    found: "a directory",
                },
            ],
        };
        let text = error.to_string();
        assert!(
            text.starts_with("2 kubeconfig files failed:\n- no kubeconfig file"),
            "{text}"
        );
        assert!(
            text.contains("\n- kubeconfig `/b` is a directory, not a file; "),
            "{text}"
        );
    }
}
