//! Signals that stop, pause and resume a command.

use bridgemaster_sdk::PauseSwitch;

#[cfg(unix)]
use super::output;

/// Completes on SIGINT (Ctrl-C) and SIGTERM. The handlers are installed when this function is
/// called, not when the future is first polled.
#[cfg(unix)]
pub(super) fn stop_requested() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::SignalKind;

    on_any([SignalKind::interrupt(), SignalKind::terminate()])
}

/// Completes on SIGINT, SIGTERM, SIGHUP and SIGQUIT. Used by commands that must end processes or
/// write reports before they exit.
#[cfg(unix)]
pub(super) fn shutdown_requested() -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::SignalKind;

    on_any([
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::quit(),
    ])
}

/// Completes on the first signal in `kinds`. A signal whose handler cannot be installed ends the
/// process.
#[cfg(unix)]
fn on_any<const N: usize>(
    kinds: [tokio::signal::unix::SignalKind; N],
) -> impl Future<Output = ()> + Send + 'static {
    use std::{future::poll_fn, task::Poll};

    let streams = kinds.map(|kind| tokio::signal::unix::signal(kind).ok());
    async move {
        let mut streams: Vec<_> = streams.into_iter().flatten().collect();
        poll_fn(|context| {
            let mut streams = streams.iter_mut();
            if streams.any(|signal| signal.poll_recv(context).is_ready()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

/// Completes on Ctrl-C, since this system has no other signals.
#[cfg(not(unix))]
pub(super) async fn stop_requested() {
    if tokio::signal::ctrl_c().await.is_err() {
        // If the handler cannot be installed, Ctrl-C ends the process.
        std::future::pending::<()>().await;
    }
}

/// Completes on Ctrl-C, since this system has no other signals.
#[cfg(not(unix))]
pub(super) async fn shutdown_requested() {
    stop_requested().await;
}

/// While the future is polled, pauses a bot on SIGUSR1 and resumes it on SIGUSR2. The handlers are
/// installed when this function is called.
#[cfg(unix)]
pub(super) fn pause_on_signals(switch: PauseSwitch) -> impl Future<Output = ()> + Send + 'static {
    use tokio::signal::unix::{SignalKind, signal};

    let streams = [SignalKind::user_defined1(), SignalKind::user_defined2()].map(signal);
    async move {
        // If a handler cannot be installed, its signal ends the process.
        let [Ok(mut pause), Ok(mut resume)] = streams else {
            return;
        };
        loop {
            tokio::select! {
                Some(()) = pause.recv() => {
                    switch.pause();
                    output::eprint("paused: matches in play continue; SIGUSR2 resumes the bot");
                }
                Some(()) = resume.recv() => {
                    switch.resume();
                    output::eprint("resumed");
                }
                else => return,
            }
        }
    }
}

/// Does nothing, since this system does not have these signals.
#[cfg(not(unix))]
pub(super) async fn pause_on_signals(_: PauseSwitch) {}
