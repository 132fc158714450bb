//! `kindr create [cluster]`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use jiff::SignedDuration;

use super::error::CliError;
use super::ui::Ui;
use super::{Global, Kubeconfig, Name, signals};
use crate::cluster::network_name;
use crate::config::{ClusterConfig, Document, Settings};
use crate::create::{self, Options};
use crate::env;
use crate::kubeconfig::context_name;
use crate::loadbalancer::{Choice, Program};
use crate::plan::{self, Preview};

/// The node image where nobody names one: that of kind 0.33.
const NODE_IMAGE: &str =
    "kindest/node:v1.37.0@sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, args_override_self = true)]
pub(super) struct CreateArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Create a cluster (what `kindr create` does without a second word)
    Cluster(ClusterArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
struct ClusterArgs {
    #[command(flatten)]
    name: Name,
    /// The cluster's configuration file, `-` for standard input
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The node image [default: the configuration's, KINDR_NODE_IMAGE, or kind's newest]
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// How long to wait for the nodes to be ready, such as 60s or 5m; 0s for not at all
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "0s",
        allow_hyphen_values = true
    )]
    wait: String,
    /// Keep the nodes of a cluster that could not be created
    #[arg(long)]
    retain: bool,
    /// Print all that would be done, and ask the engine for nothing
    #[arg(long)]
    dry_run: bool,
    /// How --dry-run prints it, for programs
    #[arg(short, long, value_name = "FORMAT", requires = "dry_run")]
    output: Option<Output>,
    /// What balances several control planes: envoy, node-image (HAProxy), or auto for envoy where it is to be had
    #[arg(long, value_name = "PROGRAM", default_value_t = Choice::Auto)]
    load_balancer: Choice,
    #[command(flatten)]
    kubeconfig: Kubeconfig,
}

/// How a plan is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Json,
    Yaml,
}

pub(super) async fn run(args: CreateArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let args = match args.what {
        Some(What::Cluster(cluster)) => cluster,
        None => args.cluster,
    };
    let wait = parse_wait(&args.wait)?;
    let document = match &args.config {
        Some(path) => Document::from_path(path)?,
        None => Document::default(),
    };
    let settings = Settings {
        name: args.name.given(),
        image: args.image.clone(),
        default_image: default_image(),
    };
    let config = document.resolve(&settings).map_err(|error| {
        let variable = args.name.variable();
        CliError::from(error).hint(variable.map(|name| format!("the cluster's name comes from {name}")))
    })?;
    if args.dry_run {
        return dry_run(&config, &args, wait, global, ui);
    }
    let kubeconfig = args.kubeconfig.paths()?;
    let provider = global.engines()?.first_answering().await?;
    let name = config.name.clone();
    let nodes = config.nodes.len();
    ui.heading(&format!(
        "Creating cluster \"{name}\" ({nodes} node{}) with {}",
        if nodes == 1 { "" } else { "s" },
        provider.dialect().name
    ));
    let options = Options {
        config,
        wait,
        retain: args.retain,
        kubeconfig,
        address_stays: document.names_api_server_address(),
        balancer: args.load_balancer,
    };
    let created = create::create(provider, options, ui.events(), signals::first()).await;
    ui.finish();
    let created = created?;
    if let Some(reasons) = created.not_ready {
        ui.warning(&format!("not all nodes were ready within {}:", args.wait));
        for reason in reasons {
            ui.detail(&reason);
        }
    }
    let context = context_name(&name);
    let file = created.kubeconfig.map_err(|error| {
        CliError::new(format!(
            "cluster \"{name}\" is up, but its kubeconfig was not written: {}",
            error.cause
        ))
        .hint(Some(format!(
            "when that is mended, run `kindr export kubeconfig --name {name}`"
        )))
    })?;
    ui.note(&format!(
        "Set kubectl context to \"{context}\" in {}",
        file.display()
    ));
    let option = args.kubeconfig.kubeconfig.as_ref().map_or(String::new(), |file| {
        format!(
            " --kubeconfig {}",
            kindr_providers::classify::quote(&file.to_string_lossy())
        )
    });
    ui.note(&format!(
        "You can now use your cluster with:\n\n  kubectl cluster-info --context {context}{option}\n"
    ));
    Ok(())
}

/// Prints what a create would do.
fn dry_run(
    config: &ClusterConfig,
    args: &ClusterArgs,
    wait: Duration,
    global: &Global,
    ui: &Ui,
) -> Result<(), CliError> {
    let engines = global.engines()?;
    let provider = engines
        .presumed()
        .ok_or_else(|| CliError::new("there is no engine to plan for"))?;
    let network = network_name(provider.dialect());
    let fallback = plan::version_of(NODE_IMAGE).unwrap_or(semver::Version::new(1, 37, 0));
    let program = match args.load_balancer {
        Choice::NodeImage => Program::Haproxy,
        Choice::Auto | Choice::Envoy => Program::Envoy,
    };
    let preview = Preview::new(config, provider.as_ref(), &network, wait, &fallback, program)?;
    for warning in &preview.warnings {
        ui.warning(warning);
    }
    let unwritable = |error: String| CliError::new(format!("cannot write the plan: {error}"));
    let text = match args.output {
        None => preview.to_string(),
        Some(Output::Json) => {
            serde_json::to_string_pretty(&preview).map_err(|error| unwritable(error.to_string()))?
        }
        Some(Output::Yaml) => {
            serde_yaml::to_string(&preview).map_err(|error| unwritable(error.to_string()))?
        }
    };
    ui.print(text.trim_end())
}

/// The node image where neither command line nor configuration names one.
pub(super) fn default_image() -> String {
    env::first(&[env::KINDR_NODE_IMAGE]).unwrap_or_else(|| NODE_IMAGE.to_owned())
}

/// Reads a duration as Go and kind spell it.
fn parse_wait(text: &str) -> Result<Duration, CliError> {
    let wrong = |why: &str| {
        CliError::new(format!("`--wait {text}` is not a duration: {why}")).hint(Some(
            "write a number and a unit, such as 30s, 5m or 1h30m; 0s waits not at all".to_owned(),
        ))
    };
    let text = text.trim();
    if matches!(text, "0" | "+0" | "-0") {
        return Ok(Duration::ZERO);
    }
    let looks_like_go = text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '+' || c == '-')
        && !text.contains(char::is_whitespace);
    let duration: SignedDuration = match text.parse() {
        Ok(duration) if looks_like_go => duration,
        _ if text.ends_with(|c: char| c.is_ascii_digit()) => return Err(wrong("it has no unit")),
        _ => return Err(wrong("a number with a unit is wanted")),
    };
    Duration::try_from(duration).map_err(|_| wrong("it is negative"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_as_go_writes_them() {
        let secs = |text: &str| parse_wait(text).unwrap().as_secs_f64();
        assert_eq!(secs("0"), 0.0);
        assert_eq!(secs("0s"), 0.0);
        assert_eq!(secs("90s"), 90.0);
        assert_eq!(secs("5m"), 300.0);
        assert_eq!(secs("1h30m"), 5400.0);
        assert_eq!(secs("1.5h"), 5400.0);
        assert_eq!(secs("300ms"), 0.3);
    }

    #[test]
    fn what_is_no_duration_is_told_with_an_example() {
        for text in ["abc", "5", "-3s", "", "5x", "1 minute"] {
            let error = parse_wait(text).unwrap_err();
            assert!(
                error.message.contains(&format!("--wait {text}")),
                "{}",
                error.message
            );
            assert!(error.hint.unwrap().contains("5m"));
            assert_eq!(error.code, 1);
        }
    }
}
