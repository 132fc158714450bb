//! Real clusters.
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
