//! Bringing a cluster into the user's kubeconfig.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::document::{Document, Section};
use super::entries::Entries;
use super::lock::Lock;
use super::{KubeconfigError, KubeconfigPaths, file, write};

/// Adds the cluster's entries, or brings them up to date, and makes its context the current one.
///
/// An entry that some file of the list holds is changed there; a new one goes to the file of the context, and
/// that to the first file that exists, or else the last. The current context is set in the first file that
/// exists, where it counts. `admin_conf` is the text of the node's `/etc/kubernetes/admin.conf`, `server` the
/// address as seen from here. Returns the file with the context.
///
/// Files are locked while they are changed; of two processes that merge at one time both get their way.
///
/// # Errors
/// [`KubeconfigError::AdminConf`] before any file is touched; what [`probe`](super::probe()) finds; and
/// [`KubeconfigError::Lock`], [`KubeconfigError::Write`], [`KubeconfigError::NotRepresentable`]. A file that
/// failed has its old content.
pub fn merge_cluster(
    paths: &KubeconfigPaths,
    cluster_name: &str,
    admin_conf: &str,
    server: &str,
) -> Result<PathBuf, KubeconfigError> {
    let entries = Entries::new(cluster_name, admin_conf, Some(server))?;
    let mut wanted = BTreeSet::from([paths.target().to_owned()]);
    // What is to be changed is known for certain only under the locks. Each round wants more files, so it ends.
    let (_locks, plan) = loop {
        let locks = Lock::acquire_all(&wanted)?;
        let plan = Plan::new(paths, &entries.name)?;
        let files = plan.files();
        if files.is_subset(&wanted) {
            break (locks, plan);
        }
        drop(locks);
        wanted.extend(files);
    };
    for path in plan.files() {
        let old = file::read(&path)?;
        let mut new = old.clone().unwrap_or_default();
        new.add_header();
        for (section, holder) in &plan.holders {
            if *holder == path {
                entries.put(&mut new, *section);
            }
        }
        if plan.current == path {
            new.set_current_context(&entries.name);
        }
        if old.as_ref() != Some(&new) {
            write::write(&path, &new)?;
        }
    }
    Ok(plan.context)
}

/// Which file gets which entry.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    holders: [(Section, PathBuf); 3],
    context: PathBuf,
    current: PathBuf,
}

impl Plan {
    /// Looks at the files; makes and locks nothing.
    ///
    /// A file that cannot be read counts as one without entries, unless it is the target: kubectl's users see
    /// the entry of the target first in any case, as no file that exists comes before it.
    ///
    /// # Errors
    /// What reading the target gives.
    pub fn new(paths: &KubeconfigPaths, name: &str) -> Result<Self, KubeconfigError> {
        let target = paths.target();
        file::read(target)?;
        let documents: Vec<(&Path, Document)> = paths
            .distinct()
            .into_iter()
            .filter_map(|path| match file::read(path) {
                Ok(document) => Some((path, document?)),
                Err(error) => {
                    tracing::warn!(%error, "this kubeconfig is left out");
                    None
                }
            })
            .collect();
        let holder = |section| {
            documents
                .iter()
                .find(|(_, document)| document.holds(section, name))
                .map(|(path, _)| *path)
        };
        let context = holder(Section::Contexts).unwrap_or(target).to_owned();
        let holders = Section::ALL.map(|section| {
            (
                section,
                holder(section).map_or_else(|| context.clone(), Path::to_owned),
            )
        });
        Ok(Self {
            holders,
            context,
            current: target.to_owned(),
        })
    }

