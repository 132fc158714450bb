//! Which engine to use: the one that the user names, the first that answers, or the one that holds a cluster.

mod survey;

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use thiserror::Error;

pub use self::survey::{Found, Survey};
use crate::classify::EngineError;
use crate::docker::Docker;
use crate::nerdctl::Nerdctl;
use crate::podman::Podman;
use crate::provider::{Provider, Result};

/// Environment variables that name the engine, the first one set wins.
pub const VARIABLES: [&str; 2] = ["KINDR_PROVIDER", "KIND_EXPERIMENTAL_PROVIDER"];

/// The engines that can be named. The last two are nerdctl by another name.
const NAMES: [&str; 5] = ["docker", "podman", "nerdctl", "finch", "nerdctl.lima"];

/// Time limit for an engine that nobody named to tell of itself.
const ANSWER: Duration = Duration::from_secs(10);

/// How long an engine is asked alone before the next one is asked as well.
const HEAD_START: Duration = Duration::from_millis(300);

/// A wish that no engine can fulfil.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SelectError {
    /// The name is none of the known ones.
    #[error("{origin} names the provider `{name}`, which is none of: {}", NAMES.join(", "))]
    Unknown {
        /// Where the name comes from: an option or a variable.
        origin: String,
        /// The name.
        name: String,
    },
}

/// No engine that could be used.
#[derive(Debug, Error)]
pub enum NoEngine {
    /// The one that the user named fails.
    #[error(transparent)]
    Named(EngineError),
    /// None is on the PATH.
    #[error("no container engine is installed: found none of {} on the PATH", names.join(", "))]
    NotInstalled {
        /// The programs looked for.
        names: Vec<String>,
    },
    /// Those on the PATH do not answer.
    #[error("no container engine answers: {}", silent.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Silent {
        /// What each said, in the order in which they were asked.
        silent: Vec<EngineError>,
    },
}

/// The engines that a command may use, the preferred one first.
#[derive(Debug, Clone)]
pub struct Engines {
    candidates: Vec<Arc<dyn Provider>>,
    named: bool,
}

/// The engine that the user asked for, by option or else by variable, or else all that there are.
///
/// # Errors
/// The name given is not an engine's (kind takes another engine then, silently).
pub fn select<F>(option: Option<&str>, get: F) -> std::result::Result<Engines, SelectError>
where
    F: Fn(&str) -> Option<String>,
{
    let wish = match option {
        Some(name) => Some(("--provider".to_owned(), name.to_owned())),
        None => VARIABLES
            .iter()
            .find_map(|&var| Some((var.to_owned(), get(var).filter(|name| !name.is_empty())?))),
    };
    let Some((origin, name)) = wish else {
        return Ok(Engines::all());
    };
    let provider: Arc<dyn Provider> = match name.as_str() {
        "docker" => Arc::new(Docker::new()),
        "podman" => Arc::new(Podman::new()),
        "nerdctl" => Arc::new(nerdctl()),
        "finch" | "nerdctl.lima" => Arc::new(Nerdctl::new(&name)),
        _ => return Err(SelectError::Unknown { origin, name }),
    };
    Ok(Engines {
        candidates: vec![provider],
        named: true,
    })
}

/// nerdctl, or finch where that alone is installed.
fn nerdctl() -> Nerdctl {
    let there = |name| which::which(name).is_ok();
    Nerdctl::new(if !there("nerdctl") && there("finch") {
        "finch"
    } else {
        "nerdctl"
    })
}

impl Engines {
    fn all() -> Self {
        Self {
            candidates: vec![
                Arc::new(Docker::new()),
                Arc::new(nerdctl()),
                Arc::new(Podman::new()),
            ],
            named: false,
        }
    }

    /// The engine that the user named.
    pub fn named(&self) -> Option<&Arc<dyn Provider>> {
        self.candidates.first().filter(|_| self.named)
    }

