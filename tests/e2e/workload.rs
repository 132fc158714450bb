//! What runs in a cluster to see that it works: servers, a client, and a keeper of a file.

use std::collections::BTreeSet;
use std::net::Ipv6Addr;
use std::time::Duration;

use crate::cluster::{Cluster, eventually};
use crate::common::tools_image;

/// Two replicas, never on one node, that answer HTTP with their name, behind the Service `web`.
pub fn web() -> String {
    with_image(include_str!("manifests/web.yaml"))
}

/// A pod from which the others are called.
pub fn client() -> String {
    with_image(include_str!("manifests/client.yaml"))
}

/// A claim on the default storage class.
pub fn claim() -> &'static str {
    include_str!("manifests/claim.yaml")
}

/// A pod that has the claim's volume at /data.
pub fn keeper() -> String {
    with_image(include_str!("manifests/keeper.yaml"))
}

fn with_image(manifest: &str) -> String {
    manifest.replace("TOOLS_IMAGE", &tools_image())
}

/// Returns a list that kubectl gives for the replicas of `web`.
pub fn of_web(cluster: &Cluster<'_>, path: &str) -> Vec<String> {
    let output = format!("jsonpath={path}");
    let list = cluster.kubectl(["get", "pods", "--selector", "app=web", "--output", &output]);
    list.split_whitespace().map(str::to_owned).collect()
}

/// Asks for the page at `host` from the client's pod until both replicas of `web` have answered.
pub fn both_replicas_answer(cluster: &Cluster<'_>, host: &str) {
    let pods: BTreeSet<String> = of_web(cluster, "{.items[*].metadata.name}").into_iter().collect();
    // Which pod answers is a matter of chance.
    let mut answered = BTreeSet::new();
    eventually(Duration::from_secs(60), || {
        answered.insert(page(cluster, host)?);
        if answered == pods {
            Ok(())
        } else {
            Err(format!("{host} answered as {answered:?} of {pods:?}"))
        }
    });
}

/// Fetches the page of a host, with a port if need be, from the client's pod.
pub fn page(cluster: &Cluster<'_>, host: &str) -> Result<String, String> {
    let url = if host.parse::<Ipv6Addr>().is_ok() {
        format!("http://[{host}]/")
    } else {
        format!("http://{host}/")
    };
    let answer = cluster.attempt([
        "exec", "client", "--", "timeout", "5", "wget", "-q", "-O", "-", &url,
    ]);
    if answer.status.success() {
        Ok(answer.stdout.trim().to_owned())
    } else {
        Err(answer.report())
    }
}
