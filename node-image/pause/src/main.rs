//! Holds a pod's namespaces open: it waits for the end, and buries children that nobody else waits for, which is the
//! duty of the first process of a process namespace (pods that share theirs hand their orphans to this one).

use std::process::ExitCode;

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pause: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), Errno> {
    let mut awaited = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGCHLD] {
        awaited.add(signal);
    }
    // Blocked, the signals wait for us in the queue: as the first process we would otherwise not get them at all.
    awaited.thread_block()?;
    loop {
        if awaited.wait()? != Signal::SIGCHLD {
            return Ok(());
        }
        while !matches!(
            waitpid(None, Some(WaitPidFlag::WNOHANG)),
            Ok(WaitStatus::StillAlive) | Err(_)
        ) {}
    }
}
