//! Stand-ins for engines, for tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::exec::Engine;

/// A program that answers as a piece of shell says and writes down how it was called.
pub(crate) struct StandIn {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl StandIn {
    /// Makes a program of this name; in `shell`, `$1` is the subcommand.
    pub(crate) fn new(name: &str, shell: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join(name);
        fs::write(
            &program,
            format!("#!/bin/sh\necho \"$*\" >>\"$0.calls\"\n{shell}\n"),
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder, program }
    }

    /// The engine that calls it.
    pub(crate) fn engine(&self) -> Engine {
        Engine::new(&self.program)
    }

    /// The arguments of each call so far, a line each.
    pub(crate) fn calls(&self) -> String {
        let name = format!("{}.calls", self.engine().name());
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}
