//! Checks of the network settings.

use std::net::IpAddr;

use ipnet::IpNet;

use super::defaults;
use super::error::Problems;
use super::path::FieldPath;
use super::resolved::{NetworkConfig, Subnets};
use super::types::{IpFamily, Networking};
use super::validate::non_empty;
use super::{labels, ports};

/// Fills in and checks the network settings.
pub(super) fn check(networking: &Networking, problems: &mut Problems) -> NetworkConfig {
    let here = FieldPath::of("networking");
    let family = networking.ip_family.unwrap_or_default();
    let pod_text = non_empty(networking.pod_subnet.as_ref());
    let service_text = non_empty(networking.service_subnet.as_ref());
    let pod_subnet = check_subnets(
        pod_text.unwrap_or(defaults::pod_subnet(family)),
        family,
        &here.field("podSubnet"),
        problems,
    );
    let service_path = here.field("serviceSubnet");
    let service_subnet = check_subnets(
        service_text.unwrap_or(defaults::service_subnet(family)),
        family,
        &service_path,
        problems,
    );
    check_service_sizes(&service_subnet, &service_path, problems);
    check_overlap(
        &pod_subnet,
        &service_subnet,
        service_text.is_some(),
        &here,
        problems,
    );
    let address_path = here.field("apiServerAddress");
    let api_server_address = non_empty(networking.api_server_address.as_ref())
        .and_then(|text| ports::address(text, &address_path, problems))
        .unwrap_or(defaults::api_server_address(family));
    let port_path = here.field("apiServerPort");
    let api_server_port = ports::host_port(networking.api_server_port, &port_path, problems);
    for (at, domain) in networking.dns_search.iter().flatten().enumerate() {
        if domain.is_empty() || domain.contains(char::is_whitespace) {
            let message = format!("`{domain}` is no domain name");
            problems.add(here.field("dnsSearch").index(at), message);
        }
    }
    check_cert_sans(networking, &here.field("apiServerCertSANs"), problems);
    NetworkConfig {
        ip_family: family,
        api_server_port,
        api_server_address,
        api_server_cert_sans: networking.api_server_cert_sans.clone(),
        pod_subnet,
        service_subnet,
        disable_default_cni: networking.disable_default_cni.unwrap_or_default(),
        kube_proxy_mode: networking.kube_proxy_mode.unwrap_or_default(),
        dns_search: networking.dns_search.clone(),
    }
}

/// Checks what kubeadm takes into a certificate: addresses, and names, which may begin with `*.`.
fn check_cert_sans(networking: &Networking, path: &FieldPath, problems: &mut Problems) {
    for (at, name) in networking.api_server_cert_sans.iter().enumerate() {
        let host = name.strip_prefix("*.").unwrap_or(name);
        if name.parse::<IpAddr>().is_err() && !labels::is_domain(host) {
            let message = format!(
                "`{}` is neither an address nor a lower-case DNS name",
                name.escape_debug()
            );
            problems.add(path.index(at), message);
        }
    }
}

/// Checks that the ranges parse and suit the cluster's address families.
fn check_subnets(text: &str, family: IpFamily, path: &FieldPath, problems: &mut Problems) -> Subnets {
    let mut subnets = Vec::new();
    for part in text.split(',').map(str::trim) {
        match part.parse::<IpNet>() {
            Ok(subnet) => subnets.push(subnet),
            Err(_) => {
                let message = format!("`{part}` is no address range; write one such as `10.244.0.0/16`");
                problems.add(path.clone(), message);
                return Subnets(Vec::new());
            }
        }
    }
    let is_v6 = |net: &IpNet| matches!(net, IpNet::V6(_));
    let message = match (family, subnets.as_slice()) {
        (IpFamily::Dual, [one, other]) if is_v6(one) == is_v6(other) => Some(format!(
            "`{text}` has two ranges of one family; a dual-stack cluster needs one IPv4 and one IPv6 range"
        )),
        (IpFamily::Dual, [_, _, _, ..]) => {
            Some("a dual-stack cluster has two ranges, one IPv4 and one IPv6".to_owned())
        }
        (IpFamily::Ipv4 | IpFamily::Ipv6, [_, _, ..]) => Some(format!(
            "`{text}` is more than one range; only `ipFamily: dual` has two"
        )),
        (IpFamily::Ipv4, [net]) if is_v6(net) => Some(contradiction(net, "IPv6", family)),
        (IpFamily::Ipv6, [net]) if !is_v6(net) => Some(contradiction(net, "IPv4", family)),
        _ => None,
    };
    if let Some(message) = message {
        problems.add(path.clone(), message);
        return Subnets(Vec::new());
    }
    Subnets(subnets)
}

fn contradiction(subnet: &IpNet, is: &str, family: IpFamily) -> String {
    let family = family.as_str();
    format!("`{subnet}` is an {is} range, but `networking.ipFamily` is `{family}`; change either")
}

/// Checks what kubeadm demands of service ranges: 4 to 20 bits for the services.
fn check_service_sizes(subnets: &Subnets, path: &FieldPath, problems: &mut Problems) {
    for subnet in subnets.as_slice() {
        let bits = subnet.max_prefix_len() - subnet.prefix_len();
        let wrong = match bits {
            0..4 => "too small",
            4..=20 => continue,
            _ => "too large",
        };
        let (min, max) = (subnet.max_prefix_len() - 20, subnet.max_prefix_len() - 4);
        let message =
            format!("`{subnet}` is {wrong} for services; kubeadm takes a prefix of /{min} to /{max}");
        problems.add(path.clone(), message);
    }
}

/// Checks that pods and services do not share addresses.
fn check_overlap(
    pods: &Subnets,
    services: &Subnets,
    services_given: bool,
    here: &FieldPath,
    problems: &mut Problems,
) {
    for service in services.as_slice() {
        for pod in pods.as_slice() {
            if pod.contains(&service.network()) || service.contains(&pod.network()) {
                // Blame what the user wrote.
                let (path, default) = if services_given {
                    (here.field("serviceSubnet"), "")
                } else {
                    (here.field("podSubnet"), " (the default)")
                };
                let message = format!("pods have `{pod}` and services `{service}`{default}, which overlap");
                problems.add(path, message);
            }
        }
    }
}
