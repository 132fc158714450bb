//! `kindr get clusters | nodes | kubeconfig`

use clap::{Args, Subcommand, ValueEnum};

use super::error::CliError;
use super::ui::Ui;
use super::{Global, Name, not_seen};
use crate::cluster;

#[derive(Debug, Subcommand)]
pub(super) enum GetCommand {
    /// List the clusters of all engines, one a line
    Clusters(ClustersArgs),
    /// List a cluster's nodes, one a line
    Nodes(NodesArgs),
    /// Print a cluster's kubeconfig
    Kubeconfig(KubeconfigArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct ClustersArgs {
    /// How to print them: wide shows each one's engine and nodes, json is for programs
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<Output>,
}

/// How clusters are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Wide,
    Json,
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
    match command {
        GetCommand::Clusters(args) => clusters(args.output, global, ui).await,
        GetCommand::Nodes(args) => nodes(&args, global, ui).await,
        GetCommand::Kubeconfig(args) => {
            let name = args.name.or_default();
            let provider = global.holder(&name, ui).await?;
            let text = cluster::kubeconfig(provider.as_ref(), &name, args.internal).await?;
            ui.print(text.trim_end())
        }
    }
}

async fn clusters(output: Option<Output>, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let survey = global.engines()?.survey().await?;
    let clusters = cluster::summaries(&survey);
    if clusters.is_empty() && output != Some(Output::Json) {
        ui.note("No kind clusters found.");
        return Ok(());
    }
    match output {
        None => ui.print(&survey.clusters().join("\n")),
        Some(Output::Wide) => {
            let rows = clusters.iter().map(|cluster| {
                let nodes = cluster.nodes.len().to_string();
                [cluster.name.clone(), cluster.engine.clone(), nodes]
            });
            ui.print(&table(["NAME", "ENGINE", "NODES"], rows))
        }
        Some(Output::Json) => {
            let text = serde_json::to_string_pretty(&clusters)
                .map_err(|error| CliError::new(format!("cannot write the list: {error}")))?;
            ui.print(&text)
        }
    }
}

async fn nodes(args: &NodesArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let name = args.name.or_default();
    let nodes = if args.all_clusters {
        let survey = global.engines()?.survey().await?;
        survey.found.into_iter().flat_map(|found| found.nodes).collect()
    } else {
        let holder = cluster::find(&global.engines()?, &name).await?;
        if let Some(missing) = &holder.missing {
            not_seen(missing, ui);
        }
        holder.provider.list_nodes(Some(&name)).await?
    };
    if nodes.is_empty() {
        ui.note(&if args.all_clusters {
            "No kind nodes found.".to_owned()
        } else {
            format!("No kind nodes found for cluster \"{name}\".")
        });
        return Ok(());
    }
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    ui.print(&names.join("\n"))
}

/// Lines up rows below a head, with three spaces between columns.
fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = std::iter::once(head.map(str::to_owned)).chain(rows).collect();
    let widths: Vec<usize> = (0..N)
        .map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0))
        .collect();
    let lines = rows.iter().map(|row| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("   ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}
