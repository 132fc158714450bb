//! `kindr load [docker-image] IMAGE... | image-archive FILE...`

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use kindr_providers::Provider;

use super::error::CliError;
use super::ui::Ui;
use super::{Global, Name};
use crate::create::engine_hint;
use crate::load::{self, LoadError};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    args_override_self = true
)]
pub(super) struct LoadArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    images: ImagesArgs,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Load images of the engine into nodes (what `kindr load` does without a second word)
    DockerImage(ImagesArgs),
    /// Load archives of images into nodes
    ImageArchive(ArchivesArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
struct ImagesArgs {
    /// The images, by name or id
    #[arg(required = true, value_name = "IMAGE")]
    images: Vec<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
struct ArchivesArgs {
    /// The archives, docker's or OCI's, also compressed with gzip or zstd
    #[arg(required = true, value_name = "FILE")]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
}

#[derive(Debug, Args)]
struct PlaceArgs {
    #[command(flatten)]
    name: Name,
    /// The nodes, with commas between [default: all]
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    nodes: Vec<String>,
}

pub(super) async fn run(args: LoadArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    match args.what {
        Some(What::ImageArchive(args)) => {
            let (provider, nodes) = place(&args.place, global, ui).await?;
            load::archives(provider.as_ref(), &nodes, &args.archives, &ui.events()).await?;
        }
        Some(What::DockerImage(args)) => images(args, global, ui).await?,
        None => images(args.images, global, ui).await?,
    }
    Ok(())
}

async fn images(args: ImagesArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let (provider, nodes) = place(&args.place, global, ui).await?;
    let engines = global.engines()?;
    let own = provider.engine().name();
    let mut holders = vec![provider];
    // Another engine may have built the image.
    let others = engines.present().into_iter();
    holders.extend(others.filter(|other| other.engine().name() != own));
    load::images(&holders, &nodes, &args.images, &ui.events()).await?;
    Ok(())
}

/// The cluster's engine, and the nodes that are meant.
async fn place(
    args: &PlaceArgs,
    global: &Global,
    ui: &Ui,
) -> Result<(Arc<dyn Provider>, Vec<String>), CliError> {
    let name = args.name.or_default();
    let provider = global.holder(&name, ui).await?;
    let nodes: Vec<String> = args
        .nodes
        .iter()
        .filter(|node| !node.is_empty())
        .cloned()
        .collect();
    let nodes = load::nodes(provider.as_ref(), &name, &nodes).await?;
    Ok((provider, nodes))
}

impl From<LoadError> for CliError {
    fn from(error: LoadError) -> Self {
        let hint = match &error {
            LoadError::Engine(error) => engine_hint(error),
            other => other.hint(),
        };
        let mut told = Self::new(error.to_string()).hint(hint);
        told.lines = error.lines().to_vec();
        told
    }
}
