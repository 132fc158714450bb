//! Real clusters: what a person who runs kindr has afterwards.
//!
//! Each test makes its own cluster and takes it away; they run in any order and two at a time, which is what the
//! smallest machine bears. `common` says how the program under test, the engine and the images are chosen.
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

mod availability;
mod beyond_kind;
mod calls;
mod cluster;
mod contract;
mod failure;
mod families;
#[path = "../compare/image.rs"]
#[allow(dead_code, reason = "the comparison with kind uses the rest")]
mod image;
mod interop;
mod kubeconfig;
mod lifecycle;
mod load;
mod network;
mod patches;
mod remote;
mod side_by_side;
mod workload;
mod world;
