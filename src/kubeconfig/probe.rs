//! Finding out early whether a cluster's entries could be written.

use super::merge::Plan;
use super::{KubeconfigError, KubeconfigPaths, access, context_name, lock};

/// Checks, before any node is made, that [`merge_cluster`](super::merge_cluster) would get through: the files
/// that it would change can be read, have a known shape, are writable or can be made, and nobody holds their
/// locks (it waits about two seconds for that). Leaves nothing behind.
///
/// # Errors
/// [`KubeconfigError::NotAFile`], [`KubeconfigError::Read`], [`KubeconfigError::NotUtf8`],
/// [`KubeconfigError::Syntax`], [`KubeconfigError::Shape`], [`KubeconfigError::ReadOnly`],
/// [`KubeconfigError::Directory`], [`KubeconfigError::Locked`].
pub fn probe(paths: &KubeconfigPaths, cluster_name: &str) -> Result<(), KubeconfigError> {
    // The target first: while it is locked it may be half written.
    let target = paths.target();
    access::check_writable(target)?;
    lock::wait_until_free(target)?;
    for path in Plan::new(paths, &context_name(cluster_name))?.files() {
        access::check_writable(&path)?;
        lock::wait_until_free(&path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    #[test]
    fn a_file_that_is_fine_or_missing_passes_and_nothing_is_left() {
        let sandbox = Sandbox::new();
        sandbox.write("a", "clusters: null\n");
        probe(&sandbox.paths(&["a"]), "x").unwrap();
        probe(&sandbox.paths(&["none/config"]), "x").unwrap();
        assert_eq!(sandbox.names(), ["a"]);
        assert_eq!(sandbox.read("a"), "clusters: null\n");
    }

    #[test]
    fn a_stale_lock_is_found_also_of_the_second_file_that_holds_the_context() {
        let sandbox = Sandbox::new();
        sandbox.write("a", "");
        sandbox.write("b", "contexts: [{name: kind-x}]\n");
        let lock = sandbox.lock("b");
        probe(&sandbox.paths(&["a", "b"]), "y").unwrap();
        let error = probe(&sandbox.paths(&["a", "b"]), "x").unwrap_err().to_string();
        assert!(
            error.contains(&lock.display().to_string()) && error.contains("second"),
            "{error}"
        );
        assert_eq!(sandbox.names(), ["a", "b", "b.lock"]);
    }

    #[test]
    fn a_file_that_would_be_refused_at_the_end_is_refused_now() {
        let sandbox = Sandbox::new();
        for text in [
            "a: [\n",
            "- a\n",
            "users: {}\n",
            "kind: Cluster\n",
            "a: 1\n---\nb: 2\n",
        ] {
            sandbox.write("config", text);
            let error = probe(&sandbox.paths(&["config"]), "x").unwrap_err().to_string();
            assert!(error.contains("config`, line "), "{error}");
            assert_eq!(sandbox.read("config"), text);
        }
        let error = probe(&sandbox.paths(&["config/below"]), "x").unwrap_err();
        assert!(matches!(error, KubeconfigError::Directory { .. }), "{error}");
    }
}
