//! What can go wrong with a call of an engine, and how it is told.

use std::time::Duration;

use thiserror::Error;

pub use crate::failure::Failure;

/// A call of an engine that did not do what it was for.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The engine's program is not on the PATH.
    #[error("`{engine}` is not installed (not found on PATH)")]
    NotInstalled {
        /// The program.
        engine: String,
    },
    /// The program is there and the system would not start or serve it.
    #[error("cannot run `{engine}`: {source}")]
    NotStarted {
        /// The program.
        engine: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The call's time limit passed; its process was ended.
    #[error("`{engine} {}` gave no answer within {limit:?}", join(args))]
    TimedOut {
        /// The program.
        engine: String,
        /// The call's arguments.
        args: Vec<String>,
        /// The limit that passed.
        limit: Duration,
    },
    /// The call ended with an exit code other than 0.
    #[error("`{engine} {}` failed: {}", join(args), summary(output, *code))]
    Failed {
        /// The program.
        engine: String,
        /// The call's arguments.
        args: Vec<String>,
        /// The exit code, if it was not ended by a signal.
        code: Option<i32>,
        /// What the output means.
        failure: Failure,
        /// Standard error, then standard output.
        output: String,
    },
    /// The engine's answer is not of the shape that it has in the versions known.
    #[error("cannot read what `{engine} {what}` printed: {reason}")]
    Unreadable {
        /// The program.
        engine: String,
        /// The question.
        what: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// More than one network has the name, and more than one is in use.
    #[error("{} networks are named `{name}` and more than one is in use: {}", ids.len(), ids.join(", "))]
    AmbiguousNetwork {
        /// The name.
        name: String,
        /// Their ids, the one to keep first.
        ids: Vec<String>,
    },
    /// The program of this name is another engine's.
    #[error("`{engine}` on the PATH is really {real}")]
    Disguised {
        /// The program.
        engine: String,
        /// What it is.
        real: String,
    },
    /// The engine is older than what kindr works with.
    #[error("{engine} {version} is too old: kindr needs {needed} or newer")]
    TooOld {
        /// The program.
        engine: String,
        /// Its version.
        version: String,
        /// The oldest version that will do.
        needed: &'static str,
    },
    /// Every IPv6 subnet tried for a network is taken.
    #[error("found no free IPv6 subnet for network `{name}` in {attempts} attempts")]
    NoSubnet {
        /// The program.
        engine: String,
        /// The network.
        name: String,
        /// How many were tried.
        attempts: u32,
    },
    /// A container ended before its system was up.
    #[error("container `{name}` ended{} before it had booted", code.map_or(String::new(), |c| format!(" with exit code {c}")))]
    Exited {
        /// The container.
        name: String,
        /// Its exit code.
        code: Option<i64>,
        /// The last lines that it printed.
        lines: Vec<String>,
    },
    /// The engine keeps no log of a container, by the user's settings.
    #[error("the engine keeps no log of container `{name}`")]
    NoLog {
        /// The container.
        name: String,
    },
    /// A container runs, but its system did not come up in time.
    #[error("container `{name}` runs, but its system was not up within {limit:?}")]
    NotBooted {
        /// The container.
        name: String,
        /// The limit that passed.
        limit: Duration,
        /// The last lines that it printed.
        lines: Vec<String>,
    },
}

impl EngineError {
    /// What the engine's words mean, where it spoke at all.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed { failure, .. } => Some(failure),
            _ => None,
        }
    }

    /// Whether the engine cannot be talked to at all, so that another one may do.
    pub fn is_silence(&self) -> bool {
        match self {
            Self::NotInstalled { .. } | Self::Disguised { .. } | Self::TooOld { .. } => true,
            Self::Failed { failure, .. } => {
                matches!(failure, Failure::NotAnswering | Failure::NotPermitted)
            }
            _ => false,
        }
    }
}

/// How much of a long call's beginning and end a message shows, in characters.
const SHOWN_HEAD: usize = 100;
const SHOWN_TAIL: usize = 60;

/// Arguments as one line for a message: quoted where needed, cut where long.
fn join(args: &[String]) -> String {
    let mut line = String::new();
    for arg in args {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&quote(arg));
    }
    let chars: Vec<char> = line.chars().collect();
    if chars.len() > SHOWN_HEAD + SHOWN_TAIL {
        // The middle of a long call is options; its end is what it is about, the image or the program.
        let head: String = chars[..SHOWN_HEAD].iter().collect();
        let tail: String = chars[chars.len() - SHOWN_TAIL..].iter().collect();
        return format!("{head} ... {tail}");
    }
    line
}

/// One argument as a POSIX shell would take it.
pub fn quote(arg: &str) -> String {
    let plain = !arg.is_empty()
        && arg
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c));
    if plain {
        arg.to_owned()
    } else {
        format!("'{}'", arg.replace('\'', r"'\''"))
    }
}

/// What a line says, without the time and level that nerdctl and podman put before it.
fn message(line: &str) -> String {
    let quoted = line
        .find(" level=")
        .and_then(|at| line[at..].split_once(" msg=\""));
    let Some((_, rest)) = quoted else {
        return line.to_owned();
    };
    let mut text = String::new();
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next() {
                Some('n') => text.push_str(": "),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}

/// The line that tells most: the one that ended the program, or the first that speaks of an error, or else the last.
fn summary(output: &str, code: Option<i32>) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let telling = lines
        .iter()
        .find(|line| line.contains("level=fatal"))
        .or_else(|| {
            lines.iter().find(|line| {
                let line = line.to_lowercase();
                !line.contains("level=warning")
                    && ["error", "cannot", "denied"]
                        .iter()
                        .any(|word| line.contains(word))
            })
        })
        .or_else(|| lines.last())
        .map(|line| message(line));
    match (telling, code) {
        (Some(line), _) => line
            .trim_start_matches("Error: ")
            .trim_start_matches("Error response from daemon: ")
            .trim_end_matches('.')
            .to_owned(),
        (None, Some(code)) => format!("exit code {code}, no message"),
        (None, None) => "ended by a signal, no message".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_in_messages_can_be_pasted() {
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote("--label=a/b.c=d"), "--label=a/b.c=d");
        assert_eq!(quote(""), "''");
    }

    #[test]
    fn a_message_shows_what_ended_the_program_and_not_when() {
        let output = "time=\"t\" level=warning msg=\"Failed to detect\" error=\"x\"\n\
            time=\"t\" level=fatal msg=\"name-store error\\nname \\\"x\\\" is already used\"";
        assert_eq!(
            summary(output, Some(1)),
            r#"name-store error: name "x" is already used"#
        );
        assert_eq!(
            summary("Error: inspecting object: x: image not known\n[]", Some(125)),
            "inspecting object: x: image not known"
        );
    }
}
