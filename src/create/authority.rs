//! The cluster's authorities, on their way from the first control plane to the others.

use std::io::Read;

use super::context::{Context, FILE, Failed};
use super::error::Cause;

/// What control planes share: the authorities of the API, of its front proxy and of etcd, and the keys that sign service
/// accounts. kubeadm makes everything else on each of them.
const SHARED: [&str; 8] = [
    "etc/kubernetes/pki/ca.crt",
    "etc/kubernetes/pki/ca.key",
    "etc/kubernetes/pki/front-proxy-ca.crt",
    "etc/kubernetes/pki/front-proxy-ca.key",
    "etc/kubernetes/pki/sa.pub",
    "etc/kubernetes/pki/sa.key",
    "etc/kubernetes/pki/etcd/ca.crt",
    "etc/kubernetes/pki/etcd/ca.key",
];

/// Files of a node as an archive, without any engine's help but two calls.
#[derive(Debug, Clone)]
pub(super) struct Authorities(Vec<u8>);

impl Authorities {
    /// Reads them from the first control plane.
    pub(super) async fn read(ctx: &Context, node: &str) -> Result<Self, Failed> {
        let mut command = vec!["tar", "-C", "/", "-cf", "-"];
        command.extend(SHARED);
        let output = ctx.run(node, &command, &command.join(" "), None, FILE).await?;
        Ok(Self(output.stdout))
    }

    /// The archive for one other node, with its kubeadm configuration.
    pub(super) fn with_config(&self, node: &str, config: &str) -> Result<Vec<u8>, Failed> {
        self.pack(config)
            .map_err(|error| Failed::on(node, Cause::Node(format!("its files cannot be packed: {error}"))))
    }

    fn pack(&self, config: &str) -> std::io::Result<Vec<u8>> {
        let mut builder = tar::Builder::new(Vec::new());
        for entry in tar::Archive::new(self.0.as_slice()).entries()? {
            let mut entry = entry?;
            let (mut header, path) = (entry.header().clone(), entry.path()?.into_owned());
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            builder.append_data(&mut header, path, bytes.as_slice())?;
        }
        let mut header = tar::Header::new_gnu();
        header.set_size(config.len() as u64);
        header.set_mode(0o600);
        builder.append_data(&mut header, "kind/kubeadm.conf", config.as_bytes())?;
        builder.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_joins_what_was_read() {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(3);
        header.set_mode(0o600);
        builder
            .append_data(&mut header, SHARED[1], "key".as_bytes())
            .unwrap();
        let read = Authorities(builder.into_inner().unwrap());
        let packed = read.pack("kind: JoinConfiguration\n").unwrap();
        let mut archive = tar::Archive::new(packed.as_slice());
        let files: Vec<(String, u32, u64)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let path = entry.path().unwrap().display().to_string();
                (path, entry.header().mode().unwrap(), entry.size())
            })
            .collect();
        assert_eq!(
            files,
            [
                (SHARED[1].to_owned(), 0o600, 3),
                ("kind/kubeadm.conf".to_owned(), 0o600, 24)
            ]
        );
    }

    #[test]
    fn a_truncated_archive_is_an_error() {
        assert!(Authorities(vec![1; 100]).pack("x").is_err());
    }
}
