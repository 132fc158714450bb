//! Patches of the kubeadm documents.

use json_patch::PatchOperation;
use serde_json::{Value, json};

use super::args::Style;
use super::error::{PatchError, PatchFault};
use super::field::{PatchField, PatchList};
use super::kinds::{KUBEADM, Kind, check_present};
use super::{merge, operations, read, versions};
use crate::config::ClusterConfig;
use crate::config::types::PatchJson6902;

/// One level's patches, read: the cluster's, or those of one node.
#[derive(Debug, Clone, Default)]
pub(super) struct Level {
    merges: Vec<Merge>,
    operations: Vec<Operations>,
}

#[derive(Debug, Clone)]
struct Merge {
    field: PatchField,
    line: Option<u64>,
    kind: Kind,
    /// Empty for any.
    api_version: String,
    value: Value,
}

#[derive(Debug, Clone)]
struct Operations {
    field: PatchField,
    kind: Kind,
    /// Empty for any.
    version: String,
    operations: Vec<PatchOperation>,
}

impl Level {
    /// Reads the patches of a level: the node at a position of the file, or the cluster. Patches that are wrong by
    /// themselves, or that no node can have a document for, are told in `errors`.
    pub(super) fn read(config: &ClusterConfig, node: Option<usize>, errors: &mut Vec<PatchError>) -> Self {
        let (merges, operations) = match node.map(|at| config.nodes.get(at)) {
            None => (
                &config.kubeadm_config_patches,
                &config.kubeadm_config_patches_json6902,
            ),
            Some(Some(node)) => (
                &node.kubeadm_config_patches,
                &node.kubeadm_config_patches_json6902,
            ),
            Some(None) => return Self::default(),
        };
        let field = |list, index| PatchField { node, list, index };
        let mut level = Self::default();
        for (index, text) in merges.iter().enumerate() {
            let field = field(PatchList::Kubeadm, index);
            match read::documents(field, text) {
                Ok(documents) => level.merges.extend(documents.into_iter().filter_map(|document| {
                    let line = document.line;
                    let merge = Merge::read(config, field, document);
                    let place = |fault| PatchError::new(field, fault).at(line);
                    merge.map_err(|fault| errors.push(place(fault))).ok()
                })),
                Err(error) => errors.push(error),
            }
        }
        for (index, patch) in operations.iter().enumerate() {
            let field = field(PatchList::KubeadmJson6902, index);
            match Operations::read(config, field, patch) {
                Ok(operations) => level.operations.push(operations),
                Err(error) => errors.push(error),
            }
        }
        level
    }

    /// Applies the merge patches, then the JSON 6902 patches. Returns what the user should know.
    pub(super) fn apply(&self, documents: &mut [Value]) -> Result<Vec<String>, PatchError> {
        let mut warnings = Vec::new();
        for document in documents {
            let kind = document["kind"].as_str().unwrap_or_default();
            let Ok(kind) = Kind::named(kind) else {
                continue;
            };
            let api_version = document["apiVersion"].as_str().unwrap_or_default().to_owned();
            for patch in self.merges.iter().filter(|patch| patch.kind == kind) {
                self.merge(patch, document, &api_version, &mut warnings)?;
            }
            for patch in self.operations.iter().filter(|patch| patch.kind == kind) {
                self.operate(patch, document, &api_version)?;
            }
            // kind's documents had this for tools of the past, and patches still repeat it. kubeadm does not know it.
            if document["metadata"] == json!({"name": "config"})
                && let Some(document) = document.as_object_mut()
            {
                document.shift_remove("metadata");
            }
        }
        Ok(warnings)
    }

