//! A stand-in for the engine's program that writes down each call and then makes it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::which;

/// The words between two arguments in a record.
const SEPARATOR: char = '\u{1f}';

/// A folder that goes first in the PATH and holds a program named like the engine's.
pub struct Recorder {
    bin: PathBuf,
    calls: PathBuf,
}

impl Recorder {
    /// Makes a recorder below `folder`, in front of the real `program`, which need not be there.
    pub fn new(folder: &Path, program: &str) -> Self {
        Self::with(folder, program, "")
    }

    /// Makes a recorder in front of `program` that first runs `shell`, where `$1` is the subcommand.
    pub fn with(folder: &Path, program: &str, shell: &str) -> Self {
        let (bin, calls) = (folder.join("recorder"), folder.join("calls"));
        fs::create_dir_all(&bin).expect("make the recorder's folder");
        fs::create_dir_all(&calls).expect("make the folder of the calls");
        let real = which(program).map_or_else(
            || format!("echo '{program}: not found' >&2; exit 127"),
            |path| format!("exec '{}' \"$@\"", path.display()),
        );
        // One file per call: calls that run together do not mix.
        let script = format!(
            "#!/bin/sh\nprintf '%s\\037' \"$@\" > '{}'/$$\n{shell}\n{real}\n",
            calls.display()
        );
        let path = bin.join(program);
        fs::write(&path, script).expect("write the recorder");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("make the recorder a program");
        Self { bin, calls }
    }

    /// Returns the folder to put first in the PATH.
    pub fn folder(&self) -> &Path {
        &self.bin
    }

    /// Returns the arguments of each call so far, oldest first.
    pub fn calls(&self) -> Vec<Vec<String>> {
        let mut records: Vec<(SystemTime, PathBuf)> = fs::read_dir(&self.calls)
            .expect("read the folder of the calls")
            .map(|entry| {
                let entry = entry.expect("read a call");
                let written = entry.metadata().and_then(|meta| meta.modified());
                (written.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
            })
            .collect();
        records.sort();
        records
            .into_iter()
            .map(|(_, path)| {
                let text = fs::read_to_string(path).expect("read a call");
                text.trim_end_matches(SEPARATOR)
                    .split(SEPARATOR)
                    .map(str::to_owned)
                    .collect()
            })
            .collect()
    }

    /// Returns the calls that change something in the engine.
    pub fn changes(&self) -> Vec<Vec<String>> {
        self.calls()
            .into_iter()
            .filter(|call| changes_something(call))
            .collect()
    }
}

fn changes_something(call: &[String]) -> bool {
    let mut words = call
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-'));
    match words.next() {
        Some(
            "run" | "create" | "start" | "pull" | "exec" | "cp" | "load" | "import" | "rm" | "kill" | "stop",
        ) => true,
        Some("container" | "network" | "volume" | "image") => {
            matches!(
                words.next(),
                Some("run" | "create" | "start" | "pull" | "exec" | "rm" | "load" | "import" | "prune")
            )
        }
        _ => false,
    }
}
