//! The real kind beside kindr: the same configuration to both, and what comes of it compared.
//!
//! [`containers`] makes the nodes of every file in `config-examples/` and `cases/` with both, from a node image whose
//! kubeadm and kubectl do nothing and succeed, and compares what the engine says of each container and the files that
//! were written inside. That the nodes are the same is proven by this; that Kubernetes comes up in them is for the tests
//! of `e2e`. [`verdicts`] compares which files the two refuse.
//!
//! Differences are allowed from one list alone, `allowed.yaml`, each with its reason; an entry that nothing needs is a
//! failure, too. With `KINDR_TEST_BIN` set to the real kind it is compared with itself, and no difference is allowed: this
//! proves that what is left of an observation does not change from run to run.
//!
//! What the real kind made is remembered in the test bed's folder, by everything that it depends on.
//!
//! `KINDR_TEST_CASES=mounts` runs the cases with that word in their name.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "../common/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "the tests of the command line use the rest"
)]
mod common;
#[path = "../e2e/world.rs"]
#[allow(dead_code, reason = "clusters that start use the rest")]
mod world;

mod allowed;
mod arguments;
mod case;
mod containers;
mod difference;
mod image;
mod inspected;
mod observed;
mod remembered;
mod verdicts;
