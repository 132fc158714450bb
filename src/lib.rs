//! Local Kubernetes clusters whose nodes are containers.
//!
//! The library behind the `kindr` command: [`config`] reads what a cluster shall be, [`plan`] turns it into containers,
//! [`create`] makes them into a cluster, [`cluster`] finds and ends those that exist. Engines are the business of
//! `kindr-providers`, the terminal that of [`cli`].

pub mod cli;
pub mod cluster;
pub mod config;
pub mod create;
pub mod doctor;
pub mod env;
pub mod events;
pub mod host;
pub mod kubeadm;
pub mod kubeconfig;
pub mod load;
pub mod loadbalancer;
pub mod logs;
pub mod patch;
pub mod plan;
