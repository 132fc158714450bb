//! Local Kubernetes clusters whose nodes are containers.

pub mod config;
pub mod kubeadm;
pub mod kubeconfig;
