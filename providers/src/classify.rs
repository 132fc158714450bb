//! What an engine's words mean: its output as a typed failure.
//!
//! The texts are those of docker 20.10 to 28, podman 3 to 5 and nerdctl 1 and 2, each with a test.

use std::time::Duration;

use thiserror::Error;

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
}

/// The meaning of a failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The engine's daemon does not answer.
    NotAnswering,
    /// The daemon is there, but this user may not talk to it.
    NotPermitted,
    /// A container of that name exists.
    NameTaken,
    /// A host port is in use.
    PortInUse,
    /// A host port is below the first one that this user may use.
    PortNotPermitted,
    /// The host has no such address.
    NoSuchAddress,
    /// The image is not on this machine.
    NoSuchImage,
    /// The registry does not have the image, or not for this user.
    ImageNotServed,
    /// The registry cannot be reached.
    RegistryUnreachable,
    /// A container of that name does not exist.
    NoSuchContainer,
    /// A network of that name does not exist.
    NoSuchNetwork,
    /// A network of that name exists already.
    NetworkExists,
    /// A volume of that name exists already.
    VolumeExists,
    /// A network's subnet is taken by another.
    SubnetTaken,
    /// The host or the engine has no IPv6.
    NoIpv6,
    /// The container is not running.
    NotRunning,
    /// The program that a container should run is not in its image.
    NoSuchProgram,
    /// Nothing that is known; the output tells.
    Other,
}

/// Phrases and their meaning, the more particular first. Compared without case.
const PHRASES: &[(&str, Failure)] = &[
    ("permission denied while trying to connect", Failure::NotPermitted),
    (
        "dial unix /var/run/docker.sock: connect: permission denied",
        Failure::NotPermitted,
    ),
    ("cannot connect to the docker daemon", Failure::NotAnswering),
    ("error during connect", Failure::NotAnswering),
    ("failed to connect to the docker api", Failure::NotAnswering),
    ("cannot connect to podman", Failure::NotAnswering),
    ("unable to connect to podman", Failure::NotAnswering),
    ("cannot access containerd socket", Failure::NotAnswering),
    ("rootless containerd not running", Failure::NotAnswering),
    ("is already in use by container", Failure::NameTaken),
    ("the container name", Failure::NameTaken),
    ("name-store error", Failure::NameTaken),
    ("cannot expose privileged port", Failure::PortNotPermitted),
    ("cannot assign requested address", Failure::NoSuchAddress),
    ("port is already allocated", Failure::PortInUse),
    ("address already in use", Failure::PortInUse),
    ("ports are not available", Failure::PortInUse),
    ("pull access denied", Failure::ImageNotServed),
    ("manifest unknown", Failure::ImageNotServed),
    ("manifest for ", Failure::ImageNotServed),
    ("repository does not exist", Failure::ImageNotServed),
    (
        "requested access to the resource is denied",
        Failure::ImageNotServed,
    ),
    ("no such image", Failure::NoSuchImage),
    ("image not known", Failure::NoSuchImage),
    ("unable to find image", Failure::NoSuchImage),
    ("no such host", Failure::RegistryUnreachable),
    ("server misbehaving", Failure::RegistryUnreachable),
    ("i/o timeout", Failure::RegistryUnreachable),
    ("tls handshake timeout", Failure::RegistryUnreachable),
    ("connection refused", Failure::RegistryUnreachable),
    ("connection reset by peer", Failure::RegistryUnreachable),
    ("network is unreachable", Failure::RegistryUnreachable),
    ("unexpected eof", Failure::RegistryUnreachable),
    ("client.timeout exceeded", Failure::RegistryUnreachable),
    ("no such container", Failure::NoSuchContainer),
    ("no container with name or id", Failure::NoSuchContainer),
    ("no such object", Failure::NoSuchContainer),
    ("no such network", Failure::NoSuchNetwork),
    ("no network found matching", Failure::NoSuchNetwork),
    (
        "pool overlaps with other one on this address space",
        Failure::SubnetTaken,
    ),
    ("volume already exists", Failure::VolumeExists),
    ("networks have overlapping", Failure::SubnetTaken),
    (
        "overlaps with other one on this address space",
        Failure::SubnetTaken,
    ),
    (
        "is already used on the host or by another config",
        Failure::SubnetTaken,
    ),
    ("is being used by a network interface", Failure::SubnetTaken),
    (
        "is already being used by a cni configuration",
        Failure::SubnetTaken,
    ),
    ("cannot read ipv6 setup for bridge", Failure::NoIpv6),
    ("iptables failed: ip6tables", Failure::NoIpv6),
    ("unknown flag: --ipv6", Failure::NoIpv6),
    ("is ipv6 enabled in the kernel", Failure::NoIpv6),
    ("is not running", Failure::NotRunning),
    (
        "can only create exec sessions on running containers",
        Failure::NotRunning,
    ),
    ("executable file not found", Failure::NoSuchProgram),
    ("no such file or directory: unknown", Failure::NoSuchProgram),
];

