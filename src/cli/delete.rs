//! `kindr delete [cluster]`

use clap::{Args, Subcommand};

use super::error::CliError;
use super::ui::Ui;
use super::{Global, Kubeconfig, Name, not_seen};
use crate::cluster;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, args_override_self = true)]
pub(super) struct DeleteArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Delete a cluster (what `kindr delete` does without a second word)
    Cluster(ClusterArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
struct ClusterArgs {
    #[command(flatten)]
    name: Name,
    #[command(flatten)]
    kubeconfig: Kubeconfig,
}

pub(super) async fn run(args: DeleteArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let args = match args.what {
        Some(What::Cluster(cluster)) => cluster,
        None => args.cluster,
    };
    let name = args.name.or_default();
    let paths = args.kubeconfig.paths()?;
    let holder = cluster::find(&global.engines()?, &name).await?;
    if let Some(missing) = &holder.missing {
        not_seen(missing, ui);
    }
    let provider = holder.provider;
    ui.heading(&format!("Deleting cluster \"{name}\""));
    let removed = cluster::delete(provider.as_ref(), &name, &paths).await?;
    if removed.is_empty() {
        ui.note(&format!("There was no cluster named \"{name}\""));
    } else {
        ui.note(&format!("Deleted nodes: {}", removed.join(", ")));
    }
    Ok(())
}
