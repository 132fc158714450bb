//! What the name of a node image tells.

use semver::Version;

use crate::kubeadm::kubernetes_version;

/// The Kubernetes version in an image's tag, if it is one: `kindest/node:v1.34.4@sha256:...`.
#[must_use]
pub fn version_of(image: &str) -> Option<Version> {
    let name = image.split('@').next()?;
    let (_, tag) = name.rsplit('/').next()?.split_once(':')?;
    // A tag cannot hold the `+` before a version's build; `_` is the custom in its place.
    kubernetes_version(&tag.replace('_', "+")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_in_tags() {
        let version = |image| version_of(image).map(|v| v.to_string()).unwrap_or_default();
        assert_eq!(version("kindest/node:v1.37.0@sha256:abc"), "1.37.0");
        assert_eq!(version("localhost:5000/node:v1.34.4"), "1.34.4");
        assert_eq!(version("node:v1.36.0-alpha.1_abc"), "1.36.0-alpha.1+abc");
        for image in [
            "node",
            "node:latest",
            "localhost:5000/node",
            "node@sha256:abc",
            "",
        ] {
            assert_eq!(version(image), "", "{image}");
        }
    }
}
