//! What all steps of a create share.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kindr_providers::Provider;
use tokio::sync::mpsc;

use super::error::{Cause, CreateError};
use crate::config::ClusterConfig;
use crate::events::{Event, Events, Step};

/// Time limit for a program in a node that only reads or writes a file.
pub(super) const FILE: Duration = Duration::from_secs(60);

/// The exit code of a program that SIGKILL ended.
const KILLED: i32 = 137;

/// How long a node that is being stopped may take to be told as stopped.
const STOPPING: Duration = Duration::from_secs(3);

/// How many of a failed program's last lines the user is shown.
const SHOWN_LINES: usize = 20;

/// What all steps of a create share.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) config: ClusterConfig,
    /// The engine's host, if it is not this machine.
    pub(super) remote: Option<String>,
    pub(super) events: Events,
    made: Mutex<Vec<String>>,
    busy: Mutex<Option<mpsc::Sender<()>>>,
    idle: tokio::sync::Mutex<mpsc::Receiver<()>>,
}

impl Context {
    pub(super) fn new(
        provider: Arc<dyn Provider>,
        config: ClusterConfig,
        remote: Option<String>,
        events: Events,
    ) -> Self {
        let (busy, idle) = mpsc::channel(1);
        Self {
            provider,
            config,
            remote,
            events,
            made: Mutex::default(),
            busy: Mutex::new(Some(busy)),
            idle: tokio::sync::Mutex::new(idle),
        }
    }

    /// Runs a step and tells of its beginning and end; its failure gets the step's name.
    pub(super) async fn step<T, F>(&self, step: Step, work: F) -> Result<T, CreateError>
    where
        F: Future<Output = Result<T, Failed>>,
    {
        let started = Instant::now();
        self.events.send(Event::Started(step));
        let result = work.await;
        self.events.send(match &result {
            Ok(_) => Event::Finished {
                step,
                took: started.elapsed(),
            },
            Err(_) => Event::Failed(step),
        });
        result.map_err(|failed| CreateError {
            cluster: self.config.name.clone(),
            step,
            node: failed.node,
            cause: *failed.cause,
            logs: None,
            left: Vec::new(),
        })
    }

    /// Tells the user something that stops nothing.
    pub(super) fn warn(&self, text: impl Into<String>) {
        self.events.send(Event::Warning(text.into()));
    }

    /// A token for an engine call that must end before anything is cleared up: a `run` that is dropped half way may
    /// still leave a container. Held by the task that makes the call.
    pub(super) fn busy(&self) -> Option<mpsc::Sender<()>> {
        lock(&self.busy).clone()
    }

    /// Waits until every holder of a [`Context::busy`] token is done; no more are given out.
    pub(super) async fn settle(&self) {
        lock(&self.busy).take();
        // Nothing is ever sent: this returns when the last sender is gone.
        let _ = self.idle.lock().await.recv().await;
    }

    /// Notes a container as made by this create, so that clearing up touches no other.
    pub(super) fn made(&self, name: &str) {
        lock(&self.made).push(name.to_owned());
    }

    /// The containers that this create made.
    pub(super) fn all_made(&self) -> Vec<String> {
        lock(&self.made).clone()
    }

    /// Whether a node in which a program failed has stopped, and with which exit code.
    async fn stopped(&self, node: &str, failed_with: Option<i32>) -> Option<Option<i64>> {
        // A program that was killed may be the first sign of a node that is being stopped: the engine takes a moment to
        // say so.
        if failed_with == Some(KILLED) {
            return self.provider.wait_stopped(node, STOPPING).await.ok()?.map(Some);
        }
        let states = self.provider.inspect(&[node.to_owned()]).await.ok()?;
        let state = states.first().filter(|state| !state.running)?;
        Some(state.exit_code)
    }

    /// Runs a program in a node that must succeed. `shown` is the command as the user may run it.
    pub(super) async fn run(
        &self,
        node: &str,
        command: &[&str],
        shown: &str,
        stdin: Option<Vec<u8>>,
        limit: Duration,
    ) -> Result<kindr_providers::Output, Failed> {
        let output = self
            .provider
            .exec(node, command, stdin, limit)
            .await
            .map_err(|error| Failed::on(node, error))?;
        if output.status.success() {
            return Ok(output);
        }
        // A node that is gone takes its programs with it, and is what the user has to hear of.
        if let Some(code) = self.stopped(node, output.status.code()).await {
            let lines = self.provider.last_lines(node).await.unwrap_or_default();
            return Err(Failed::on(
                node,
                Cause::NodeStopped {
                    command: shown.to_owned(),
                    code,
                    lines: last(&lines),
                },
            ));
        }
        let text = [output.stderr.as_slice(), output.stdout.as_slice()].concat();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<String> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(str::to_owned)
            .collect();
        Err(Failed::on(
            node,
            Cause::Command {
                command: shown.to_owned(),
                code: output.status.code(),
                lines: last(&lines),
            },
        ))
    }
}

/// A failure inside a step, which does not know its own name.
#[derive(Debug)]
pub(super) struct Failed {
    node: Option<String>,
    cause: Box<Cause>,
}

impl Failed {
    /// A failure on a node.
    pub(super) fn on(node: &str, cause: impl Into<Cause>) -> Self {
        Self {
            node: Some(node.to_owned()),
            cause: Box::new(cause.into()),
        }
    }
}

impl<E: Into<Cause>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self {
            node: None,
            cause: Box::new(error.into()),
        }
    }
}

/// What is shown of what a program or a node printed.
pub(super) fn last(lines: &[String]) -> Vec<String> {
    lines[lines.len().saturating_sub(SHOWN_LINES)..].to_vec()
}

/// A list that a panicking thread held is still a list.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
