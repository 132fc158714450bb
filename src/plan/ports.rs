//! Host ports: picked for those who leave the choice to us, and looked at for those who do not.

use std::io::ErrorKind;
use std::net::{IpAddr, TcpListener};

use kindr_providers::{Published, spec};

use super::PlanError;
use crate::config::{HostPort, Protocol};

/// Ports that are held open until their container is made, so that neither two nodes nor two clusters pick the same.
#[derive(Debug, Default)]
pub struct HeldPorts {
    listeners: Vec<TcpListener>,
    taken: Vec<Published>,
    blind: bool,
}

/// How many ports are picked before one that no container has counts as impossible to find.
const PICKS: usize = 16;

impl HeldPorts {
    /// Looks at no port and holds none: one that would be picked is left to the engine.
    pub(super) fn blind() -> Self {
        Self {
            listeners: Vec::new(),
            taken: Vec::new(),
            blind: true,
        }
    }

    /// Looks at ports, of which these are taken although nothing listens there.
    pub(super) fn beside(taken: Vec<Published>) -> Self {
        Self {
            taken,
            ..Self::default()
        }
    }

    /// The container that has a port.
    fn holder(&self, address: IpAddr, port: u16, protocol: Protocol) -> Option<String> {
        let protocol = match protocol {
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
            Protocol::Sctp => "sctp",
        };
        self.taken
            .iter()
            .find(|taken| taken.covers(address, port, protocol))
            .map(|taken| taken.container.clone())
    }

    /// A free port, held.
    fn pick(&mut self, address: IpAddr, protocol: Protocol) -> std::io::Result<u16> {
        for _ in 0..PICKS {
            let listener = TcpListener::bind((address, 0))?;
            let port = listener.local_addr()?.port();
            self.listeners.push(listener);
            if self.holder(address, port, protocol).is_none() {
                return Ok(port);
            }
        }
        Err(ErrorKind::AddrInUse.into())
    }

    /// Turns a wish into a port of the plan. `field` says where in the configuration it stands.
    ///
    /// A port that is picked is held for TCP whatever its protocol, for want of anything better for SCTP. A given port is
    /// only looked at where this machine can tell: an address that is not its own is left to the engine.
    ///
    /// # Errors
    /// The given port is in use, or none is free.
    pub fn resolve(
        &mut self,
        wish: HostPort,
        address: IpAddr,
        protocol: Protocol,
        field: &str,
    ) -> Result<spec::HostPort, PlanError> {
        match wish {
            HostPort::EngineChoice => Ok(spec::HostPort::Engine),
            HostPort::Free if self.blind => Ok(spec::HostPort::Engine),
            HostPort::Free => {
                match self.pick(address, protocol) {
                    Ok(port) => Ok(spec::HostPort::Fixed(port)),
                    // Not an address of this machine: the engine runs elsewhere and has to choose.
                    Err(error) if error.kind() == ErrorKind::AddrNotAvailable => Ok(spec::HostPort::Engine),
                    Err(source) => Err(PlanError::NoFreePort { address, source }),
                }
            }
            HostPort::Fixed(port) => {
                if let Some(holder) = self.holder(address, port, protocol) {
                    return Err(PlanError::PortInUse {
                        address,
                        port,
                        field: field.to_owned(),
                        holder: Some(holder),
                    });
                }
                if protocol == Protocol::Tcp && !self.blind {
                    match TcpListener::bind((address, port)) {
                        Ok(listener) => self.listeners.push(listener),
                        Err(error) if error.kind() == ErrorKind::AddrInUse => {
                            return Err(PlanError::PortInUse {
                                address,
                                port,
                                field: field.to_owned(),
                                holder: None,
                            });
                        }
                        // A low port needs rights that the engine may have and this process not; the engine will say.
                        Err(_) => {}
                    }
                }
                Ok(spec::HostPort::Fixed(port))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn resolve(held: &mut HeldPorts, wish: HostPort) -> Result<spec::HostPort, PlanError> {
        held.resolve(wish, LOCAL, Protocol::Tcp, "networking.apiServerPort")
    }

    #[test]
    fn picked_ports_differ_while_they_are_held() {
        let mut held = HeldPorts::default();
        let ports: Vec<_> = (0..20)
            .map(|_| resolve(&mut held, HostPort::Free).unwrap())
            .collect();
        let mut numbers: Vec<u16> = ports
            .iter()
            .map(|port| match port {
                spec::HostPort::Fixed(number) => *number,
                spec::HostPort::Engine => panic!("left to the engine"),
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 20);
    }

    #[test]
    fn a_port_in_use_is_told_with_its_field() {
        let holder = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = holder.local_addr().unwrap().port();
        let error = resolve(&mut HeldPorts::default(), HostPort::Fixed(port)).unwrap_err();
        assert!(
            error.to_string().contains(&format!("127.0.0.1:{port}")),
            "{error}"
        );
        assert!(error.to_string().contains("networking.apiServerPort"), "{error}");
    }

    #[test]
    fn a_port_that_only_a_container_has_is_in_use_too() {
        let taken = vec![Published {
            container: "dev-worker".to_owned(),
            address: LOCAL,
            ports: (1, u16::MAX),
            protocol: "udp".to_owned(),
        }];
        let mut held = HeldPorts::beside(taken);
        let error = held
            .resolve(HostPort::Fixed(18080), LOCAL, Protocol::Udp, "x")
            .unwrap_err();
        assert!(error.to_string().contains("`dev-worker` has it"), "{error}");
        assert!(held.resolve(HostPort::Free, LOCAL, Protocol::Udp, "x").is_err());
        assert!(held.resolve(HostPort::Free, LOCAL, Protocol::Tcp, "x").is_ok());
    }

    #[test]
    fn what_the_engine_shall_choose_is_left_to_it() {
        let port = resolve(&mut HeldPorts::default(), HostPort::EngineChoice).unwrap();
        assert_eq!(port, spec::HostPort::Engine);
    }

    #[test]
    fn an_address_of_another_machine_is_left_to_the_engine() {
        let elsewhere = "192.0.2.10".parse().unwrap();
        let port = HeldPorts::default()
            .resolve(HostPort::Free, elsewhere, Protocol::Tcp, "x")
            .unwrap();
        assert_eq!(port, spec::HostPort::Engine);
    }
}
