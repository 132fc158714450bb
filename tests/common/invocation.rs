//! One run of the program under test and what is expected of it.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::process::{Finished, Process};

/// What a run that makes no cluster may take.
const QUICK: Duration = Duration::from_secs(60);

/// A run that has not begun.
pub struct Invocation {
    command: Command,
    limit: Duration,
    input: Option<Vec<u8>>,
    expected: Expected,
}

/// A run that goes on while the test does something else.
pub struct Started {
    process: Process,
    expected: Expected,
}

struct Expected {
    /// The program is the real kind, of which less is asked.
    of_kind: bool,
    stdout: Stdout,
    words: Vec<String>,
    own_words: Vec<String>,
    own_choices: Vec<Vec<String>>,
}

enum Stdout {
    Exactly(String),
    Any,
}

impl Invocation {
    /// Prepares a run of kindr, or of the real kind; the environment sets what the command sees.
    pub fn new(command: Command, of_kind: bool) -> Self {
        let expected = Expected {
            of_kind,
            stdout: Stdout::Exactly(String::new()),
            words: Vec::new(),
            own_words: Vec::new(),
            own_choices: Vec::new(),
        };
        Self {
            command,
            limit: QUICK,
            input: None,
            expected,
        }
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Takes an environment variable away.
    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Sets the time after which the run is ended and the test fails.
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Gives the run something to read on stdin.
    pub fn input(mut self, text: &str) -> Self {
        self.input = Some(text.as_bytes().to_vec());
        self
    }

    /// Expects exactly this on stdout, in place of nothing.
    pub fn stdout(mut self, text: impl Into<String>) -> Self {
        self.expected.stdout = Stdout::Exactly(text.into());
        self
    }

    /// Leaves stdout to the test.
    pub fn any_stdout(mut self) -> Self {
        self.expected.stdout = Stdout::Any;
        self
    }

    /// Expects each of these on stderr, in any case and order.
    pub fn mentions<S: Into<String>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.expected.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// Expects each of these on stderr of kindr; kind is known not to say so.
    pub fn kindr_mentions<S: Into<String>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.expected.own_words.extend(words.into_iter().map(Into::into));
        self
    }

    /// Expects at least one of these on stderr of kindr.
    pub fn kindr_mentions_one_of<S: Into<String>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.expected
            .own_choices
            .push(words.into_iter().map(Into::into).collect());
        self
    }

    /// Runs and expects success.
    pub fn succeeds(self) -> Finished {
        self.start().succeeds()
    }

    /// Runs and expects a failure that is told: exit code 1 and an error of a line or more. The test says which
    /// words it has to have, of what failed and of the way out.
    pub fn fails(self) -> Finished {
        self.start().fails()
    }

    /// Runs and expects to be told that the command line is wrong: exit code 2 (kind has 1 for that too).
    pub fn ends_as_misuse(self) -> Finished {
        let started = self.start();
        let finished = started.process.finish();
        started
            .expected
            .check(&finished, if started.expected.of_kind { 1 } else { 2 });
        finished
    }

    /// Begins the run and gives control back.
    pub fn start(self) -> Started {
        Started {
            process: Process::start_with(self.command, self.limit, self.input),
            expected: self.expected,
        }
    }
}

impl Started {
    /// Waits for the end and expects success.
    pub fn succeeds(self) -> Finished {
        let finished = self.process.finish();
        self.expected.check(&finished, 0);
        finished
    }

    /// Waits for the end and expects a failure that is told.
    pub fn fails(self) -> Finished {
        let finished = self.process.finish();
        self.expected.check(&finished, 1);
        assert!(
            self.expected.of_kind || finished.stderr.lines().any(|line| line.starts_with("error: ")),
            "stderr has no line that begins with `error: `:\n{}",
            finished.report()
        );
        finished
    }

    /// Waits for the end, however it is.
    pub fn ends(self) -> Finished {
        self.process.finish()
    }

    /// Tells whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.process.is_running()
    }

    /// Sends a signal as a terminal does, to the program and its children.
    pub fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }
}

impl Expected {
    fn check(&self, finished: &Finished, code: i32) {
        let report = || finished.report();
        assert_eq!(
            finished.status.code(),
            Some(code),
            "exit code is not {code}:\n{}",
            report()
        );
        if let Stdout::Exactly(text) = &self.stdout {
            assert_eq!(&finished.stdout, text, "stdout is not as expected:\n{}", report());
        }
        let own = if self.of_kind {
            &[][..]
        } else {
            &self.own_words[..]
        };
        let lower = finished.stderr.to_lowercase();
        for word in self.words.iter().chain(own) {
            assert!(
                lower.contains(&word.to_lowercase()),
                "stderr does not mention `{word}`:\n{}",
                report()
            );
        }
        for choice in self.own_choices.iter().filter(|_| !self.of_kind) {
            assert!(
                choice.iter().any(|word| lower.contains(&word.to_lowercase())),
                "stderr mentions none of {choice:?}:\n{}",
                report()
            );
        }
        for (what, sign) in [
            ("a panic", "panicked at"),
            ("a Go panic", "goroutine 1 ["),
            ("colours", "\u{1b}["),
        ] {
            assert!(
                !finished.stderr.contains(sign),
                "stderr has {what}:\n{}",
                report()
            );
            assert!(
                !finished.stdout.contains(sign),
                "stdout has {what}:\n{}",
                report()
            );
        }
    }
}
