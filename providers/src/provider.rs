//! The trait that every engine implements.
//!
//! What the engines share is written once, as the trait's own methods over [`Provider::engine`] and
//! [`Provider::dialect`]; an engine's file holds only what is truly its own.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;

use crate::classify::{EngineError, Failure};
use crate::dialect::Dialect;
use crate::exec::{CHANGE, Call, Engine, Output};
pub use crate::facts::{Booted, CgroupVersion, ClusterNode, EngineInfo, ImageInfo, Network, NodeState};
use crate::published::{self, Published};
use crate::spec::{Cluster, Container};
use crate::{CLUSTER_LABEL, ROLE_LABEL};
use crate::{args, boot, image, inspect, network};

/// Result of a call of an engine.
pub type Result<T> = std::result::Result<T, EngineError>;

/// Time limit for fetching an image; large ones over slow lines take long.
const PULL: Duration = Duration::from_secs(3600);

/// A container engine as kindr uses it.
#[async_trait]
pub trait Provider: Debug + Send + Sync {
    /// The engine's program.
    fn engine(&self) -> &Engine;

    /// How it spells things.
    fn dialect(&self) -> &Dialect;

    /// What it says of itself; fails where it does not answer.
    async fn info(&self) -> Result<EngineInfo>;

    /// Whether its program is what its name says, and not another engine's.
    ///
    /// # Errors
    /// It is another's, or does not run.
    async fn check_itself(&self) -> Result<()> {
        Ok(())
    }

    /// The engine's host, if it is not this machine: what it publishes is published there.
    async fn remote_host(&self) -> Result<Option<String>> {
        Ok(None)
    }

    /// The network of this name, made if it is missing; one and only one exists afterwards.
    async fn ensure_network(&self, name: &str) -> Result<Network>;

    /// The containers of a cluster with their arguments. Pure.
    fn plan_creation(&self, cluster: &Cluster, info: &EngineInfo) -> Vec<Container> {
        args::plan_creation(cluster, self.dialect(), info)
    }

    /// Makes and starts one planned container.
    async fn provision(&self, container: &Container) -> Result<()> {
        self.engine()
            .run(Call::new(container.args.iter()).limit(CHANGE))
            .await
            .map(drop)
    }

    /// The containers of one cluster, or of all, by name.
    async fn list_nodes(&self, cluster: Option<&str>) -> Result<Vec<ClusterNode>> {
        let filter = match cluster {
            Some(name) => format!("label={CLUSTER_LABEL}={name}"),
            None => format!("label={CLUSTER_LABEL}"),
        };
        let list = |format: &str| Call::new(["ps", "-a", "--filter", &filter, "--format", format]);
        let mut nodes = match self.dialect().ps_label {
            Some(template) => {
                let label = |key| template.replace("KEY", key);
                let format = format!("{}\t{{{{.Names}}}}\t{}", label(CLUSTER_LABEL), label(ROLE_LABEL));
                let output = self.engine().run(list(&format)).await?;
                output.lines().iter().filter_map(|line| list_line(line)).collect()
            }
            None => {
                let output = self.engine().run(list("json")).await?;
                inspect::listed(&output.stdout).map_err(|reason| self.unreadable("ps", reason))?
            }
        };
        nodes.sort();
        Ok(nodes)
    }

    /// The ports of the host that containers have, also those of no cluster.
    async fn published(&self) -> Result<Vec<Published>> {
        let call = Call::new(["ps", "-a", "--format", "{{.Names}}\t{{.Ports}}"]);
        let output = self.engine().run(call).await?;
        Ok(output
            .lines()
            .iter()
            .flat_map(|line| published::read(line))
            .collect())
    }

    /// Containers in detail, in the order of the names.
    async fn inspect(&self, names: &[String]) -> Result<Vec<NodeState>> {
        let mut args = vec!["inspect".to_owned()];
        args.extend_from_slice(names);
        let output = self.engine().run(Call::new(args)).await?;
        inspect::containers(&output.stdout).map_err(|reason| self.unreadable("inspect", reason))
    }

    /// Removes containers with their volumes; one that is not there is no error.
    async fn delete(&self, names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let mut args = vec!["rm".to_owned(), "-f".to_owned(), "-v".to_owned()];
        args.extend_from_slice(names);
        match self.engine().run(Call::new(args).limit(CHANGE)).await {
            Err(error) if error.failure() == Some(&Failure::NoSuchContainer) => Ok(()),
            other => other.map(drop),
        }
    }

    /// Runs a program in a node to its end, whatever its exit code.
    async fn exec(
        &self,
        node: &str,
        command: &[&str],
        stdin: Option<Vec<u8>>,
        limit: Duration,
    ) -> Result<Output> {
        self.engine().output(exec_call(node, command, stdin, limit)).await
    }

