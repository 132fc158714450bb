//! The cluster's nodes, as far as the network needs to know them.

use std::collections::BTreeMap;
use std::net::IpAddr;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::routes::{Route, family_of};

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Node {
    pub addresses: Vec<IpAddr>,
    pub pod_ranges: Vec<String>,
}

/// Whether an event changed anything that matters here. Most only tell that a node is still alive.
#[derive(Debug, PartialEq)]
pub enum Change {
    Some,
    None,
}

#[derive(Debug, Default)]
pub struct Nodes(BTreeMap<String, Node>);

impl Nodes {
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.0.get(name)
    }

    pub fn put(&mut self, object: &Value) -> Result<Change> {
        let name = name_of(object)?;
        let node = parse(object);
        let changed = self.0.get(name) != Some(&node);
        self.0.insert(name.to_owned(), node);
        Ok(if changed { Change::Some } else { Change::None })
    }

    /// Takes in an event of a watch. One that tells of an error ends the watch: the usual error is that the watch started
    /// at a version too old, and the cure is a new list.
    pub fn take(&mut self, event: &Value) -> Result<Change> {
        let object = &event["object"];
        match event["type"].as_str() {
            Some("ADDED" | "MODIFIED") => self.put(object),
            Some("DELETED") => {
                let known = self.0.remove(name_of(object)?).is_some();
                Ok(if known { Change::Some } else { Change::None })
            }
            Some("BOOKMARK") => Ok(Change::None),
            other => bail!(
                "the watch ended with {}: {}",
                other.unwrap_or("no type"),
                object["message"]
            ),
        }
    }

    /// The routes that a node needs: to each pod range of every other node, by that node's address of the same family.
    pub fn routes_from(&self, own_name: &str) -> Vec<Route> {
        let others = self.0.iter().filter(|(name, _)| *name != own_name);
        others
            .flat_map(|(_, node)| {
                node.pod_ranges.iter().filter_map(|range| {
                    let family = family_of(range)?;
                    let gateway = node
                        .addresses
                        .iter()
                        .find(|address| address.is_ipv6() == family.is_ipv6())?;
                    Some(Route {
                        range: range.clone(),
                        gateway: *gateway,
                    })
                })
            })
            .collect()
    }
}

fn name_of(object: &Value) -> Result<&str> {
    object["metadata"]["name"].as_str().context("a node has no name")
}

fn parse(object: &Value) -> Node {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let addresses = list(&object["status"]["addresses"]);
    let internal = addresses.iter().filter(|address| address["type"] == "InternalIP");
    Node {
        addresses: internal
            .filter_map(|address| address["address"].as_str()?.parse().ok())
            .collect(),
        pod_ranges: list(&object["spec"]["podCIDRs"])
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn node(name: &str, addresses: &[&str], ranges: &[&str]) -> Value {
        let mut all = vec![json!({"type": "Hostname", "address": name})];
        all.extend(
            addresses
                .iter()
                .map(|address| json!({"type": "InternalIP", "address": address})),
        );
        json!({"metadata": {"name": name}, "spec": {"podCIDRs": ranges}, "status": {"addresses": all}})
    }

    fn event(kind: &str, object: &Value) -> Value {
        json!({"type": kind, "object": object})
    }

    #[test]
    fn routes_lead_to_other_nodes_by_the_same_family() {
        let mut nodes = Nodes::default();
        for (name, last) in [("a", "2"), ("b", "3")] {
            let addresses = [format!("172.18.0.{last}"), format!("fc00::{last}")];
            let ranges = [format!("10.244.{last}.0/24"), format!("fd00:10:244:{last}::/64")];
            let object = node(
                name,
                &addresses.each_ref().map(String::as_str),
                &ranges.each_ref().map(String::as_str),
            );
            assert_eq!(nodes.put(&object).ok(), Some(Change::Some));
        }
        let routes = nodes.routes_from("a");
        let shown: Vec<String> = routes
            .iter()
            .map(|route| format!("{} via {}", route.range, route.gateway))
            .collect();
        assert_eq!(
            shown,
            ["10.244.3.0/24 via 172.18.0.3", "fd00:10:244:3::/64 via fc00::3"]
        );
    }

    #[test]
    fn a_node_without_ranges_or_a_matching_address_gets_no_route() {
        let mut nodes = Nodes::default();
        for object in [
            node("a", &["172.18.0.2"], &[]),
            node("b", &["172.18.0.3"], &["fd00::/64"]),
            node("c", &[], &["10.0.0.0/24"]),
        ] {
            assert!(nodes.put(&object).is_ok());
        }
        assert_eq!(nodes.routes_from("own"), []);
    }

    #[test]
    fn only_what_matters_is_a_change() {
        let mut nodes = Nodes::default();
        let mut object = node("a", &["172.18.0.2"], &["10.244.0.0/24"]);
        assert_eq!(nodes.take(&event("ADDED", &object)).ok(), Some(Change::Some));
        object["status"]["conditions"] = json!([{"type": "Ready"}]);
        assert_eq!(nodes.take(&event("MODIFIED", &object)).ok(), Some(Change::None));
        assert_eq!(
            nodes.take(&event("BOOKMARK", &json!({}))).ok(),
            Some(Change::None)
        );
        assert_eq!(nodes.take(&event("DELETED", &object)).ok(), Some(Change::Some));
        assert_eq!(nodes.take(&event("DELETED", &object)).ok(), Some(Change::None));
        assert!(nodes.get("a").is_none());
    }

    #[test]
    fn an_error_ends_the_watch() {
        let gone = event(
            "ERROR",
            &json!({"code": 410, "message": "too old resource version"}),
        );
        let message = Nodes::default().take(&gone).map_err(|error| error.to_string());
        assert_eq!(
            message,
            Err("the watch ended with ERROR: \"too old resource version\"".to_owned())
        );
        assert!(Nodes::default().take(&json!({})).is_err());
    }
}
