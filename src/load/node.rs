//! A node's containerd: which images it has, and how it gets others.

use std::collections::BTreeMap;
use std::time::Duration;

use kindr_providers::{Call, Output, Provider};
use serde::Deserialize;

use super::{LOAD, LoadError};

/// Time limit for questions and names.
const QUICK: Duration = Duration::from_secs(60);

/// Lists the images. A containerd that was started just now takes a moment to answer, up to ten seconds here.
const LIST: &str = r"n=0
until crictl images --output json 2>/dev/null; do
    n=$((n + 1))
    if [ $n = 50 ]; then exec crictl images --output json; fi
    sleep 0.2
done";

/// Reads an archive. Layers are unpacked where the node's own snapshotter looks for them.
const IMPORT: &str = r#"snapshotter=$(sed -n 's/^ *snapshotter = "\(.*\)"/\1/p' /etc/containerd/config.toml | head -n 1)
exec ctr --namespace=k8s.io images import --snapshotter="${snapshotter:-overlayfs}" -"#;

#[derive(Deserialize)]
struct List {
    images: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    id: String,
    #[serde(default)]
    repo_tags: Vec<String>,
}

/// The images of a node: names by id.
#[derive(Debug, Default)]
pub(super) struct Present(BTreeMap<String, Vec<String>>);

impl Present {
    /// Asks a node which images it has.
    pub(super) async fn ask(provider: &dyn Provider, node: &str) -> Result<Self, LoadError> {
        let output = check(node, provider.exec(node, &["sh", "-c", LIST], None, QUICK).await?)?;
        Self::read(&output.stdout).map_err(|reason| LoadError::Unreadable {
            node: node.to_owned(),
            reason,
        })
    }

    fn read(json: &[u8]) -> Result<Self, String> {
        let list: List = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let images = list.images.into_iter();
        Ok(Self(images.map(|image| (image.id, image.repo_tags)).collect()))
    }

    /// A name by which the node's containerd finds the image of this id, if it has it.
    pub(super) fn name_of(&self, id: &str) -> Option<&str> {
        let (id, names) = self.0.get_key_value(id)?;
        // One without other names is known by its id.
        Some(names.first().unwrap_or(id))
    }

    /// Whether the node has the image by this name.
    pub(super) fn has(&self, id: &str, name: &str) -> bool {
        self.0
            .get(id)
            .is_some_and(|names| names.iter().any(|found| found == name))
    }
}

/// The call by which a node reads an archive from its standard input.
pub(super) fn import(provider: &dyn Provider, node: &str) -> Call {
    provider.exec_fed(node, &["sh", "-c", IMPORT], LOAD)
}

/// Gives an image of a node another name, also where another image has that.
pub(super) async fn tag(provider: &dyn Provider, node: &str, from: &str, to: &str) -> Result<(), LoadError> {
    let command = ["ctr", "--namespace=k8s.io", "images", "tag", "--force", from, to];
    check(node, provider.exec(node, &command, None, QUICK).await?).map(drop)
}

/// The output of a program that has to succeed in a node.
pub(super) fn check(node: &str, output: Output) -> Result<Output, LoadError> {
    if output.status.success() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    Err(LoadError::Node {
        node: node.to_owned(),
        lines: lines[lines.len().saturating_sub(8)..].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_crictl_lists() {
        let json = br#"{"images":[
            {"id":"sha256:aa","repoTags":["docker.io/library/web:v1","docker.io/library/web:v2"],"size":"1"},
            {"id":"sha256:bb","repoTags":[],"repoDigests":[]}]}"#;
        let present = Present::read(json).unwrap();
        assert!(present.has("sha256:aa", "docker.io/library/web:v2"));
        assert!(!present.has("sha256:aa", "docker.io/library/web:v3"));
        assert_eq!(present.name_of("sha256:bb"), Some("sha256:bb"));
        assert_eq!(present.name_of("sha256:cc"), None);
        assert!(Present::read(b"no").is_err());
    }
}
