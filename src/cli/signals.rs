//! Ctrl-C and its like.

use tokio::signal::unix::{SignalKind, signal};

use crate::create::Signal;

/// Waits for the first SIGINT or SIGTERM. The second one then ends the process at once, whatever it is doing.
pub(super) async fn first() -> Signal {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // Without handlers the signals keep their plain effect.
        return std::future::pending().await;
    };
    let first = tokio::select! {
        _ = interrupt.recv() => Signal::Interrupt,
        _ = terminate.recv() => Signal::Terminate,
    };
    tokio::spawn(async move {
        let code = tokio::select! {
            _ = interrupt.recv() => 130,
            _ = terminate.recv() => 143,
        };
        std::process::exit(code);
    });
    first
}
