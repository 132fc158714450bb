//! Writing a kubeconfig file so that a reader sees the old content or the new, and nothing between.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use super::document::Document;
use super::{KubeconfigError, access};

/// Replaces the content of a file; the caller holds its lock.
///
/// A new file beside the old one takes its place, with the old one's mode and owner (0600 for a first one),
/// behind a symbolic link, which stays. Where no file can take that place (a file mounted into a container, a
/// directory or an owner out of reach) the old file is written over.
///
/// # Errors
/// [`KubeconfigError::NotRepresentable`], [`KubeconfigError::ReadOnly`], [`KubeconfigError::Directory`],
/// [`KubeconfigError::Write`].
pub(super) fn write(path: &Path, document: &Document) -> Result<(), KubeconfigError> {
    let text = document.emit();
    check_round_trip(path, document, &text)?;
    let target = access::behind_links(path);
    access::make_directory(&target)?;
    let old = fs::metadata(&target).ok();
    if old.is_some() {
        access::may_write(&target).map_err(|reason| KubeconfigError::ReadOnly {
            path: path.to_owned(),
            reason,
        })?;
    }
    let written = match replace(&target, old.as_ref(), &text) {
        Err(error) if old.is_some() && is_no_replacing(&error) => write_over(&target, &text),
        result => result,
    };
    written.map_err(|reason| KubeconfigError::Write {
        path: path.to_owned(),
        reason,
    })
}

/// A last check before a user's file is changed: what is written reads as what was meant.
fn check_round_trip(path: &Path, document: &Document, text: &str) -> Result<(), KubeconfigError> {
    let reason = match Document::parse(text) {
        Ok(again) if again == *document => return Ok(()),
        Ok(_) => "a value would read differently afterwards".to_owned(),
        Err(fault) => format!("line {} of the new text: {}", fault.line, fault.reason),
    };
    Err(KubeconfigError::NotRepresentable {
        path: path.to_owned(),
        reason,
    })
}

fn replace(target: &Path, old: Option<&Metadata>, text: &str) -> io::Result<()> {
    let dir = access::directory(target);
    // Mode 0600 until it is known better.
    let mut new = tempfile::Builder::new()
        .prefix(".kubeconfig-")
        .suffix(".tmp")
        .tempfile_in(dir)?;
    new.write_all(text.as_bytes())?;
    if let Some(old) = old {
        keep_owner(old, new.as_file())?;
        new.as_file().set_permissions(old.permissions())?;
    }
    new.as_file().sync_all()?;
    new.persist(target).map_err(|error| error.error)?;
    // The new name is on disk only with its directory; not every file system can be asked for that.
    #[cfg(unix)]
    let _ = File::open(dir).and_then(|dir| dir.sync_all());
    Ok(())
}

#[cfg(unix)]
fn keep_owner(old: &Metadata, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let made = new.metadata()?;
    if (made.uid(), made.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(new, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_old: &Metadata, _new: &File) -> io::Result<()> {
    Ok(())
}

/// Whether the failure says that the file cannot be replaced by another, and nothing of its content.
fn is_no_replacing(error: &io::Error) -> bool {
    use ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(
        error.kind(),
        PermissionDenied | ReadOnlyFilesystem | ResourceBusy | CrossesDevices
    )
}

fn write_over(target: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(target)?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    fn document(context: &str) -> Document {
        let mut document = Document::default();
        document.set_current_context(context);
        document
    }

    #[test]
    fn writing_over_leaves_nothing_of_a_longer_text() {
        let sandbox = Sandbox::new();
        let path = sandbox.write("config", "a longer text\n");
        write_over(&path, "short\n").unwrap();
        assert_eq!(sandbox.read("config"), "short\n");
    }

    #[test]
    fn no_other_file_is_left_beside_it() {
        let sandbox = Sandbox::new();
        write(&sandbox.path("dir/config"), &document("a")).unwrap();
        write(&sandbox.path("dir/config"), &document("b")).unwrap();
        assert_eq!(super::super::testing::names(&sandbox.path("dir")), ["config"]);
        assert!(sandbox.read("dir/config").contains("current-context: b\n"));
    }

    #[cfg(unix)]
    #[test]
    fn modes_and_owners_are_kept_and_a_new_file_is_private() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let sandbox = Sandbox::new();
        let path = sandbox.path("config");
        write(&path, &document("a")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let is_chowned = chown(&path, Some(12345), Some(12345)).is_ok();
        write(&path, &document("b")).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!(metadata.mode() & 0o777, 0o640);
        assert!(!is_chowned || (metadata.uid(), metadata.gid()) == (12345, 12345));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_target_is_replaced() {
        let sandbox = Sandbox::new();
        std::os::unix::fs::symlink("real/file", sandbox.path("config")).unwrap();
        for context in ["first", "second"] {
            write(&sandbox.path("config"), &document(context)).unwrap();
            assert!(sandbox.path("config").is_symlink());
            assert!(sandbox.read("real/file").contains(context));
        }
    }
}
