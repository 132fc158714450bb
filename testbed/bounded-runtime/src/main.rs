//! Stands between a container engine and runc on hosts whose capability bounding set lacks `CAP_SYS_RESOURCE`.
//!
//! There runc cannot start a privileged container: it is asked to grant a capability that it does not have, and to
//! raise resource limits, which needs that same capability. This program takes the one capability out of the request,
//! lowers the limits to what this process itself may have, and becomes runc. It runs on every `docker exec`, so it is
//! one small static program that starts no other; only when it kills a container it stays, for what may be frozen in it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

use anyhow::{Context, Result, anyhow};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use serde_json::Value;

mod thaw;

const MISSING: &str = "CAP_SYS_RESOURCE";
const RUNTIMES: [&str; 4] = [
    "/usr/sbin/runc",
    "/usr/bin/runc",
    "/usr/local/sbin/runc",
    "/usr/local/bin/runc",
];

/// A file that the engine wrote for the runtime, and where the process is described in it.
#[derive(Debug, PartialEq)]
enum Request {
    Bundle(PathBuf),
    Process(PathBuf),
}

fn main() -> Result<()> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    match request(&arguments) {
        Some(Request::Bundle(bundle)) => rewrite(&bundle.join("config.json"), "/process")?,
        Some(Request::Process(file)) => rewrite(&file, "")?,
        None => {}
    }
    let runtime = match env::var_os("OCI_RUNTIME") {
        Some(runtime) => PathBuf::from(runtime),
        None => RUNTIMES
            .iter()
            .map(PathBuf::from)
            .find(|path| path.exists())
            .context("no runc is installed")?,
    };
    if let Some(group) = thaw::Group::of_killed(&arguments) {
        let status = Command::new(&runtime).args(&arguments).status();
        let status = status.with_context(|| format!("cannot start {}", runtime.display()))?;
        group.thaw();
        exit(status.code().unwrap_or(1));
    }
    let error = Command::new(&runtime).args(arguments).exec();
    Err(anyhow!(error).context(format!("cannot start {}", runtime.display())))
}

/// Finds the subcommand and the file it will read. Flags before the subcommand may take a value in the next argument,
/// so the subcommand is the first argument that is one of the three known words.
fn request(arguments: &[OsString]) -> Option<Request> {
    let words: Vec<&str> = arguments
        .iter()
        .map(|word| word.to_str().unwrap_or_default())
        .collect();
    let at = words
        .iter()
        .position(|word| matches!(*word, "create" | "run" | "exec"))?;
    let value = |long: &str, short: &str| {
        let prefix = format!("{long}=");
        words[at..]
            .iter()
            .enumerate()
            .find_map(|(index, word)| match *word {
                word if word == long || word == short => words[at..].get(index + 1).copied(),
                word => word.strip_prefix(prefix.as_str()),
            })
    };
    match words[at] {
        "exec" => value("--process", "-p").map(|file| Request::Process(file.into())),
        _ => Some(Request::Bundle(value("--bundle", "-b").unwrap_or(".").into())),
    }
}

/// Bounds the process description at a place (a JSON pointer) of a file.
fn rewrite(file: &Path, pointer: &str) -> Result<()> {
    let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut document: Value =
        serde_json::from_slice(&text).with_context(|| format!("{} is no JSON", file.display()))?;
    if let Some(process) = document.pointer_mut(pointer) {
        bound(process, own_limit);
    }
    fs::write(file, document.to_string()).with_context(|| format!("cannot write {}", file.display()))
}

/// Takes out of a process description what this host cannot grant. `limit` tells the hard limit of a resource.
fn bound(process: &mut Value, limit: impl Fn(&str) -> Option<u64>) {
    if let Some(sets) = process.get_mut("capabilities").and_then(Value::as_object_mut) {
        for set in sets.values_mut().filter_map(Value::as_array_mut) {
            set.retain(|capability| capability != MISSING);
        }
    }
    if let Some(limits) = process.get_mut("rlimits").and_then(Value::as_array_mut) {
        limits.retain_mut(|entry| {
            // A resource that this program does not know is left to the host's default.
            let Some(ceiling) = entry["type"].as_str().and_then(&limit) else {
                return false;
            };
            for kind in ["hard", "soft"] {
                let asked = entry[kind].as_u64().unwrap_or(ceiling);
                entry[kind] = asked.min(ceiling).into();
            }
            true
        });
    }
}

fn own_limit(name: &str) -> Option<u64> {
    let resource = match name {
        "RLIMIT_NOFILE" => Resource::RLIMIT_NOFILE,
        "RLIMIT_NPROC" => Resource::RLIMIT_NPROC,
        "RLIMIT_CORE" => Resource::RLIMIT_CORE,
        "RLIMIT_MEMLOCK" => Resource::RLIMIT_MEMLOCK,
        "RLIMIT_STACK" => Resource::RLIMIT_STACK,
        "RLIMIT_DATA" => Resource::RLIMIT_DATA,
        "RLIMIT_AS" => Resource::RLIMIT_AS,
        "RLIMIT_CPU" => Resource::RLIMIT_CPU,
        "RLIMIT_FSIZE" => Resource::RLIMIT_FSIZE,
        _ => return None,
    };
    getrlimit(resource)
        .ok()
        .map(|(_, hard)| if hard == RLIM_INFINITY { u64::MAX } else { hard })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn finds_the_file_that_the_engine_wrote() {
        let create = "--root /run/r --log /l --log-format json create --bundle /b --pid-file /p id";
        assert_eq!(request(&words(create)), Some(Request::Bundle("/b".into())));
        assert_eq!(
            request(&words("create --bundle=/c id")),
            Some(Request::Bundle("/c".into()))
        );
        assert_eq!(request(&words("run id")), Some(Request::Bundle(".".into())));
        assert_eq!(
            request(&words("--root /r exec --process /p.json --detach id")),
            Some(Request::Process("/p.json".into()))
        );
        assert_eq!(
            request(&words("--root /r exec -p /p.json id")),
            Some(Request::Process("/p.json".into()))
        );
        assert_eq!(request(&words("--root /r state id")), None);
        assert_eq!(request(&words("exec id ls")), None);
    }

    #[test]
    fn takes_out_the_capability_and_lowers_the_limits() {
        let mut process = json!({
            "capabilities": {"bounding": ["CAP_SYS_ADMIN", "CAP_SYS_RESOURCE"], "ambient": null},
            "rlimits": [
                {"type": "RLIMIT_NOFILE", "hard": u64::MAX, "soft": 1024},
                {"type": "RLIMIT_UNHEARD_OF", "hard": 1, "soft": 1}
            ]
        });
        bound(&mut process, |name| (name == "RLIMIT_NOFILE").then_some(20000));
        assert_eq!(
            process,
            json!({
                "capabilities": {"bounding": ["CAP_SYS_ADMIN"], "ambient": null},
                "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 20000, "soft": 1024}]
            })
        );
    }
}
