//! The world of a test that makes clusters.

use std::env;
use std::fs::{File, OpenOptions};
use std::ops::Deref;
use std::thread;
use std::time::Duration;

use crate::common::{TestEnvironment, node_image};

/// How many tests may make clusters at a time. A create waits much, so that two cores serve two tests well.
const SLOTS: [&str; 2] = ["first", "second"];

/// A [`TestEnvironment`] with an engine that has the node image, and a turn of the machine to make clusters.
pub struct World {
    // Dropped in this order: the clusters go before the turn does.
    environment: TestEnvironment,
    _turn: Vec<File>,
}

impl World {
    /// Waits for one of the turns, also where another run of the tests is at work.
    pub fn new() -> Self {
        Self::of(TestEnvironment::with_engine())
    }

    /// Waits until it has the machine for itself: for tests that measure.
    pub fn alone() -> Self {
        let environment = TestEnvironment::with_engine();
        environment.engine().require_image(&node_image());
        // Always in this order, so that no two can wait for each other.
        let turn = SLOTS.map(|name| {
            let file = slot(name);
            file.lock().expect("wait for a turn");
            file
        });
        Self {
            environment,
            _turn: turn.into(),
        }
    }

    /// The same as [`World::new`], with the engine's calls written down.
    pub fn recorded() -> Self {
        Self::of(TestEnvironment::with_engine().recorded())
    }

    fn of(environment: TestEnvironment) -> Self {
        environment.engine().require_image(&node_image());
        let taken = loop {
            if let Some(slot) = SLOTS.map(slot).into_iter().find(|slot| slot.try_lock().is_ok()) {
                break slot;
            }
            thread::sleep(Duration::from_millis(200));
        };
        Self {
            environment,
            _turn: vec![taken],
        }
    }
}

impl Deref for World {
    type Target = TestEnvironment;

    fn deref(&self) -> &TestEnvironment {
        &self.environment
    }
}

fn slot(name: &str) -> File {
    let name = format!("kindr-tests-{}-{name}.lock", nix::unistd::getuid());
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(env::temp_dir().join(name))
        .expect("open a lock of the tests")
}
