//! Host paths of the configuration as paths that an engine can mount.

use std::path::{Path, PathBuf};

use kindr_providers::spec::{Mount, Propagation};

use super::PlanError;
use crate::config::MountPropagation;
use crate::config::types;

/// Plans a mount. A relative path starts at the working directory, as in kind; `~` is the user's home.
///
/// A path that is missing here gets a warning and no more: docker makes an empty directory of that name, which some
/// count on, and a remote engine looks on its own host.
///
/// # Errors
/// The path cannot be mounted.
pub fn plan(mount: &types::Mount, field: &str, warnings: &mut Vec<String>) -> Result<Mount, PlanError> {
    let host = absolute(Path::new(&mount.host_path))?;
    if host.to_string_lossy().contains(':') {
        return Err(PlanError::ColonInPath {
            path: host,
            field: field.to_owned(),
        });
    }
    if !host.exists() {
        warnings.push(format!(
            "`{field}` mounts {}, which does not exist here: the engine will make an empty directory of it",
            host.display()
        ));
    }
    Ok(Mount {
        host,
        container: mount.container_path.clone(),
        read_only: mount.read_only,
        selinux_relabel: mount.selinux_relabel,
        propagation: match mount.propagation.unwrap_or_default() {
            MountPropagation::None => Propagation::None,
            MountPropagation::HostToContainer => Propagation::HostToContainer,
            MountPropagation::Bidirectional => Propagation::Bidirectional,
        },
    })
}

fn absolute(path: &Path) -> Result<PathBuf, PlanError> {
    if let Ok(rest) = path.strip_prefix("~")
        && let Some(home) = std::env::home_dir()
    {
        return Ok(if rest.as_os_str().is_empty() {
            home
        } else {
            home.join(rest)
        });
    }
    std::path::absolute(path).map_err(|source| PlanError::NoWorkingDirectory {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host_path(path: &str, warnings: &mut Vec<String>) -> PathBuf {
        let mount = types::Mount {
            host_path: path.to_owned(),
            container_path: "/data".to_owned(),
            ..types::Mount::default()
        };
        plan(&mount, "nodes[0].extraMounts[0].hostPath", warnings)
            .unwrap()
            .host
    }

    #[test]
    fn relative_paths_start_at_the_working_directory() {
        let mut warnings = Vec::new();
        assert_eq!(
            host_path("./src", &mut warnings),
            std::env::current_dir().unwrap().join("src")
        );
        assert!(warnings.is_empty());
    }

    #[test]
    fn a_tilde_is_the_home_directory_and_never_a_name() {
        assert_eq!(host_path("~", &mut Vec::new()), std::env::home_dir().unwrap());
    }

    #[test]
    fn a_missing_path_is_warned_of_with_its_field() {
        let mut warnings = Vec::new();
        host_path("/no/such/file.json", &mut warnings);
        let warning = warnings.join("\n");
        assert!(
            warning.contains("/no/such/file.json") && warning.contains("extraMounts[0]"),
            "{warning}"
        );
    }

    #[test]
    fn a_space_is_part_of_a_path_and_a_colon_is_refused() {
        let path = host_path("/tmp/my data", &mut Vec::new());
        assert_eq!(path, Path::new("/tmp/my data"));
        let mount = types::Mount {
            host_path: "/tmp/a:b".to_owned(),
            container_path: "/data".to_owned(),
            ..types::Mount::default()
        };
        let error = plan(&mount, "nodes[0].extraMounts[0].hostPath", &mut Vec::new()).unwrap_err();
        assert!(
            error.to_string().contains("`nodes[0].extraMounts[0].hostPath`"),
            "{error}"
        );
    }
}
