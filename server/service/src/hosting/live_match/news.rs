//! Has those who watch a match in play told what changes of it: by a task of its own, which looks
//! when bots have had their turn, so that no message of a bot waits until news are made.

use std::sync::{Arc, Weak};

use bridgemaster_proto::games::WireGame;
use tokio::{
    sync::watch,
    task::yield_now,
    time::{Instant, sleep_until},
};

use super::{LiveMatch, effects::Locked};
use crate::limits::SPECTATOR_INTERVAL;

impl<G: WireGame> Locked<G> {
    /// Changes when there may be news, at most once in [`SPECTATOR_INTERVAL`], for any number of
    /// followers. A task of its own wakes them: to wake hundreds takes longer than to handle a
    /// message of a bot. It lasts as long as the match is in memory.
    pub(super) fn follow_among_many(&mut self) -> watch::Receiver<u64> {
        if let Some(for_many) = &self.changes_for_many {
            return for_many.clone();
        }
        let changes = self.follow_changes();
        let (to_many, for_many) = watch::channel(*changes.borrow());
        tokio::spawn(tell_many(changes, to_many));
        self.changes_for_many.insert(for_many).clone()
    }

    /// Changes whenever there may be news, for few followers: whoever handles a message wakes them.
    fn follow_changes(&mut self) -> watch::Receiver<u64> {
        let public_changes = self.machine.referee().public_changes();
        let changes = self
            .changes
            .get_or_insert_with(|| watch::Sender::new(public_changes));
        changes.subscribe()
    }

    /// Has those who watch told what changed since the last news.
    pub(super) fn tell_news(&mut self) {
        if let Some(due) = self.machine.take_news() {
            let gate = self.gates.before(due.after);
            self.teller.tell(due.news, gate);
            if due.is_last {
                self.teller.dismiss();
            }
        }
    }

    /// The same, for as long as anybody watches; whether anybody does.
    fn go_on_telling(&mut self) -> bool {
        self.tell_news();
        self.has_newscast = self.teller.is_watched();
        if !self.has_newscast {
            self.machine.end_to_watch();
        }
        self.has_newscast
    }
}

impl<G: WireGame> LiveMatch<G> {
    /// Somebody has begun to watch: has the news told from now on, if they are not already.
    pub(super) fn begin_newscast(self: &Arc<Self>, locked: &mut Locked<G>) {
        locked.machine.begin_to_watch();
        if !std::mem::replace(&mut locked.has_newscast, true) {
            let changes = locked.follow_changes();
            tokio::spawn(newscast(Arc::downgrade(self), changes));
        }
    }
}

/// Tells followers of changes until the match is gone.
async fn tell_many(mut changes: watch::Receiver<u64>, to_many: watch::Sender<u64>) {
    while changes.changed().await.is_ok() {
        // Bots that were sent something have their turn first.
        yield_now().await;
        let told_at = Instant::now();
        to_many.send_replace(*changes.borrow_and_update());
        sleep_until(told_at + SPECTATOR_INTERVAL).await;
    }
}

/// Tells the news of a match until nobody watches it any more, or it is over or gone.
async fn newscast<G: WireGame>(live: Weak<LiveMatch<G>>, mut changes: watch::Receiver<u64>) {
    while changes.changed().await.is_ok() {
        // Bots that were sent something have their turn first.
        yield_now().await;
        let looked_at = Instant::now();
        // Not while it waits: a match that is forgotten is gone.
        let Some(live) = live.upgrade() else { return };
        if !live.lock().go_on_telling() {
            return;
        }
        drop(live);
        sleep_until(looked_at + SPECTATOR_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn many_are_told_once_an_interval_of_the_last_change_and_of_the_end() {
        let changes = watch::Sender::new(0);
        let (to_many, for_many) = watch::channel(0);
        tokio::spawn(tell_many(changes.subscribe(), to_many));
        let mut followers = [for_many.clone(), for_many];
        let begun = Instant::now();
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
        assert!(begun.elapsed() >= SPECTATOR_INTERVAL);
        drop(changes);
        for follower in &mut followers {
            assert!(follower.changed().await.is_err(), "the match is gone");
        }
    }
}
