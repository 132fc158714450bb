//! The three entries of a cluster, made from the admin.conf that kubeadm left on its node.

use super::KubeconfigError;
use super::document::{Document, Section};
use super::yaml::{Node, Value};

/// The name of a cluster's context, and of its cluster and user entries: `kind-NAME`, as in kind.
pub fn context_name(cluster_name: &str) -> String {
    format!("kind-{cluster_name}")
}

/// A kubeconfig with this cluster alone, for `get kubeconfig`.
///
/// `admin_conf` is the text of the node's `/etc/kubernetes/admin.conf`; `server` replaces the address in it,
/// and without one the address stays, which is right inside the container network (`--internal`).
///
/// # Errors
/// [`KubeconfigError::AdminConf`] if the text is not a kubeconfig with one cluster, one user and one context.
pub fn render(cluster_name: &str, admin_conf: &str, server: Option<&str>) -> Result<String, KubeconfigError> {
    let entries = Entries::new(cluster_name, admin_conf, server)?;
    let mut document = Document::default();
    for section in Section::ALL {
        entries.put(&mut document, section);
    }
    document.set_current_context(&entries.name);
    Ok(document.emit())
}

/// The entries of one cluster, all of one name.
#[derive(Debug)]
pub(super) struct Entries {
    pub name: String,
    cluster: Node,
    context: Node,
    user: Node,
}

impl Entries {
    /// Takes the entries out of an admin.conf and renames them; see [`render`].
    pub fn new(cluster_name: &str, admin_conf: &str, server: Option<&str>) -> Result<Self, KubeconfigError> {
        let failed = |reason: String| KubeconfigError::AdminConf {
            cluster: cluster_name.to_owned(),
            reason,
        };
        let document = Document::parse(admin_conf)
            .map_err(|fault| failed(format!("line {}: {}", fault.line, fault.reason)))?;
        let only = |section: Section| {
            let bodies: Vec<_> = document
                .entries(section)
                .iter()
                .filter_map(|e| e.get(section.body()))
                .collect();
            match bodies.as_slice() {
                [body] if body.as_map().is_some() => Ok((*body).clone()),
                other => Err(failed(format!(
                    "it has {} {} entries, not one",
                    other.len(),
                    section.body()
                ))),
            }
        };
        let name = context_name(cluster_name);
        let (mut cluster, mut context) = (only(Section::Clusters)?, only(Section::Contexts)?);
        if let Some(server) = server {
            cluster.set("server", Node::text(server));
        }
        context.set("cluster", Node::text(&name));
        context.set("user", Node::text(&name));
        Ok(Self {
            user: only(Section::Users)?,
            name,
            cluster,
            context,
        })
    }

    /// Puts one entry into a document.
    ///
    /// What the user added to the cluster or the context (a namespace, a proxy-url, extensions) stays; what
    /// would contradict the new certificate authority goes. The user entry is replaced.
    pub fn put(&self, document: &mut Document, section: Section) {
        let old = document.body(section, &self.name);
        let body = match section {
            Section::Clusters => overlay(
                old,
                &self.cluster,
                &["certificate-authority", "insecure-skip-tls-verify"],
            ),
            Section::Contexts => overlay(old, &self.context, &[]),
            Section::Users => self.user.clone(),
        };
        document.put(section, &self.name, body);
    }
}

/// `new`, and after it what only `old` has, without the keys in `stale`.
fn overlay(old: Option<&Node>, new: &Node, stale: &[&str]) -> Node {
    let mut result = match old {
        Some(Node {
            line,
            value: Value::Map(pairs),
        }) => {
            let kept = |(key, _): &&(Node, Node)| !key.as_str().is_some_and(|key| stale.contains(&key));
            Node {
                line: *line,
                value: Value::Map(pairs.iter().filter(kept).cloned().collect()),
            }
        }
        _ => return new.clone(),
    };
    for (key, value) in new.as_map().unwrap_or_default() {
        result.set(key.as_str().unwrap_or_default(), value.clone());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::testing::ADMIN_CONF;
    use super::*;

    #[test]
    fn a_rendered_file_stands_alone() {
        let text = render("x", ADMIN_CONF, Some("https://127.0.0.1:40000")).unwrap();
        insta::assert_snapshot!(text, @r"
        apiVersion: v1
        clusters:
        - cluster:
            certificate-authority-data: LS0tLS1CRUdJTi==
            server: https://127.0.0.1:40000
          name: kind-x
        contexts:
        - context:
            cluster: kind-x
            user: kind-x
          name: kind-x
        current-context: kind-x
        kind: Config
        users:
        - user:
            client-certificate-data: Q0VSVA==
            client-key-data: S0VZ
          name: kind-x
        ");
    }

    #[test]
    fn without_a_server_the_address_inside_stays() {
        let text = render("x", ADMIN_CONF, None).unwrap();
        assert!(text.contains("server: https://x-control-plane:6443\n"), "{text}");
    }

    #[test]
    fn another_admin_conf_is_refused_by_name() {
        let two = ADMIN_CONF.replace("users:", "users:\n- name: other\n  user: {}");
        for (text, reason) in [
            ("", "it has 0 cluster entries, not one"),
            ("kind: [", "line "),
            (two.as_str(), "it has 2 user entries, not one"),
        ] {
            let error = render("x", text, None).unwrap_err().to_string();
            assert!(
                error.starts_with("the admin.conf of cluster `x` cannot be used: "),
                "{error}"
            );
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn what_the_user_added_stays_and_contradictions_go() {
        let text = "clusters:\n- name: kind-x\n  cluster: {server: old, proxy-url: 'socks5://p:1', insecure-skip-tls-verify: true}\n\
                    contexts:\n- {name: kind-x, context: {namespace: mine, user: odd, cluster: kind-x}}\n\
                    users:\n- {name: kind-x, user: {token: old}}\n";
        let mut document = Document::parse(text).unwrap();
        let entries = Entries::new("x", ADMIN_CONF, Some("https://new")).unwrap();
        Section::ALL
            .into_iter()
            .for_each(|section| entries.put(&mut document, section));
        insta::assert_snapshot!(document.emit(), @r"
        clusters:
        - name: kind-x
          cluster:
            server: https://new
            proxy-url: socks5://p:1
            certificate-authority-data: LS0tLS1CRUdJTi==
        contexts:
        - name: kind-x
          context:
            namespace: mine
            user: kind-x
            cluster: kind-x
        users:
        - name: kind-x
          user:
            client-certificate-data: Q0VSVA==
            client-key-data: S0VZ
        ");
    }
}
