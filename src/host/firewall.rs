//! docker's firewall, where the nodes are another engine's.
//!
//! docker lets nothing be forwarded that it does not know. Where the kernel shows the firewall also what stays on one bridge,
//! this takes the packets that pods on two nodes send each other: an engine's own rules let through its containers'
//! addresses, and a pod's address is none of them.

use std::time::Duration;

use kindr_providers::{Call, Engine};

use super::Host;

/// What lets such packets through.
pub const REMEDY: &str = "iptables -I DOCKER-USER -m physdev --physdev-is-bridged -j ACCEPT";

/// Time limit for listing the rules.
const LIMIT: Duration = Duration::from_secs(5);

/// Whether what pods on two nodes send each other is dropped. Only root can tell; where it cannot be told, it is not.
pub async fn drops_what_pods_send(host: &Host) -> bool {
    let shown = host.number("/proc/sys/net/bridge/bridge-nf-call-iptables") == Some(1);
    if !shown || host.uid != 0 {
        return false;
    }
    let rules = Engine::new("iptables").run(Call::new(["-S"]).limit(LIMIT)).await;
    rules.is_ok_and(|output| drops(&output.text()))
}

/// Whether rules as `iptables -S` prints them drop what stays on one bridge.
fn drops(rules: &str) -> bool {
    let has = |line: &str| rules.lines().any(|rule| rule.trim() == line);
    let let_through = rules.lines().any(|rule| {
        let chain = rule.starts_with("-A DOCKER-USER ") || rule.starts_with("-A FORWARD ");
        chain && rule.ends_with("-j ACCEPT") && rule.contains("--physdev-is-bridged")
    });
    has("-P FORWARD DROP")
        && has("-N DOCKER-USER")
        && !let_through
        && !has("-A DOCKER-USER -j ACCEPT")
        && !has("-A FORWARD -j ACCEPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCKERS: &str = "-P INPUT ACCEPT\n-P FORWARD DROP\n-N DOCKER-USER\n-A FORWARD -j DOCKER-USER
-A FORWARD -i docker0 -o docker0 -j ACCEPT\n-A DOCKER-USER -j RETURN\n";

    #[test]
    fn dockers_rules_drop_unless_they_are_told_otherwise() {
        assert!(drops(DOCKERS));
        let remedy = "-A DOCKER-USER -m physdev --physdev-is-bridged -j ACCEPT";
        assert!(!drops(&format!("{DOCKERS}{remedy}\n")));
        assert!(!drops(&format!("{DOCKERS}-A DOCKER-USER -j ACCEPT\n")));
        assert!(!drops(&DOCKERS.replace("FORWARD DROP", "FORWARD ACCEPT")));
        assert!(!drops("-P FORWARD DROP\n"), "it is not docker's");
    }

    #[tokio::test]
    async fn a_host_that_does_not_filter_bridges_is_not_asked() {
        let root = tempfile::tempdir().unwrap();
        assert!(!drops_what_pods_send(&Host::below(root.path(), "root", 0)).await);
    }
}