    /// The call that runs a program in a node and reads its standard input from here.
    fn exec_fed(&self, node: &str, command: &[&str], limit: Duration) -> Call {
        exec_call(node, command, Some(Vec::new()), limit)
    }

    /// Waits until a node's system is up.
    async fn wait_booted(&self, name: &str, limit: Duration) -> Result<Booted> {
        boot::wait_booted(self, name, limit).await
    }

    /// Waits until a container prints a line that is the sign of its being up, by following what it prints.
    async fn wait_for_line(
        &self,
        name: &str,
        limit: Duration,
        is_sign: for<'a> fn(&'a str) -> bool,
    ) -> Result<Booted> {
        boot::wait_for_line(self, name, limit, is_sign).await
    }

    /// Waits until a container has stopped and returns its exit code; `None` if it still runs after that time.
    async fn wait_stopped(&self, name: &str, limit: Duration) -> Result<Option<i64>> {
        match self.engine().run(Call::new(["wait", name]).limit(limit)).await {
            Ok(output) => Ok(output.text().trim().parse().ok()),
            Err(EngineError::TimedOut { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An image, if it is on this machine.
    async fn image(&self, image: &str) -> Result<Option<ImageInfo>> {
        let whole = self.dialect().whole_image_names;
        let name = if whole {
            image::one_of_tag_and_digest(image)
        } else {
            image.to_owned()
        };
        let ask = self.dialect().image_inspect;
        let call = Call::new(ask.iter().copied().chain([name.as_str()]));
        match self.engine().run(call).await {
            Ok(output) => {
                let (mut found, tags) = inspect::image(&output.stdout)
                    .map_err(|reason| self.unreadable(&ask.join(" "), reason))?;
                found.name = if whole { image::found(image, &tags) } else { name };
                Ok(Some(found))
            }
            Err(EngineError::Failed {
                failure: Failure::NoSuchImage | Failure::NoSuchContainer,
                ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The call that writes images to its standard output, as one archive.
    fn save_call(&self, names: &[String]) -> Call {
        let save = self.dialect().save.iter().map(|&word| word.to_owned());
        Call::new(save.chain(names.iter().cloned())).limit(PULL)
    }

    /// The names of all images on this machine.
    async fn list_images(&self) -> Result<Vec<String>> {
        let call = Call::new(["images", "--format", "{{.Repository}}:{{.Tag}}"]);
        let output = self.engine().run(call).await?;
        let mut names = output.lines();
        names.retain(|name| !name.contains("<none>"));
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// The network of this name, if there is one.
    async fn find_network(&self, name: &str) -> Result<Option<Network>> {
        network::look(self.engine(), name).await
    }

    /// Fetches an image from its registry.
    async fn pull(&self, image: &str) -> Result<()> {
        let name = if self.dialect().whole_image_names {
            image::qualified(image)
        } else {
            image.to_owned()
        };
        self.engine()
            .run(Call::new(["pull", &name]).limit(PULL))
            .await
            .map(drop)
    }

    /// All that a container printed.
    async fn logs(&self, name: &str) -> Result<Vec<u8>> {
        let output = self.engine().output(Call::new(["logs", name])).await?;
        Ok([output.stdout, output.stderr].concat())
    }

    /// The last lines that a container printed, for a message.
    async fn last_lines(&self, name: &str) -> Result<Vec<String>> {
        Ok(boot::last_lines(&self.logs(name).await?))
    }

    /// An answer that cannot be read, as an error.
    fn unreadable(&self, what: &str, reason: String) -> EngineError {
        EngineError::Unreadable {
            engine: self.engine().name(),
            what: what.to_owned(),
            reason,
        }
    }
}

/// The call that runs a program in a node.
pub(crate) fn exec_call(node: &str, command: &[&str], stdin: Option<Vec<u8>>, limit: Duration) -> Call {
    let mut args = vec!["exec", "--privileged"];
    if stdin.is_some() {
        args.push("-i");
    }
    args.push(node);
    args.extend_from_slice(command);
    let call = Call::new(args).limit(limit);
    match stdin {
        Some(bytes) => call.stdin(bytes),
        None => call,
    }
}

/// A line of a list: cluster, name and role with tabs between.
fn list_line(line: &str) -> Option<ClusterNode> {
    let mut fields = line.split('\t').map(str::trim);
    Some(ClusterNode {
        cluster: fields.next().filter(|f| !f.is_empty())?.to_owned(),
        name: fields.next().filter(|f| !f.is_empty())?.to_owned(),
        role: fields.next().unwrap_or_default().to_owned(),
    })
}
