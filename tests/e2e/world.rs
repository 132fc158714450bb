//! The world of a test that makes clusters.

use std::env;
use std::fs::{File, OpenOptions};
use std::ops::Deref;

use crate::common::{TestEnvironment, node_image};

/// A [`TestEnvironment`] with an engine that has the node image, and the machine's turn to make clusters.
pub struct World {
    // Dropped in this order: the clusters go before the turn does.
    environment: TestEnvironment,
    _turn: File,
}

impl World {
    /// Waits for its turn, also where another run of the tests is at work.
    pub fn new() -> Self {
        Self::of(TestEnvironment::with_engine())
    }

    /// The same, with the engine's calls written down.
    pub fn recorded() -> Self {
        Self::of(TestEnvironment::with_engine().recorded())
    }

    fn of(environment: TestEnvironment) -> Self {
        environment.engine().require_image(&node_image());
        let name = format!("kindr-tests-{}.lock", nix::unistd::getuid());
        let turn = OpenOptions::new()
            .create(true)
            .append(true)
            .open(env::temp_dir().join(name))
            .expect("open the lock of the tests");
        turn.lock().expect("wait for the lock of the tests");
        Self {
            environment,
            _turn: turn,
        }
    }
}

impl Deref for World {
    type Target = TestEnvironment;

    fn deref(&self) -> &TestEnvironment {
        &self.environment
    }
}
