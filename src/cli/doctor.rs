//! `kindr doctor`

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};

use super::Global;
use super::error::CliError;
use super::ui::Ui;
use crate::doctor::{self, Report, Row, Verdict};
use crate::host::Host;

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct DoctorArgs {
    /// How to print it: json is for programs
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<Output>,
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Json,
}

pub(super) async fn run(args: DoctorArgs, global: &Global, ui: &Ui) -> Result<(), CliError> {
    let report = doctor::examine(&Host::here(), &global.engines()?.present()).await;
    match args.output {
        Some(Output::Json) => {
            let text = serde_json::to_string_pretty(&report)
                .map_err(|error| CliError::new(format!("cannot write the report: {error}")))?;
            ui.print(&text)?;
        }
        None => ui.print_styled(text(&report).trim_end())?,
    }
    if report.usable {
        return Ok(());
    }
    Err(CliError::new(if report.engines.is_empty() {
        "no container engine is installed"
    } else {
        "no engine here could run a cluster"
    })
    .hint(
        report
            .engines
            .is_empty()
            .then(|| "install docker, podman or nerdctl".to_owned()),
    ))
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    section(&mut text, "This machine", &report.machine);
    for engine in &report.engines {
        let end = if engine.usable { "" } else { " cannot run clusters" };
        section(&mut text, &format!("{}{end}", engine.engine), &engine.checks);
    }
    text
}

fn section(text: &mut String, title: &str, rows: &[Row]) {
    let bold = Style::new().bold();
    // Writing to a string does not fail.
    let _ = writeln!(text, "{bold}{title}{bold:#}");
    for row in rows {
        let (mark, style) = match row.verdict {
            Verdict::Ok => ("✓", AnsiColor::Green.on_default()),
            Verdict::Warning => ("!", AnsiColor::Yellow.on_default()),
            Verdict::Failure => ("✗", AnsiColor::Red.on_default().bold()),
            Verdict::Unknown => ("?", Style::new().dimmed()),
        };
        let _ = writeln!(text, " {style}{mark}{style:#} {}", row.found);
        if let Some(remedy) = &row.remedy {
            let help = AnsiColor::Cyan.on_default();
            let _ = writeln!(text, "   {help}→{help:#} {remedy}");
        }
    }
    text.push('\n');
}
