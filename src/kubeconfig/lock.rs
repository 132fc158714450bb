//! The lock of a kubeconfig file, as client-go does it: `<file>.lock`, made exclusively with mode 0.
//!
//! Source: `lockFile` in client-go's `tools/clientcmd/loader.go`. The lock is a convention among writers; a
//! process that is killed while it holds one leaves it behind, and nobody can tell such a lock from a live
//! one. So kindr waits a little, then says so, and never removes a lock that it did not make.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use super::{KubeconfigError, access};

/// How long one and the same lock may stand in the way.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait while other writers come and go.
const LIMIT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(15);

/// A lock that this process holds; dropping it removes the lock file.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(lock = %self.path.display(), %error, "the kubeconfig lock could not be removed");
        }
    }
}

impl Lock {
    /// Locks a kubeconfig file, making its directory if need be.
    ///
    /// # Errors
    /// [`KubeconfigError::Locked`] after a bounded wait, [`KubeconfigError::Directory`] and
    /// [`KubeconfigError::Lock`] if the lock cannot be made.
    pub fn acquire(path: &Path) -> Result<Self, KubeconfigError> {
        let lock = lock_path(path);
        let mut wait = Wait::default();
        loop {
            access::make_directory(path)?;
            match create(&lock) {
                Ok(()) => return Ok(Self { path: lock }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => wait.pause(path, &lock)?,
                // The directory went away between the two steps.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !wait.is_over() => sleep(PAUSE),
                Err(reason) => {
                    return Err(KubeconfigError::Lock {
                        path: path.to_owned(),
                        lock,
                        reason,
                    });
                }
            }
        }
    }

    /// Locks several files, in one order for all processes so that two cannot block each other.
    ///
    /// # Errors
    /// As [`Lock::acquire`]; the locks made so far are removed.
    pub fn acquire_all(paths: &BTreeSet<PathBuf>) -> Result<Vec<Self>, KubeconfigError> {
        paths.iter().map(|path| Self::acquire(path)).collect()
    }
}

/// Waits until nobody holds the lock of a file; makes none itself.
///
/// # Errors
/// [`KubeconfigError::Locked`] after a bounded wait.
pub(super) fn wait_until_free(path: &Path) -> Result<(), KubeconfigError> {
    let lock = lock_path(path);
    let mut wait = Wait::default();
    while lock.symlink_metadata().is_ok() {
        wait.pause(path, &lock)?;
    }
    Ok(())
}

fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

fn create(lock: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0);
    options.open(lock).map(drop)
}

/// A wait that is short for one lock and longer while the locks change.
struct Wait {
    start: Instant,
    seen: Option<(SystemTime, Instant)>,
}

impl Default for Wait {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            seen: None,
        }
    }
}

impl Wait {
    fn is_over(&self) -> bool {
        self.start.elapsed() > LIMIT
    }

    fn pause(&mut self, path: &Path, lock: &Path) -> Result<(), KubeconfigError> {
        let Ok(made) = lock.symlink_metadata().and_then(|metadata| metadata.modified()) else {
            // Gone again: somebody is at work.
            sleep(PAUSE);
            return Ok(());
        };
        let since = match self.seen {
            Some((same, since)) if same == made => since,
            _ => self.seen.insert((made, Instant::now())).1,
        };
        if since.elapsed() > PATIENCE || self.is_over() {
            return Err(KubeconfigError::Locked {
                path: path.to_owned(),
                lock: lock.to_owned(),
                age: words(made.elapsed().unwrap_or_default()),
            });
        }
        sleep(PAUSE);
        Ok(())
    }
}

/// A duration as a person says it.
fn words(age: Duration) -> String {
    let seconds = age.as_secs();
    let (count, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7200 => (seconds / 60, "minute"),
        7200..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    #[test]
    fn ages_are_said_in_words() {
        let say = |seconds| words(Duration::from_secs(seconds));
        assert_eq!(
            [say(1), say(119), say(120), say(7200), say(200_000)],
            ["1 second", "119 seconds", "2 minutes", "2 hours", "2 days"]
        );
    }

    #[test]
    fn a_lock_is_made_beside_the_file_and_removed_even_in_a_panic() {
        let sandbox = Sandbox::new();
        let path = sandbox.path("new/config");
        let lock = Lock::acquire(&path).unwrap();
        assert!(sandbox.path("new/config.lock").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(sandbox.path("new/config.lock"))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0);
        }
        let result = std::panic::catch_unwind(move || {
            let _lock = lock;
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(result.is_err() && !sandbox.path("new/config.lock").exists());
    }

    #[test]
    fn a_stale_lock_is_named_with_the_way_out_and_left_there() {
        let sandbox = Sandbox::new();
        let lock = sandbox.lock("config");
        let hour_ago = SystemTime::now() - Duration::from_secs(3700);
        fs::File::options()
            .write(true)
            .open(&lock)
            .unwrap()
            .set_modified(hour_ago)
            .unwrap();
        let start = Instant::now();
        let error = Lock::acquire(&sandbox.path("config")).unwrap_err().to_string();
        assert!(start.elapsed() >= PATIENCE && start.elapsed() < PATIENCE * 2);
        assert!(
            error.contains(&format!("`{}` has been there for 61 minutes", lock.display())),
            "{error}"
        );
        assert!(error.ends_with(&format!("rm {}", lock.display())), "{error}");
        assert!(lock.exists());
    }

    #[test]
    fn a_lock_that_goes_away_in_time_is_waited_for() {
        let sandbox = Sandbox::new();
        let lock = sandbox.lock("config");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                sleep(Duration::from_millis(300));
                fs::remove_file(&lock).unwrap();
            });
            wait_until_free(&sandbox.path("config")).unwrap();
        });
        drop(Lock::acquire(&sandbox.path("config")).unwrap());
        assert!(sandbox.names().is_empty());
    }
}
