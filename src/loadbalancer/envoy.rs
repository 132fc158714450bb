//! Envoy with file-based discovery.
//!
//! Source: Envoy's documentation of dynamic configuration from the file system, and of HTTP health checks over TLS.
//! Paths and the admin port are those that kind's balancer has.

use serde_json::{Value, json};

use super::Balancer;

/// The folder that Envoy reads, writable by whatever user its image runs as.
const FOLDER: &str = "/home/envoy";

/// Writes the three files and runs Envoy, again if it ends: `$1` the folder, `$2` to `$4` the files' contents. Files that
/// are there already are left, as a restart must not undo what was changed in them.
const RUN: &str = r#"mkdir -p "$1" && cd "$1" || exit
put() { [ -f "$1" ] || printf '%s\n' "$2" >"$1"; }
put envoy.yaml "$2" && put cds.yaml "$3" && put lds.yaml "$4" || exit
while :; do envoy -c "$1/envoy.yaml"; sleep 1; done"#;

/// The container's arguments.
pub(super) fn command(balancer: &Balancer) -> Vec<String> {
    let text = |value: Value| value.to_string();
    let mut command: Vec<String> = ["bash", "-c", RUN, "balancer", FOLDER]
        .map(str::to_owned)
        .to_vec();
    command.extend([
        text(bootstrap(balancer)),
        text(clusters(balancer)),
        text(listeners(balancer)),
    ]);
    command
}

fn bootstrap(balancer: &Balancer) -> Value {
    let discovery = |file: &str| {
        json!({
            "resource_api_version": "V3",
            "path_config_source": {"path": format!("{FOLDER}/{file}")},
        })
    };
    json!({
        "node": {"cluster": balancer.cluster, "id": balancer.name},
        "dynamic_resources": {
            "cds_config": discovery("cds.yaml"),
            "lds_config": discovery("lds.yaml"),
        },
        "admin": {
            "access_log_path": "/dev/stdout",
            "address": {"socket_address": {"address": "0.0.0.0", "port_value": 10000}},
        },
    })
}

fn listeners(balancer: &Balancer) -> Value {
    let address = if balancer.ipv6 { "::" } else { "0.0.0.0" };
    let proxy = json!({
        "name": "envoy.filters.network.tcp_proxy",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
            "stat_prefix": "ingress_tcp",
            "cluster": "kube_apiservers",
            // A control plane that is chosen in the moment of its end refuses; the next one is tried at once.
            "max_connect_attempts": 3,
        },
    });
    json!({"resources": [{
        "@type": "type.googleapis.com/envoy.config.listener.v3.Listener",
        "name": "listener_apiserver",
        "address": {"socket_address": {"address": address, "port_value": balancer.port}},
        "filter_chains": [{"filters": [proxy]}],
    }]})
}

fn clusters(balancer: &Balancer) -> Value {
    let endpoints: Vec<Value> = balancer
        .control_planes
        .iter()
        .map(|name| {
            let address = json!({"address": name, "port_value": balancer.port});
            json!({"endpoint": {"address": {"socket_address": address}}})
        })
        .collect();
    // Out of rotation within 2 s: two failed checks, a second apart. kind's balancer takes up to 7.
    let health = json!({
        "timeout": "1s",
        "interval": "1s",
        "no_traffic_interval": "1s",
        "unhealthy_threshold": 2,
        "healthy_threshold": 1,
        "http_health_check": {"path": "/healthz"},
        "transport_socket_match_criteria": {"tls_mode": "true"},
    });
    let tls = json!({
        "name": "envoy.transport_sockets.tls",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
            // The authority is made by kubeadm, after this container.
            "common_tls_context": {"validation_context": {"trust_chain_verification": "ACCEPT_UNTRUSTED"}},
        },
    });
    json!({"resources": [{
        "@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster",
        "name": "kube_apiservers",
        "connect_timeout": "0.25s",
        "type": "STRICT_DNS",
        "dns_refresh_rate": "1s",
        "respect_dns_ttl": false,
        "lb_policy": "ROUND_ROBIN",
        "dns_lookup_family": if balancer.ipv6 { "AUTO" } else { "V4_PREFERRED" },
        // With all of them down, say so at once in place of trying one that is.
        "common_lb_config": {"healthy_panic_threshold": {"value": 0}},
        // Connections to one that is out of rotation are ended, so that their clients come back and reach another.
        "close_connections_on_host_health_failure": true,
        "health_checks": [health],
        "transport_socket_matches": [{
            "name": "health_check_tls",
            "match": {"tls_mode": "true"},
            "transport_socket": tls,
        }],
        "load_assignment": {
            "cluster_name": "kube_apiservers",
            "endpoints": [{"lb_endpoints": endpoints}],
        },
    }]})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn balancer() -> Balancer {
        Balancer {
            cluster: "dev".to_owned(),
            name: "dev-external-load-balancer".to_owned(),
            control_planes: vec!["dev-control-plane".to_owned(), "dev-control-plane2".to_owned()],
            port: 6443,
            ipv6: false,
            resolver: true,
        }
    }

    #[test]
    fn every_control_plane_is_an_endpoint_by_name() {
        let cluster = &clusters(&balancer())["resources"][0];
        let endpoints = &cluster["load_assignment"]["endpoints"][0]["lb_endpoints"];
        let address = |at: usize| &endpoints[at]["endpoint"]["address"]["socket_address"]["address"];
        assert_eq!(address(0), "dev-control-plane");
        assert_eq!(address(1), "dev-control-plane2");
        assert_eq!(
            cluster["health_checks"][0]["http_health_check"]["path"],
            "/healthz"
        );
    }

    #[test]
    fn an_ipv6_cluster_is_listened_for_on_ipv6() {
        let ipv6 = Balancer {
            ipv6: true,
            ..balancer()
        };
        let address =
            |b: &Balancer| listeners(b)["resources"][0]["address"]["socket_address"]["address"].clone();
        assert_eq!(address(&ipv6), "::");
        assert_eq!(address(&balancer()), "0.0.0.0");
    }

    #[test]
    fn nothing_of_the_configuration_is_in_the_script() {
        let command = command(&balancer());
        assert_eq!(command.len(), 8);
        assert!(!command[2].contains("dev"));
    }
}
