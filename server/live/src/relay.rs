//! Broadcasts a match's positions while it is in play. Each position is encoded once for all
//! spectators, outside the lock of the match.

use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
};

use bridgemaster_edge::limits::BROADCAST_BUFFER_BYTES;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OnceCell, watch};
use tonic::codegen::Bytes;

/// The current broadcast of a match; it exists only while it has followers.
#[derive(Default)]
pub struct Relay(Mutex<Weak<Broadcast>>);

/// The latest messages about a match in play. Followers that start late or fall behind compute
/// missing positions themselves.
pub struct Broadcast {
    buffer: Mutex<BroadcastBuffer>,
    /// Publishes the number of the next message. The receivers of this channel are the followers.
    changed: watch::Sender<u64>,
    /// The remaining messages once the match has ended, without and with full disclosure.
    remainder: [OnceCell<Arc<[Bytes]>>; 2],
}

struct BroadcastBuffer {
    messages: VecDeque<BroadcastMessage>,
    bytes: usize,
    /// The number of the next message to send.
    next: u64,
    state: BroadcastState,
}

/// The progress of a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroadcastState {
    /// More messages will follow.
    Live,
    /// The match has ended, and all positions before this number were sent.
    Ended(u32),
    /// The broadcast failed, and each follower determines the reason itself.
    Failed,
}

/// One message of a broadcast, in the encodings that followers need.
#[derive(Clone)]
pub struct BroadcastMessage {
    /// The number of the position in the message, if there is one.
    pub position: Option<u32>,
    /// The encoded message with the position.
    pub message: Bytes,
    /// The encoded message without the position, for followers that already have it.
    pub info: Option<Bytes>,
}

/// A receiver of a broadcast.
pub struct Follower {
    /// The broadcast that the receiver follows.
    pub broadcast: Arc<Broadcast>,
    changed: watch::Receiver<u64>,
}

/// The result of polling a broadcast.
pub enum BroadcastPoll {
    /// One or more new messages.
    Messages(Vec<BroadcastMessage>),
    /// Some of the requested messages are no longer buffered.
    Lagged,
    /// There is no new message yet, or the broadcast has ended.
    Empty(BroadcastState),
}

impl Relay {
    /// Follows the broadcast. The second value is `true` if the call started a new broadcast; the
    /// caller then has to run it.
    pub fn follow(&self) -> (Follower, bool) {
        let mut running = self.0.lock();
        let existing = running.upgrade();
        let existing =
            existing.filter(|broadcast| broadcast.buffer().state == BroadcastState::Live);
        let is_new = existing.is_none();
        let broadcast = existing.unwrap_or_else(|| Arc::new(Broadcast::new()));
        *running = Arc::downgrade(&broadcast);
        let changed = broadcast.changed.subscribe();
        (Follower { broadcast, changed }, is_new)
    }
}

impl Broadcast {
    fn new() -> Self {
        Self {
            buffer: Mutex::new(BroadcastBuffer {
                messages: VecDeque::new(),
                bytes: 0,
                next: 0,
                state: BroadcastState::Live,
            }),
            changed: watch::Sender::new(0),
            remainder: [const { OnceCell::const_new() }; 2],
        }
    }

    fn buffer(&self) -> MutexGuard<'_, BroadcastBuffer> {
        self.buffer.lock()
    }

    /// Sends a message to all followers.
    pub fn send(&self, message: BroadcastMessage) {
        let next = {
            let mut buffer = self.buffer();
            buffer.bytes += message.message.len();
            buffer.messages.push_back(message);
            while buffer.bytes > BROADCAST_BUFFER_BYTES && buffer.messages.len() > 1 {
                let dropped = buffer.messages.pop_front();
                buffer.bytes -= dropped.map_or(0, |dropped| dropped.message.len());
            }
            buffer.next += 1;
            buffer.next
        };
        self.changed.send_replace(next);
    }

    /// Ends the broadcast with the given final state.
    pub fn close(&self, state: BroadcastState) {
        self.buffer().state = state;
        self.changed.send_modify(|_| {});
    }

    /// Completes when the broadcast has no followers.
    pub async fn until_unfollowed(&self) {
        self.changed.closed().await;
    }

    /// Returns the remaining messages once the match has ended, with or without full disclosure.
    pub fn remainder(&self, is_disclosed: bool) -> &OnceCell<Arc<[Bytes]>> {
        &self.remainder[usize::from(is_disclosed)]
    }
}

