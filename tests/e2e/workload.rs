//! What runs in a cluster to see that it works: servers, a client, and a keeper of a file.

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
