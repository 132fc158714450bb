//! The CNI configuration: by the plugins that nodes have, a pod gets a cable to its node, an address from the node's pod
//! ranges, and the host ports that it asks for.

use std::fs;
use std::net::IpAddr;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::routes::family_of;

pub fn render(ranges: &[String], mtu: Option<u64>) -> String {
    let everywhere = |range: &String| match family_of(range) {
        Some(address) if address.is_ipv6() => json!({"dst": "::/0"}),
        _ => json!({"dst": "0.0.0.0/0"}),
    };
    let mut cable = json!({
        "type": "ptp",
        "ipMasq": false,
        "ipam": {
            "type": "host-local",
            // Addresses in use are forgotten with the pods that used them, when the node restarts.
            "dataDir": "/run/cni-ipam-state",
            "routes": ranges.iter().map(everywhere).collect::<Vec<Value>>(),
            "ranges": ranges.iter().map(|range| json!([{"subnet": range}])).collect::<Vec<Value>>(),
        }
    });
    if let Some(mtu) = mtu {
        cable["mtu"] = mtu.into();
    }
    let ports = json!({"type": "portmap", "capabilities": {"portMappings": true}});
    json!({"cniVersion": "0.3.1", "name": "podnet", "plugins": [cable, ports]}).to_string()
}

/// Puts the configuration in place in one go: the container runtime watches the folder and must not read half a file.
pub fn write(folder: &Path, configuration: &str) -> Result<()> {
    let unfinished = folder.join(".10-podnet.unfinished");
    fs::write(&unfinished, configuration)
        .with_context(|| format!("cannot write {}", unfinished.display()))?;
    fs::rename(&unfinished, folder.join("10-podnet.conflist")).context("cannot rename the CNI configuration")
}

/// Finds the MTU of the interface with an address in what `ip -json address show` printed.
pub fn find_mtu(interfaces: &str, address: IpAddr) -> Result<Option<u64>> {
    let interfaces: Vec<Value> = serde_json::from_str(interfaces).context("ip printed no JSON")?;
    let has_address = |interface: &&Value| {
        let entries = interface["addr_info"].as_array();
        let parsed = |entry: &Value| {
            entry["local"]
                .as_str()
                .and_then(|text| text.parse::<IpAddr>().ok())
        };
        entries.is_some_and(|entries| entries.iter().any(|entry| parsed(entry) == Some(address)))
    };
    Ok(interfaces
        .iter()
        .find(has_address)
        .and_then(|interface| interface["mtu"].as_u64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(ranges: &[&str], mtu: Option<u64>) -> Value {
        let ranges: Vec<String> = ranges.iter().map(|range| (*range).to_owned()).collect();
        serde_json::from_str(&render(&ranges, mtu)).unwrap_or_default()
    }

    #[test]
    fn one_family() {
        let configuration = parsed(&["10.244.1.0/24"], Some(1450));
        assert_eq!(configuration["cniVersion"], "0.3.1");
        let cable = &configuration["plugins"][0];
        assert_eq!(cable["mtu"], 1450);
        assert_eq!(cable["ipam"]["ranges"], json!([[{"subnet": "10.244.1.0/24"}]]));
        assert_eq!(cable["ipam"]["routes"], json!([{"dst": "0.0.0.0/0"}]));
        assert_eq!(configuration["plugins"][1]["type"], "portmap");
    }

    #[test]
    fn two_families_are_two_range_sets() {
        let configuration = parsed(&["10.244.1.0/24", "fd00:10:244:1::/64"], None);
        let cable = &configuration["plugins"][0];
        assert_eq!(
            cable["ipam"]["ranges"],
            json!([[{"subnet": "10.244.1.0/24"}], [{"subnet": "fd00:10:244:1::/64"}]])
        );
        assert_eq!(
            cable["ipam"]["routes"],
            json!([{"dst": "0.0.0.0/0"}, {"dst": "::/0"}])
        );
        assert!(cable.get("mtu").is_none());
    }

    #[test]
    fn finds_the_mtu_of_the_right_interface() {
        let interfaces = r#"[{"ifname":"lo","mtu":65536,"addr_info":[{"local":"127.0.0.1"}]},
            {"ifname":"eth0","mtu":1450,"addr_info":[{"local":"172.18.0.2"},{"local":"fc00::2"}]}]"#;
        assert_eq!(
            find_mtu(interfaces, IpAddr::from([172, 18, 0, 2])).ok(),
            Some(Some(1450))
        );
        assert_eq!(
            find_mtu(interfaces, IpAddr::from([172, 18, 0, 9])).ok(),
            Some(None)
        );
    }
}
