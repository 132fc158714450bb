//! Proxy settings of the user's environment, as the nodes need them.

/// The variables that are passed on, in the order in which nodes get them.
const NAMES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/// Names inside a cluster that no proxy can reach.
const CLUSTER_NAMES: [&str; 3] = [".svc", ".svc.cluster", ".svc.cluster.local"];

/// The proxy settings for the nodes, each in upper and lower case; empty where the user has no proxy.
///
/// `get` reads a variable (upper case is looked up before lower case). `direct` are the subnets and node names that
/// must be reached without the proxy; they are added to what the user excluded.
pub fn node_env<F>(get: F, direct: &[String]) -> Vec<(String, String)>
where
    F: Fn(&str) -> Option<String>,
{
    let read = |name: &str| {
        get(name)
            .or_else(|| get(&name.to_lowercase()))
            .filter(|value| !value.is_empty())
    };
    let mut values: Vec<(&str, String)> = NAMES
        .iter()
        .filter_map(|&name| Some((name, read(name)?)))
        .collect();
    if values.is_empty() {
        return Vec::new();
    }
    let excluded: Vec<String> = values
        .iter()
        .find(|(name, _)| *name == "NO_PROXY")
        .map(|(_, value)| value.clone())
        .into_iter()
        .chain(direct.iter().cloned())
        .chain(CLUSTER_NAMES.iter().map(|&name| name.to_owned()))
        .collect();
    values.retain(|(name, _)| *name != "NO_PROXY");
    values.push(("NO_PROXY", excluded.join(",")));
    values
        .into_iter()
        .flat_map(|(name, value)| [(name.to_owned(), value.clone()), (name.to_lowercase(), value)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_proxy_nothing_is_passed() {
        assert!(node_env(|_| None, &["10.0.0.0/8".to_owned()]).is_empty());
        assert!(node_env(|_| Some(String::new()), &[]).is_empty());
    }

    #[test]
    fn what_the_user_excluded_stays_and_the_cluster_is_added() {
        let get = |name: &str| match name {
            "http_proxy" => Some("http://proxy.example:3128".to_owned()),
            "NO_PROXY" => Some("corp.example".to_owned()),
            _ => None,
        };
        let env = node_env(
            get,
            &["172.18.0.0/16".to_owned(), "kind-control-plane".to_owned()],
        );
        let excluded = "corp.example,172.18.0.0/16,kind-control-plane,.svc,.svc.cluster,.svc.cluster.local";
        let expected = [
            ("HTTP_PROXY", "http://proxy.example:3128"),
            ("http_proxy", "http://proxy.example:3128"),
            ("NO_PROXY", excluded),
            ("no_proxy", excluded),
        ];
        assert_eq!(env, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
    }
}
