//! What all engines hold.

use std::sync::Arc;

use futures::future::join_all;

use super::{ANSWER, Engines, NoEngine};
use crate::classify::EngineError;
use crate::provider::{ClusterNode, Provider};

/// An engine and the containers of its clusters.
#[derive(Debug, Clone)]
pub struct Found {
    /// The engine.
    pub provider: Arc<dyn Provider>,
    /// The containers, sorted by cluster.
    pub nodes: Vec<ClusterNode>,
}

/// What the engines hold that answer.
#[derive(Debug)]
pub struct Survey {
    /// Those that answer, the preferred one first; at least one.
    pub found: Vec<Found>,
    /// What the others said.
    pub silent: Vec<EngineError>,
}

impl Survey {
    /// The engines that hold a cluster of this name.
    pub fn holders(&self, cluster: &str) -> Vec<&Arc<dyn Provider>> {
        self.found
            .iter()
            .filter(|found| found.nodes.iter().any(|node| node.cluster == cluster))
            .map(|found| &found.provider)
            .collect()
    }

    /// The names of all clusters, sorted and each once.
    pub fn clusters(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .found
            .iter()
            .flat_map(|found| found.nodes.iter().map(|node| node.cluster.clone()))
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

impl Engines {
    /// Asks all engines at once for their clusters.
    ///
    /// # Errors
    /// None answers, or the one that the user named does not.
    pub async fn survey(&self) -> Result<Survey, NoEngine> {
        if let Some(provider) = self.named() {
            let nodes = provider.list_nodes(None).await.map_err(NoEngine::Named)?;
            return Ok(Survey {
                found: vec![Found {
                    provider: Arc::clone(provider),
                    nodes,
                }],
                silent: Vec::new(),
            });
        }
        let mut survey = Survey {
            found: Vec::new(),
            silent: Vec::new(),
        };
        for answer in join_all(self.present().into_iter().map(ask)).await {
            match answer {
                Ok(found) => survey.found.push(found),
                Err(error) => {
                    tracing::info!("passed over: {error}");
                    survey.silent.push(error);
                }
            }
        }
        if survey.found.is_empty() {
            return Err(self.none(survey.silent));
        }
        Ok(survey)
    }
}

async fn ask(provider: Arc<dyn Provider>) -> Result<Found, EngineError> {
    // A `docker` that is really podman shows podman's clusters a second time.
    let both = async { tokio::try_join!(provider.check_itself(), provider.list_nodes(None)) };
    let ((), nodes) = tokio::time::timeout(ANSWER, both).await.unwrap_or_else(|_| {
        Err(EngineError::TimedOut {
            engine: provider.engine().name(),
            args: vec!["ps".to_owned()],
            limit: ANSWER,
        })
    })?;
    Ok(Found { provider, nodes })
}
