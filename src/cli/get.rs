//! `kindr get clusters | nodes | kubeconfig`

use clap::{Args, Subcommand};

use super::error::CliError;
use super::ui::Ui;
use super::{Global, Name};
use crate::cluster;

#[derive(Debug, Subcommand)]
pub(super) enum GetCommand {
    /// List the clusters, one a line
    Clusters,
    /// List a cluster's nodes, one a line
    Nodes(NodesArgs),
    /// Print a cluster's kubeconfig
    Kubeconfig(KubeconfigArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct NodesArgs {
    #[command(flatten)]
    name: Name,
    /// List the nodes of all clusters
    #[arg(short = 'A', long)]
    all_clusters: bool,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct KubeconfigArgs {
    #[command(flatten)]
    name: Name,
    /// Use the address that other containers on the cluster's network reach
    #[arg(long)]
    internal: bool,
}

pub(super) async fn run(command: GetCommand, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let provider = global.provider()?;
    match command {
        GetCommand::Clusters => {
            let clusters = cluster::list(provider.as_ref()).await?;
            if clusters.is_empty() {
                ui.note("No kind clusters found.");
                return Ok(());
            }
            ui.print(&clusters.join("\n"))
        }
        GetCommand::Nodes(args) => {
            let name = args.name.or_default();
            let cluster = (!args.all_clusters).then_some(name.as_str());
            let nodes = provider.list_nodes(cluster).await?;
            if nodes.is_empty() {
                ui.note(&match cluster {
                    Some(name) => format!("No kind nodes found for cluster \"{name}\"."),
                    None => "No kind nodes found.".to_owned(),
                });
                return Ok(());
            }
            let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
            ui.print(&names.join("\n"))
        }
        GetCommand::Kubeconfig(args) => {
            let text = cluster::kubeconfig(provider.as_ref(), &args.name.or_default(), args.internal).await?;
            ui.print(text.trim_end())
        }
    }
}
