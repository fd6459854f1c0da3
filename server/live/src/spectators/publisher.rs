//! Publishes updates of a match to its spectators.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bridgemaster_edge::{limiter::Limiter, limits::Limits, refusal::Refusal};
use bridgemaster_match::SpectatorUpdate;
use bridgemaster_proto::v1::WatchMatchResponse;
use prost::Message as _;
use tokio::{sync::mpsc, task::yield_now};

use super::{
    WatchReceiver,
    audience::{Audience, Reservation, SharedMessage, slow_consumer},
};
use crate::journal::{CommitGate, Gated};

/// Publishes updates to spectators. It is called under the lock of the match, so no update is lost
/// between a spectator's snapshot and its first update. Dropping the publisher ends all streams.
pub(crate) struct Publisher {
    audience: Arc<Audience>,
    /// The number of the next update.
    next: u64,
    /// The channel to the publishing task; `None` without spectators.
    task: Option<mpsc::UnboundedSender<PublisherCommand>>,
    /// The number of updates that the task has not sent yet, and its limit.
    waiting: Arc<AtomicUsize>,
    max_waiting: usize,
    bytes: Arc<Limiter>,
}

/// A command to the publishing task.
enum PublisherCommand {
    /// Sends an update once its gate is open.
    Update { number: u64, update: Gated<SpectatorUpdate> },
    /// Closes the streams of spectators that started before the update with this number, optionally
    /// with a refusal.
    End { before: u64, why: Option<Refusal> },
}

impl Publisher {
    /// Creates the publisher for `audience`. An update that waits behind earlier updates counts
    /// against the budget `bytes`, once for all spectators.
    pub(crate) fn new(audience: &Arc<Audience>, limits: &Limits, bytes: &Arc<Limiter>) -> Self {
        Self {
            audience: Arc::clone(audience),
            next: 0,
            task: None,
            waiting: Arc::default(),
            max_waiting: limits.watcher_queue,
            bytes: Arc::clone(bytes),
        }
    }

    /// Returns whether there are spectators.
    pub(crate) fn is_watched(&self) -> bool {
        self.task.is_some() && !self.audience.is_empty()
    }

    /// Subscribes a spectator, starting with `snapshot`.
    pub(crate) fn subscribe(
        &mut self,
        reservation: Reservation,
        snapshot: &WatchMatchResponse,
        gate: Option<CommitGate>,
    ) -> WatchReceiver {
        if self.task.is_none() {
            let (task, commands) = mpsc::unbounded_channel();
            self.task = Some(task);
            self.waiting = Arc::default();
            let audience = Arc::clone(&self.audience);
            let (waiting, bytes) = (Arc::clone(&self.waiting), Arc::clone(&self.bytes));
            tokio::spawn(publish_task(audience, commands, waiting, bytes));
        }
        reservation.start(snapshot, gate, self.next)
    }

