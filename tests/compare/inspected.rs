//! What the engine says of containers and networks, without what changes from run to run.

use serde_json::{Map, Value, json};

/// What is another in each run, or tells of the engine's own house: it is left out. Everything else is compared.
const LEFT_OUT: [&str; 10] = [
    "Id",
    "Created",
    "State",
    "ResolvConfPath",
    "HostnamePath",
    "HostsPath",
    "LogPath",
    "GraphDriver",
    "Storage",
    "ImageManifestDescriptor",
];

/// The same, of a container's place in a network.
const LEFT_OUT_OF_ENDPOINTS: [&str; 2] = ["NetworkID", "EndpointID"];

/// Addresses of a container's place in a network: whether there is one is compared.
const ADDRESSES: [&str; 5] = [
    "IPAddress",
    "MacAddress",
    "Gateway",
    "GlobalIPv6Address",
    "IPv6Gateway",
];

/// Returns what `inspect` says of a container.
pub fn container(state: &Value, config: &str) -> Value {
    let mut state = state.clone();
    let id = state["Id"].as_str().unwrap_or_default().to_owned();
    let running = state["State"]["Status"].clone();
    if let Some(fields) = state.as_object_mut() {
        fields.retain(|field, _| !LEFT_OUT.contains(&field.as_str()));
    }
    state["Status"] = running;
    state["Config"]["Env"] = environment(&state["Config"]["Env"]);
    state["HostConfig"]["Binds"] = binds(&state["HostConfig"]["Binds"]);
    state["Mounts"] = mounts(&state["Mounts"]);
    pick_ports(&mut state["HostConfig"]["PortBindings"], config);
    let settings = &mut state["NetworkSettings"];
    pick_ports(&mut settings["Ports"], config);
    if let Some(fields) = settings.as_object_mut() {
        fields.retain(|field, _| !field.starts_with("Sandbox"));
    }
    if let Some(networks) = settings["Networks"].as_object_mut() {
        networks.values_mut().for_each(|endpoint| place(endpoint, &id));
    }
    state
}

/// Returns what `inspect` says of a network.
pub fn network(state: &Value) -> Value {
    let mut state = state.clone();
    if let Some(fields) = state.as_object_mut() {
        fields.retain(|field, _| !["Id", "Created", "Containers", "Status"].contains(&field.as_str()));
    }
    // The engine picks the range of the one family, and we that of the other.
    for range in state["IPAM"]["Config"].as_array_mut().into_iter().flatten() {
        if range["Subnet"]
            .as_str()
            .is_some_and(|subnet| subnet.contains('.'))
        {
            *range = json!("picked");
        }
    }
    state
}

/// A port of the host as it can be compared: one that was picked is another each time.
pub fn port(text: &str, config: &str) -> String {
    let given = config
        .split(|letter: char| !letter.is_ascii_digit())
        .any(|word| word == text);
    if given || ["", "0"].contains(&text) {
        text.to_owned()
    } else {
        "picked".to_owned()
    }
}

fn pick_ports(bindings: &mut Value, config: &str) {
    for list in bindings.as_object_mut().into_iter().flat_map(Map::values_mut) {
        for binding in list.as_array_mut().into_iter().flatten() {
            let text = binding["HostPort"].as_str().unwrap_or_default();
            binding["HostPort"] = json!(port(text, config));
        }
        if let Some(list) = list.as_array_mut() {
            list.sort_by_key(Value::to_string);
        }
    }
}

/// The environment by name. What needs no proxy is a set.
fn environment(list: &Value) -> Value {
    let pairs = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut named = Map::new();
    for (name, value) in pairs {
        let value = if name.eq_ignore_ascii_case("NO_PROXY") {
            let mut parts: Vec<_> = value.split(',').collect();
            parts.sort_unstable();
            json!(parts)
        } else {
            json!(value)
        };
        let before = named.insert(name.to_owned(), value);
        assert!(before.is_none(), "{name} is set twice: {list}");
    }
    Value::Object(named)
}

/// The mounts that were asked for, by their place in the container: their order changes from run to run.
fn binds(list: &Value) -> Value {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    let named = texts.map(|text| {
        let target = text.split(':').nth(1).unwrap_or(text);
        (target.to_owned(), json!(text))
    });
    Value::Object(named.collect())
}

/// The mounts by their place in the container. Volumes without a name have another one each time.
fn mounts(list: &Value) -> Value {
    let mut named = Map::new();
    for mount in list.as_array().into_iter().flatten() {
        let mut mount = mount.clone();
        if mount["Type"] == "volume" {
            for field in ["Name", "Source"] {
                let is_hash = mount[field].as_str().is_some_and(|text| text.len() >= 64);
                mount[field] = json!(if is_hash { "unnamed" } else { "named" });
            }
        }
        let target = mount["Destination"].as_str().unwrap_or_default().to_owned();
        named.insert(target, mount);
    }
    Value::Object(named)
}

fn place(endpoint: &mut Value, id: &str) {
    if let Some(fields) = endpoint.as_object_mut() {
        fields.retain(|field, _| !LEFT_OUT_OF_ENDPOINTS.contains(&field.as_str()));
    }
    for field in ADDRESSES {
        let there = endpoint[field].as_str().is_some_and(|text| !text.is_empty());
        endpoint[field] = json!(if there { "there" } else { "absent" });
    }
    // A container is also known by the beginning of its id.
    for field in ["Aliases", "DNSNames"] {
        if let Some(list) = endpoint[field].as_array_mut() {
            list.retain(|name| !name.as_str().is_some_and(|name| id.starts_with(name)));
        }
    }
}
