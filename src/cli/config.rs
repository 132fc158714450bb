//! `kindr config validate | default | print | schema`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::create::default_image;
use super::error::CliError;
use super::ui::Ui;
use crate::config::{ClusterConfig, Document, Settings, json_schema, to_yaml};

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Check a configuration file and tell of everything that is wrong with it
    Validate(FileArgs),
    /// Print the configuration that holds where no file is given
    Default,
    /// Print a configuration file with everything filled in that it leaves open
    Print(FileArgs),
    /// Print the JSON Schema of configuration files, for editors
    Schema,
}

#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// The configuration file, `-` for standard input
    file: PathBuf,
}

pub(super) fn run(command: ConfigCommand, ui: &Ui) -> Result<(), CliError> {
    match command {
        ConfigCommand::Validate(args) => {
            resolve(&Document::from_path(&args.file)?)?;
            let what = if args.file.as_os_str() == "-" {
                "standard input".into()
            } else {
                args.file.to_string_lossy()
            };
            ui.note(&format!("{what} is valid"));
            Ok(())
        }
        ConfigCommand::Default => print(&Document::default(), ui),
        ConfigCommand::Print(args) => print(&Document::from_path(&args.file)?, ui),
        ConfigCommand::Schema => ui.print(&format!("{:#}", json_schema())),
    }
}

fn print(document: &Document, ui: &Ui) -> Result<(), CliError> {
    ui.print(to_yaml(&resolve(document)?)?.trim_end())
}

/// Fills in what a create would, but for its options.
fn resolve(document: &Document) -> Result<ClusterConfig, CliError> {
    Ok(document.resolve(&Settings {
        default_image: default_image(),
        ..Settings::default()
    })?)
}
