//! Names of patches, as the configuration file has them.

use std::fmt;

/// The lists of patches that a configuration has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchList {
    /// Merge patches of the kubeadm documents.
    Kubeadm,
    /// JSON 6902 patches of the kubeadm documents.
    KubeadmJson6902,
    /// Merge patches of containerd's configuration.
    Containerd,
    /// JSON 6902 patches of containerd's configuration.
    ContainerdJson6902,
}

impl PatchList {
    /// The list's name in the file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kubeadm => "kubeadmConfigPatches",
            Self::KubeadmJson6902 => "kubeadmConfigPatchesJSON6902",
            Self::Containerd => "containerdConfigPatches",
            Self::ContainerdJson6902 => "containerdConfigPatchesJSON6902",
        }
    }
}

/// Which patch of a configuration. Displayed as its path, `nodes[1].kubeadmConfigPatches[0]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatchField {
    /// The node that it is for, as a position in the file; all nodes if `None`.
    pub node: Option<usize>,
    /// The list that it stands in.
    pub list: PatchList,
    /// Its position in the list, from 0.
    pub index: usize,
}

impl fmt::Display for PatchField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(node) = self.node {
            write!(f, "nodes[{node}].")?;
        }
        write!(f, "{}[{}]", self.list.as_str(), self.index)
    }
}
