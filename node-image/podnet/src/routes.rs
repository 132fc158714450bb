//! Routes to the other nodes' pods. Ours carry a protocol number of their own, so that those of nodes long gone are found
//! and removed, also after a restart, and no other route is ever touched.

use std::net::IpAddr;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command::run;

const PROTOCOL: &str = "75";

#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    pub range: String,
    pub gateway: IpAddr,
}

/// The address at the front of a range, of whose family the range is.
pub fn family_of(range: &str) -> Option<IpAddr> {
    range.split('/').next()?.parse().ok()
}

pub fn apply(wanted: &[Route]) -> Result<()> {
    for family in ["-4", "-6"] {
        let wanted: Vec<&Route> = wanted
            .iter()
            .filter(|route| route.gateway.is_ipv6() == (family == "-6"))
            .collect();
        // A host without IPv6 cannot be asked for such routes, which is no matter while none is wanted.
        let present = match run("ip", &[family, "-json", "route", "show", "proto", PROTOCOL], None) {
            Ok(text) => parse(&text)?,
            Err(_) if wanted.is_empty() => continue,
            Err(error) => return Err(error),
        };
        for route in wanted.iter().filter(|route| !present.contains(route)) {
            let gateway = route.gateway.to_string();
            run(
                "ip",
                &[
                    family,
                    "route",
                    "replace",
                    &route.range,
                    "via",
                    &gateway,
                    "proto",
                    PROTOCOL,
                ],
                None,
            )?;
            println!("{} is behind {gateway}", route.range);
        }
        for route in present
            .iter()
            .filter(|route| !wanted.iter().any(|other| other.range == route.range))
        {
            run(
                "ip",
                &[family, "route", "del", &route.range, "proto", PROTOCOL],
                None,
            )?;
            println!("{} is gone", route.range);
        }
    }
    Ok(())
}

fn parse(text: &str) -> Result<Vec<Route>> {
    // With nothing to show, some versions of ip print nothing at all.
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let entries: Vec<Value> = serde_json::from_str(text).context("ip printed no JSON")?;
    let route = |entry: &Value| {
        let range = entry["dst"].as_str()?.to_owned();
        Some(Route {
            range,
            gateway: entry["gateway"].as_str()?.parse().ok()?,
        })
    };
    Ok(entries.iter().filter_map(route).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_ip_prints() {
        let text = r#"[{"dst":"10.244.1.0/24","gateway":"172.18.0.3","dev":"eth0","protocol":"75","flags":[]},
            {"dst":"10.244.2.0/24","dev":"eth0","protocol":"75","flags":[]}]"#;
        let routes = parse(text).unwrap_or_default();
        assert_eq!(
            routes,
            [Route {
                range: "10.244.1.0/24".to_owned(),
                gateway: IpAddr::from([172, 18, 0, 3])
            }]
        );
        assert!(parse("\n").is_ok_and(|routes| routes.is_empty()));
        assert!(parse("[]").is_ok_and(|routes| routes.is_empty()));
        assert!(parse("no JSON").is_err());
    }

    #[test]
    fn tells_families_apart() {
        assert!(family_of("10.244.0.0/24").is_some_and(|address| address.is_ipv4()));
        assert!(family_of("fd00:10:244::/64").is_some_and(|address| address.is_ipv6()));
        assert_eq!(family_of("nothing"), None);
    }
}
