//! The container before several control planes: clients reach whichever of them answers.
//!
//! Two programs can do it. Envoy from its published image is what kind uses, with the same files in the same places, so
//! that what people know of it holds. HAProxy from the node image needs no second image. Both are told where the control
//! planes are by name, so the whole configuration is known before any container is made; it is passed as arguments of
//! the container's first process, and no call of the engine is needed to set it up.

mod envoy;
mod haproxy;

use std::fmt;
use std::str::FromStr;

/// The image of the published balancer; that of kind 0.33.
pub const IMAGE: &str = "docker.io/envoyproxy/envoy:v1.36.2";

/// Which program balances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// Envoy where its image is there or can be pulled, else the node image.
    #[default]
    Auto,
    /// Envoy, from [`IMAGE`].
    Envoy,
    /// HAProxy, from the node image.
    NodeImage,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "envoy" => Ok(Self::Envoy),
            "node-image" => Ok(Self::NodeImage),
            other => Err(format!("`{other}` is none of: auto, envoy, node-image")),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Envoy => "envoy",
            Self::NodeImage => "node-image",
        })
    }
}

/// The program that was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Envoy.
    Envoy,
    /// HAProxy.
    Haproxy,
}

/// What a balancer balances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balancer {
    /// The cluster.
    pub cluster: String,
    /// The balancer's container.
    pub name: String,
    /// The control planes, by the names of their containers.
    pub control_planes: Vec<String>,
    /// The port of the API server, here and there.
    pub port: u16,
    /// Whether the cluster is reached by IPv6 alone.
    pub ipv6: bool,
    /// Whether names are found by a resolver; else the container's own file has them, once the others are made.
    pub resolver: bool,
}

impl Balancer {
    /// The program that the container starts in place of its image's own, if any, and its arguments.
    pub fn command(&self, program: Program) -> (Option<&'static str>, Vec<String>) {
        match program {
            Program::Envoy => (None, envoy::command(self)),
            Program::Haproxy => (Some("/bin/sh"), haproxy::command(self)),
        }
    }
}

/// Whether a line of a balancer's log says that it listens: Envoy's words, or HAProxy's.
pub fn is_up(line: &str) -> bool {
    line.contains("starting main dispatch loop") || line.contains("Loading success")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written() {
        for choice in [Choice::Auto, Choice::Envoy, Choice::NodeImage] {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        assert!("nginx".parse::<Choice>().unwrap_err().contains("node-image"));
    }
}
