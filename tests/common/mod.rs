//! The harness of the tests that drive the program from outside.
//!
//! A test makes a [`TestEnvironment`], says what it runs and what it expects, and lets go of it: the environment removes
//! what the test left in the engine.
//!
//! ```ignore
//! let env = TestEnvironment::new();
//! env.run(["get", "nodes", "--name", "nobody"]).mentions(["nobody"]).succeeds();
//! ```
//!
//! Every run has a time limit, a home folder of its own and an environment with nothing in it but what the engine's
//! client needs. Its exit code, stdout and stderr are all checked: stdout is expected to be empty unless the test says
//! otherwise, and rules that hold for every run (no colours on a pipe, no panic) are looked at without being asked for.
//!
//! # The test is tested
//!
//! The program under test is `kindr` of this build, or what `KINDR_TEST_BIN` names. Pointed at the real kind, the same
//! scenarios must pass, which proves that the *test* asks for the right thing. Where kindr means to be better than kind,
//! the scenario begins with [`kindr_only!`](crate::kindr_only) and a reason, and is not asserted for kind.
//!
//! # Variables
//!
//! | variable              | meaning                                  | default                                          |
//! |-----------------------|------------------------------------------|--------------------------------------------------|
//! | `KINDR_TEST_BIN`      | the program under test                   | `kindr` of this build                            |
//! | `KINDR_TEST_PROVIDER` | `docker`, `podman` or `nerdctl`          | `docker`                                         |
//! | `KINDR_TEST_IMAGE`    | the node image                           | `kindr/node:v1.34.4`                             |
//! | `KINDR_TEST_TOOLS`    | the image that test pods run             | `kindr/test-tools:v1`                            |
//! | `KINDR_TEST_KUBECTL`  | kubectl                                  | `kubectl` on the PATH                            |
//! | `KINDR_TEST_KIND`     | the real kind, for the tests with both   | the test bed's, `$KINDR_TESTBED/kind/usr/bin/kind` |
//!
//! A missing engine, image or program is a failure of the test that needs it, never a skip.

mod binary;
mod engine;
mod environment;
mod invocation;
mod process;
mod recorder;

pub use binary::{is_peer, peer, under_test};
pub use engine::{CLUSTER_LABEL, Engine, ROLE_LABEL};
pub use environment::TestEnvironment;
pub use invocation::{Invocation, Started};
pub use process::{Finished, Process};
pub use recorder::Recorder;

use std::env;
use std::path::{Path, PathBuf};

/// Leaves the test when the program under test is the real kind, which is known to be at fault here.
#[macro_export]
macro_rules! kindr_only {
    ($reason:literal) => {
        if $crate::common::is_peer() {
            eprintln!("not asserted for kind: {}", $reason);
            return;
        }
    };
}

/// Returns the node image that clusters are made from.
pub fn node_image() -> String {
    variable("KINDR_TEST_IMAGE", "kindr/node:v1.34.4")
}

/// Returns the node image's name as the real kind finds it in an engine: with podman it takes none that was loaded for
/// anything but a name of docker's registry, unless that is said.
pub fn node_image_for_kind(engine: &Engine) -> String {
    let image = node_image();
    if engine.program() == "podman" && !image.starts_with("localhost/") {
        format!("localhost/{image}")
    } else {
        image
    }
}

/// Returns the image with a shell and a few network tools that test pods run.
pub fn tools_image() -> String {
    variable("KINDR_TEST_TOOLS", "kindr/test-tools:v1")
}

/// Returns the value of an environment variable that is set and not empty.
fn variable(name: &str, default: &str) -> String {
    env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| default.to_owned())
}

/// Returns where the test bed keeps what it built.
fn testbed() -> PathBuf {
    env::var_os("KINDR_TESTBED").map_or_else(
        || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cache/kindr-testbed"),
        PathBuf::from,
    )
}

/// Finds a program as a shell would, and gives its full path.
pub fn which(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.exists());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|candidate| is_program(candidate))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
