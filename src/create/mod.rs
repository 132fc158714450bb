//! Creating a cluster.
//!
//! The steps are plain functions whose arguments are what they need: data flows forward and the compiler sees that
//! nothing is used before it is there. What does not depend on each other runs together.

mod addons;
mod authority;
mod check;
mod clear;
mod containerd;
mod context;
mod error;
mod files;
mod image;
mod init;
mod join;
mod nodes;
mod ready;

use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kindr_providers::Provider;
use tokio::sync::oneshot;

use self::context::{Context, Failed};
pub use self::error::{Cause, CreateError, Signal, engine_hint};
use crate::cluster::{self, network_name};
use crate::config::ClusterConfig;
use crate::events::{Events, Step};
use crate::kubeconfig::{self, KubeconfigPaths};
use crate::loadbalancer::Choice;

/// How a cluster is to be made.
#[derive(Debug, Clone)]
pub struct Options {
    /// The cluster.
    pub config: ClusterConfig,
    /// How long to wait for all nodes to be ready; zero for not at all.
    pub wait: Duration,
    /// Whether to keep the containers of a create that failed.
    pub retain: bool,
    /// The user's kubeconfig files.
    pub kubeconfig: KubeconfigPaths,
    /// Whether the API server stays at its configured address also where the engine is on another host.
    pub address_stays: bool,
    /// Which program balances, where there are several control planes.
    pub balancer: Choice,
}

/// A cluster that was made.
#[derive(Debug)]
pub struct Created {
    /// The kubeconfig file that holds its context, or why none does: the cluster stands all the same.
    pub kubeconfig: Result<PathBuf, CreateError>,
    /// Why nodes are not ready, if the time to wait passed.
    pub not_ready: Option<Vec<String>>,
}

/// Makes a cluster, or leaves nothing behind.
///
/// # Errors
/// [`CreateError`] says which step failed, on which node, and why.
pub async fn create(
    provider: Arc<dyn Provider>,
    options: Options,
    events: Events,
    stop: impl Future<Output = Signal>,
) -> Result<Created, CreateError> {
    let Options {
        mut config,
        wait,
        retain,
        kubeconfig,
        address_stays,
        balancer,
    } = options;
    let remote = provider.remote_host().await.map_err(|error| CreateError {
        cluster: config.name.clone(),
        step: Step::Check,
        node: None,
        cause: error.into(),
        logs: None,
        left: Vec::new(),
    })?;
    if !provider.dialect().ipv6_loopback {
        config.networking.without_ipv6_loopback();
    }
    if let Some(host) = &remote {
        config.networking.move_to(host, address_stays);
    }
    let ctx = Arc::new(Context::new(provider, config, remote, events));
    let result = tokio::select! {
        result = build(&ctx, wait, &kubeconfig, balancer) => result,
        signal = stop => Err(CreateError {
            cluster: ctx.config.name.clone(),
            step: Step::Check,
            node: None,
            cause: Cause::Interrupted(signal),
            logs: None,
            left: Vec::new(),
        }),
    };
    match result {
        Ok(built) => {
            // The cluster stands. What comes now is short, and neither a signal nor a file takes it down again.
            let kubeconfig = write_kubeconfig(&ctx, &kubeconfig, &built).await;
            Ok(Created {
                kubeconfig,
                not_ready: built.not_ready,
            })
        }
        Err(mut error) => {
            // A container that is still being made would otherwise appear after the clearing up.
            ctx.settle().await;
            if !matches!(error.cause, Cause::Interrupted(_)) {
                error.logs = clear::save_logs(&ctx).await;
            }
            error.left = if retain {
                ctx.all_made()
            } else {
                clear::remove(&ctx).await
            };
            Err(error)
        }
    }
}

/// A cluster that stands.
struct Built {
    /// The container by which clients reach the API server: the control plane, or the balancer before several.
    front: String,
    /// That server's port on the host, if it was not the engine's to choose.
    port: Option<u16>,
    /// The administrator's credentials.
    admin_conf: String,
    /// Why nodes are not ready, if the time to wait passed.
    not_ready: Option<Vec<String>>,
}

