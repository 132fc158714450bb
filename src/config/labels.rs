//! Node labels: their syntax, and who may set them.

use std::collections::BTreeMap;

/// Labels in Kubernetes' own domains that a kubelet may still give its node.
const KUBELET_MAY: &[&str] = &[
    "kubernetes.io/hostname",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/instance-type",
    "node.kubernetes.io/instance-type",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];

/// Whether the kubelet may set this label on its own node. It refuses to start with another one in
/// the domains `kubernetes.io` and `k8s.io`, such as `node-role.kubernetes.io/worker`: those have to
/// be set through the API once the node is there.
#[must_use]
pub fn kubelet_may_set(key: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else {
        return true;
    };
    let under = |parent: &str| {
        domain
            .strip_suffix(parent)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if !under("kubernetes.io") && !under("k8s.io") {
        return true;
    }
    under("kubelet.kubernetes.io") || under("node.kubernetes.io") || KUBELET_MAY.contains(&key)
}

/// The labels that the kubelet sets by itself at registration.
pub(super) fn for_kubelet(labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    filtered(labels, true)
}

/// The labels that need the API, after the node has joined.
pub(super) fn for_api(labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    filtered(labels, false)
}

fn filtered(labels: &BTreeMap<String, String>, by_kubelet: bool) -> BTreeMap<String, String> {
    labels
        .iter()
        .filter(|(key, _)| kubelet_may_set(key) == by_kubelet)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Says what is wrong with a label's key, if anything: `NAME` or `DOMAIN/NAME`.
pub(super) fn check_key(key: &str) -> Option<String> {
    if key.contains(['=', ':']) {
        return Some(
            "the whole pair was taken for the key; quote neither or both sides, as in `key: \"value\"`"
                .to_owned(),
        );
    }
    let (domain, name) = match key.split_once('/') {
        Some((domain, name)) => (Some(domain), name),
        None => (None, key),
    };
    if let Some(domain) = domain
        && !is_domain(domain)
    {
        return Some(format!(
            "`{domain}` before the `/` must be a lower-case DNS name of at most 253 characters"
        ));
    }
    if name.is_empty() {
        return Some("a label needs a name".to_owned());
    }
    check_word("the name", name)
}

/// Says what is wrong with a label's value, if anything.
pub(super) fn check_value(value: &str) -> Option<String> {
    if value.is_empty() {
        return None;
    }
    check_word("the value", value)
}

fn check_word(what: &str, word: &str) -> Option<String> {
    let length = word.chars().count();
    if length > 63 {
        return Some(format!("{what} is {length} characters long; 63 is the limit"));
    }
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if let Some(bad) = word.chars().find(|c| !inner(*c)) {
        return Some(format!(
            "{what} `{}` contains {bad:?}; letters, digits, `-`, `_` and `.` are possible",
            word.escape_debug()
        ));
    }
    let ends = |c: char| c.is_ascii_alphanumeric();
    (!word.starts_with(ends) || !word.ends_with(ends))
        .then(|| format!("{what} `{word}` must begin and end with a letter or a digit"))
}

/// Whether this is a DNS name in lower case.
pub(super) fn is_domain(text: &str) -> bool {
    text.len() <= 253
        && text.split('.').all(|part| {
            !part.is_empty()
                && !part.starts_with('-')
                && !part.ends_with('-')
                && part
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_labels_are_not_for_the_kubelet() {
        for key in [
            "tier",
            "example.com/a",
            "node.kubernetes.io/x",
            "topology.kubernetes.io/zone",
            "mykubernetes.io/a",
        ] {
            assert!(kubelet_may_set(key), "{key}");
        }
        for key in [
            "node-role.kubernetes.io/worker",
            "kubernetes.io/x",
            "k8s.io/x",
            "a.k8s.io/x",
        ] {
            assert!(!kubelet_may_set(key), "{key}");
        }
    }

    #[test]
    fn syntax() {
        for key in ["a", "A_b-c.1", "node-role.kubernetes.io/worker", "x/y"] {
            assert_eq!(check_key(key), None, "{key}");
        }
        for key in [
            "",
            "a b",
            "-a",
            "Upper.io/a",
            "a/b/c",
            "/a",
            "a/",
            "key=value",
            "a: b",
        ] {
            assert!(check_key(key).is_some(), "{key}");
        }
        for value in ["", "true", "1.10", "a_b"] {
            assert_eq!(check_value(value), None, "{value}");
        }
        for value in ["a b", "a/b", ".a", &"a".repeat(64)] {
            assert!(check_value(value).is_some(), "{value}");
        }
    }
}
