//! Publishes changes of a match in play to spectators. A separate task builds the updates after
//! messages were sent to bots, so that bots never wait for updates.

use std::sync::{Arc, Weak};

use bridgemaster_edge::limits::SPECTATOR_INTERVAL;
use bridgemaster_proto::games::WireGame;
use tokio::{
    sync::watch,
    task::yield_now,
    time::{Instant, sleep_until},
};

use super::{LiveMatch, effects::LockedMatch};

impl<G: WireGame> LockedMatch<G> {
    /// Subscribes to public changes, signalled at most once per [`SPECTATOR_INTERVAL`], for any
    /// number of receivers. A separate task wakes the receivers, since waking hundreds takes longer
    /// than handling a bot's message. The task runs as long as the match is in memory.
    pub(super) fn subscribe_throttled(&mut self) -> watch::Receiver<u64> {
        if let Some(receiver) = &self.throttled_changes {
            return receiver.clone();
        }
        let changes = self.subscribe();
        let (throttled, receiver) = watch::channel(*changes.borrow());
        tokio::spawn(throttle_changes(changes, throttled));
        self.throttled_changes.insert(receiver).clone()
    }

    /// Subscribes to public changes, for a few receivers, which are woken while a message is
    /// handled.
    fn subscribe(&mut self) -> watch::Receiver<u64> {
        let public_changes = self.machine.referee().public_changes();
        let changes = self.changes.get_or_insert_with(|| watch::Sender::new(public_changes));
        changes.subscribe()
    }

    /// Publishes the changes since the last update.
    pub(super) fn publish_updates(&mut self) {
        if let Some(due) = self.machine.take_update() {
            let gate = self.gates.gate_for(due.after);
            self.publisher.publish(due.update, gate);
            if due.is_last {
                self.publisher.finish();
            }
        }
    }

    /// Publishes the changes, and returns whether there still are spectators.
    fn publish_while_watched(&mut self) -> bool {
        self.publish_updates();
        self.is_publishing = self.publisher.is_watched();
        if !self.is_publishing {
            self.machine.stop_watching();
        }
        self.is_publishing
    }
}

impl<G: WireGame> LiveMatch<G> {
    /// Starts the publishing task for a new spectator, unless it is running.
    pub(super) fn start_publishing(self: &Arc<Self>, locked: &mut LockedMatch<G>) {
        locked.machine.start_watching();
        if !std::mem::replace(&mut locked.is_publishing, true) {
            let changes = locked.subscribe();
            tokio::spawn(publish_task(Arc::downgrade(self), changes));
        }
    }
}

/// Forwards changes to many receivers until the match is removed from memory.
async fn throttle_changes(mut changes: watch::Receiver<u64>, throttled: watch::Sender<u64>) {
    while changes.changed().await.is_ok() {
        // Tasks that send to bots run first.
        yield_now().await;
        let sent_at = Instant::now();
        throttled.send_replace(*changes.borrow_and_update());
        sleep_until(sent_at + SPECTATOR_INTERVAL).await;
    }
}

/// Publishes updates until the match has no spectators, is over, or is removed from memory.
async fn publish_task<G: WireGame>(live: Weak<LiveMatch<G>>, mut changes: watch::Receiver<u64>) {
    while changes.changed().await.is_ok() {
        // Tasks that send to bots run first.
        yield_now().await;
        let polled_at = Instant::now();
        // The task holds no reference while it waits, so that a match that is removed from memory
        // is dropped.
        let Some(live) = live.upgrade() else { return };
        if !live.lock().publish_while_watched() {
            return;
        }
        drop(live);
        sleep_until(polled_at + SPECTATOR_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn receivers_get_the_latest_change_once_per_interval_and_the_end() {
        let changes = watch::Sender::new(0);
        let (throttled, receiver) = watch::channel(0);
        tokio::spawn(throttle_changes(changes.subscribe(), throttled));
        let mut followers = [receiver.clone(), receiver];
        let started = Instant::now();
        changes.send_replace(1);
        for follower in &mut followers {
            follower.changed().await.unwrap();
            assert_eq!(*follower.borrow_and_update(), 1);
        }
        changes.send_replace(2);
        changes.send_replace(3);
        for follower in &mut followers {
            follower.changed().await.unwrap();
            assert_eq!(*follower.borrow_and_update(), 3);
        }
        assert!(started.elapsed() >= SPECTATOR_INTERVAL);
        drop(changes);
        for follower in &mut followers {
            assert!(follower.changed().await.is_err(), "the match is gone");
        }
    }
}
