//! Wakes a match at its deadline.
//!
//! A match's deadline moves with nearly every decision, and nearly always to a later moment. So
//! the timer sleeps until the moment it last knew, asks again, and is woken early only when the
//! deadline moved to an earlier one: most decisions cost it nothing.

use std::sync::Arc;

use bridgemaster_referee::Time;
use tokio::{sync::Notify, time::sleep_until};

use super::clock::MatchClock;

/// Drives a match until it has no deadline any more or is gone. `tick` lets it act on time that has
/// passed, and gives the next deadline.
pub(super) async fn drive(tick: impl Fn() -> Option<Time>, sooner: Arc<Notify>, clock: MatchClock) {
    while let Some(deadline) = tick() {
        tokio::select! {
            () = sleep_until(clock.instant(deadline)) => {}
            () = sooner.notified() => {}
        }
    }
}
