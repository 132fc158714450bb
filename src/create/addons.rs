//! The pod network and the storage class, from the manifests that the node image brings.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::context::{Context, Failed};
use super::error::Cause;
use super::init::{ADMIN_CONF, ControlPlane, KUBECTL};
use super::nodes::Node;

/// The words by which a manifest asks for its template fields to be filled in; kind's contract with its images.
const TEMPLATE_MARK: &str = "would you kindly template this file";
/// The words by which a manifest asks for the API server's address in its first container's environment.
const PATCH_MARK: &str = "would you kindly patch this file";

/// The storage class of images that bring none; kind's own.
const FALLBACK_STORAGE: &str = r#"
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
  annotations:
    storageclass.kubernetes.io/is-default-class: "true"
provisioner: kubernetes.io/host-path
"#;

/// Installs both with one call.
pub(super) async fn run(ctx: &Context, node: &Node, control_plane: &ControlPlane) -> Result<(), Failed> {
    let name = node.state.name.as_str();
    let mut items = Vec::new();
    if !ctx.config.networking.disable_default_cni {
        let manifest = node.files.pod_network.as_deref().ok_or_else(|| {
            Failed::on(
                name,
                Cause::Node(
                    "its image brings no pod network (/kind/manifests/default-cni.yaml); set networking.disableDefaultCNI \
                     and install one yourself"
                        .to_owned(),
                ),
            )
        })?;
        let subnet = ctx.config.networking.pod_subnet.to_string();
        let endpoint = &control_plane.facts.control_plane_endpoint;
        items.extend(pod_network(manifest, &subnet, endpoint).map_err(|reason| {
            Failed::on(
                name,
                Cause::Node(format!("default-cni.yaml of its image {reason}")),
            )
        })?);
    }
    let storage = node.files.storage.as_deref().unwrap_or(FALLBACK_STORAGE);
    items.extend(documents(storage).map_err(|reason| {
        Failed::on(
            name,
            Cause::Node(format!("default-storage.yaml of its image {reason}")),
        )
    })?);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    // The manifests come with the image: to have them validated would only make the node fetch the whole API's schema.
    let command = [
        "kubectl",
        ADMIN_CONF,
        "create",
        "--save-config",
        "--validate=false",
        "-f",
        "-",
    ];
    let shown = "kubectl create -f - (default-cni.yaml, default-storage.yaml)";
    ctx.run(name, &command, shown, Some(list.into_bytes()), KUBECTL)
        .await
        .map(drop)
}

/// The documents of the pod network's manifest with its fields filled in.
fn pod_network(manifest: &str, pod_subnet: &str, endpoint: &str) -> Result<Vec<Value>, String> {
    static FIELD: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\{\{-?\s*\.PodSubnet\s*-?\}\}").ok());
    let text = match (manifest.contains(TEMPLATE_MARK), FIELD.as_ref()) {
        (true, Some(field)) => field.replace_all(manifest, pod_subnet),
        _ => manifest.into(),
    };
    if manifest.contains(TEMPLATE_MARK) && text.contains("{{") {
        return Err("has a template field that is not known (only {{ .PodSubnet }} is)".to_owned());
    }
    let mut items = documents(&text)?;
    if manifest.contains(PATCH_MARK) {
        for item in items.iter_mut().filter(|item| item["kind"] == "DaemonSet") {
            let env = &mut item["spec"]["template"]["spec"]["containers"][0]["env"];
            let value = json!({"name": "CONTROL_PLANE_ENDPOINT", "value": endpoint});
            match env.as_array_mut() {
                Some(list) => list.push(value),
                None => *env = json!([value]),
            }
        }
    }
    Ok(items)
}

/// The documents of a manifest that hold something.
fn documents(manifest: &str) -> Result<Vec<Value>, String> {
    let documents: Vec<Value> =
        serde_yaml::from_multiple(manifest).map_err(|error| format!("is not YAML: {error}"))?;
    Ok(documents
        .into_iter()
        .filter(|document| !document.is_null())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"# would you kindly template this file
# would you kindly patch this file
---
kind: DaemonSet
spec:
  template:
    spec:
      containers:
      - name: net
        env:
        - name: POD_SUBNET
          value: {{ .PodSubnet }}
---
kind: ServiceAccount
"#;

    #[test]
    fn the_template_field_and_the_patch_are_filled_in() {
        let items = pod_network(MANIFEST, "10.244.0.0/16", "dev-control-plane:6443").unwrap();
        assert_eq!(items.len(), 2);
        let env = &items[0]["spec"]["template"]["spec"]["containers"][0]["env"];
        assert_eq!(env[0]["value"], "10.244.0.0/16");
        assert_eq!(
            env[1],
            json!({"name": "CONTROL_PLANE_ENDPOINT", "value": "dev-control-plane:6443"})
        );
    }

    #[test]
    fn a_manifest_without_the_marks_is_left_as_it_is() {
        let items = pod_network("kind: DaemonSet\nvalue: '{{ .PodSubnet }}'\n", "10.0.0.0/8", "x").unwrap();
        assert_eq!(items, [json!({"kind": "DaemonSet", "value": "{{ .PodSubnet }}"})]);
    }

    #[test]
    fn an_unknown_template_field_is_an_error() {
        let manifest = "# would you kindly template this file\nvalue: '{{ .Other }}'\n";
        assert!(
            pod_network(manifest, "10.0.0.0/8", "x")
                .unwrap_err()
                .contains("PodSubnet")
        );
    }

    #[test]
    fn the_fallback_storage_class_is_the_default_one() {
        let items = documents(FALLBACK_STORAGE).unwrap();
        assert_eq!(
            items[0]["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"],
            "true"
        );
    }
}
