//! nerdctl, and finch, which is nerdctl with another name.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Mutex, OnceCell};

use crate::dialect::{self, Dialect};
use crate::docker;
use crate::exec::{CHANGE, Call, Engine, Output};
use crate::network;
use crate::provider::{EngineInfo, Network, Provider, Result, exec_call};
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

    async fn exec(
        &self,
        node: &str,
        command: &[&str],
        stdin: Option<Vec<u8>>,
        limit: Duration,
    ) -> Result<Output> {
        let output = self.engine.output(exec_call(node, command, stdin, limit)).await?;
        Ok(with_real_code(output))
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

/// The program's exit code in place of nerdctl's, which is 1 for each of them, and without its words for it.
fn with_real_code(mut output: Output) -> Output {
    const WORDS: &str = "exec failed with exit code ";
    if output.status.success() {
        return output;
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let (before, last) = match text.trim_end().rsplit_once('\n') {
        Some((before, last)) => (format!("{before}\n"), last),
        None => (String::new(), text.trim_end()),
    };
    let code = last
        .split_once(WORDS)
        .and_then(|(_, code)| code.trim_end_matches('"').parse::<u8>().ok());
    if let Some(code) = code {
        // As the system tells it: the code is in the second byte.
        output.status = ExitStatus::from_raw(i32::from(code) << 8);
        output.stderr = before.into_bytes();
    }
    output
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
    fn a_programs_exit_code_is_its_own() {
        let failed = |stderr: &str| Output {
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
            status: ExitStatus::from_raw(1 << 8),
        };
        let output = with_real_code(failed(
            "its words\ntime=\"t\" level=fatal msg=\"exec failed with exit code 137\"\n",
        ));
        assert_eq!(output.status.code(), Some(137));
        assert_eq!(output.stderr, b"its words\n");
        let output = with_real_code(failed("level=fatal msg=\"exec failed with exit code 3\""));
        assert_eq!((output.status.code(), output.stderr), (Some(3), Vec::new()));
        let output = with_real_code(failed("level=fatal msg=\"no such container x\"\n"));
        assert_eq!(output.status.code(), Some(1));
        assert!(!output.stderr.is_empty());
    }

    #[test]
    fn old_containerds_do_not_restart() {
        assert!(!restarts("1.6.20~ds1"));
        assert!(restarts("v2.2.9"));
        assert!(restarts("1.7.0-rc.1"));
        assert!(restarts("unknown"));
    }
}
