//! HAProxy, from the node image.
//!
//! Source: HAProxy's configuration manual, for resolvers, checks over TLS, and `on-marked-down`.

use std::fmt::Write;

use super::Balancer;

/// Writes the configuration, `$1`, and becomes HAProxy in its own supervision (`-W` starts a worker again that ended).
const RUN: &str = r#"printf '%s' "$1" >/tmp/haproxy.cfg && exec haproxy -W -db -f /tmp/haproxy.cfg"#;

/// The same where names come from a file that gets them when the others are made: HAProxy reads it once, so it waits for all
/// of them, which are the other arguments.
const RUN_WITH_HOSTS: &str = r#"printf '%s' "$1" >/tmp/haproxy.cfg && shift
for name; do until getent hosts "$name" >/dev/null; do sleep 0.1; done; done
exec haproxy -W -db -f /tmp/haproxy.cfg"#;

/// The container's arguments.
pub(super) fn command(balancer: &Balancer) -> Vec<String> {
    let run = if balancer.resolver { RUN } else { RUN_WITH_HOSTS };
    let mut command = vec![
        "-c".to_owned(),
        run.to_owned(),
        "balancer".to_owned(),
        configuration(balancer),
    ];
    if !balancer.resolver {
        command.extend(balancer.control_planes.iter().cloned());
    }
    command
}

/// How servers are found by asking a resolver again and again, as a control plane that is started again may have another
/// address.
const RESOLVERS: &str = "resolvers engine
  parse-resolv-conf
  resolve_retries 2
  timeout resolve 1s
  timeout retry 1s
  hold valid 1s
  hold obsolete 1s
";

fn configuration(balancer: &Balancer) -> String {
    let address = if balancer.ipv6 { "[::]" } else { "0.0.0.0" };
    let port = balancer.port;
    let prefer = if balancer.ipv6 { "ipv6" } else { "ipv4" };
    let (resolvers, find) = if balancer.resolver {
        (
            RESOLVERS,
            format!("resolvers engine init-addr none resolve-prefer {prefer}"),
        )
    } else {
        ("", "init-addr libc".to_owned())
    };
    // Checks: two failures a second apart take a control plane out, one success brings it back.
    let mut text = format!(
        "global
  log stdout format raw local0 notice
  maxconn 4000
{resolvers}defaults
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
{find}
"
    );
    for name in &balancer.control_planes {
        // Writing to a string does not fail.
        let family = if balancer.resolver {
            String::new()
        } else {
            format!("{prefer}@")
        };
        let _ = writeln!(text, "  server {name} {family}{name}:{port}");
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
            resolver: true,
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
        assert!(text.contains("resolvers engine init-addr none"), "{text}");
    }

    #[test]
    fn names_in_a_file_are_waited_for_and_read_once() {
        let command = command(&Balancer {
            cluster: "dev".to_owned(),
            name: "dev-external-load-balancer".to_owned(),
            control_planes: vec!["dev-control-plane".to_owned(), "dev-control-plane2".to_owned()],
            port: 6443,
            ipv6: true,
            resolver: false,
        });
        assert!(!command[3].contains("resolvers"), "{}", command[3]);
        assert!(
            command[3].contains("server dev-control-plane ipv6@dev-control-plane:6443\n"),
            "{}",
            command[3]
        );
        assert_eq!(command[4..], ["dev-control-plane", "dev-control-plane2"]);
    }
}
