//! Taking a cluster out of the user's kubeconfig.

use std::path::{Path, PathBuf};

use super::document::{Document, Section};
use super::lock::Lock;
use super::{KubeconfigError, KubeconfigPaths, access, context_name, file, write};

/// Removes the cluster's three entries from every file that holds one of them, and empties the current
/// context there if it was this cluster's. Returns the files that were changed.
///
/// A file that holds nothing of it is neither locked nor written; one that is missing, or is a device, holds
/// nothing. When a file fails the others are still cleaned.
///
/// # Errors
/// The error of the file that failed, or [`KubeconfigError::Several`]: [`KubeconfigError::Locked`] after a
/// bounded wait, or what reading and writing gives.
pub fn remove_cluster(paths: &KubeconfigPaths, cluster_name: &str) -> Result<Vec<PathBuf>, KubeconfigError> {
    let name = context_name(cluster_name);
    let mut changed = Vec::new();
    let mut errors = Vec::new();
    for path in paths.distinct() {
        match remove_from(path, &name) {
            Ok(true) => changed.push(path.to_owned()),
            Ok(false) => {}
            Err(error) => errors.push(error),
        }
    }
    match errors.len() {
        0 => Ok(changed),
        1 => Err(errors.remove(0)),
        _ => Err(KubeconfigError::Several { errors }),
    }
}

fn remove_from(path: &Path, name: &str) -> Result<bool, KubeconfigError> {
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            return Err(access::not_a_file(path, &metadata));
        }
        // A device such as /dev/null, by which some say that they want no kubeconfig.
        Ok(metadata) if !metadata.is_file() => return Ok(false),
        _ => {}
    }
    // Half a file, if another tool is writing just now: under the lock it is whole.
    let first = file::read(path);
    if matches!(&first, Ok(document) if !document.as_ref().is_some_and(|document| is_in(document, name))) {
        return Ok(false);
    }
    let _lock = match (Lock::acquire(path), first) {
        (Ok(lock), _) => lock,
        (Err(_), Err(unreadable)) => return Err(unreadable),
        (Err(error), Ok(_)) => return Err(error),
    };
    let Some(mut document) = file::read(path)?.filter(|document| is_in(document, name)) else {
        return Ok(false);
    };
    for section in Section::ALL {
        document.remove(section, name);
    }
    if document.current_context() == name {
        document.set_current_context("");
    }
    write::write(path, &document)?;
    Ok(true)
}

fn is_in(document: &Document, name: &str) -> bool {
    document.current_context() == name || Section::ALL.iter().any(|section| document.holds(*section, name))
}

#[cfg(test)]
mod tests {
    use super::super::merge_cluster;
    use super::super::testing::{ADMIN_CONF, SERVER, Sandbox};
    use super::*;

    const HOLDS: &str = "users:\n- name: kind-x\n- name: other\ncurrent-context: kind-x\n";
    const CLEAN: &str = "users:\n- name: other\ncurrent-context: \"\"\n";

    #[test]
    fn every_file_that_holds_it_is_cleaned_and_no_other_is_touched() {
        let sandbox = Sandbox::new();
        sandbox.write("a", HOLDS);
        sandbox.write("b", "# mine\ncurrent-context: kind-y\n");
        sandbox.lock("b");
        sandbox.write("c", HOLDS);
        let changed = remove_cluster(&sandbox.paths(&["a", "missing", "b", "c"]), "x").unwrap();
        assert_eq!(changed, [sandbox.path("a"), sandbox.path("c")]);
        assert_eq!([sandbox.read("a"), sandbox.read("c")], [CLEAN, CLEAN]);
        assert_eq!(sandbox.read("b"), "# mine\ncurrent-context: kind-y\n");
        assert_eq!(sandbox.names(), ["a", "b", "b.lock", "c"]);
    }

    #[test]
    fn what_was_merged_is_gone_and_the_rest_is_as_before() {
        let sandbox = Sandbox::new();
        let before = "apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers:\n- name: other\ncurrent-context: \"\"\n";
        sandbox.write("config", before);
        let paths = sandbox.paths(&["config"]);
        merge_cluster(&paths, "x", ADMIN_CONF, SERVER).unwrap();
        remove_cluster(&paths, "x").unwrap();
        assert_eq!(sandbox.read("config"), before);
        assert!(remove_cluster(&paths, "x").unwrap().is_empty());
    }

    #[test]
    fn a_stale_lock_and_bad_yaml_are_both_told_and_the_rest_is_cleaned() {
        let sandbox = Sandbox::new();
        sandbox.write("locked", HOLDS);
        sandbox.lock("locked");
        sandbox.write("bad", "users: [\n");
        sandbox.write("good", HOLDS);
        let error = remove_cluster(&sandbox.paths(&["locked", "bad", "good"]), "x").unwrap_err();
        let KubeconfigError::Several { errors } = &error else {
            panic!("{error}")
        };
        assert!(matches!(errors[0], KubeconfigError::Locked { .. }), "{error}");
        assert!(matches!(errors[1], KubeconfigError::Syntax { .. }), "{error}");
        assert_eq!(sandbox.read("good"), CLEAN);
        assert_eq!(
            [sandbox.read("locked"), sandbox.read("bad")],
            [HOLDS, "users: [\n"]
        );
        assert_eq!(sandbox.names(), ["bad", "good", "locked", "locked.lock"]);
    }

    #[test]
    fn a_stale_lock_without_any_file_does_not_matter() {
        let sandbox = Sandbox::new();
        sandbox.lock("config");
        assert!(
            remove_cluster(&sandbox.paths(&["config"]), "x")
                .unwrap()
                .is_empty()
        );
        let device = KubeconfigPaths::resolve(Some(Path::new("/dev/null")), None, None).unwrap();
        assert!(remove_cluster(&device, "x").unwrap().is_empty());
    }
}
