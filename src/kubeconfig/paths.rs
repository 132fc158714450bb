//! Which kubeconfig files are meant: kubectl's rules.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::KubeconfigError;

/// The kubeconfig files to look at, in kubectl's order of precedence; at least one, each once.
///
/// Source: <https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/> and
/// client-go's `PathOptions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeconfigPaths {
    paths: Vec<PathBuf>,
}

impl KubeconfigPaths {
    /// Applies kubectl's rules to what the user said; looks at no file.
    ///
    /// `--kubeconfig` (`explicit`) overrides all. Else the parts of `KUBECONFIG` (`env`) count, without the
    /// empty ones, and a path named twice counts once. Else it is `.kube/config` in `home`. An empty flag or
    /// variable is as good as none.
    ///
    /// # Errors
    /// [`KubeconfigError::NoPath`] if nothing names a file.
    pub fn resolve(
        explicit: Option<&Path>,
        env: Option<&OsStr>,
        home: Option<&Path>,
    ) -> Result<Self, KubeconfigError> {
        if let Some(path) = explicit.filter(|path| !path.as_os_str().is_empty()) {
            return Ok(Self {
                paths: vec![path.to_owned()],
            });
        }
        let mut seen = HashSet::new();
        let paths: Vec<PathBuf> = std::env::split_paths(env.unwrap_or_default())
            .filter(|path| !path.as_os_str().is_empty() && seen.insert(lexical(path)))
            .collect();
        if !paths.is_empty() {
            return Ok(Self { paths });
        }
        home.filter(|home| !home.as_os_str().is_empty())
            .map(|home| Self {
                paths: vec![home.join(".kube").join("config")],
            })
            .ok_or(KubeconfigError::NoPath)
    }

    /// All the paths, in order.
    pub fn as_slice(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The file that a new entry goes to: the first that exists, or else the last.
    pub fn target(&self) -> &Path {
        let paths = &self.paths;
        let index = paths
            .iter()
            .position(|path| path.exists())
            .unwrap_or(paths.len() - 1);
        &paths[index]
    }

    /// The paths without those that lead to a file named before, by a link or another spelling.
    pub(super) fn distinct(&self) -> Vec<&Path> {
        let mut seen = HashSet::new();
        let is_new = |path: &&Path| seen.insert(path.canonicalize().unwrap_or_else(|_| lexical(path)));
        self.paths.iter().map(PathBuf::as_path).filter(is_new).collect()
    }
}

/// The path without `.` parts, so that `./a` and `a` are one.
fn lexical(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(value: &str) -> Vec<PathBuf> {
        KubeconfigPaths::resolve(None, Some(OsStr::new(value)), Some(Path::new("/home/u")))
            .unwrap()
            .paths
    }

    #[test]
    fn the_flag_overrides_all() {
        let paths = KubeconfigPaths::resolve(Some(Path::new("x")), Some(OsStr::new("a:b")), None).unwrap();
        assert_eq!(paths.as_slice(), [PathBuf::from("x")]);
    }

    #[cfg(unix)]
    #[test]
    fn empty_parts_and_repeated_paths_do_not_count() {
        assert_eq!(env("a:b:a"), [PathBuf::from("a"), "b".into()]);
        assert_eq!(env(":a"), [PathBuf::from("a")]);
        assert_eq!(env("a::b:"), [PathBuf::from("a"), "b".into()]);
        assert_eq!(env("a:./a:.//a:b/./c:b/c"), [PathBuf::from("a"), "b/./c".into()]);
    }

    #[test]
    fn without_a_part_the_home_file_is_used() {
        assert_eq!(env(""), [PathBuf::from("/home/u/.kube/config")]);
        #[cfg(unix)]
        assert_eq!(env("::"), [PathBuf::from("/home/u/.kube/config")]);
        let paths = KubeconfigPaths::resolve(Some(Path::new("")), None, Some(Path::new("/h"))).unwrap();
        assert_eq!(paths.as_slice(), [PathBuf::from("/h/.kube/config")]);
    }

    #[test]
    fn without_any_path_it_says_so() {
        let error = KubeconfigPaths::resolve(None, None, Some(Path::new(""))).unwrap_err();
        assert!(matches!(error, KubeconfigError::NoPath));
    }

    #[test]
    fn a_new_entry_goes_to_the_first_that_exists_or_else_the_last() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| dir.path().join(name));
        let paths = KubeconfigPaths {
            paths: vec![a, b.clone(), c.clone()],
        };
        assert_eq!(paths.target(), c);
        std::fs::write(&c, "").unwrap();
        std::fs::write(&b, "").unwrap();
        assert_eq!(paths.target(), b);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_named_before_is_not_a_second_file() {
        let dir = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| dir.path().join(name));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let paths = KubeconfigPaths {
            paths: vec![link.clone(), file],
        };
        assert_eq!(paths.distinct(), [link]);
    }
}
