//! `kindr export kubeconfig`

use clap::{Args, Subcommand};

use super::error::CliError;
use super::ui::Ui;
use super::{Global, Kubeconfig, Name};
use crate::cluster;
use crate::kubeconfig::{self, context_name};

#[derive(Debug, Subcommand)]
pub(super) enum ExportCommand {
    /// Write a cluster's entries into the kubeconfig and make its context the current one
    Kubeconfig(KubeconfigArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct KubeconfigArgs {
    #[command(flatten)]
    name: Name,
    #[command(flatten)]
    kubeconfig: Kubeconfig,
    /// Use the address that other containers on the cluster's network reach
    #[arg(long)]
    internal: bool,
}

pub(super) async fn run(command: ExportCommand, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let ExportCommand::Kubeconfig(args) = command;
    let name = args.name.or_default();
    let paths = args.kubeconfig.paths()?;
    let provider = global.holder(&name, ui).await?;
    let (conf, server) = cluster::credentials(provider.as_ref(), &name, args.internal).await?;
    let context = context_name(&name);
    let merge =
        tokio::task::spawn_blocking(move || kubeconfig::merge_cluster(&paths, &name, &conf, &server)).await;
    let file = merge.map_err(|error| CliError::new(error.to_string()))??;
    ui.note(&format!(
        "Set kubectl context to \"{context}\" in {}",
        file.display()
    ));
    Ok(())
}
