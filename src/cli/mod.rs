//! The command line. Only here is anything printed, and only here is clap known.

mod config;
mod create;
mod delete;
mod doctor;
mod error;
mod export;
mod get;
mod load;
mod signals;
mod ui;

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use kindr_providers::Provider;
use kindr_providers::detect::{self, Engines};

use self::error::CliError;
use self::ui::Ui;
use crate::cluster::{self, AccessError, Missing};
use crate::env;
use crate::kubeconfig::KubeconfigPaths;

/// Exit code of a command line that cannot be understood.
const USAGE: u8 = 2;

/// Local Kubernetes clusters whose nodes are containers.
#[derive(Debug, Parser)]
#[command(
    name = "kindr",
    version,
    about,
    max_term_width = 100,
    propagate_version = true
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command has.
#[derive(Debug, Clone, Args)]
struct Global {
    /// Print errors alone
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Say more: 1 for what is done, 3 for each call of the engine
    #[arg(short, long, global = true, value_name = "N", default_value_t = 0, num_args = 0..=1,
          default_missing_value = "1", require_equals = false)]
    verbosity: i32,
    /// The container engine: docker, podman, nerdctl or finch [default: KINDR_PROVIDER, KIND_EXPERIMENTAL_PROVIDER, the
    /// one that has the cluster, or the first that answers]
    #[arg(long, global = true, value_name = "NAME")]
    provider: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a cluster
    Create(create::CreateArgs),
    /// Delete a cluster
    Delete(delete::DeleteArgs),
    /// Show clusters, nodes or a kubeconfig
    #[command(subcommand)]
    Get(get::GetCommand),
    /// Write a cluster's kubeconfig entries again
    #[command(subcommand)]
    Export(export::ExportCommand),
    /// Load images into the nodes of a cluster
    Load(load::LoadArgs),
    /// Check a configuration file, or print one
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Tell whether this machine and its engines can run clusters, and what mends what is wrong
    Doctor(doctor::DoctorArgs),
    /// Print the version
    Version,
}

/// Which cluster a command is about.
#[derive(Debug, Clone, Args)]
struct Name {
    /// The cluster's name [default: KINDR_CLUSTER_NAME, KIND_CLUSTER_NAME, or kind]
    #[arg(short, long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<String>,
}

/// The variables that name a cluster.
const NAME_VARIABLES: [&str; 2] = [env::KINDR_CLUSTER_NAME, env::KIND_CLUSTER_NAME];

impl Name {
    /// The name given by option or variable.
    fn given(&self) -> Option<String> {
        self.name.clone().or_else(|| env::first(&NAME_VARIABLES))
    }

    /// The variable that names the cluster, if it is a variable.
    fn variable(&self) -> Option<&'static str> {
        let set = |name: &&&str| env::first(&[name]).is_some();
        NAME_VARIABLES
            .iter()
            .find(set)
            .copied()
            .filter(|_| self.name.is_none())
    }

    /// The name given, or else the default one.
    fn or_default(&self) -> String {
        self.given()
            .unwrap_or_else(|| crate::config::defaults::CLUSTER_NAME.to_owned())
    }
}

/// Which kubeconfig files a command is about.
#[derive(Debug, Clone, Args)]
struct Kubeconfig {
    /// The kubeconfig file [default: KUBECONFIG or $HOME/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
}

impl Kubeconfig {
    fn paths(&self) -> Result<KubeconfigPaths, CliError> {
        let variable = std::env::var_os(env::KUBECONFIG);
        let home = std::env::home_dir();
        Ok(KubeconfigPaths::resolve(
            self.kubeconfig.as_deref(),
            variable.as_deref().filter(|value| *value != OsStr::new("")),
            home.as_deref(),
        )?)
    }
}

impl Global {
    /// The engines that the command may use.
    fn engines(&self) -> Result<Engines, CliError> {
        Ok(detect::select(self.provider.as_deref(), |name| {
            std::env::var(name).ok()
        })?)
    }

    /// The engine that has a cluster, for a command to which it is an error if there is none.
    async fn holder(&self, name: &str, ui: &Ui) -> Result<Arc<dyn Provider>, CliError> {
        let holder = cluster::find(&self.engines()?, name).await?;
        match holder.missing {
            None => Ok(holder.provider),
            Some(missing) => {
                not_seen(&missing, ui);
                Err(AccessError::NoCluster {
                    name: name.to_owned(),
                    others: missing.others,
                }
                .into())
            }
        }
    }
}

/// Warns of engines on which a cluster that was not found may yet be.
fn not_seen(missing: &Missing, ui: &Ui) {
    for error in &missing.silent {
        ui.warning(&format!("clusters of one engine are not seen: {error}"));
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for and go to standard output.
            let code = if error.use_stderr() { USAGE } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    trace(cli.global.verbosity);
    let ui = Ui::new(cli.global.quiet);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            ui.error(&CliError::new(format!("cannot start: {error}")));
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(run(cli, &ui));
    // A thread that still waits for a lock must not keep the command from ending.
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            ui.error(&error);
            ExitCode::from(error.code)
        }
    }
}

async fn run(cli: Cli, ui: &Ui) -> Result<(), CliError> {
    let global = cli.global.clone();
    let mut result = command(cli, ui).await;
    if let Err(error) = &mut result
        && error.silent
        && let Ok(engines) = global.engines()
        && let Some(other) = engines.another().await
    {
        let name = other.engine().name();
        error
            .notes
            .push(format!("{name} answers; choose it with `--provider {name}`"));
    }
    result
}

async fn command(cli: Cli, ui: &Ui) -> Result<(), CliError> {
    let global = cli.global;
    match cli.command {
        Command::Create(args) => create::run(args, &global, ui).await,
        Command::Delete(args) => delete::run(args, &global, ui).await,
        Command::Get(command) => get::run(command, &global, ui).await,
        Command::Export(command) => export::run(command, &global, ui).await,
        Command::Load(args) => load::run(args, &global, ui).await,
        Command::Config(command) => config::run(command, ui),
        Command::Doctor(args) => doctor::run(args, &global, ui).await,
        Command::Version => ui.print(&format!("kindr {}", env!("CARGO_PKG_VERSION"))),
    }
}

/// Sends traces to standard error: as KINDR_LOG says, or else by the verbosity.
fn trace(verbosity: i32) {
    use tracing_subscriber::EnvFilter;
    let default = match verbosity {
        i32::MIN..=0 => "warn",
        1..=2 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env(env::KINDR_LOG).unwrap_or_else(|_| EnvFilter::new(default));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        .with_target(false);
    // Times are for those who look at single calls.
    if verbosity >= 3 || std::env::var_os(env::KINDR_LOG).is_some() {
        subscriber.init();
    } else {
        subscriber.without_time().init();
    }
}
