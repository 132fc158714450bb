//! The documents that can be patched.

use super::error::PatchFault;
use crate::config::{ClusterConfig, ProxyMode, Role};

/// A kind of document that kubeadm reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Cluster,
    Init,
    Join,
    Kubelet,
    KubeProxy,
}

const ALL: [Kind; 5] = [
    Kind::Cluster,
    Kind::Init,
    Kind::Join,
    Kind::Kubelet,
    Kind::KubeProxy,
];

/// kubeadm's own group.
pub(super) const KUBEADM: &str = "kubeadm.k8s.io";

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Cluster => "ClusterConfiguration",
            Self::Init => "InitConfiguration",
            Self::Join => "JoinConfiguration",
            Self::Kubelet => "KubeletConfiguration",
            Self::KubeProxy => "KubeProxyConfiguration",
        }
    }

    const fn group(self) -> &'static str {
        match self {
            Self::Cluster | Self::Init | Self::Join => KUBEADM,
            Self::Kubelet => "kubelet.config.k8s.io",
            Self::KubeProxy => "kubeproxy.config.k8s.io",
        }
    }

    const fn versions(self) -> &'static [&'static str] {
        match self {
            Self::Cluster | Self::Init | Self::Join => &["v1beta1", "v1beta2", "v1beta3", "v1beta4"],
            Self::Kubelet => &["v1beta1"],
            Self::KubeProxy => &["v1alpha1"],
        }
    }

    /// Finds the kind that a patch names.
    pub(super) fn named(name: &str) -> Result<Self, PatchFault> {
        if name.is_empty() {
            return Err(PatchFault::NoKind);
        }
        if let Some(kind) = ALL.into_iter().find(|kind| kind.name() == name) {
            return Ok(kind);
        }
        let found = name.to_owned();
        let name = name.to_lowercase();
        let near = ALL
            .into_iter()
            .map(|kind| (kind, kind.name().to_lowercase()))
            .map(|(kind, known)| {
                let begins = known.starts_with(&name) && name.len() > 3;
                (
                    if begins {
                        0
                    } else {
                        strsim::damerau_levenshtein(&known, &name)
                    },
                    kind,
                )
            })
            .filter(|(distance, _)| *distance <= 5)
            .min_by_key(|(distance, _)| *distance);
        let advice = match near {
            Some((_, kind)) => format!("did you mean `{}`?", kind.name()),
            None => format!(
                "the kinds are {}",
                ALL.map(|kind| format!("`{}`", kind.name())).join(", ")
            ),
        };
        Err(PatchFault::UnknownKind { found, advice })
    }

    /// Checks that documents of this kind can be of this group and version; empty is any.
    pub(super) fn check(self, group: &str, version: &str) -> Result<(), PatchFault> {
        if !group.is_empty() && group != self.group() {
            return Err(PatchFault::OtherGroup {
                kind: self.name(),
                found: group.to_owned(),
                expected: self.group(),
            });
        }
        if !version.is_empty() && !self.versions().contains(&version) {
            return Err(PatchFault::UnknownVersion {
                kind: self.name(),
                found: version.to_owned(),
                known: self.versions().join(", "),
            });
        }
        Ok(())
    }
}

/// Checks that a document of this kind is read by some node that a patch is for: the node at a position of the file,
/// or any of the cluster.
pub(super) fn check_present(
    config: &ClusterConfig,
    node: Option<usize>,
    kind: Kind,
) -> Result<(), PatchFault> {
    let nothing = |reason: String, advice| Err(PatchFault::NothingHere { reason, advice });
    let first = config
        .nodes
        .iter()
        .position(|node| node.role == Role::ControlPlane);
    if kind == Kind::KubeProxy && config.networking.kube_proxy_mode == ProxyMode::None {
        return nothing(
            "`kubeProxyMode` is `none`, so there is no kube-proxy".to_owned(),
            "remove the patch",
        );
    }
    match (node, kind) {
        (None, Kind::Join) if config.nodes.len() == 1 => nothing(
            "the cluster's only node does not join".to_owned(),
            "patch the InitConfiguration, or remove the patch",
        ),
        (None, _) => Ok(()),
        (Some(_), Kind::Join) if node == first => nothing(
            "this node is the first control plane, which does not join".to_owned(),
            "patch the InitConfiguration",
        ),
        (Some(_), Kind::Join) => Ok(()),
        (Some(_), _) if node == first => Ok(()),
        (Some(_), Kind::Init) => nothing(
            "this node joins, and reads no InitConfiguration".to_owned(),
            "patch the JoinConfiguration",
        ),
        (Some(_), Kind::Kubelet) => nothing(
            "this node joins, and gets its KubeletConfiguration from the cluster".to_owned(),
            "patch it for the whole cluster, or give this kubelet arguments by `nodeRegistration.kubeletExtraArgs` of its JoinConfiguration",
        ),
        (Some(_), Kind::Cluster | Kind::KubeProxy) => nothing(
            format!("this node joins, and gets the {} from the cluster", kind.name()),
            "patch it for the whole cluster",
        ),
    }
}
