//! Ends what a killed node leaves frozen.
//!
//! With version 1 of control groups runc freezes a new container for a moment. A node that is killed in just that moment
//! takes the runc inside it along, and the half-made container stays frozen: it does not die, so neither does the node,
//! and the engine gives up after ten seconds.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

/// Where runc keeps notes of its containers unless it is told.
const ROOT: &str = "/run/runc";
/// How long a killed container is watched, in steps.
const STEPS: u32 = 100;
const STEP: Duration = Duration::from_millis(20);

/// A container's place among the frozen and the others.
pub struct Group(PathBuf);

impl Group {
    /// Returns that of the container that a command is about to kill; none if it is another command, or its host has
    /// no such hierarchy.
    pub fn of_killed(arguments: &[OsString]) -> Option<Self> {
        let (root, id) = killed(arguments)?;
        // runc's own notes: what the kernel says of a process that is dying is not where it was.
        let state = fs::read(Path::new(root).join(id).join("state.json")).ok()?;
        let state: Value = serde_json::from_slice(&state).ok()?;
        let group = PathBuf::from(state["cgroup_paths"]["freezer"].as_str()?);
        group.join("freezer.state").exists().then_some(Self(group))
    }

    /// Thaws what is frozen in it until nothing is left of it.
    pub fn thaw(&self) {
        for _ in 0..STEPS {
            let mut alive = false;
            visit(&self.0, &mut |group| {
                let read = |name: &str| fs::read_to_string(group.join(name)).unwrap_or_default();
                if read("cgroup.procs").is_empty() {
                    return;
                }
                alive = true;
                if read("freezer.self_freezing").trim() == "1" {
                    // Gone in the meantime is as good.
                    let _ = fs::write(group.join("freezer.state"), "THAWED");
                }
            });
            if !alive {
                return;
            }
            sleep(STEP);
        }
    }
}

/// Returns runc's folder of notes and the container, if the command is `kill` with the signal that none survives.
fn killed(arguments: &[OsString]) -> Option<(&OsStr, &OsStr)> {
    let at = arguments.iter().position(|word| word == "kill")?;
    let (flags, rest) = (&arguments[..at], &arguments[at + 1..]);
    let mut plain = rest.iter().filter(|word| !word.as_bytes().starts_with(b"-"));
    let (id, signal) = (plain.next()?, plain.next()?);
    let root = flags.iter().position(|word| word == "--root");
    let root = root
        .and_then(|at| flags.get(at + 1))
        .map_or(OsStr::new(ROOT), |root| root);
    matches!(signal.to_str()?, "9" | "KILL" | "SIGKILL").then_some((root, id))
}

fn visit(group: &Path, see: &mut impl FnMut(&Path)) {
    see(group);
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            visit(&entry.path(), see);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_signal_that_none_survives_is_known() {
        let line = words("--root /r --log-format json kill --all id 9");
        assert_eq!(killed(&line), Some(("/r".as_ref(), "id".as_ref())));
        assert_eq!(
            killed(&words("kill id KILL")),
            Some((ROOT.as_ref(), "id".as_ref()))
        );
        assert_eq!(killed(&words("kill id 15")), None);
        assert_eq!(killed(&words("delete id")), None);
    }
}