impl Failure {
    /// Reads the meaning from what a failed call printed.
    pub fn of(output: &str) -> Self {
        let text = output.to_lowercase();
        // "network with name kind already exists" (docker, nerdctl), "network name kind already used" (podman)
        if text.contains("network") && (text.contains("already exists") || text.contains("already used:")) {
            return Self::NetworkExists;
        }
        // "network kind not found" (docker 20.10 and newer), "unable to find network ..." (podman)
        let names_missing_network = text.split("network ").skip(1).any(|rest| {
            let mut words = rest.split_whitespace().skip(1);
            words.next() == Some("not") && words.next().is_some_and(|word| word.starts_with("found"))
        });
        if names_missing_network || text.contains("unable to find network") {
            return Self::NoSuchNetwork;
        }
        PHRASES
            .iter()
            .find(|(phrase, _)| text.contains(phrase))
            .map_or(Self::Other, |(_, failure)| failure.clone())
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

/// The line that tells most: the first that speaks of an error, or else the last.
fn summary(output: &str, code: Option<i32>) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let telling = lines
        .iter()
        .find(|line| {
            let line = line.to_lowercase();
            line.contains("error")
                || line.contains("level=fatal")
                || line.contains("cannot")
                || line.contains("denied")
        })
        .or_else(|| lines.last());
    match (telling, code) {
        (Some(line), _) => line
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
    fn engines_words_have_a_meaning() {
        for (words, failure) in [
            (
                "Cannot connect to the Docker daemon at unix:///nonexistent.sock. Is the docker daemon running?",
                Failure::NotAnswering,
            ),
            (
                "Got permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
                Failure::NotPermitted,
            ),
            (
                "docker: Error response from daemon: Conflict. The container name \"/x\" is already in use by container \"1\". You have to remove",
                Failure::NameTaken,
            ),
            (
                "docker: Error response from daemon: driver failed programming external connectivity on endpoint x: Bind for 127.0.0.1:18080 failed: port is already allocated.",
                Failure::PortInUse,
            ),
            (
                "Error starting userland proxy: listen tcp4 127.0.0.1:18080: bind: address already in use",
                Failure::PortInUse,
            ),
            (
                "Error starting userland proxy: listen tcp6 [::1]:32777: bind: cannot assign requested address",
                Failure::NoSuchAddress,
            ),
            ("Error: No such image: kindr/none:v1", Failure::NoSuchImage),
            (
                "Error response from daemon: pull access denied for x, repository does not exist or may require 'docker login'",
                Failure::ImageNotServed,
            ),
            (
                "Error response from daemon: Get \"https://registry.example/v2/\": dial tcp: lookup registry.example: no such host",
                Failure::RegistryUnreachable,
            ),
            (
                "Error response from daemon: network with name kind already exists",
                Failure::NetworkExists,
            ),
            (
                "Error response from daemon: Pool overlaps with other one on this address space",
                Failure::SubnetTaken,
            ),
            (
                "Error response from daemon: cannot create network 1 (br-1): conflicts with network 2 (br-2): networks have overlapping IPv6",
                Failure::SubnetTaken,
            ),
            (
                "subnet fc00:f853:ccd:e793::/64 overlaps with other one on this address space",
                Failure::SubnetTaken,
            ),
            (
                "Error: subnet fc00::/64 is already used on the host or by another config",
                Failure::SubnetTaken,
            ),
            (
                "Error response from daemon: Cannot read IPv6 setup for bridge br-1: open /proc/sys/net/ipv6",
                Failure::NoIpv6,
            ),
            (
                "Error response from daemon: network kind not found",
                Failure::NoSuchNetwork,
            ),
            (
                "manifest for network-tools:v1 not found: manifest unknown",
                Failure::ImageNotServed,
            ),
            ("Error: No such network: kind", Failure::NoSuchNetwork),
            (
                "Error: unable to find network with name or ID kind: network not found",
                Failure::NoSuchNetwork,
            ),
            ("Error: No such container: x", Failure::NoSuchContainer),
            (
                "Error response from daemon: Container 1 is not running",
                Failure::NotRunning,
            ),
            ("something new", Failure::Other),
        ] {
            assert_eq!(Failure::of(words), failure, "{words}");
        }
    }

    #[test]
    fn arguments_in_messages_can_be_pasted() {
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote("--label=a/b.c=d"), "--label=a/b.c=d");
        assert_eq!(quote(""), "''");
    }
}
