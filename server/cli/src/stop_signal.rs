//! Being asked to stop.

/// Completes on Ctrl-C, and where there is one on the signal that asks a process to end. The
/// signals are heard from the call on, not from when the future is first polled.
#[cfg(unix)]
pub(super) fn asked_to_stop() -> impl Future<Output = ()> + Send + 'static {
    use std::future::pending;

    use tokio::signal::unix::{SignalKind, signal};

    let heard = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    async move {
        let [pressed, ended] = heard.map(|signals| async move {
            match signals {
                Ok(mut signals) => {
                    signals.recv().await;
                }
                // Without a handler the signal ends the process by itself.
                Err(_) => pending().await,
            }
        });
        tokio::select! {
            () = pressed => {}
            () = ended => {}
        }
    }
}

/// Completes on Ctrl-C.
#[cfg(not(unix))]
pub(super) async fn asked_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler Ctrl-C ends the process by itself.
        std::future::pending::<()>().await;
    }
}
