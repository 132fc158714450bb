//! What a node image brings for kindr: its Kubernetes version and the manifests of pod network and storage class.

use std::io::Read;

use super::context::{Context, FILE, Failed, last};
use super::error::Cause;

/// The file with the version, by the node image's contract.
const VERSION: &str = "kind/version";
/// containerd's configuration.
const CONTAINERD: &str = "etc/containerd/config.toml";
/// Runs a command once containerd has been started: before, the entrypoint may still write into its configuration, and on
/// hosts with cgroup v1 a node counts as booted that early.
const WHEN_CONTAINERD_RUNS: &str = r#"n=0
until [ $n = 200 ] || systemctl is-active containerd 2>/dev/null | grep -qx -e active -e failed; do
    n=$((n + 1))
    sleep 0.1
done
exec "$@""#;

/// The folder with the manifests.
const MANIFESTS: &str = "kind/manifests";

/// What a node image brings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct NodeFiles {
    /// The Kubernetes version, as in `v1.34.4`.
    pub(super) version: String,
    /// The pod network's manifest; a template.
    pub(super) pod_network: Option<String>,
    /// The storage class's manifest.
    pub(super) storage: Option<String>,
    /// containerd's configuration, if it was asked for.
    pub(super) containerd: Option<String>,
}

impl NodeFiles {
    /// Reads all of them with one call, containerd's configuration only on demand.
    pub(super) async fn read(ctx: &Context, node: &str, containerd: bool) -> Result<Self, Failed> {
        // Old images lack a manifest: tar says so with its exit code, and the rest is still there.
        let plain = ["tar", "-C", "/", "-cf", "-", VERSION, MANIFESTS];
        let command = if containerd {
            let waiting = ["sh", "-c", WHEN_CONTAINERD_RUNS, "sh"];
            [&waiting[..], &plain, &[CONTAINERD]].concat()
        } else {
            plain.to_vec()
        };
        let mut output = ctx
            .provider
            .exec(node, &command, None, FILE)
            .await
            .map_err(|error| Failed::on(node, error))?;
        if output.stdout.is_empty() && output.stderr.is_empty() {
            // nerdctl on a busy machine may lose what a short program printed.
            output = ctx
                .provider
                .exec(node, &command, None, FILE)
                .await
                .map_err(|error| Failed::on(node, error))?;
        }
        let files = Self::parse(&output.stdout).unwrap_or_default();
        if !files.version.is_empty() {
            return Ok(files);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        // tar names the file that it does not find.
        let cause = if said.contains(VERSION) {
            Cause::Node(format!("its image has no /{VERSION}, so it is not a node image"))
        } else {
            let said: Vec<String> = said.lines().map(str::to_owned).collect();
            Cause::Command {
                command: plain.join(" "),
                code: output.status.code(),
                lines: last(&said),
            }
        };
        Err(Failed::on(node, cause))
    }

    fn parse(archive: &[u8]) -> std::io::Result<Self> {
        let mut files = Self::default();
        for entry in tar::Archive::new(archive).entries()? {
            let mut entry = entry?;
            let path = entry.path()?.to_string_lossy().into_owned();
            let mut text = String::new();
            match path.as_str() {
                VERSION => {
                    entry.read_to_string(&mut text)?;
                    files.version = text.trim().to_owned();
                }
                CONTAINERD => {
                    entry.read_to_string(&mut text)?;
                    files.containerd = Some(text);
                }
                "kind/manifests/default-cni.yaml" => {
                    entry.read_to_string(&mut text)?;
                    files.pod_network = Some(text);
                }
                "kind/manifests/default-storage.yaml" => {
                    entry.read_to_string(&mut text)?;
                    files.storage = Some(text);
                }
                _ => {}
            }
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn reads_what_is_there() {
        let bytes = archive(&[
            ("kind/version", "v1.34.4\n"),
            ("kind/manifests/default-cni.yaml", "cni"),
            ("kind/manifests/other.yaml", "other"),
        ]);
        let files = NodeFiles::parse(&bytes).unwrap();
        assert_eq!(files.version, "v1.34.4");
        assert_eq!(files.pod_network.as_deref(), Some("cni"));
        assert_eq!(files.storage, None);
    }

    #[test]
    fn a_truncated_answer_is_an_error() {
        let bytes = archive(&[("kind/version", &"v".repeat(2000))]);
        assert!(NodeFiles::parse(&bytes[..1000]).is_err());
    }
}