impl Follower {
    /// Returns the number of the next message.
    pub fn next_number(&self) -> u64 {
        self.broadcast.buffer().next
    }

    /// Returns the messages from number `from` on. Later messages complete
    /// [`changed`](Self::changed).
    pub fn receive(&mut self, from: u64) -> BroadcastPoll {
        self.changed.borrow_and_update();
        let buffer = self.broadcast.buffer();
        let missing = usize::try_from(buffer.next - from).unwrap_or(usize::MAX);
        match buffer.messages.len().checked_sub(missing) {
            None => BroadcastPoll::Lagged,
            Some(_) if missing == 0 => BroadcastPoll::Empty(buffer.state),
            Some(first) => {
                BroadcastPoll::Messages(buffer.messages.range(first..).cloned().collect())
            }
        }
    }

    /// Completes when there are new messages or the broadcast has ended.
    pub async fn changed(&mut self) {
        // The broadcast owns the sender, so the wait cannot fail.
        let _ = self.changed.changed().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(position: u32, bytes: usize) -> BroadcastMessage {
        BroadcastMessage { position: Some(position), message: vec![0; bytes].into(), info: None }
    }

    fn positions(received: BroadcastPoll) -> Vec<u32> {
        match received {
            BroadcastPoll::Messages(messages) => {
                messages.iter().filter_map(|one| one.position).collect()
            }
            BroadcastPoll::Lagged => panic!("some are no longer buffered"),
            BroadcastPoll::Empty(state) => panic!("no message: {state:?}"),
        }
    }

    #[test]
    fn followers_receive_later_messages_and_are_notified_of_lag() {
        let relay = Relay::default();
        let (mut early, is_new) = relay.follow();
        assert!(is_new);
        early.broadcast.send(message(0, BROADCAST_BUFFER_BYTES / 2));
        let (mut late, is_new) = relay.follow();
        assert!(!is_new);
        let from = late.next_number();
        early.broadcast.send(message(1, BROADCAST_BUFFER_BYTES / 2));
        assert_eq!(positions(early.receive(0)), [0, 1]);
        assert_eq!(positions(late.receive(from)), [1]);
        early.broadcast.send(message(2, 1));
        assert!(matches!(early.receive(0), BroadcastPoll::Lagged));
        assert_eq!(positions(late.receive(from)), [1, 2]);
        assert!(matches!(late.receive(3), BroadcastPoll::Empty(BroadcastState::Live)));
    }

    #[test]
    fn one_message_is_buffered_regardless_of_its_size() {
        let (mut follower, _) = Relay::default().follow();
        follower.broadcast.send(message(0, 10 * BROADCAST_BUFFER_BYTES));
        assert_eq!(positions(follower.receive(0)), [0]);
    }

    #[tokio::test]
    async fn a_follower_after_the_last_one_left_starts_a_new_broadcast() {
        let relay = Relay::default();
        let (follower, _) = relay.follow();
        let broadcast = Arc::clone(&follower.broadcast);
        drop(follower);
        broadcast.until_unfollowed().await;
        broadcast.close(BroadcastState::Failed);
        let (_follower, is_new) = relay.follow();
        assert!(is_new);
    }

    #[tokio::test]
    async fn a_waiting_follower_is_woken_by_the_end() {
        let (mut follower, _) = Relay::default().follow();
        assert!(matches!(follower.receive(0), BroadcastPoll::Empty(BroadcastState::Live)));
        follower.broadcast.close(BroadcastState::Ended(7));
        follower.changed().await;
        assert!(matches!(follower.receive(0), BroadcastPoll::Empty(BroadcastState::Ended(7))));
    }
}
