//! Fields that not every version of kubeadm's documents has: where a patch has one, it cannot be translated.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::kinds::Kind;

/// Returns the number of a version of kubeadm's API, 3 for `v1beta3` or `kubeadm.k8s.io/v1beta3`.
pub(super) fn number(api_version: &str) -> Option<u8> {
    let version = api_version.rsplit('/').next().unwrap_or_default();
    version.strip_prefix("v1beta")?.parse().ok()
}

/// Fields with the versions that have them.
type Fields = &'static [(&'static str, RangeInclusive<u8>)];

const CLUSTER: Fields = &[
    ("/useHyperKubeImage", 1..=2),
    ("/dns/type", 1..=2),
    ("/apiServer/timeoutForControlPlane", 1..=3),
    ("/apiServer/extraEnvs", 4..=4),
    ("/controllerManager/extraEnvs", 4..=4),
    ("/scheduler/extraEnvs", 4..=4),
    ("/etcd/local/extraEnvs", 4..=4),
    ("/proxy", 4..=4),
    ("/dns/disabled", 4..=4),
    ("/encryptionAlgorithm", 4..=4),
    ("/certificateValidityPeriod", 4..=4),
    ("/caCertificateValidityPeriod", 4..=4),
];

const INIT: Fields = &[
    ("/skipPhases", 3..=4),
    ("/patches", 3..=4),
    ("/nodeRegistration/imagePullPolicy", 3..=4),
    ("/nodeRegistration/imagePullSerial", 4..=4),
    ("/timeouts", 4..=4),
    ("/dryRun", 4..=4),
];

const JOIN: Fields = &[
    ("/skipPhases", 3..=4),
    ("/patches", 3..=4),
    ("/nodeRegistration/imagePullPolicy", 3..=4),
    ("/nodeRegistration/imagePullSerial", 4..=4),
    ("/discovery/timeout", 1..=3),
    ("/timeouts", 4..=4),
    ("/dryRun", 4..=4),
];

/// Returns the fields of a patch, `apiServer.timeoutForControlPlane`, that documents of this version lack.
pub(super) fn lacking(kind: Kind, patch: &Value, version: u8) -> Vec<String> {
    let fields = match kind {
        Kind::Cluster => CLUSTER,
        Kind::Init => INIT,
        Kind::Join => JOIN,
        Kind::Kubelet | Kind::KubeProxy => return Vec::new(),
    };
    fields
        .iter()
        .filter(|(path, versions)| {
            !versions.contains(&version) && patch.pointer(path).is_some_and(|value| !value.is_null())
        })
        .map(|(path, _)| path.trim_start_matches('/').replace('/', "."))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(number("kubeadm.k8s.io/v1beta4"), Some(4));
        assert_eq!(number("v1beta2"), Some(2));
        assert_eq!(number("v1alpha1"), None);
    }

    #[test]
    fn fields_of_other_versions() {
        let patch = json!({"apiServer": {"timeoutForControlPlane": "10m", "extraArgs": {}}, "proxy": null});
        assert_eq!(
            lacking(Kind::Cluster, &patch, 4),
            ["apiServer.timeoutForControlPlane"]
        );
        assert!(lacking(Kind::Cluster, &patch, 3).is_empty());
        assert_eq!(lacking(Kind::Join, &json!({"timeouts": {}}), 3), ["timeouts"]);
    }
}