    /// All the files to change.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        self.holders
            .iter()
            .map(|(_, path)| path)
            .chain([&self.current])
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ADMIN_CONF, SERVER, Sandbox};
    use super::*;

    fn merge(sandbox: &Sandbox, list: &[&str]) -> Result<PathBuf, KubeconfigError> {
        merge_cluster(&sandbox.paths(list), "x", ADMIN_CONF, SERVER)
    }

    #[test]
    fn a_first_file_is_made_with_its_directory() {
        let sandbox = Sandbox::new();
        assert_eq!(merge(&sandbox, &["a/config"]).unwrap(), sandbox.path("a/config"));
        assert_eq!(
            sandbox.read("a/config"),
            super::super::render("x", ADMIN_CONF, Some(SERVER)).unwrap()
        );
        assert_eq!(super::super::testing::names(&sandbox.path("a")), ["config"]);
    }

    #[test]
    fn without_any_file_the_last_is_made_and_else_the_first_that_exists_is_used() {
        let sandbox = Sandbox::new();
        assert_eq!(merge(&sandbox, &["new1", "new2"]).unwrap(), sandbox.path("new2"));
        assert_eq!(sandbox.names(), ["new2"]);
        sandbox.write("b", "");
        sandbox.write("c", "");
        assert_eq!(merge(&sandbox, &["a", "b", "c"]).unwrap(), sandbox.path("b"));
        assert_eq!(sandbox.read("c"), "");
    }

    #[test]
    fn an_entry_is_changed_where_it_is_and_the_context_is_current_where_it_counts() {
        let sandbox = Sandbox::new();
        sandbox.write("a", "current-context: other\n");
        sandbox.write("b", "contexts: [{name: kind-x, context: {namespace: mine}}]\n");
        sandbox.write("c", "users: [{name: kind-x, user: {token: old}}]\n");
        assert_eq!(merge(&sandbox, &["a", "b", "c"]).unwrap(), sandbox.path("b"));
        assert_eq!(
            sandbox.read("a"),
            "apiVersion: v1\nkind: Config\ncurrent-context: kind-x\n"
        );
        let b = sandbox.read("b");
        assert!(
            b.contains("namespace: mine") && b.contains(SERVER) && !b.contains("users:"),
            "{b}"
        );
        assert!(sandbox.read("c").contains("client-key-data") && !sandbox.read("c").contains("token"));
        assert_eq!(sandbox.names(), ["a", "b", "c"]);
    }

    #[test]
    fn foreign_content_survives_in_meaning_and_order() {
        let foreign = "\
preferences:
  colors: true
users:
- name: corp@eu/1:2 ü
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      args: ['0123', \"yes\", on, 1e3, '1e3', ~]
      env: null
      installHint: |
        one
          two
- user: {password: 0123, username: '1_000'}
  name: a b
x-mine: {z: 1, a: [2, 3]}
clusters:
- name: corp
  cluster: {proxy-url: 'http://p:1', extensions: [{name: e, extension: {k: v}}], server: https://c}
contexts:
- {name: corp@eu/1:2 ü, context: {cluster: corp, user: 'corp@eu/1:2 ü'}}
";
        let sandbox = Sandbox::new();
        sandbox.write("config", foreign);
        merge(&sandbox, &["config"]).unwrap();
        let once = sandbox.read("config");
        insta::assert_snapshot!(once);
        merge(&sandbox, &["config"]).unwrap();
        assert_eq!(sandbox.read("config"), once);
    }

    #[test]
    fn a_file_that_is_up_to_date_keeps_its_comments() {
        let sandbox = Sandbox::new();
        merge(&sandbox, &["config"]).unwrap();
        let text = format!("# mine\n{}", sandbox.read("config"));
        sandbox.write("config", &text);
        merge(&sandbox, &["config"]).unwrap();
        assert_eq!(sandbox.read("config"), text);
    }

    #[test]
    fn bad_yaml_is_refused_and_its_bytes_stay() {
        let sandbox = Sandbox::new();
        let text = "users:\n- name: a\nclusters: [\n";
        sandbox.write("config", text);
        let error = merge(&sandbox, &["config"]).unwrap_err();
        assert!(
            matches!(error, KubeconfigError::Syntax { line: 3, .. }),
            "{error}"
        );
        assert_eq!(sandbox.read("config"), text);
        assert_eq!(sandbox.names(), ["config"]);
    }

    #[cfg(unix)]
    #[test]
    fn one_file_under_two_names_is_not_written_twice() {
        let sandbox = Sandbox::new();
        sandbox.write("real", "contexts: [{name: kind-x, context: {namespace: mine}}]\n");
        std::os::unix::fs::symlink("real", sandbox.path("link")).unwrap();
        merge(&sandbox, &["link", "real"]).unwrap();
        let text = sandbox.read("real");
        assert!(
            text.contains("namespace: mine") && text.contains("current-context: kind-x"),
            "{text}"
        );
    }

    #[test]
    fn all_that_merge_at_one_time_get_their_way() {
        let sandbox = Sandbox::new();
        sandbox.write("b", "contexts: [{name: kind-3, context: {}}]\n");
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..12)
                .map(|n| {
                    let paths = sandbox.paths(if n % 2 == 0 { &["a", "b"] } else { &["b", "a"] });
                    scope.spawn(move || merge_cluster(&paths, &n.to_string(), ADMIN_CONF, SERVER))
                })
                .collect();
            threads
                .into_iter()
                .for_each(|thread| drop(thread.join().unwrap().unwrap()));
        });
        let document = file::read(&sandbox.path("b")).unwrap().unwrap();
        for n in 0..12 {
            assert!(
                Section::ALL
                    .iter()
                    .all(|section| document.holds(*section, &format!("kind-{n}"))),
                "{n}"
            );
        }
        assert_eq!(sandbox.names(), ["b"]);
    }
}