    /// The engine to assume where none may be asked: the one named, or else the first that is installed.
    pub fn presumed(&self) -> Option<&Arc<dyn Provider>> {
        self.candidates
            .iter()
            .find(|provider| self.named || installed(provider))
            .or_else(|| self.candidates.first())
    }

    /// The engine that the user named, or else the first that answers. The others are told at the level `info`.
    ///
    /// # Errors
    /// None answers.
    pub async fn first_answering(&self) -> std::result::Result<Arc<dyn Provider>, NoEngine> {
        if let Some(provider) = self.named() {
            return Ok(Arc::clone(provider));
        }
        let present = self.present();
        let (answering, silent) = race(&present).await;
        for error in &silent {
            tracing::info!("passed over: {error}");
        }
        match answering.and_then(|at| present.get(at)) {
            Some(provider) => Ok(Arc::clone(provider)),
            None => Err(self.none(silent)),
        }
    }

    /// An engine that answers, in place of the one that the user named.
    pub async fn another(&self) -> Option<Arc<dyn Provider>> {
        let named = self.named()?.engine().name();
        let mut others = Self::all();
        others
            .candidates
            .retain(|provider| provider.engine().name() != named);
        others.first_answering().await.ok()
    }

    /// Those that are installed, the preferred one first; the one that the user named in any case.
    pub fn present(&self) -> Vec<Arc<dyn Provider>> {
        let present = |provider: &&Arc<dyn Provider>| {
            let there = installed(provider);
            if !there {
                tracing::info!("passed over: `{}` is not installed", provider.engine().name());
            }
            there
        };
        self.candidates
            .iter()
            .filter(|provider| self.named || present(provider))
            .cloned()
            .collect()
    }

    fn none(&self, silent: Vec<EngineError>) -> NoEngine {
        if silent.is_empty() {
            NoEngine::NotInstalled {
                names: self.candidates.iter().map(|p| p.engine().name()).collect(),
            }
        } else {
            NoEngine::Silent { silent }
        }
    }
}

fn installed(provider: &Arc<dyn Provider>) -> bool {
    which::which(&provider.engine().binary).is_ok()
}

/// Asks the engines in turn, each a little after the one before, and returns the place of the first in the list that
/// answers with the errors of those before it; or of all, if none does.
async fn race(providers: &[Arc<dyn Provider>]) -> (Option<usize>, Vec<EngineError>) {
    let ask = |at: usize, provider: Arc<dyn Provider>| async move {
        let both = async { tokio::try_join!(provider.check_itself(), provider.info()) };
        let answer = tokio::time::timeout(ANSWER, both).await;
        let answer = answer.unwrap_or_else(|_| {
            Err(EngineError::TimedOut {
                engine: provider.engine().name(),
                args: vec!["info".to_owned()],
                limit: ANSWER,
            })
        });
        (at, answer.map(drop))
    };
    let mut answers: Vec<Option<Result<()>>> = providers.iter().map(|_| None).collect();
    let mut waiting = providers.iter().cloned().enumerate();
    let mut asked = FuturesUnordered::new();
    loop {
        // The first in the list of whom all before it have failed, and that has answered.
        if let Some(at) = answers.iter().position(|answer| !matches!(answer, Some(Err(_))))
            && matches!(answers.get(at), Some(Some(Ok(()))))
        {
            return (Some(at), errors(answers));
        }
        if asked.is_empty() {
            match waiting.next() {
                Some((at, provider)) => asked.push(ask(at, provider)),
                None => return (None, errors(answers)),
            }
        }
        tokio::select! {
            Some((at, answer)) = asked.next() => answers[at] = Some(answer),
            () = tokio::time::sleep(HEAD_START), if waiting.len() > 0 => {
                if let Some((at, provider)) = waiting.next() {
                    asked.push(ask(at, provider));
                }
            }
        }
    }
}

fn errors(answers: Vec<Option<Result<()>>>) -> Vec<EngineError> {
    answers.into_iter().flatten().filter_map(Result::err).collect()
}

#[cfg(test)]
mod tests;
