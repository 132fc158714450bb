//! Errors as the user reads them: what failed, then what to do.

use kindr_providers::EngineError;
use kindr_providers::detect::{NoEngine, SelectError};

use crate::cluster::{AccessError, DeleteError, FindError};
use crate::config::ConfigError;
use crate::create::{Cause, CreateError, Signal, engine_hint};
use crate::kubeconfig::KubeconfigError;
use crate::plan::PreviewError;

/// An error ready to be printed.
#[derive(Debug)]
pub(super) struct CliError {
    /// What failed, on what, and why.
    pub(super) message: String,
    /// The last lines of what failed.
    pub(super) lines: Vec<String>,
    /// What is where: logs, things left behind.
    pub(super) notes: Vec<String>,
    /// What to do.
    pub(super) hint: Option<String>,
    /// Whether the engine is what failed, and another one may do.
    pub(super) silent: bool,
    /// The exit code.
    pub(super) code: u8,
}

impl CliError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            lines: Vec::new(),
            notes: Vec::new(),
            hint: None,
            silent: false,
            code: 1,
        }
    }

    pub(super) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// The same, where this engine's error is the cause.
    fn because_of(mut self, error: Option<&EngineError>) -> Self {
        self.silent = error.is_some_and(EngineError::is_silence);
        self
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<PreviewError> for CliError {
    fn from(error: PreviewError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<KubeconfigError> for CliError {
    fn from(error: KubeconfigError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<SelectError> for CliError {
    fn from(error: SelectError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<NoEngine> for CliError {
    fn from(error: NoEngine) -> Self {
        let hint = match &error {
            NoEngine::Named(error) => engine_hint(error),
            NoEngine::NotInstalled { .. } => {
                Some("install one of them, and see that its program is on the PATH".to_owned())
            }
            NoEngine::Silent { silent } => silent.iter().find_map(engine_hint),
        };
        let named = match &error {
            NoEngine::Named(error) => Some(error),
            _ => None,
        };
        Self::new(error.to_string()).hint(hint).because_of(named)
    }
}

impl From<FindError> for CliError {
    fn from(error: FindError) -> Self {
        match error {
            FindError::NoEngine(error) => error.into(),
            FindError::Several { ref engines, .. } => {
                let choices: Vec<String> = engines
                    .iter()
                    .map(|engine| format!("`--provider {engine}`"))
                    .collect();
                let hint = format!("say which one is meant: {}", choices.join(" or "));
                Self::new(error.to_string()).hint(Some(hint))
            }
        }
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        Self::new(error.to_string())
            .hint(engine_hint(&error))
            .because_of(Some(&error))
    }
}

impl From<AccessError> for CliError {
    fn from(error: AccessError) -> Self {
        let hint = match &error {
            AccessError::NoCluster { others, .. } if others.is_empty() => {
                Some("create one with `kindr create cluster`".to_owned())
            }
            AccessError::NoCluster { others, .. } => {
                Some(format!("name one of these with `--name`: {}", others.join(", ")))
            }
            AccessError::Engine(error) => engine_hint(error),
            _ => None,
        };
        let engine = match &error {
            AccessError::Engine(error) => Some(error),
            _ => None,
        };
        Self::new(error.to_string()).hint(hint).because_of(engine)
    }
}

impl From<DeleteError> for CliError {
    fn from(error: DeleteError) -> Self {
        let hint = match &error {
            DeleteError::Nodes { source, .. } => engine_hint(source),
            DeleteError::Kubeconfig { name, .. } => Some(format!(
                "when that is mended, run `kindr delete cluster --name {name}` again"
            )),
        };
        let engine = match &error {
            DeleteError::Nodes { source, .. } => Some(source),
            DeleteError::Kubeconfig { .. } => None,
        };
        Self::new(error.to_string()).hint(hint).because_of(engine)
    }
}

impl From<CreateError> for CliError {
    fn from(error: CreateError) -> Self {
        let mut notes = Vec::new();
        if let Some(logs) = &error.logs {
            notes.push(format!("the nodes' full logs are in {}", logs.display()));
        }
        if !error.left.is_empty() {
            notes.push(format!(
                "still there: {}; remove with `kindr delete cluster --name {}`",
                error.left.join(", "),
                error.cluster
            ));
        }
        let (message, code) = match &error.cause {
            Cause::Interrupted(signal) => (
                format!("stopped by {signal}"),
                match signal {
                    Signal::Interrupt => 130,
                    Signal::Terminate => 143,
                },
            ),
            _ => (error.to_string(), 1),
        };
        Self {
            message,
            lines: error.lines().to_vec(),
            notes,
            hint: error.hint(),
            silent: matches!(&error.cause, Cause::Engine(error) if error.is_silence()),
            code,
        }
    }
}
