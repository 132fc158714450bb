//! What holds where the file says nothing. The values are kind's.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::types::IpFamily;

/// The name of a cluster that nobody named.
pub const CLUSTER_NAME: &str = "kind";

/// What is decided outside the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// A cluster name that goes before the file's, from the command line or the environment.
    pub name: Option<String>,
    /// An image for every node that goes before the file's.
    pub image: Option<String>,
    /// The image of nodes for which neither names one.
    pub default_image: String,
}

/// Where the API server listens on the host.
#[must_use]
pub const fn api_server_address(family: IpFamily) -> IpAddr {
    match family {
        IpFamily::Ipv6 => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpFamily::Ipv4 | IpFamily::Dual => IpAddr::V4(Ipv4Addr::LOCALHOST),
    }
}

/// Where a published port is reached on the host: everywhere.
#[must_use]
pub const fn listen_address(family: IpFamily) -> IpAddr {
    match family {
        IpFamily::Ipv6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        IpFamily::Ipv4 | IpFamily::Dual => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
    }
}

/// The addresses of pods. The IPv6 range holds a /64 for each of 256 nodes.
#[must_use]
pub const fn pod_subnet(family: IpFamily) -> &'static str {
    match family {
        IpFamily::Ipv4 => "10.244.0.0/16",
        IpFamily::Ipv6 => "fd00:10:244::/56",
        IpFamily::Dual => "10.244.0.0/16,fd00:10:244::/56",
    }
}

/// The addresses of services: smaller than kubeadm's own default, whose bitmap costs etcd memory.
#[must_use]
pub const fn service_subnet(family: IpFamily) -> &'static str {
    match family {
        IpFamily::Ipv4 => "10.96.0.0/16",
        IpFamily::Ipv6 => "fd00:10:96::/112",
        IpFamily::Dual => "10.96.0.0/16,fd00:10:96::/112",
    }
}
