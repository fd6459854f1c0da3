//! What all who look at the positions of a match in play as spectators are sent: made and encoded
//! once, outside the lock of the match.

use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OnceCell, watch};
use tonic::codegen::Bytes;

use crate::limits::RELAY_BYTES;

/// The showing of a match, while anybody follows it.
#[derive(Default)]
pub(crate) struct Relay(Mutex<Weak<Showing>>);

/// The newest that is shown of a match in play. Who falls behind it, or comes late to it, makes what
/// it lacks for itself.
pub(crate) struct Showing {
    kept: Mutex<Kept>,
    /// The number of the next message; its receivers are those who follow.
    news: watch::Sender<u64>,
    /// What is left to be shown once the match is over, to those who are told all of it and to those
    /// who are not.
    rest: [OnceCell<Arc<[Bytes]>>; 2],
}

struct Kept {
    messages: VecDeque<Relayed>,
    bytes: usize,
    /// The number of the message after the newest.
    next: u64,
    stand: Stand,
}

/// How far a showing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// More will be shown.
    Going,
    /// The match is over, and all positions before the one of this number were shown.
    Over(u32),
    /// No more will be shown, for a reason that each finds out for itself.
    Broken,
}

/// A message for all.
#[derive(Clone)]
pub(crate) struct Relayed {
    /// The number of its position, if it has one.
    pub(crate) position: Option<u32>,
    /// The message.
    pub(crate) message: Bytes,
    /// What it tells of the match besides its position, for those who have the position.
    pub(crate) info: Option<Bytes>,
}

/// Somebody who follows a showing.
pub(crate) struct Follower {
    pub(crate) showing: Arc<Showing>,
    news: watch::Receiver<u64>,
}

/// What somebody who follows finds.
pub(crate) enum Found {
    /// The messages that come next.
    Messages(Vec<Relayed>),
    /// Some of them are not kept any more.
    Missed,
    /// Nothing, and nothing will come.
    Nothing(Stand),
}

impl Relay {
    /// Follows the showing, and tells whether it is a new one, which somebody has to run.
    pub(crate) fn follow(&self) -> (Follower, bool) {
        let mut running = self.0.lock();
        let there = running.upgrade();
        let there = there.filter(|showing| showing.kept().stand == Stand::Going);
        let is_new = there.is_none();
        let showing = there.unwrap_or_else(|| Arc::new(Showing::new()));
        *running = Arc::downgrade(&showing);
        let news = showing.news.subscribe();
        (Follower { showing, news }, is_new)
    }
}

impl Showing {
    fn new() -> Self {
        Self {
            kept: Mutex::new(Kept {
                messages: VecDeque::new(),
                bytes: 0,
                next: 0,
                stand: Stand::Going,
            }),
            news: watch::Sender::new(0),
            rest: [const { OnceCell::const_new() }; 2],
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock()
    }

    /// Shows a message to all.
    pub(crate) fn show(&self, relayed: Relayed) {
        let next = {
            let mut kept = self.kept();
            kept.bytes += relayed.message.len();
            kept.messages.push_back(relayed);
            while kept.bytes > RELAY_BYTES && kept.messages.len() > 1 {
                let dropped = kept.messages.pop_front();
                kept.bytes -= dropped.map_or(0, |dropped| dropped.message.len());
            }
            kept.next += 1;
            kept.next
        };
        self.news.send_replace(next);
    }

    /// Shows no more.
    pub(crate) fn end(&self, stand: Stand) {
        self.kept().stand = stand;
        self.news.send_modify(|_| {});
    }

    /// Completes when nobody follows any more.
    pub(crate) async fn left(&self) {
        self.news.closed().await;
    }

    /// What is left to be shown once the match is over, to those who are told all of it or are not.
    pub(crate) fn rest(&self, is_told: bool) -> &OnceCell<Arc<[Bytes]>> {
        &self.rest[usize::from(is_told)]
    }
}

impl Follower {
    /// The number of the next message.
    pub(crate) fn newest(&self) -> u64 {
        self.showing.kept().next
    }

    /// What there is from this message on. What comes after it is news.
    pub(crate) fn look(&mut self, from: u64) -> Found {
        self.news.borrow_and_update();
        let kept = self.showing.kept();
        let missing = usize::try_from(kept.next - from).unwrap_or(usize::MAX);
        match kept.messages.len().checked_sub(missing) {
            None => Found::Missed,
            Some(_) if missing == 0 => Found::Nothing(kept.stand),
            Some(first) => Found::Messages(kept.messages.range(first..).cloned().collect()),
        }
    }

    /// Completes when there is news.
    pub(crate) async fn news(&mut self) {
        // The sender is the showing's own.
        let _ = self.news.changed().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relayed(position: u32, bytes: usize) -> Relayed {
        Relayed {
            position: Some(position),
            message: vec![0; bytes].into(),
            info: None,
        }
    }

    fn positions(found: Found) -> Vec<u32> {
        match found {
            Found::Messages(messages) => messages.iter().filter_map(|one| one.position).collect(),
            Found::Missed => panic!("some are not kept"),
            Found::Nothing(stand) => panic!("nothing comes: {stand:?}"),
        }
    }

    #[test]
    fn who_follows_gets_what_came_after_and_who_is_far_behind_is_told_so() {
        let relay = Relay::default();
        let (mut early, is_new) = relay.follow();
        assert!(is_new);
        early.showing.show(relayed(0, RELAY_BYTES / 2));
        let (mut late, is_new) = relay.follow();
        assert!(!is_new);
        let from = late.newest();
        early.showing.show(relayed(1, RELAY_BYTES / 2));
        assert_eq!(positions(early.look(0)), [0, 1]);
        assert_eq!(positions(late.look(from)), [1]);
        early.showing.show(relayed(2, 1));
        assert!(matches!(early.look(0), Found::Missed));
        assert_eq!(positions(late.look(from)), [1, 2]);
        assert!(matches!(late.look(3), Found::Nothing(Stand::Going)));
    }

    #[test]
    fn one_message_is_kept_however_large_it_is() {
        let (mut follower, _) = Relay::default().follow();
        follower.showing.show(relayed(0, 10 * RELAY_BYTES));
        assert_eq!(positions(follower.look(0)), [0]);
    }

    #[tokio::test]
    async fn a_showing_ends_when_nobody_follows_and_the_next_one_is_new() {
        let relay = Relay::default();
        let (follower, _) = relay.follow();
        let showing = Arc::clone(&follower.showing);
        drop(follower);
        showing.left().await;
        showing.end(Stand::Broken);
        let (_follower, is_new) = relay.follow();
        assert!(is_new);
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_the_end() {
        let (mut follower, _) = Relay::default().follow();
        assert!(matches!(follower.look(0), Found::Nothing(Stand::Going)));
        follower.showing.end(Stand::Over(7));
        follower.news().await;
        assert!(matches!(follower.look(0), Found::Nothing(Stand::Over(7))));
    }
}
