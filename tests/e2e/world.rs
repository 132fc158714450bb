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
    slot: &'static str,
    _turn: Vec<File>,
}

impl World {
    /// Waits for one of the turns, also where another run of the tests is at work.
    pub fn new() -> Self {
        Self::of(TestEnvironment::with_engine())
    }

    /// The same for a test that measures, which may ask for [`World::quiet`]; one of these at a time.
    pub fn measuring() -> Self {
        let measuring = slot("measuring");
        measuring.lock().expect("wait for a turn to measure");
        let mut world = Self::new();
        world._turn.push(measuring);
        world
    }

    /// Waits until no other test makes clusters. Others wait as long as what is returned lives.
    pub fn quiet(&self) -> Vec<File> {
        let others = SLOTS.into_iter().filter(|name| *name != self.slot);
        let wait = |name| {
            let file = slot(name);
            file.lock().expect("wait for the others");
            file
        };
        others.map(wait).collect()
    }

    /// The same as [`World::new`], with the engine's calls written down.
    pub fn recorded() -> Self {
        Self::of(TestEnvironment::with_engine().recorded())
    }

    fn of(environment: TestEnvironment) -> Self {
        environment.engine().require_image(&node_image());
        let (slot, taken) = loop {
            let free = |name| Some((name, slot(name))).filter(|(_, file)| file.try_lock().is_ok());
            if let Some(found) = SLOTS.into_iter().find_map(free) {
                break found;
            }
            thread::sleep(Duration::from_millis(200));
        };
        Self {
            environment,
            slot,
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
