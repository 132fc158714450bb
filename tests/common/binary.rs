//! Which program is being tested.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use super::process::Process;
use super::{testbed, variable};

/// Returns the program under test.
pub fn under_test() -> PathBuf {
    env::var_os("KINDR_TEST_BIN")
        .filter(|value| !value.is_empty())
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_kindr")), PathBuf::from)
}

/// Tells whether the program under test is the real kind.
pub fn is_peer() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let mut command = Command::new(under_test());
        command.arg("version");
        let finished = Process::start(command, Duration::from_secs(20)).finish();
        finished.stdout.starts_with("kind v")
    })
}

/// Returns the real kind, for the tests in which both work on the same cluster.
pub fn peer() -> PathBuf {
    let default = testbed().join("kind/usr/bin/kind");
    let path = PathBuf::from(variable("KINDR_TEST_KIND", &default.to_string_lossy()));
    assert!(
        path.exists(),
        "the real kind is not at {}: set KINDR_TEST_KIND, or let the test bed fetch it",
        path.display()
    );
    path
}