    /// Sends an update to all spectators once `gate` is open. If too many updates are waiting
    /// already, closes the spectators' streams instead.
    pub(crate) fn publish(&mut self, update: SpectatorUpdate, gate: Option<CommitGate>) {
        if !self.is_watched() {
            // Dropping the sender ends the task.
            self.task = None;
            return;
        }
        if self.waiting.load(Ordering::Relaxed) >= self.max_waiting {
            return self.close_all(Some(slow_consumer()));
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let number = self.next;
        self.next += 1;
        let update = Gated::new(update, gate);
        self.send_command(PublisherCommand::Update { number, update });
    }

    /// Closes all spectators' streams once all earlier updates are sent.
    pub(crate) fn finish(&mut self) {
        self.close_all(None);
    }

    /// Closes all spectators' streams with a refusal, once all earlier updates are sent.
    pub(crate) fn close_with(&mut self, why: Refusal) {
        self.close_all(Some(why));
    }

    fn close_all(&mut self, why: Option<Refusal>) {
        self.next += 1;
        let before = self.next;
        self.send_command(PublisherCommand::End { before, why });
        self.task = None;
    }

    fn send_command(&self, command: PublisherCommand) {
        // If the task has ended, it has already closed all spectators' streams.
        let _ = self.task.as_ref().map(|task| task.send(command));
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Executes commands in order until the publisher is dropped.
async fn publish_task(
    audience: Arc<Audience>,
    mut commands: mpsc::UnboundedReceiver<PublisherCommand>,
    waiting: Arc<AtomicUsize>,
    bytes: Arc<Limiter>,
) {
    while let Some(command) = commands.recv().await {
        match command {
            PublisherCommand::Update { number, update } => {
                let Ok(update) = update.committed().await else {
                    return audience.close_before(number + 1, Some(&Refusal::storage_failed()));
                };
                let message = update.to_message().encode_to_vec().into();
                let message = SharedMessage::new(number, message, &bytes);
                while !audience.send_batch(&message) {
                    yield_now().await;
                }
                waiting.fetch_sub(1, Ordering::Relaxed);
            }
            PublisherCommand::End { before, why } => audience.close_before(before, why.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{MatchInfo, WatchMatchResponse};
    use prost::Message as _;
    use tonic::Code;

    use super::*;
    use crate::journal::NotStored;

    /// Creates a message that contains its number.
    fn message(number: u32) -> WatchMatchResponse {
        let info = MatchInfo { decisions: number, ..MatchInfo::default() };
        WatchMatchResponse { r#match: Some(info), ..WatchMatchResponse::default() }
    }

    struct Fixture {
        audience: Arc<Audience>,
        publisher: Publisher,
        limits: Limits,
        bytes: Arc<Limiter>,
    }

    impl Fixture {
        fn with(limits: Limits) -> Self {
            let audience = Arc::<Audience>::default();
            let bytes = Limiter::new(limits.watcher_queue_bytes);
            let publisher = Publisher::new(&audience, &limits, &bytes);
            Self { audience, publisher, limits, bytes }
        }

        fn subscribe(&mut self, number: u32) -> WatchReceiver {
            let reservation = self.audience.reserve(None, &self.limits).unwrap();
            self.publisher.subscribe(reservation, &message(number), None)
        }

        fn publish(&mut self, number: u32) {
            self.publisher.publish(SpectatorUpdate::new(move || message(number)), None);
        }
    }

    /// Returns the number of the next message, or `None` at the end.
    async fn next_number(receiver: &mut WatchReceiver) -> Option<Result<u32, Code>> {
        let message = receiver.recv().await?.committed().await.unwrap();
        let number = |shared: super::super::SharedUpdate| {
            let message = WatchMatchResponse::decode(shared.into_bytes()).unwrap();
            message.r#match.unwrap().decisions
        };
        Some(message.map(number).map_err(|status| status.code()))
    }

    #[tokio::test]
    async fn spectators_receive_every_update_after_their_snapshot_and_the_end() {
        let mut fixture = Fixture::with(Limits::default());
        let mut first = fixture.subscribe(0);
        fixture.publish(1);
        let mut second = fixture.subscribe(1);
        // More than one batch.
        let mut others: Vec<_> = (0..150).map(|_| fixture.subscribe(1)).collect();
        fixture.publish(2);
        fixture.publisher.finish();
        assert!(!fixture.publisher.is_watched());
        for number in [0, 1, 2] {
            assert_eq!(next_number(&mut first).await, Some(Ok(number)));
        }
        assert_eq!(next_number(&mut first).await, None);
        for one in std::iter::once(&mut second).chain(&mut others) {
            assert_eq!(next_number(one).await, Some(Ok(1)));
            assert_eq!(next_number(one).await, Some(Ok(2)));
            assert_eq!(next_number(one).await, None);
        }
        // A spectator that starts after the end receives only the final state.
        let mut late = fixture.subscribe(2);
        fixture.publisher.finish();
        assert_eq!(next_number(&mut late).await, Some(Ok(2)));
        assert_eq!(next_number(&mut late).await, None);
    }

    #[tokio::test]
    async fn updates_are_encoded_once_and_slow_spectators_are_closed() {
        let mut fixture = Fixture::with(Limits { watcher_queue: 4, ..Limits::default() });
        let [mut prompt, mut other, mut slow] = [0; 3].map(|_| fixture.subscribe(0));
        next_number(&mut prompt).await;
        next_number(&mut other).await;
        for number in 1..10 {
            fixture.publish(number);
            let shared = async |receiver: &mut WatchReceiver| {
                let message = receiver.recv().await.unwrap().into_value();
                message.unwrap().into_bytes()
            };
            let (one, same) = (shared(&mut prompt).await, shared(&mut other).await);
            assert_eq!(one.as_ptr(), same.as_ptr(), "the same bytes in memory");
        }
        for number in 0..4 {
            assert_eq!(next_number(&mut slow).await, Some(Ok(number)));
        }
        let refused = next_number(&mut slow).await.unwrap();
        assert_eq!(refused, Err(Code::ResourceExhausted));
        assert_eq!(next_number(&mut slow).await, None);
        assert_eq!(fixture.bytes.used(), 0, "all queued messages were read");
    }

    #[tokio::test]
    async fn spectators_are_closed_when_an_update_cannot_be_committed() {
        let mut fixture = Fixture::with(Limits::default());
        let mut one = fixture.subscribe(0);
        assert_eq!(next_number(&mut one).await, Some(Ok(0)));
        let gate = CommitGate::default();
        fixture.publisher.publish(SpectatorUpdate::new(|| message(1)), Some(gate.clone()));
        gate.resolve(Err(NotStored));
        let refused = next_number(&mut one).await.unwrap();
        assert_eq!(refused, Err(Code::Unavailable));
        assert_eq!(next_number(&mut one).await, None);
    }

    #[tokio::test]
    async fn updates_are_not_built_without_spectators() {
        let mut fixture = Fixture::with(Limits::default());
        drop(fixture.subscribe(0));
        assert!(fixture.publisher.is_watched());
        fixture.publish(1);
        while fixture.publisher.is_watched() {
            yield_now().await;
        }
        fixture.publisher.publish(SpectatorUpdate::new(|| unreachable!()), None);
    }
}