    fn merge(
        &self,
        patch: &Merge,
        document: &mut Value,
        api_version: &str,
        warnings: &mut Vec<String>,
    ) -> Result<(), PatchError> {
        let fail = |fault| PatchError::new(patch.field, fault).at(patch.line);
        let number = api_version
            .starts_with(KUBEADM)
            .then(|| versions::number(api_version))
            .flatten();
        let lacking = number.map_or_else(Vec::new, |number| {
            versions::lacking(patch.kind, &patch.value, number)
        });
        if !patch.api_version.is_empty() && patch.api_version != api_version {
            if self.has_twin(patch, api_version) {
                return Ok(());
            }
            if !lacking.is_empty() {
                return Err(fail(PatchFault::OtherVersion {
                    kind: patch.kind.name(),
                    patch: patch.api_version.clone(),
                    document: api_version.to_owned(),
                    advice: format!("there is no `{}` in that one", lacking.join("`, `")),
                }));
            }
        } else if !lacking.is_empty() {
            let (field, fields) = (patch.field, lacking.join("`, `"));
            warnings.push(format!(
                "{field} sets `{fields}`, which {api_version} does not have: it will be ignored"
            ));
        }
        let style = number.map(|number| if number >= 4 { Style::List } else { Style::Map });
        let mut value = patch.value.clone();
        if let Some(fields) = value.as_object_mut() {
            fields.shift_remove("apiVersion");
        }
        merge::merge(document, &value, style).map_err(fail)
    }

    /// Whether the same list has the patch for the document's version too: it is kept for other node images.
    fn has_twin(&self, patch: &Merge, api_version: &str) -> bool {
        let fields = |value: &Value| -> Vec<String> {
            let fields = value.as_object().into_iter().flat_map(|map| map.keys().cloned());
            fields.collect()
        };
        let twins: Vec<String> = self
            .merges
            .iter()
            .filter(|other| other.kind == patch.kind && other.api_version == api_version)
            .flat_map(|other| fields(&other.value))
            .collect();
        !twins.is_empty() && fields(&patch.value).iter().all(|field| twins.contains(field))
    }

    fn operate(&self, patch: &Operations, document: &mut Value, api_version: &str) -> Result<(), PatchError> {
        let version = api_version.rsplit('/').next().unwrap_or_default();
        if !patch.version.is_empty() && patch.version != version {
            let twin = |other: &Operations| other.kind == patch.kind && other.version == version;
            if self.operations.iter().any(twin) {
                return Ok(());
            }
            let advice = format!("write `version: {version}`, or leave the version out to match any");
            return Err(PatchError::new(
                patch.field,
                PatchFault::OtherVersion {
                    kind: patch.kind.name(),
                    patch: patch.version.clone(),
                    document: version.to_owned(),
                    advice,
                },
            ));
        }
        let target = format!("{} ({api_version})", patch.kind.name());
        operations::apply(document, &patch.operations, &target)
            .map_err(|fault| PatchError::new(patch.field, fault))
    }
}

impl Merge {
    fn read(config: &ClusterConfig, field: PatchField, document: read::Document) -> Result<Self, PatchFault> {
        let found = match &document.value {
            Value::Object(_) => None,
            Value::Array(_) => Some("a list"),
            _ => Some("a single value"),
        };
        if let Some(found) = found {
            return Err(PatchFault::NotAMapping { found });
        }
        let text = |field: &str| document.value[field].as_str().unwrap_or_default();
        let api_version = text("apiVersion").to_owned();
        let kind = Kind::named(text("kind"))?;
        let (group, version) = api_version.split_once('/').unwrap_or((api_version.as_str(), ""));
        kind.check(group, version)?;
        check_present(config, field.node, kind)?;
        Ok(Self {
            field,
            line: document.line,
            kind,
            api_version,
            value: document.value,
        })
    }
}

impl Operations {
    fn read(config: &ClusterConfig, field: PatchField, patch: &PatchJson6902) -> Result<Self, PatchError> {
        let fail = |fault| PatchError::new(field, fault);
        let kind = Kind::named(&patch.kind).map_err(fail)?;
        kind.check(&patch.group, &patch.version).map_err(fail)?;
        check_present(config, field.node, kind).map_err(fail)?;
        Ok(Self {
            field,
            kind,
            version: patch.version.clone(),
            operations: operations::parse(field, &patch.patch)?,
        })
    }
}
