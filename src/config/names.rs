//! Names of clusters and of the containers that make one up.

use super::types::Role;

/// The suffix of the container in front of several control planes.
pub const LOAD_BALANCER_SUFFIX: &str = "external-load-balancer";

/// The longest host name that Linux and Kubernetes take.
pub const MAX_HOSTNAME: usize = 63;

/// Returns the container names of nodes with these roles, in their order: `NAME-ROLE`, and from
/// the second of a role on `NAME-ROLE2` and so forth.
#[must_use]
pub fn node_names(cluster: &str, roles: &[Role]) -> Vec<String> {
    let mut names = Vec::with_capacity(roles.len());
    for (at, role) in roles.iter().enumerate() {
        let before = roles[..at].iter().filter(|other| *other == role).count();
        let number = match before {
            0 => String::new(),
            more => (more + 1).to_string(),
        };
        names.push(format!("{cluster}-{}{number}", role.as_str()));
    }
    names
}

/// Returns the name of the load balancer's container, if nodes with these roles get one.
#[must_use]
pub fn load_balancer_name(cluster: &str, roles: &[Role]) -> Option<String> {
    let control_planes = roles.iter().filter(|role| **role == Role::ControlPlane);
    (control_planes.count() > 1).then(|| format!("{cluster}-{LOAD_BALANCER_SUFFIX}"))
}

/// Checks a cluster name for nodes with these roles.
///
/// The name becomes part of container names, host names and Kubernetes node names, so it must
/// suit all three: `a` to `z`, digits, `-` and `.`, each part between dots with a letter or digit
/// at both ends, and short enough for the longest node name.
///
/// # Errors
/// Everything that is wrong with it, one sentence each.
pub fn check_cluster_name(name: &str, roles: &[Role]) -> Result<(), Vec<String>> {
    let mut wrong = Vec::new();
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    if name.is_empty() {
        wrong.push("a cluster name cannot be empty".to_owned());
    } else if let Some((at, bad)) = name.chars().enumerate().find(|(_, c)| !allowed(*c)) {
        let lower = name.to_ascii_lowercase();
        let hint = if lower.chars().all(allowed) {
            format!("; `{lower}` would do")
        } else {
            String::new()
        };
        wrong.push(format!(
            "`{}` cannot be a cluster name because of {bad:?} at position {}: use only a-z, 0-9, `-` and `.`{hint}",
            name.escape_debug(),
            at + 1
        ));
    } else if name.starts_with(['-', '.']) || name.ends_with(['-', '.']) {
        wrong.push(format!(
            "`{name}` cannot be a cluster name: it must begin and end with a letter or a digit"
        ));
    } else if [".-", "-.", ".."].iter().any(|pair| name.contains(pair)) {
        wrong.push(format!(
            "`{name}` cannot be a cluster name: it needs a letter or a digit on both sides of each `.`"
        ));
    }
    let longest = node_names("", roles)
        .into_iter()
        .chain(load_balancer_name("", roles))
        .max_by_key(String::len)
        .unwrap_or_default();
    let room = MAX_HOSTNAME - longest.len();
    let length = name.chars().count();
    if length > room {
        wrong.push(format!(
            "the name is {length} characters long; with these nodes it can have {room}, because `NAME{longest}` is a host name and those end at {MAX_HOSTNAME}"
        ));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &[Role] = &[Role::ControlPlane];

    #[test]
    fn nodes_are_counted_by_role() {
        use Role::{ControlPlane, Worker};
        let roles = [Worker, ControlPlane, Worker, ControlPlane, Worker];
        assert_eq!(
            node_names("k", &roles),
            [
                "k-worker",
                "k-control-plane",
                "k-worker2",
                "k-control-plane2",
                "k-worker3"
            ]
        );
        assert_eq!(
            load_balancer_name("k", &roles).as_deref(),
            Some("k-external-load-balancer")
        );
        assert_eq!(load_balancer_name("k", ONE), None);
    }

    #[test]
    fn good_names() {
        for name in ["kind", "a", "1", "k8s-1.30", "a--b"] {
            assert_eq!(check_cluster_name(name, ONE), Ok(()), "{name}");
        }
    }

    #[test]
    fn bad_characters_are_pointed_at() {
        let wrong = |name| check_cluster_name(name, ONE).unwrap_err().join("\n");
        insta::assert_snapshot!(wrong("myCluster"), @"`myCluster` cannot be a cluster name because of 'C' at position 3: use only a-z, 0-9, `-` and `.`; `mycluster` would do");
        insta::assert_snapshot!(wrong("my_cluster"), @"`my_cluster` cannot be a cluster name because of '_' at position 3: use only a-z, 0-9, `-` and `.`");
        insta::assert_snapshot!(wrong("a\n"), @r"`a\n` cannot be a cluster name because of '\n' at position 2: use only a-z, 0-9, `-` and `.`");
        insta::assert_snapshot!(wrong("-a"), @"`-a` cannot be a cluster name: it must begin and end with a letter or a digit");
        insta::assert_snapshot!(wrong("a.-b"), @"`a.-b` cannot be a cluster name: it needs a letter or a digit on both sides of each `.`");
        insta::assert_snapshot!(wrong(""), @"a cluster name cannot be empty");
    }

    #[test]
    fn the_limit_depends_on_the_nodes() {
        let at_limit = "a".repeat(49);
        assert_eq!(check_cluster_name(&at_limit, ONE), Ok(()));
        let over = "a".repeat(50);
        insta::assert_snapshot!(check_cluster_name(&over, ONE).unwrap_err().join("\n"), @"the name is 50 characters long; with these nodes it can have 49, because `NAME-control-plane` is a host name and those end at 63");
        let ha = [Role::ControlPlane, Role::ControlPlane];
        assert_eq!(check_cluster_name(&"a".repeat(40), &ha), Ok(()));
        assert!(check_cluster_name(&"a".repeat(41), &ha).is_err());
    }
}
