//! Ports of the host that an engine's containers have, running or not.

use std::net::IpAddr;

/// A port of the host that a container has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The container.
    pub container: String,
    /// The host's address; unspecified for all of them.
    pub address: IpAddr,
    /// The port, or the first and the last of a range.
    pub ports: (u16, u16),
    /// `tcp`, `udp` or `sctp`.
    pub protocol: String,
}

impl Published {
    /// Whether a container that asks for this port would be in the way of this one.
    pub fn covers(&self, address: IpAddr, port: u16, protocol: &str) -> bool {
        let same_address =
            self.address == address || self.address.is_unspecified() || address.is_unspecified();
        same_address && self.protocol == protocol && (self.ports.0..=self.ports.1).contains(&port)
    }
}

/// Reads a line of `ps`: a name, a tab, and ports such as `127.0.0.1:80->8080/tcp, :::90-91->90-91/udp`.
pub(crate) fn read(line: &str) -> Vec<Published> {
    let Some((container, ports)) = line.split_once('\t') else {
        return Vec::new();
    };
    ports
        .split(',')
        .filter_map(|text| {
            let (host, node) = text.trim().split_once("->")?;
            let (address, ports) = host.rsplit_once(':')?;
            let address = address.trim_start_matches('[').trim_end_matches(']');
            let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
            Some(Published {
                container: container.trim().to_owned(),
                address: address.parse().ok()?,
                ports: (first.parse().ok()?, last.parse().ok()?),
                protocol: node.rsplit_once('/')?.1.to_owned(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_as_each_engine_lists_them() {
        let ports = |line: &str| {
            read(line)
                .into_iter()
                .map(|p| format!("{} {} {:?} {}", p.container, p.address, p.ports, p.protocol))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            ports("a\t0.0.0.0:18097->80/tcp, [::]:18097->80/tcp, 53/udp"),
            ["a 0.0.0.0 (18097, 18097) tcp", "a :: (18097, 18097) tcp"]
        );
        assert_eq!(
            ports("b\t127.0.0.1:18090-18092->90-92/udp, ::1:18093->93/tcp"),
            ["b 127.0.0.1 (18090, 18092) udp", "b ::1 (18093, 18093) tcp"]
        );
        assert!(ports("c\t").is_empty());
    }

    #[test]
    fn all_addresses_clash_with_each() {
        let port = &read("a\t0.0.0.0:80-82->80-82/tcp")[0];
        let local = "127.0.0.1".parse().unwrap();
        assert!(port.covers(local, 81, "tcp"));
        assert!(!port.covers(local, 83, "tcp"));
        assert!(!port.covers(local, 81, "udp"));
        let port = &read("a\t127.0.0.1:80->80/tcp")[0];
        assert!(port.covers("0.0.0.0".parse().unwrap(), 80, "tcp"));
        assert!(!port.covers("127.0.0.2".parse().unwrap(), 80, "tcp"));
    }
}
