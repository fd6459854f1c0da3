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
    /// Changes whenever there may be news.
    pub(super) fn follow_changes(&mut self) -> watch::Receiver<u64> {
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
