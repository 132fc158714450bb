//! Whether a file could be written, found out without writing, and the making of its directory.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use super::KubeconfigError;

/// The directory of a file; of a bare name it is `.`.
pub(super) fn directory(path: &Path) -> &Path {
    path.parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// The file behind symbolic links, also when it is not there yet.
pub(super) fn behind_links(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let mut current = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        match current.read_link() {
            Ok(next) => current = directory(&current).join(next),
            Err(_) => break,
        }
    }
    current
}

/// Makes the directory of a file and those above it, with client-go's mode.
///
/// # Errors
/// [`KubeconfigError::Directory`].
pub(super) fn make_directory(path: &Path) -> Result<(), KubeconfigError> {
    let dir = directory(path);
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o755);
    builder.create(dir).map_err(|reason| KubeconfigError::Directory {
        path: path.to_owned(),
        directory: dir.to_owned(),
        reason,
    })
}

/// Checks that a lock and a new file could be made beside `path`, and that the file itself may be changed.
///
/// Nothing is made: for a directory that is missing, the nearest one above it is looked at.
///
/// # Errors
/// [`KubeconfigError::NotAFile`], [`KubeconfigError::ReadOnly`], [`KubeconfigError::Directory`].
pub(super) fn check_writable(path: &Path) -> Result<(), KubeconfigError> {
    let real = behind_links(path);
    match fs::metadata(&real) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(not_a_file(path, &metadata));
        }
        Ok(_) => may_write(&real).map_err(|reason| KubeconfigError::ReadOnly {
            path: path.to_owned(),
            reason,
        })?,
        // A file that exists can be written in place, a new one needs its directory.
        Err(_) => check_directory(path, directory(&real))?,
    }
    check_directory(path, directory(path))
}

/// The error for a path that is there and is no regular file.
pub(super) fn not_a_file(path: &Path, metadata: &fs::Metadata) -> KubeconfigError {
    let found = if metadata.is_dir() {
        "a directory"
    } else {
        "a device, a pipe or a socket"
    };
    KubeconfigError::NotAFile {
        path: path.to_owned(),
        found,
    }
}

fn check_directory(path: &Path, dir: &Path) -> Result<(), KubeconfigError> {
    let failed = |directory: &Path, reason| KubeconfigError::Directory {
        path: path.to_owned(),
        directory: directory.to_owned(),
        reason,
    };
    for ancestor in dir.ancestors() {
        let ancestor = if ancestor.as_os_str().is_empty() {
            Path::new(".")
        } else {
            ancestor
        };
        match fs::metadata(ancestor) {
            Ok(metadata) if metadata.is_dir() => {
                return may_write(ancestor).map_err(|reason| failed(ancestor, reason));
            }
            Ok(_) => return Err(failed(ancestor, io::ErrorKind::NotADirectory.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if ancestor.is_symlink() {
                    return Err(failed(ancestor, error));
                }
            }
            // A file further up: the next round names it.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Err(error) => return Err(failed(ancestor, error)),
        }
    }
    Ok(())
}

/// Whether this user may write to a file, or make files in a directory.
#[cfg(unix)]
pub(super) fn may_write(path: &Path) -> io::Result<()> {
    use nix::unistd::{AccessFlags, access};
    let search = if path.is_dir() {
        AccessFlags::X_OK
    } else {
        AccessFlags::empty()
    };
    Ok(access(path, AccessFlags::W_OK | search)?)
}

/// Whether this user may write to a file, or make files in a directory.
#[cfg(not(unix))]
pub(super) fn may_write(path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() && metadata.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    #[test]
    fn a_file_that_could_be_made_is_fine_and_nothing_is_made() {
        let sandbox = Sandbox::new();
        check_writable(&sandbox.path("a/b/c/config")).unwrap();
        check_writable(&sandbox.path("config")).unwrap();
        let here = check_writable(Path::new("no-such-dir/config"));
        assert_eq!(here.is_ok(), may_write(Path::new(".")).is_ok());
        assert!(sandbox.names().is_empty());
    }

    #[test]
    fn a_file_in_the_place_of_a_directory_is_named() {
        let sandbox = Sandbox::new();
        let file = sandbox.write("file", "");
        let error = check_writable(&file.join("b/config")).unwrap_err();
        assert!(
            matches!(&error, KubeconfigError::Directory { directory, .. } if *directory == file),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_accepted() {
        for path in ["/", "/dev/null"] {
            let error = check_writable(Path::new(path)).unwrap_err();
            assert!(matches!(error, KubeconfigError::NotAFile { .. }), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_user_without_the_right_to_write_is_told_what_is_in_the_way() {
        use std::os::unix::fs::PermissionsExt;
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("k")).unwrap();
        sandbox.write("k/config", "");
        fs::set_permissions(sandbox.path("k/config"), fs::Permissions::from_mode(0o444)).unwrap();
        if may_write(&sandbox.path("k/config")).is_ok() {
            return; // root may always.
        }
        assert!(matches!(
            check_writable(&sandbox.path("k/config")),
            Err(KubeconfigError::ReadOnly { .. })
        ));
        fs::set_permissions(sandbox.path("k"), fs::Permissions::from_mode(0o555)).unwrap();
        let error = check_writable(&sandbox.path("k/new")).unwrap_err();
        assert!(matches!(error, KubeconfigError::Directory { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_also_to_nowhere() {
        let sandbox = Sandbox::new();
        std::os::unix::fs::symlink("real", sandbox.path("link")).unwrap();
        std::os::unix::fs::symlink("loop", sandbox.path("loop")).unwrap();
        assert_eq!(behind_links(&sandbox.path("link")), sandbox.path("real"));
        behind_links(&sandbox.path("loop"));
    }
}
