//! The command line, from outside: what is printed where, exit codes, and what bad input leads to.
//!
//! No test here makes a cluster. Those that need an engine are in modules named `with_engine`, so that a machine without
//! one runs the rest with `cargo test --test cli -- --skip with_engine`.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "../common/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests on real clusters use the rest")]
mod common;

mod config;
mod create;
mod delete;
mod doctor;
mod engines;
mod get;
mod root;
