//! What there is after a create, as one tree of values.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value, json};

use crate::case::{Case, Place};
use crate::common::{ROLE_LABEL, TestEnvironment};
use crate::inspected;

/// Returns what there is of a cluster: for each container what the engine says of it and the files that were written, the
/// kubeconfig, and the network if the cluster has its own.
pub fn observe(world: &TestEnvironment, case: &Case, place: &Place) -> Value {
    let engine = world.engine();
    let states: BTreeMap<String, Value> = engine
        .containers_of(&place.cluster)
        .into_iter()
        .map(|name| (name.clone(), engine.inspect(&name)))
        .collect();
    assert!(!states.is_empty(), "{}: there are no containers", case.name);
    let addresses = addresses(&states);
    let mut tree = Map::new();
    for (name, state) in &states {
        let short = name.strip_prefix(&format!("{}-", place.cluster)).unwrap_or(name);
        let mut seen = json!({"inspect": inspected::container(state, &case.text)});
        if let Some(text) = engine.read_in_container(name, "/kind/kubeadm.conf") {
            seen["kubeadm.conf"] = documents(&with_names(&text, &addresses));
        }
        if let Some(text) = engine.read_in_container(name, "/etc/containerd/config.toml") {
            seen["config.toml"] = containerd(&text);
        }
        for path in [
            "/home/envoy/envoy.yaml",
            "/home/envoy/cds.yaml",
            "/home/envoy/lds.yaml",
        ] {
            if state["Config"]["Labels"][ROLE_LABEL] == "external-load-balancer"
                && let Some(text) = engine.read_in_container(name, path)
            {
                seen[path] = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
            }
        }
        tree.insert(short.to_owned(), seen);
    }
    let kubeconfig = fs::read_to_string(world.kubeconfig()).expect("read the kubeconfig");
    let mut kubeconfig: Value = serde_yaml::from_str(&kubeconfig).expect("the kubeconfig is YAML");
    let server = &mut kubeconfig["clusters"][0]["cluster"]["server"];
    let (host, port) = server
        .as_str()
        .and_then(|url| url.rsplit_once(':'))
        .expect("a URL with a port");
    *server = json!(format!("{host}:{}", inspected::port(port, &case.text)));
    tree.insert("kubeconfig".to_owned(), kubeconfig);
    if let Some(network) = &place.network {
        let text = engine.run(["network", "inspect", network]);
        let state: Value = serde_json::from_str(&text).expect("inspect prints JSON");
        tree.insert("network".to_owned(), inspected::network(&state[0]));
    }
    Value::Object(tree)
}

/// The addresses of the containers, which are others in each run, with names for them. No address comes before one that it
/// is the beginning of.
fn addresses(states: &BTreeMap<String, Value>) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = states
        .iter()
        .flat_map(|(name, state)| {
            let networks = state["NetworkSettings"]["Networks"].as_object().cloned();
            networks
                .unwrap_or_default()
                .into_iter()
                .flat_map(move |(_, network)| {
                    [("IPAddress", "ipv4"), ("GlobalIPv6Address", "ipv6")].map(|(field, family)| {
                        let address = network[field].as_str().unwrap_or_default().to_owned();
                        (address, format!("{family}-of-{name}"))
                    })
                })
        })
        .filter(|(address, _)| !address.is_empty())
        .collect();
    found.sort_by_key(|(address, _)| std::cmp::Reverse(address.len()));
    found
}

fn with_names(text: &str, addresses: &[(String, String)]) -> String {
    addresses.iter().fold(text.to_owned(), |text, (address, name)| {
        text.replace(address, name)
    })
}

/// kubeadm's documents by their kind.
fn documents(text: &str) -> Value {
    let documents: Vec<Value> =
        serde_yaml::from_multiple(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let mut tree = Map::new();
    for mut document in documents.into_iter().filter(|document| !document.is_null()) {
        let kind = document["kind"]
            .as_str()
            .expect("a document has a kind")
            .to_owned();
        name_arguments(&mut document);
        let before = tree.insert(kind, document);
        assert!(before.is_none(), "two documents of one kind in\n{text}");
    }
    Value::Object(tree)
}

/// Turns lists of names and values into maps of lists, so that the order, which has no meaning, is not compared.
fn name_arguments(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                if let (true, Value::Array(list)) = (key.ends_with("xtraArgs"), &*value) {
                    let mut named = Map::new();
                    for argument in list {
                        let name = argument["name"].as_str().expect("an argument has a name");
                        // One that is given twice has two values.
                        let values = named.entry(name).or_insert_with(|| json!([]));
                        let values = values.as_array_mut().expect("it was made an array");
                        values.push(as_set(name, &argument["value"]));
                    }
                    *value = Value::Object(named);
                } else if let (true, Value::Object(arguments)) = (key.ends_with("xtraArgs"), &mut *value) {
                    for (name, value) in arguments {
                        *value = as_set(name, value);
                    }
                } else if key.ends_with("xtraArgs") && value.is_null() {
                    // No arguments, written in another way.
                    *value = json!({});
                } else {
                    name_arguments(value);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(name_arguments),
        _ => {}
    }
}

/// An argument as it can be compared: labels come in another order each time.
fn as_set(name: &str, value: &Value) -> Value {
    let (true, Some(text)) = (name == "node-labels", value.as_str()) else {
        return value.clone();
    };
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    Value::Object(
        pairs
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect(),
    )
}

fn containerd(text: &str) -> Value {
    let table: toml::Table = toml::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    serde_json::to_value(table).expect("TOML fits into JSON")
}
