//! A child process with a time limit, whose two streams are kept.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// A process that runs in a process group of its own, so that its children can be ended with it.
pub struct Process {
    child: Child,
    description: String,
    started: Instant,
    limit: Duration,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    waited: bool,
}

/// What a process left.
#[derive(Debug)]
pub struct Finished {
    /// The command line, for messages.
    pub description: String,
    /// How it ended.
    pub status: ExitStatus,
    /// All of its stdout.
    pub stdout: String,
    /// All of its stderr.
    pub stderr: String,
    /// From its start to its end.
    pub took: Duration,
}

impl Process {
    /// Starts a command with nothing on its stdin.
    pub fn start(command: Command, limit: Duration) -> Self {
        Self::start_with(command, limit, None)
    }

    /// Starts a command with `input` on its stdin.
    pub fn start_with(mut command: Command, limit: Duration, input: Option<Vec<u8>>) -> Self {
        let description = describe(&command);
        command
            .stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let started = Instant::now();
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start `{description}`: {error}"));
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            // A program that fails early does not read what it is given; that is its right.
            thread::spawn(move || stdin.write_all(&input).ok());
        }
        let stdout = child.stdout.take().map(drain);
        let stderr = child.stderr.take().map(drain);
        Self {
            child,
            description,
            started,
            limit,
            stdout,
            stderr,
            waited: false,
        }
    }

    /// Tells whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("wait for a child").is_none()
    }

    /// Sends a signal to the process and to all of its group.
    pub fn signal(&self, signal: Signal) {
        if let Ok(pid) = i32::try_from(self.child.id()) {
            killpg(Pid::from_raw(pid), signal).ok();
        }
    }

    /// Waits for its end; past the time limit it is killed and the test fails with what it had written.
    pub fn finish(mut self) -> Finished {
        let mut late = false;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("wait for a child") {
                break status;
            }
            if self.started.elapsed() > self.limit {
                late = true;
                self.signal(Signal::SIGKILL);
                break self.child.wait().expect("wait for a killed child");
            }
            thread::sleep(Duration::from_millis(10));
        };
        self.waited = true;
        let took = self.started.elapsed();
        let finished = Finished {
            description: std::mem::take(&mut self.description),
            status,
            stdout: collect(self.stdout.take()),
            stderr: collect(self.stderr.take()),
            took,
        };
        assert!(!late, "was not done in {:?}:\n{}", self.limit, finished.report());
        finished
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.waited {
            self.signal(Signal::SIGKILL);
            self.child.wait().ok();
        }
    }
}

impl Finished {
    /// Describes the run as a failing test shows it.
    pub fn report(&self) -> String {
        let end = match (self.status.code(), self.status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no status".to_owned(),
        };
        format!(
            "command: {}\nended with {end} after {:.1} s\n--- stdout\n{}\n--- stderr\n{}\n---",
            self.description,
            self.took.as_secs_f32(),
            self.stdout.trim_end(),
            self.stderr.trim_end(),
        )
    }

    /// Fails the test unless the process ended well; gives its stdout.
    pub fn expect_success(self) -> String {
        assert!(self.status.success(), "failed:\n{}", self.report());
        self.stdout
    }
}

fn describe(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|part| part.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

fn drain(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).ok();
        bytes
    })
}

fn collect(reader: Option<JoinHandle<Vec<u8>>>) -> String {
    let bytes = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
