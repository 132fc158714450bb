//! nerdctl, and finch, which is nerdctl with another name.

use async_trait::async_trait;
use tokio::sync::{Mutex, OnceCell};

use crate::dialect::{self, Dialect};
use crate::docker;
use crate::exec::{CHANGE, Call, Engine};
use crate::network;
use crate::provider::{EngineInfo, Network, Provider, Result};
use crate::spec::Container;

/// The first containerd that starts containers again which failed; nerdctl refuses the policy with older ones.
const RESTARTS: (u64, u64) = (1, 7);

/// nerdctl.
#[derive(Debug)]
pub struct Nerdctl {
    engine: Engine,
    info: OnceCell<EngineInfo>,
    /// Held while a container is made: several at a time get in each other's way (nerdctl issue 2908).
    turn: Mutex<()>,
}

impl Nerdctl {
    /// A program on the PATH: `nerdctl`, `finch`, or `nerdctl.lima`.
    pub fn new(binary: &str) -> Self {
        Self {
            engine: Engine::new(binary),
            info: OnceCell::new(),
            turn: Mutex::new(()),
        }
    }
}

#[async_trait]
impl Provider for Nerdctl {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn dialect(&self) -> &Dialect {
        &dialect::NERDCTL
    }

    async fn info(&self) -> Result<EngineInfo> {
        let ask = || async {
            let info = docker::ask_info(self).await?;
            Ok(EngineInfo {
                no_restart_policy: !restarts(&info.version),
                network_backend: Some("cni".to_owned()),
                ..info
            })
        };
        self.info.get_or_try_init(ask).await.cloned()
    }

    async fn ensure_network(&self, name: &str) -> Result<Network> {
        network::ensure(&self.engine, self.dialect(), name, network::host_has_ipv6()).await
    }

    async fn provision(&self, container: &Container) -> Result<()> {
        let _turn = self.turn.lock().await;
        self.engine
            .run(Call::new(container.args.iter()).limit(CHANGE))
            .await
            .map(drop)
    }

    async fn delete(&self, names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let call = |words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned());
            Call::new(words.chain(names.iter().cloned())).limit(CHANGE)
        };
        // A node that is ended would be started again before it is removed. One without a policy, or that is gone, may
        // refuse this; the removal tells what counts.
        if let Err(error) = self.engine.run(call(&["update", "--restart=no"])).await {
            tracing::debug!("{error}");
        }
        self.engine.run(call(&["rm", "-f", "-v"])).await.map(drop)
    }
}

/// Whether a containerd of this version starts containers again. One that does not tell its version is taken to.
fn restarts(version: &str) -> bool {
    let mut numbers = version
        .trim_start_matches('v')
        .split(['.', '-', '+', '~'])
        .map_while(|number| number.parse::<u64>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) => (major, minor) >= RESTARTS,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_containerds_do_not_restart() {
        assert!(!restarts("1.6.20~ds1"));
        assert!(restarts("v2.2.9"));
        assert!(restarts("1.7.0-rc.1"));
        assert!(restarts("unknown"));
    }
}
