//! `kindr doctor`: what there is on this machine to run clusters with, and what is in the way.

mod engine;
mod machine;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use futures::future::join_all;
use kindr_providers::Provider;
use serde::Serialize;

use crate::host::Host;

/// What is thought of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// Some clusters may fail.
    Warning,
    /// No cluster can come up.
    Failure,
    /// It cannot be told.
    Unknown,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// A word for it, stable for programs.
    pub check: &'static str,
    /// What was found.
    pub found: String,
    /// What is thought of it.
    pub verdict: Verdict,
    /// What mends it, where something is to be mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Row {
    fn new(check: &'static str, verdict: Verdict, found: impl Into<String>) -> Self {
        Self {
            check,
            found: found.into(),
            verdict,
            remedy: None,
        }
    }

    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Verdict::Ok, found)
    }

    fn remedy(self, remedy: impl Into<String>) -> Self {
        Self {
            remedy: Some(remedy.into()),
            ..self
        }
    }
}

/// One engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineReport {
    /// Its program.
    pub engine: String,
    /// Whether it could run a cluster: nothing of it, or of the machine it runs on, is a failure.
    pub usable: bool,
    /// What was looked at.
    pub checks: Vec<Row>,
}

/// Everything that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether some engine could run a cluster.
    pub usable: bool,
    /// The machine.
    pub machine: Vec<Row>,
    /// The engines that are installed, in the order in which they are preferred.
    pub engines: Vec<EngineReport>,
}

/// Looks at the machine and at engines, all at once. Nothing is changed.
pub async fn examine(host: &Host, engines: &[Arc<dyn Provider>]) -> Report {
    let machine = machine::rows(host);
    let failed = |rows: &[Row]| rows.iter().any(|row| row.verdict == Verdict::Failure);
    let broken = failed(&machine);
    let reports = engines.iter().map(|provider| async move {
        let local = provider.remote_host().await.is_ok_and(|host| host.is_none());
        let checks = engine::rows(host, provider.as_ref(), local).await;
        EngineReport {
            engine: provider.engine().name(),
            usable: !(failed(&checks) || local && broken),
            checks,
        }
    });
    let engines = join_all(reports).await;
    Report {
        usable: engines.iter().any(|engine| engine.usable),
        machine,
        engines,
    }
}
