//! What can go wrong before kubeadm is asked.

/// Why kubeadm's configuration cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KubeadmError {
    /// The engine gave a node no address of a family that the cluster needs.
    #[error(
        "the node `{node}` has no {family} address, but the cluster's ipFamily needs one; check that the engine's network has {family} enabled"
    )]
    MissingAddress {
        /// The node.
        node: String,
        /// `IPv4` or `IPv6`.
        family: &'static str,
    },
    /// A rootless engine with a Kubernetes that does not know user namespaces.
    #[error("Kubernetes {version} cannot run with a rootless engine; use an image with 1.22 or later")]
    TooOldForRootless {
        /// The version.
        version: semver::Version,
    },
    /// The image's version file holds something else.
    #[error("`{text}` is no Kubernetes version; a node image has one such as `v1.34.4`")]
    Version {
        /// What it holds.
        text: String,
    },
    /// The operating system gives no random bytes.
    #[error("the operating system gives no random numbers for the bootstrap token: {reason}")]
    Random {
        /// What it says.
        reason: String,
    },
    /// A text is no bootstrap token. The text may be a secret with a typing error: it is not shown.
    #[error("not a bootstrap token; one looks like `abcdef.0123456789abcdef`")]
    Token,
    /// The cluster's CA certificate cannot be read.
    #[error("the cluster's CA certificate cannot be read: {reason}")]
    CaCertificate {
        /// What is wrong with it.
        reason: String,
    },
    /// A document cannot be written.
    #[error("the kubeadm configuration cannot be written as YAML: {reason}")]
    Render {
        /// What is wrong with it.
        reason: String,
    },
}
