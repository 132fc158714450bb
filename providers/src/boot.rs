//! Waiting for a container's system to be up.

use std::collections::VecDeque;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use regex::Regex;

use crate::classify::{EngineError, Failure};
use crate::exec::{Call, QUICK};
use crate::facts::Booted;
use crate::provider::{Provider, Result};

/// What systemd has reached when a node is up.
const BOOT_TARGET: &str = "multi-user.target";

/// The pause before a node without a log is asked again.
const AGAIN: Duration = Duration::from_millis(300);

/// How many of a container's last lines are kept for a message.
const LAST_LINES: usize = 25;

/// Waits until a node's system is up.
pub(crate) async fn wait_booted<P: Provider + ?Sized>(
    provider: &P,
    name: &str,
    limit: Duration,
) -> Result<Booted> {
    match wait_for_line(provider, name, limit, is_boot_line).await {
        Err(EngineError::NoLog { .. }) => ask_until_booted(provider, name, limit).await,
        other => other,
    }
}

/// Waits until a node's system is up by asking it again and again, for engines that keep no log.
async fn ask_until_booted<P: Provider + ?Sized>(provider: &P, name: &str, limit: Duration) -> Result<Booted> {
    let started = Instant::now();
    while started.elapsed() < limit {
        let ask = ["systemctl", "is-active", "--quiet", BOOT_TARGET];
        if provider.exec(name, &ask, None, QUICK).await?.status.success() {
            return Ok(Booted::Ready);
        }
        let states = provider.inspect(&[name.to_owned()]).await?;
        if let Some(state) = states.first().filter(|state| !state.running) {
            return Err(EngineError::Exited {
                name: name.to_owned(),
                code: state.exit_code,
                lines: Vec::new(),
            });
        }
        tokio::time::sleep(AGAIN).await;
    }
    Err(EngineError::NotBooted {
        name: name.to_owned(),
        limit,
        lines: Vec::new(),
    })
}

/// Waits until a container prints a line that is the sign of its being up, by following what it prints.
pub(crate) async fn wait_for_line<P: Provider + ?Sized>(
    provider: &P,
    name: &str,
    limit: Duration,
    is_sign: for<'a> fn(&'a str) -> bool,
) -> Result<Booted> {
    // A container that ends is started once more by its restart policy, so its log may end once.
    for _ in 0..2 {
        let mut last = VecDeque::new();
        let call = Call::new(["logs", "-f", name]).limit(limit);
        let seen = provider
            .engine()
            .follow(call, |line: &str| {
                if last.len() == LAST_LINES {
                    last.pop_front();
                }
                last.push_back(plain(line));
                is_sign(line)
            })
            .await;
        let lines: Vec<String> = last.into_iter().filter(|l| !l.trim().is_empty()).collect();
        match seen {
            Ok(true) => return Ok(Booted::Ready),
            Ok(false) if Failure::of(&lines.join("\n")) == Failure::NoLog => {
                return Err(EngineError::NoLog {
                    name: name.to_owned(),
                });
            }
            Ok(false) => {
                let states = provider.inspect(&[name.to_owned()]).await.or_else(|error| {
                    if error.failure() == Some(&Failure::NoSuchContainer) {
                        Ok(Vec::new())
                    } else {
                        Err(error)
                    }
                })?;
                let state = states.into_iter().next().unwrap_or_default();
                if !state.running {
                    return Err(EngineError::Exited {
                        name: name.to_owned(),
                        code: state.exit_code,
                        lines,
                    });
                }
            }
            Err(EngineError::TimedOut { .. }) => {
                return Err(EngineError::NotBooted {
                    name: name.to_owned(),
                    limit,
                    lines,
                });
            }
            Err(error) => return Err(error),
        }
    }
    Err(EngineError::Exited {
        name: name.to_owned(),
        code: None,
        lines: Vec::new(),
    })
}

/// The last lines of what a container printed, for a message.
pub(crate) fn last_lines(printed: &[u8]) -> Vec<String> {
    let printed = String::from_utf8_lossy(printed);
    let lines = printed.lines().map(plain).filter(|line| !line.trim().is_empty());
    let lines: Vec<String> = lines.collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].to_vec()
}

/// Whether a line of a node's log says that its system is up: systemd's own words, or those of the entrypoint on a
/// host with cgroup v1, where systemd's do not always reach the log (both as kind waits for them).
fn is_boot_line(line: &str) -> bool {
    line.contains("detected cgroup v1")
        || line
            .split_once("Reached target ")
            .is_some_and(|(_, rest)| rest.contains("Multi-User System"))
}

/// A line of a terminal as plain text.
fn plain(line: &str) -> String {
    static ESCAPES: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]").ok());
    ESCAPES.as_ref().map_or_else(
        || line.to_owned(),
        |escapes| escapes.replace_all(line, "").into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_signs_of_a_booted_system_are_known() {
        assert!(is_boot_line(
            "[  OK  ] Reached target \u{1b}[0;1;39mmulti-user.target\u{1b}[0m - Multi-User System."
        ));
        assert!(is_boot_line("INFO: detected cgroup v1"));
        assert!(!is_boot_line(
            "[  OK  ] Reached target basic.target - Basic System."
        ));
    }

    #[test]
    fn terminal_colours_are_taken_out() {
        assert_eq!(
            plain("[\u{1b}[0;32m  OK  \u{1b}[0m] Started x.\r"),
            "[  OK  ] Started x."
        );
    }
}
