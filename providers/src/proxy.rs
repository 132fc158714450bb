//! Proxy settings of the user's environment, as the nodes need them.

use std::collections::BTreeMap;

/// The variables that are passed on, in the order in which nodes get them.
const NAMES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/// Names inside a cluster that no proxy can reach.
const CLUSTER_NAMES: [&str; 3] = [".svc", ".svc.cluster", ".svc.cluster.local"];

/// The proxy settings for the nodes, each in upper and lower case; empty where the user has no proxy.
///
/// `get` reads a variable. `direct` are the subnets and node names that must be reached without the proxy; they are added to
/// what the user excluded.
pub fn node_env<F>(get: F, direct: &[String]) -> Vec<(String, String)>
where
    F: Fn(&str) -> Option<String>,
{
    let mut values: Vec<(&str, String)> = NAMES
        .iter()
        .filter_map(|&name| Some((name, read(&get, name)?)))
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

/// The proxy settings of docker's client for an engine at `host`: `proxies` of its `config.json`, where the engine's own
/// entry goes before `default`. What cannot be read counts as nothing: docker itself will say so.
pub fn docker_client(config: &str, host: &str) -> Vec<(String, String)> {
    #[derive(serde::Deserialize)]
    struct Config {
        #[serde(default)]
        proxies: BTreeMap<String, Entry>,
    }
    #[derive(serde::Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct Entry {
        http_proxy: Option<String>,
        https_proxy: Option<String>,
        no_proxy: Option<String>,
    }
    let Ok(mut config) = serde_json::from_str::<Config>(config) else {
        return Vec::new();
    };
    let entry = config
        .proxies
        .remove(host)
        .or_else(|| config.proxies.remove("default"));
    let Entry {
        http_proxy,
        https_proxy,
        no_proxy,
    } = entry.unwrap_or_default();
    NAMES
        .iter()
        .zip([http_proxy, https_proxy, no_proxy])
        .filter_map(|(name, value)| Some(((*name).to_owned(), value.filter(|v| !v.is_empty())?)))
        .collect()
}

/// Looks a variable up in the user's environment, or in the engine's own settings where the environment has no proxy.
pub fn lookup<F>(env: F, engine: &[(String, String)]) -> impl Fn(&str) -> Option<String>
where
    F: Fn(&str) -> Option<String>,
{
    let mut values: BTreeMap<String, String> = NAMES
        .iter()
        .filter_map(|&name| Some((name.to_owned(), read(&env, name)?)))
        .collect();
    if !values.contains_key("HTTP_PROXY") && !values.contains_key("HTTPS_PROXY") {
        for (name, value) in engine {
            values.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    move |name| values.get(name).cloned()
}

/// Reads a variable in upper case, or in lower case where that is absent or empty.
fn read(get: impl Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    [name.to_owned(), name.to_lowercase()]
        .iter()
        .find_map(|name| get(name).filter(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: &str = r#"{"auths": {}, "proxies": {
        "default": {"httpProxy": "http://proxy.example:3128", "noProxy": "a.example"},
        "tcp://engine.example:2375": {"httpsProxy": "http://other.example:3128"}}}"#;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn the_clients_settings_for_an_engine_go_before_the_default() {
        assert_eq!(
            docker_client(CLIENT, "unix:///var/run/docker.sock"),
            pairs(&[
                ("HTTP_PROXY", "http://proxy.example:3128"),
                ("NO_PROXY", "a.example")
            ])
        );
        assert_eq!(
            docker_client(CLIENT, "tcp://engine.example:2375"),
            pairs(&[("HTTPS_PROXY", "http://other.example:3128")])
        );
        assert!(docker_client("not JSON", "x").is_empty());
        assert!(docker_client("{}", "x").is_empty());
    }

    #[test]
    fn a_proxy_of_the_environment_hides_the_engines() {
        let engine = pairs(&[("HTTP_PROXY", "http://engine.example"), ("NO_PROXY", "b.example")]);
        let none = lookup(|_| None, &engine);
        assert_eq!(none("HTTP_PROXY").as_deref(), Some("http://engine.example"));
        let own = |name: &str| (name == "https_proxy").then(|| "http://own.example".to_owned());
        let own = lookup(own, &engine);
        assert_eq!(own("HTTPS_PROXY").as_deref(), Some("http://own.example"));
        assert_eq!(own("HTTP_PROXY"), None);
        assert_eq!(own("NO_PROXY"), None);
    }

    #[test]
    fn without_a_proxy_nothing_is_passed() {
        assert!(node_env(|_| None, &["10.0.0.0/8".to_owned()]).is_empty());
        assert!(node_env(|_| Some(String::new()), &[]).is_empty());
    }

    #[test]
    fn what_the_user_excluded_stays_and_the_cluster_is_added() {
        let get = |name: &str| match name {
            "HTTP_PROXY" => Some(String::new()),
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
