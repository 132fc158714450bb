//! Gives what leaves the pod network the node's address: nobody outside knows the way back to a pod.

use anyhow::Result;

use crate::command::run;
use crate::routes::family_of;

/// Sets the rules for the cluster's pod ranges, a comma separated list of at most one for each family.
pub fn apply(subnets: &str) -> Result<()> {
    let subnets: Vec<&str> = subnets
        .split(',')
        .map(str::trim)
        .filter(|subnet| !subnet.is_empty())
        .collect();
    // Kernels without nftables still exist among those that run nodes; the older tables do there.
    let Err(reason) = run("nft", &["-f", "-"], Some(&nft_rules(&subnets))) else {
        return Ok(());
    };
    eprintln!("no nftables, using iptables: {reason:#}");
    for subnet in subnets {
        let program = if is_ipv6(subnet) {
            "ip6tables-legacy"
        } else {
            "iptables-legacy"
        };
        let rule = ["POSTROUTING", "-s", subnet, "!", "-d", subnet, "-j", "MASQUERADE"];
        let with = |action: &'static str| [&["-w", "-t", "nat", action], &rule[..]].concat();
        if run(program, &with("-C"), None).is_err() {
            run(program, &with("-A"), None)?;
        }
    }
    Ok(())
}

/// One table a family, emptied and filled in one transaction. The priority puts it after kube-proxy's rules.
fn nft_rules(subnets: &[&str]) -> String {
    let table = |subnet: &&str| {
        let family = if is_ipv6(subnet) { "ip6" } else { "ip" };
        format!(
            "table {family} kindr-podnet\nflush table {family} kindr-podnet\n\
             table {family} kindr-podnet {{\n  chain leave {{\n    type nat hook postrouting priority srcnat + 5;\n    \
             {family} saddr {subnet} {family} daddr != {subnet} masquerade\n  }}\n}}\n"
        )
    };
    subnets.iter().map(table).collect()
}

fn is_ipv6(subnet: &str) -> bool {
    family_of(subnet).is_some_and(|address| address.is_ipv6())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_for_each_family() {
        let rules = nft_rules(&["10.244.0.0/16", "fd00:10:244::/56"]);
        assert!(
            rules.contains("ip saddr 10.244.0.0/16 ip daddr != 10.244.0.0/16 masquerade"),
            "{rules}"
        );
        assert!(
            rules.contains("ip6 saddr fd00:10:244::/56 ip6 daddr != fd00:10:244::/56 masquerade"),
            "{rules}"
        );
        assert_eq!(rules.matches("flush table").count(), 2);
        assert_eq!(nft_rules(&[]), "");
    }
}