async fn build(
    ctx: &Arc<Context>,
    wait: Duration,
    paths: &KubeconfigPaths,
    balancer: Choice,
) -> Result<Built, CreateError> {
    let (info, plan) = ctx
        .step(Step::Check, async {
            // Before the engine is asked: a port that is in use is found here, and held from here on.
            let plan = check::plan(ctx).await?;
            Ok((check::run(ctx, paths).await?, plan))
        })
        .await?;
    for warning in &plan.warnings {
        ctx.warn(warning);
    }
    let network_name = network_name(ctx.provider.dialect());
    let (network, (images, program)) = tokio::try_join!(
        ctx.step(Step::Network, async {
            let network = ctx.provider.ensure_network(&network_name).await?;
            if ctx.config.networking.ip_family.has_ipv6() && !network.has_ipv6() {
                return Err(Cause::NetworkWithoutIpv6 {
                    engine: ctx.provider.engine().name(),
                    network: network_name.clone(),
                    containers: network.containers,
                }
                .into());
            }
            Ok(network)
        }),
        ctx.step(Step::Image, image::run(ctx, balancer)),
    )?;

    let port = plan.api_server_port;
    let (first_up, first) = oneshot::channel();
    let boot = ctx.step(Step::Nodes, async {
        let containers = plan.containers(
            &ctx.config,
            ctx.provider.as_ref(),
            &info,
            &network_name,
            &network,
            program,
            image::names(&images),
        );
        // From here on the ports are the engine's.
        drop(plan);
        nodes::run(ctx, containers, &images, first_up).await
    });
    let control = async {
        let Ok(node) = first.await else {
            // The nodes have failed, and their own error is on its way.
            return pending().await;
        };
        let control_plane = ctx.step(Step::ControlPlane, init::run(ctx, &info, &node)).await?;
        Ok::<_, CreateError>((node, control_plane))
    };
    // The workers are up long before the control plane is, so joining them waits for nothing here.
    let (nodes, (node, control_plane)) = tokio::try_join!(boot, control)?;
    let addons = ctx.step(Step::Addons, async {
        tokio::try_join!(
            init::install_addons(ctx, &node, &control_plane),
            addons::run(ctx, &node, &control_plane)
        )?;
        Ok(())
    });
    let first = node.state.name.as_str();
    let workers = async {
        if nodes.len() > 1 {
            ctx.step(Step::Workers, join::run(ctx, &nodes, &control_plane, first))
                .await?;
        }
        Ok(())
    };
    tokio::try_join!(addons, workers)?;

    let not_ready = if wait.is_zero() {
        init_labels(ctx, first).await?;
        None
    } else {
        ctx.step(Step::Ready, async {
            let ((), not_ready) =
                tokio::try_join!(init::set_api_labels(ctx, first), ready::run(ctx, first, wait))?;
            Ok(not_ready)
        })
        .await?
    };
    Ok(Built {
        front: ctx
            .config
            .load_balancer_name()
            .unwrap_or_else(|| first.to_owned()),
        port,
        admin_conf: control_plane.admin_conf,
        not_ready,
    })
}

async fn init_labels(ctx: &Context, control_plane: &str) -> Result<(), CreateError> {
    if ctx.config.nodes.iter().all(|node| node.api_labels().is_empty()) {
        return Ok(());
    }
    ctx.step(Step::Ready, init::set_api_labels(ctx, control_plane))
        .await
}

/// Writes the user's kubeconfig and returns the file.
async fn write_kubeconfig(
    ctx: &Context,
    paths: &KubeconfigPaths,
    built: &Built,
) -> Result<PathBuf, CreateError> {
    let merge = async {
        let server = match built.port {
            Some(port) => {
                let address = ctx.config.networking.api_server_address.to_string();
                cluster::server_url(&address, port, ctx.remote.as_deref())
            }
            None => cluster::server_of(ctx.provider.as_ref(), &built.front)
                .await
                .map_err(|error| Failed::on(&built.front, Cause::Node(error.to_string())))?,
        };
        let (paths, name, conf) = (paths.clone(), ctx.config.name.clone(), built.admin_conf.clone());
        tokio::task::spawn_blocking(move || kubeconfig::merge_cluster(&paths, &name, &conf, &server))
            .await
            .map_err(|error| Cause::Node(format!("the task that writes it ended early: {error}")))?
            .map_err(Failed::from)
    };
    ctx.step(Step::Kubeconfig, merge).await
}
