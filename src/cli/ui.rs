//! What the user sees: results on standard output, everything else on standard error.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::error::CliError;
use crate::events::{Event, Events, Step};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const CARE: Style = AnsiColor::Yellow.on_default();
const HELP: Style = AnsiColor::Cyan.on_default();
const FAINT: Style = Style::new().dimmed();

/// How often a running step's mark turns.
const TICK: Duration = Duration::from_millis(100);

/// The screen. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Ui {
    quiet: bool,
    bars: Option<MultiProgress>,
    running: Arc<Mutex<HashMap<Step, ProgressBar>>>,
}

impl Ui {
    pub(super) fn new(quiet: bool) -> Self {
        let live = std::io::stderr().is_terminal() && !quiet;
        Self {
            quiet,
            bars: live.then(MultiProgress::new),
            running: Arc::default(),
        }
    }

    /// A result, for programs as well as for people.
    pub(super) fn print(&self, text: &str) -> Result<(), CliError> {
        match writeln!(std::io::stdout(), "{text}") {
            // Whoever reads has enough: `kindr get nodes | head -1`.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|error| CliError::new(format!("cannot write the result: {error}"))),
        }
    }

    /// A result with colours, where standard output is a terminal.
    pub(super) fn print_styled(&self, text: &str) -> Result<(), CliError> {
        match writeln!(anstream::stdout(), "{text}") {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|error| CliError::new(format!("cannot write the result: {error}"))),
        }
    }

    /// What a command sets out to do.
    pub(super) fn heading(&self, text: &str) {
        if !self.quiet {
            self.line(&format!("{text} ..."));
        }
    }

    /// Something good to know.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            self.line(text);
        }
    }

    /// Something to take care of.
    pub(super) fn warning(&self, text: &str) {
        self.line(&format!("{CARE}warning:{CARE:#} {text}"));
    }

    /// A line that belongs to the one before.
    pub(super) fn detail(&self, text: &str) {
        self.line(&format!("  {FAINT}|{FAINT:#} {text}"));
    }

    /// The end of a command that failed.
    pub(super) fn error(&self, error: &CliError) {
        self.finish();
        self.line(&format!("{BAD}error:{BAD:#} {}", error.message));
        for line in &error.lines {
            self.detail(line);
        }
        for note in &error.notes {
            self.line(&format!("{FAINT}note:{FAINT:#} {note}"));
        }
        if let Some(hint) = &error.hint {
            self.line(&format!("{HELP}hint:{HELP:#} {hint}"));
        }
    }

    /// A reader for the events of a create.
    pub(super) fn events(&self) -> Events {
        let ui = self.clone();
        Events::new(move |event| ui.event(event))
    }

    /// Ends what still moves on the screen.
    pub(super) fn finish(&self) {
        for (_, bar) in self.running().drain() {
            bar.finish_and_clear();
        }
    }

    fn event(&self, event: Event) {
        match event {
            Event::Started(step) => self.started(step),
            Event::Finished { step, took } => {
                self.clear(step);
                if !self.quiet {
                    self.line(&format!(
                        " {GOOD}✓{GOOD:#} {step} {FAINT}{:.1}s{FAINT:#}",
                        took.as_secs_f64()
                    ));
                }
            }
            Event::Failed(step) => {
                self.clear(step);
                if !self.quiet {
                    self.line(&format!(" {BAD}✗{BAD:#} {step}"));
                }
            }
            Event::Warning(text) => self.warning(&text),
            Event::Note(text) => self.note(&text),
        }
    }

    fn started(&self, step: Step) {
        let Some(bars) = &self.bars else { return };
        let bar = bars.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template(" {spinner:.cyan} {msg} {elapsed:.dim}") {
            bar.set_style(style.tick_strings(&["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏", " "]));
        }
        bar.set_message(step.title());
        bar.enable_steady_tick(TICK);
        self.running().insert(step, bar);
    }

    fn clear(&self, step: Step) {
        if let Some(bar) = self.running().remove(&step) {
            bar.finish_and_clear();
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Step, ProgressBar>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line on standard error, above what moves there. A terminal that is gone is no reason to fail.
    fn line(&self, text: &str) {
        let write = || {
            let _ = writeln!(anstream::stderr(), "{text}");
        };
        match &self.bars {
            Some(bars) => bars.suspend(write),
            None => write(),
        }
    }
}
