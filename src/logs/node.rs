//! One node's logs.

use std::io;
use std::path::{Component, Path};
use std::time::Duration;

use futures::future::join_all;
use kindr_providers::{Call, ClusterNode, Provider};
use tokio::process::ChildStdout;

use super::{LogsError, make, write};

/// Time limit for one of a node's logs.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// The role of the container that runs no system.
const BALANCER: &str = "external-load-balancer";

/// Files by the programs that print them, as kind has them.
const PRINTED: [(&str, &[&str]); 5] = [
    ("kubernetes-version.txt", &["cat", "/kind/version"]),
    ("journal.log", &["journalctl", "--no-pager"]),
    (
        "kubelet.log",
        &["journalctl", "--no-pager", "--unit=kubelet.service"],
    ),
    (
        "containerd.log",
        &["journalctl", "--no-pager", "--unit=containerd.service"],
    ),
    ("images.log", &["crictl", "images"]),
];

/// Units that failed, one a line.
const FAILED_UNITS: [&str; 5] = ["systemctl", "list-units", "--failed", "--no-legend", "--plain"];

/// Containers that ended, as JSON.
const ENDED: [&str; 6] = ["crictl", "ps", "--all", "--state=Exited", "--output", "json"];

/// What was seen of a node.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The node.
    pub(super) name: String,
    /// Set where it has stopped: its exit code, if the engine tells.
    pub(super) stopped: Option<Option<i64>>,
    /// Units that failed, as systemd lists them.
    pub(super) units: Vec<String>,
    /// Containers that ended, as crictl lists them.
    pub(super) ended: Vec<u8>,
    /// The last lines of a container that has stopped.
    pub(super) last: Vec<String>,
    /// What could not be read.
    pub(super) missing: Vec<String>,
}

/// Reads a node's logs into its own folder.
pub(super) async fn read(
    provider: &dyn Provider,
    node: &ClusterNode,
    folder: &Path,
) -> Result<Read, LogsError> {
    let name = node.name.as_str();
    let folder = folder.join(name);
    make(&folder)?;
    let mut read = Read {
        name: name.to_owned(),
        ..Read::default()
    };
    let engine = provider.engine();
    let names = [name.to_owned()];
    let (raw, state, log) = tokio::join!(
        engine.run(Call::new(["inspect", name])),
        provider.inspect(&names),
        provider.logs(name),
    );
    keep(
        &mut read,
        &folder,
        "inspect.json",
        raw.map(|output| output.stdout),
    )?;
    if let Ok(log) = &log {
        read.last = last_lines(log);
    }
    keep(&mut read, &folder, "serial.log", log)?;
    let state = state.ok().and_then(|states| states.into_iter().next());
    if let Some(state) = state.filter(|state| !state.running) {
        read.stopped = Some(state.exit_code);
    }
    if node.role == BALANCER {
        return Ok(read);
    }
    if read.stopped.is_some() {
        // Nothing can be run in it, but its files are there.
        let from = format!("{name}:/var/log");
        unpack(provider, Call::new(["cp", &from, "-"]), &folder, &mut read).await?;
        return Ok(read);
    }
    let files = join_all(PRINTED.map(|(_, command)| async move {
        let first = provider.exec(name, command, None, LIMIT).await?;
        // nerdctl sometimes loses what a short program prints.
        if first.status.success() && first.stdout.is_empty() {
            return provider.exec(name, command, None, LIMIT).await;
        }
        Ok(first)
    }));
    let (files, units, ended) = tokio::join!(
        files,
        provider.exec(name, &FAILED_UNITS, None, LIMIT),
        provider.exec(name, &ENDED, None, LIMIT),
    );
    for ((file, _), output) in PRINTED.into_iter().zip(files) {
        keep(
            &mut read,
            &folder,
            file,
            output.map(|output| [output.stdout, output.stderr].concat()),
        )?;
    }
    read.units = units.map(|output| output.lines()).unwrap_or_default();
    read.ended = ended.map(|output| output.stdout).unwrap_or_default();
    // Links lead to where a container's log really is; a log that is still written to is no fault.
    let tar = [
        "exec",
        name,
        "tar",
        "-C",
        "/var/log",
        "--warning=no-file-changed",
        "--exclude=./journal",
        "-chf",
        "-",
        ".",
    ];
    unpack(provider, Call::new(tar).limit(LIMIT), &folder, &mut read).await?;
    Ok(read)
}

/// Writes what was read, or notes that it was not.
fn keep<E: std::fmt::Display>(
    read: &mut Read,
    folder: &Path,
    file: &str,
    bytes: Result<Vec<u8>, E>,
) -> Result<(), LogsError> {
    match bytes {
        Ok(bytes) => write(&folder.join(file), &bytes),
        Err(error) => {
            read.missing.push(format!("{}/{file}: {error}", read.name));
            Ok(())
        }
    }
}

/// Unpacks the folder that a call writes as an archive.
async fn unpack(
    provider: &dyn Provider,
    call: Call,
    folder: &Path,
    read: &mut Read,
) -> Result<(), LogsError> {
    let (streaming, archive) = provider.engine().stream(call)?;
    let into = folder.to_owned();
    let files = tokio::task::spawn_blocking(move || files_of(archive, &into)).await;
    let files = files.map_err(io::Error::other).and_then(|files| files);
    // tar's exit code is 1 for a file that changed, which logs do; what it gave is what there is.
    let _ = streaming.end().await;
    if let Err(error) = files {
        read.missing.push(format!("{}/var/log: {error}", read.name));
    }
    Ok(())
}

/// Writes the files of an archive below a folder, and nothing but files.
fn files_of(archive: ChildStdout, folder: &Path) -> io::Result<()> {
    let pipe = std::fs::File::from(archive.into_owned_fd()?);
    for entry in tar::Archive::new(pipe).entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        // docker's own archive has the folder's name in front, tar's a dot.
        let path = entry.path()?.into_owned();
        let plain = path
            .components()
            .filter(|part| matches!(part, Component::Normal(_)));
        let path: std::path::PathBuf = plain.skip_while(|part| part.as_os_str() == "log").collect();
        if path.as_os_str().is_empty() {
            continue;
        }
        let to = folder.join(path);
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent)?;
        }
        io::copy(&mut entry, &mut std::fs::File::create(&to)?)?;
    }
    Ok(())
}

fn last_lines(log: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(log);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(5);
    lines[from..].iter().map(|line| (*line).to_owned()).collect()
}
