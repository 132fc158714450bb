//! Whole patches on whole documents.

mod containerd;
mod early;
mod kubeadm;
mod node;

use super::*;
use crate::config::{Document, Settings};

/// A configuration with this below its head.
fn config(body: &str) -> ClusterConfig {
    let text = format!("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n{body}");
    let document = Document::from_text(text).unwrap();
    document.resolve(&Settings::default()).unwrap()
}
