//! As much of the Kubernetes API as following nodes takes.

use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body};

use crate::nodes::Nodes;

const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const KUBELET_CONFIGURATION: &str = "/host/kubelet.conf";

/// The server ends a watch after this long. A connection that died without a word is noticed a little later.
const WATCH_SECONDS: u64 = 120;

/// Where the API may be, the best first. The address that the kubelet uses works before kube-proxy is there, which makes
/// the node ready seconds earlier; the service's address is the way out should that one be gone.
pub fn servers() -> Vec<String> {
    let kubelets = fs::read_to_string(KUBELET_CONFIGURATION)
        .ok()
        .and_then(|text| server_in(&text));
    let service = env::var("KUBERNETES_SERVICE_HOST")
        .ok()
        .zip(env::var("KUBERNETES_SERVICE_PORT").ok());
    let service = service.map(|(host, port)| service_url(&host, &port));
    let servers: Vec<String> = kubelets.into_iter().chain(service).collect();
    if servers.is_empty() {
        vec!["https://kubernetes.default.svc".to_owned()]
    } else {
        servers
    }
}

fn server_in(kubeconfig: &str) -> Option<String> {
    let value = kubeconfig
        .lines()
        .find_map(|line| line.trim().strip_prefix("server:"))?;
    let value = value.trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.trim_end_matches('/').to_owned())
}

fn service_url(host: &str, port: &str) -> String {
    if host.contains(':') {
        format!("https://[{host}]:{port}")
    } else {
        format!("https://{host}:{port}")
    }
}

pub struct Client {
    agent: Agent,
    server: String,
    token: String,
}

impl Client {
    pub fn new(server: &str) -> Result<Self> {
        let authority = fs::read(format!("{ACCOUNT}/ca.crt")).context("no service account is mounted")?;
        // Read anew for each connection: tokens are replaced while we run.
        let token =
            fs::read_to_string(format!("{ACCOUNT}/token")).context("no service account is mounted")?;
        let certificates = certificates(&authority)?;
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(certificates)))
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .proxy(None)
            .timeout_connect(Some(Duration::from_secs(5)))
            .timeout_recv_response(Some(Duration::from_secs(20)))
            .timeout_recv_body(Some(Duration::from_secs(WATCH_SECONDS + 20)))
            .build()
            .into();
        Ok(Self {
            agent,
            server: server.to_owned(),
            token: token.trim().to_owned(),
        })
    }

    /// Fills in the nodes there are now. Returns the version from which to watch.
    pub fn list(&self, nodes: &mut Nodes) -> Result<String> {
        let list: Value = serde_json::from_reader(self.get("/api/v1/nodes")?.into_reader())
            .context("cannot read the nodes")?;
        for node in list["items"].as_array().context("a list of nodes has no items")? {
            nodes.put(node)?;
        }
        let version = list["metadata"]["resourceVersion"]
            .as_str()
            .context("a list of nodes has no version")?;
        Ok(version.to_owned())
    }

    /// Hands over each event after a version, until the server has had enough.
    pub fn watch(&self, version: &str, mut take: impl FnMut(&Value) -> Result<()>) -> Result<()> {
        let query = format!(
            "watch=1&allowWatchBookmarks=true&timeoutSeconds={WATCH_SECONDS}&resourceVersion={version}"
        );
        let body = self.get(&format!("/api/v1/nodes?{query}"))?;
        for line in BufReader::new(body.into_reader()).lines() {
            let event: Value =
                serde_json::from_str(&line.context("the watch broke off")?).context("an event is no JSON")?;
            take(&event)?;
        }
        Ok(())
    }

    fn get(&self, path: &str) -> Result<Body> {
        let request = self
            .agent
            .get(format!("{}{path}", self.server))
            .header("Authorization", format!("Bearer {}", self.token));
        Ok(request.call().context("cannot ask for nodes")?.into_body())
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>> {
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        if let PemItem::Certificate(certificate) = item.context("cannot read the cluster's authority")? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        bail!("the cluster's authority has no certificate");
    }
    Ok(certificates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_server_of_the_kubelet() {
        let text = "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: c2VydmVyOg==\n    server: https://c-control-plane:6443\n  name: c\n";
        assert_eq!(server_in(text).as_deref(), Some("https://c-control-plane:6443"));
        assert_eq!(
            server_in("    server: \"https://[fc00::2]:6443/\"").as_deref(),
            Some("https://[fc00::2]:6443")
        );
        assert_eq!(server_in("kind: Config"), None);
        assert_eq!(server_in("server:"), None);
    }

    #[test]
    fn writes_the_service_as_a_url() {
        assert_eq!(service_url("10.96.0.1", "443"), "https://10.96.0.1:443");
        assert_eq!(service_url("fd00::1", "443"), "https://[fd00::1]:443");
    }

    #[test]
    fn refuses_an_authority_without_certificates() {
        assert!(certificates(b"").is_err());
        assert!(
            certificates(b"-----BEGIN CERTIFICATE-----\nno base64!\n-----END CERTIFICATE-----\n").is_err()
        );
    }
}
