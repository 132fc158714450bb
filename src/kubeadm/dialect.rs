//! What differs between Kubernetes versions. The turning points are kind's.
//!
//! A pre-release counts as its release: `1.36.0-alpha.1` is 1.36.

use semver::Version;

use super::error::KubeadmError;

/// Reads a version as node images hold it, `v1.34.4`.
///
/// # Errors
/// [`KubeadmError::Version`].
pub fn kubernetes_version(text: &str) -> Result<Version, KubeadmError> {
    let text = text.trim();
    Version::parse(text.strip_prefix('v').unwrap_or(text)).map_err(|_| KubeadmError::Version {
        text: text.to_owned(),
    })
}

/// How kubeadm's documents are written for one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    /// The documents' `apiVersion`.
    pub(super) api_version: &'static str,
    /// Whether extra arguments are a list of names and values, or a map.
    pub(super) args_are_a_list: bool,
    /// Whether the documents have `skipPhases`.
    pub(super) has_skip_phases: bool,
    /// The kubelet's cgroup driver, as the images of the time have it in containerd.
    pub(super) cgroup_driver: &'static str,
    /// Whether kubeadm itself wants the dual-stack gate.
    pub(super) dual_stack_gate: bool,
    /// Whether the kubelet refuses version 1 of cgroups unless told otherwise.
    pub(super) refuses_cgroup_v1: bool,
}

impl Dialect {
    pub(super) fn of(version: &Version) -> Self {
        let at_least = |minor| (version.major, version.minor) >= (1, minor);
        let api_version = if at_least(36) {
            "kubeadm.k8s.io/v1beta4"
        } else if at_least(23) {
            "kubeadm.k8s.io/v1beta3"
        } else {
            "kubeadm.k8s.io/v1beta2"
        };
        Self {
            api_version,
            args_are_a_list: at_least(36),
            has_skip_phases: at_least(23),
            cgroup_driver: if at_least(24) { "systemd" } else { "cgroupfs" },
            dual_stack_gate: at_least(20) && !at_least(21),
            refuses_cgroup_v1: at_least(35),
        }
    }
}

/// Whether a rootless engine can run this version.
pub(super) fn runs_rootless(version: &Version) -> bool {
    (version.major, version.minor) >= (1, 22)
}

/// Returns the phases that `kubeadm init` leaves out: the checks, which would pull images that the
/// node has already and which look for trouble that containers do not have, and the add-ons, which
/// are installed while the workers join.
#[must_use]
pub fn init_skip_phases() -> Vec<&'static str> {
    vec!["preflight", "addon"]
}

/// Returns the phases that `kubeadm join` leaves out.
#[must_use]
pub fn join_skip_phases() -> Vec<&'static str> {
    vec!["preflight"]
}

/// Whether the phases have to be given as `--skip-phases`, because the documents lack the field.
#[must_use]
pub fn skip_phases_by_flag(version: &Version) -> bool {
    !Dialect::of(version).has_skip_phases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api_version(text: &str) -> &'static str {
        let version = kubernetes_version(text).unwrap();
        Dialect::of(&version).api_version.rsplit('/').next().unwrap()
    }

    #[test]
    fn api_versions() {
        assert_eq!(api_version("v1.22.17"), "v1beta2");
        assert_eq!(api_version("v1.23.0"), "v1beta3");
        assert_eq!(api_version("v1.35.9\n"), "v1beta3");
        assert_eq!(api_version("v1.36.0-alpha.1.23+abcdef"), "v1beta4");
        assert_eq!(api_version("2.0.0"), "v1beta4");
    }

    #[test]
    fn other_texts_are_no_versions() {
        for text in ["", "v1.30", "latest"] {
            assert!(kubernetes_version(text).is_err(), "{text}");
        }
    }
}
