//! Which engine a cluster is on.

use std::sync::Arc;

use kindr_providers::detect::{Engines, NoEngine};
use kindr_providers::{EngineError, Provider};
use thiserror::Error;

/// Why it is not known on which engine a cluster is.
#[derive(Debug, Error)]
pub enum FindError {
    /// No engine can be asked.
    #[error(transparent)]
    NoEngine(#[from] NoEngine),
    /// More than one engine has a cluster of the name.
    #[error("cluster `{name}` is on more than one engine: {}", engines.join(", "))]
    Several {
        /// The cluster.
        name: String,
        /// The engines.
        engines: Vec<String>,
    },
}

/// The engine that a command about one cluster turns to.
#[derive(Debug)]
pub struct Holder {
    /// The engine: the one that the user named, the one that has the cluster, or else the first that answers.
    pub provider: Arc<dyn Provider>,
    /// Set where no engine that answers has the cluster.
    pub missing: Option<Missing>,
}

/// What is known of a cluster that was not found.
#[derive(Debug)]
pub struct Missing {
    /// The clusters that there are.
    pub others: Vec<String>,
    /// What the engines said that did not answer: it may be on one of them.
    pub silent: Vec<EngineError>,
}

/// Finds the engine that has a cluster of this name. One that the user named is taken without being asked.
///
/// # Errors
/// See [`FindError`].
pub async fn find(engines: &Engines, name: &str) -> Result<Holder, FindError> {
    if let Some(provider) = engines.named() {
        return Ok(Holder {
            provider: Arc::clone(provider),
            missing: None,
        });
    }
    let survey = engines.survey().await?;
    let holders = survey.holders(name);
    match holders.as_slice() {
        [] => {}
        [one] => {
            return Ok(Holder {
                provider: Arc::clone(one),
                missing: None,
            });
        }
        several => {
            return Err(FindError::Several {
                name: name.to_owned(),
                engines: several.iter().map(|provider| provider.engine().name()).collect(),
            });
        }
    }
    let others = survey.clusters();
    let mut found = survey.found.into_iter();
    match found.next() {
        Some(first) => Ok(Holder {
            provider: first.provider,
            missing: Some(Missing {
                others,
                silent: survey.silent,
            }),
        }),
        None => Err(NoEngine::Silent {
            silent: survey.silent,
        }
        .into()),
    }
}
