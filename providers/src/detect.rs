//! Which engine to use.

use std::sync::Arc;

use thiserror::Error;

use crate::docker::Docker;
use crate::nerdctl::Nerdctl;
use crate::podman::Podman;
use crate::provider::Provider;

/// Environment variables that name the engine, the first one set wins.
pub const VARIABLES: [&str; 2] = ["KINDR_PROVIDER", "KIND_EXPERIMENTAL_PROVIDER"];

/// The engines that can be named.
const NAMES: [&str; 5] = ["docker", "podman", "nerdctl", "finch", "nerdctl.lima"];

/// A wish that no engine can fulfil.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SelectError {
    /// The name is none of the known ones.
    #[error("{origin} names the provider `{name}`, which is none of: {}", NAMES.join(", "))]
    Unknown {
        /// Where the name comes from: an option or a variable.
        origin: String,
        /// The name.
        name: String,
    },
}

/// The engine that the user asked for, by option or else by variable, or else docker.
///
/// # Errors
/// The name given is not an engine's (kind takes another engine then, silently).
pub fn select<F>(option: Option<&str>, get: F) -> Result<Arc<dyn Provider>, SelectError>
where
    F: Fn(&str) -> Option<String>,
{
    let wish = match option {
        Some(name) => Some(("--provider".to_owned(), name.to_owned())),
        None => VARIABLES
            .iter()
            .find_map(|&var| Some((var.to_owned(), get(var).filter(|name| !name.is_empty())?))),
    };
    match wish {
        None => Ok(Arc::new(Docker::new())),
        Some((origin, name)) => match name.as_str() {
            "docker" => Ok(Arc::new(Docker::new())),
            "podman" => Ok(Arc::new(Podman::new())),
            "nerdctl" | "finch" | "nerdctl.lima" => Ok(Arc::new(Nerdctl::new(&name))),
            _ => Err(SelectError::Unknown { origin, name }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(option: Option<&str>, env: &[(&str, &str)]) -> Result<String, SelectError> {
        let get = |name: &str| env.iter().find(|(k, _)| *k == name).map(|(_, v)| (*v).to_owned());
        select(option, get).map(|p| p.dialect().name.to_owned())
    }

    #[test]
    fn the_option_comes_before_the_variables() {
        assert_eq!(
            selected(Some("docker"), &[("KINDR_PROVIDER", "bogus")]).unwrap(),
            "docker"
        );
        assert_eq!(selected(None, &[]).unwrap(), "docker");
        assert_eq!(selected(None, &[("KINDR_PROVIDER", "")]).unwrap(), "docker");
    }

    #[test]
    fn a_wrong_name_is_told_with_its_origin() {
        let error = selected(None, &[("KIND_EXPERIMENTAL_PROVIDER", "Podmann")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "KIND_EXPERIMENTAL_PROVIDER names the provider `Podmann`, which is none of: docker, podman, nerdctl, finch, nerdctl.lima"
        );
    }
}
