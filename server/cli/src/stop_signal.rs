//! Being asked to stop, to pause, and to go on.

use bridgemaster_sdk::PauseSwitch;

#[cfg(unix)]
use super::output;

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

/// Pauses a bot on SIGUSR1, and lets it go on on SIGUSR2, for as long as it is polled. The signals
/// are heard from the call on.
#[cfg(unix)]
pub(super) fn turn_on_signals(switch: PauseSwitch) -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::{SignalKind, signal};

    let heard = [SignalKind::user_defined1(), SignalKind::user_defined2()].map(signal);
    async move {
        // Without a handler the signal ends the process by itself.
        let [Ok(mut pause), Ok(mut resume)] = heard else {
            return;
        };
        loop {
            tokio::select! {
                Some(()) = pause.recv() => {
                    switch.pause();
                    output::complain("pausing: matches in play go on; SIGUSR2 lets the bot go on");
                }
                Some(()) = resume.recv() => {
                    switch.resume();
                    output::complain("going on");
                }
                else => return,
            }
        }
    }
}

/// There is no such signal.
#[cfg(not(unix))]
pub(super) async fn turn_on_signals(_: PauseSwitch) {}
