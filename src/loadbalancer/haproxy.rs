//! HAProxy, from the node image.
//!
//! Source: HAProxy's configuration manual, for resolvers, checks over TLS, and `on-marked-down`.

use std::fmt::Write;

use super::Balancer;

/// Writes the configuration, `$1`, and becomes HAProxy in its own supervision (`-W` starts a worker again that ended).
const RUN: &str = r#"printf '%s' "$1" >/tmp/haproxy.cfg && exec haproxy -W -db -f /tmp/haproxy.cfg"#;

/// The container's arguments.
pub(super) fn command(balancer: &Balancer) -> Vec<String> {
    vec![
        "-c".to_owned(),
        RUN.to_owned(),
        "balancer".to_owned(),
        configuration(balancer),
    ]
}

fn configuration(balancer: &Balancer) -> String {
    let address = if balancer.ipv6 { "[::]" } else { "0.0.0.0" };
    let port = balancer.port;
    let prefer = if balancer.ipv6 { "ipv6" } else { "ipv4" };
    // Checks: two failures a second apart take a control plane out, one success brings it back. Names are asked for
    // again and again, as a control plane that is started again may have another address.
    let mut text = format!(
        "global
  log stdout format raw local0 notice
  maxconn 4000
resolvers engine
  parse-resolv-conf
  resolve_retries 2
  timeout resolve 1s
  timeout retry 1s
  hold valid 1s
  hold obsolete 1s
defaults
  mode tcp
  log global
  option dontlognull
  option redispatch
  retries 3
  timeout connect 2s
  timeout client 24h
  timeout server 24h
  timeout check 1s
frontend api
  bind {address}:{port}
  default_backend control-planes
backend control-planes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /healthz
  http-check expect status 200
  default-server check check-ssl verify none inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions \
resolvers engine init-addr none resolve-prefer {prefer}
"
    );
    for name in &balancer.control_planes {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  server {name} {name}:{port}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_plane_is_a_server_by_name() {
        let text = configuration(&Balancer {
            cluster: "dev".to_owned(),
            name: "dev-external-load-balancer".to_owned(),
            control_planes: vec!["dev-control-plane".to_owned(), "dev-control-plane2".to_owned()],
            port: 6443,
            ipv6: false,
        });
        assert!(
            text.contains("\n  server dev-control-plane dev-control-plane:6443\n"),
            "{text}"
        );
        assert!(
            text.ends_with("  server dev-control-plane2 dev-control-plane2:6443\n"),
            "{text}"
        );
        assert!(text.contains("bind 0.0.0.0:6443"));
    }
}
