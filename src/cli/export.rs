//! `kindr export kubeconfig` and `kindr export logs`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::error::CliError;
use super::ui::Ui;
use super::{Global, Kubeconfig, Name};
use crate::cluster;
use crate::create::engine_hint;
use crate::kubeconfig::{self, context_name};
use crate::logs::{self, LogsError};

#[derive(Debug, Subcommand)]
pub(super) enum ExportCommand {
    /// Write a cluster's entries into the kubeconfig and make its context the current one
    Kubeconfig(KubeconfigArgs),
    /// Write the logs of a cluster's nodes into a folder, with a summary of what failed
    Logs(LogsArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct LogsArgs {
    /// The folder [default: a new one among the temporary files]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    name: Name,
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
    match command {
        ExportCommand::Kubeconfig(args) => kubeconfig(args, global, ui).await,
        ExportCommand::Logs(args) => logs(args, global, ui).await,
    }
}

async fn logs(args: LogsArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let name = args.name.or_default();
    let provider = global.holder(&name, ui).await?;
    let folder = match args.folder {
        Some(folder) => folder,
        None => tempfile::Builder::new()
            .prefix(&format!("kindr-logs-{name}-"))
            .tempdir()
            .map_err(|error| CliError::new(format!("cannot make a folder for the logs: {error}")))?
            .keep(),
    };
    ui.note(&format!("Exporting logs for cluster \"{name}\" to:"));
    let version = format!("kindr {}", env!("CARGO_PKG_VERSION"));
    let missing = logs::export(provider.as_ref(), &name, &version, &folder).await?;
    for what in missing {
        ui.warning(&format!("not read: {what}"));
    }
    ui.print(&folder.display().to_string())
}

async fn kubeconfig(args: KubeconfigArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
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

impl From<LogsError> for CliError {
    fn from(error: LogsError) -> Self {
        let hint = match &error {
            LogsError::Engine(error) => engine_hint(error),
            LogsError::NoNodes { .. } => Some("`kindr get clusters` lists those that there are".to_owned()),
            LogsError::Write { .. } => None,
        };
        Self::new(error.to_string()).hint(hint)
    }
}
