//! Wakes a match at its deadline.
//!
//! A match's deadline moves with nearly every decision, and nearly always to a later moment. So
//! the timer sleeps until the moment it last knew, asks again, and is woken early only when the
//! deadline moved to an earlier one: most decisions cost it nothing.

use std::sync::{Arc, Weak};

use bridgemaster_referee::Time;
use tokio::{sync::Notify, time::sleep_until};

use super::clock::ServerClock;

/// What the timer drives.
pub(crate) trait Timed: Send + Sync {
    /// Lets the referee act on time that has passed, and returns the next deadline; `None` when
    /// there will be none any more.
    fn tick(&self) -> Option<Time>;
}

/// Drives a match until it has no deadline any more or is gone.
pub(crate) async fn drive(timed: Weak<dyn Timed>, sooner: Arc<Notify>, clock: Arc<ServerClock>) {
    loop {
        let Some(deadline) = timed.upgrade().and_then(|timed| timed.tick()) else {
            return;
        };
        tokio::select! {
            () = sleep_until(clock.instant(deadline)) => {}
            () = sooner.notified() => {}
        }
    }
}
