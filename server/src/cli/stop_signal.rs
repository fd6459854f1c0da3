//! Being asked to stop.

use std::future::pending;

/// Completes on Ctrl-C, and where there is one on the signal that asks a process to end.
pub(super) async fn asked_to_stop() {
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => {
            if pressed.is_err() {
                // Without a handler Ctrl-C ends the process by itself.
                pending::<()>().await;
            }
        }
        () = asked_to_end() => {}
    }
}

#[cfg(unix)]
async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};

    match signal(SignalKind::terminate()) {
        Ok(mut signals) => {
            signals.recv().await;
        }
        // Without a handler the signal ends the process by itself.
        Err(_) => pending().await,
    }
}

#[cfg(not(unix))]
async fn asked_to_end() {
    pending().await
}
