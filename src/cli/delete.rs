//! `kindr delete [cluster]` and `kindr delete clusters`

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::{Args, Subcommand};
use futures::future::join_all;
use kindr_providers::Provider;

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
    /// Delete several clusters, or all
    Clusters(ClustersArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
struct ClusterArgs {
    #[command(flatten)]
    name: Name,
    #[command(flatten)]
    kubeconfig: Kubeconfig,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
struct ClustersArgs {
    /// The clusters
    #[arg(required_unless_present = "all", value_name = "NAME")]
    names: Vec<String>,
    /// Delete the clusters of all engines
    #[arg(short = 'A', long, conflicts_with = "names")]
    all: bool,
    #[command(flatten)]
    kubeconfig: Kubeconfig,
}

pub(super) async fn run(args: DeleteArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    match args.what {
        Some(What::Cluster(cluster)) => one(cluster, global, ui).await,
        Some(What::Clusters(clusters)) => several(clusters, global, ui).await,
        None => one(args.cluster, global, ui).await,
    }
}

/// Deletes several clusters at the same time; one that stays does not keep the others.
async fn several(args: ClustersArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let paths = args.kubeconfig.paths()?;
    let survey = global.engines()?.survey().await?;
    let meant = |name: &String| args.all || args.names.contains(name);
    let mut found: Vec<(Arc<dyn Provider>, String)> = Vec::new();
    for on in &survey.found {
        let names: BTreeSet<_> = on
            .nodes
            .iter()
            .map(|node| node.cluster.clone())
            .filter(meant)
            .collect();
        found.extend(names.into_iter().map(|name| (Arc::clone(&on.provider), name)));
    }
    for (at, (_, name)) in found.iter().enumerate() {
        // All are meant with --all; a name alone says of two only one.
        if !args.all && found.iter().skip(at + 1).any(|(_, other)| other == name) {
            return Err(cluster::find(&global.engines()?, name).await.err().map_or_else(
                || CliError::new(format!("cluster `{name}` is on more than one engine")),
                CliError::from,
            ));
        }
    }
    for name in args
        .names
        .iter()
        .filter(|name| !found.iter().any(|(_, found)| found == *name))
    {
        for error in &survey.silent {
            ui.warning(&format!("clusters of one engine are not seen: {error}"));
        }
        ui.note(&format!("There was no cluster named \"{name}\""));
    }
    if found.is_empty() {
        if args.all {
            ui.note("No kind clusters found.");
        }
        return Ok(());
    }
    let ends = join_all(found.iter().map(|(provider, name)| {
        let paths = &paths;
        async move {
            (
                name.as_str(),
                cluster::delete(provider.as_ref(), name, paths).await,
            )
        }
    }));
    let (mut gone, mut failed) = (Vec::new(), None);
    for (name, end) in ends.await {
        match end {
            Ok(_) => gone.push(name),
            Err(error) => {
                if let Some(error) = failed.replace(error) {
                    ui.warning(&error.to_string());
                }
            }
        }
    }
    if !gone.is_empty() {
        ui.note(&format!("Deleted clusters: {}", gone.join(", ")));
    }
    failed.map_or(Ok(()), |error| Err(error.into()))
}

async fn one(args: ClusterArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
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
