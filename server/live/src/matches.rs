//! The set of all of a server's matches: hosting, lookup by ticket, and listeners.

mod ending;

use std::sync::{Arc, OnceLock};

use bridgemaster_cluster::Cluster;
use bridgemaster_edge::{
    identity::Caller, lifecycle::Lifecycle, limiter::Limiter, limits::Limits, metrics::Metrics,
    random::system_bytes, refusal::Refusal, server_clock::ServerClock,
};
use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};
use bridgemaster_referee::HistoryId;
use bridgemaster_replay::SigningKey;
use bridgemaster_store::KeyName;
use bridgemaster_traces::SpanRecorder;
use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::Notify, task::yield_now};
use tracing::Instrument as _;

use super::{
    HostedMatch, MatchListener, MatchQuery, OfferTickets, StoredMatch, Ticket,
    clock::drive_timer,
    context::Context,
    delayed::{self, DelayedMatchPermit, DelayedMatches},
    hosted_match::ActiveMatch,
    ids::MatchIds,
    match_index::MatchIndex,
    quarantine::{self, Quarantine},
    read_limiter::ReadLimiter,
    requests::RequestLocks,
};
use crate::{
    journal::{Gated, Journal},
    replays::ReplayExporter,
};

/// The number of matches that are examined between yields to other tasks.
const BATCH_SIZE: usize = 64;
/// The maximum number of batches that a list examines per call.
pub(super) const MAX_BATCHES: usize = 64;

/// All of a server's matches.
pub struct Matches {
    pub(super) context: Arc<Context>,
    /// Notified when the last open match has ended.
    idle: Notify,
    quarantine: Quarantine,
    read_limiter: ReadLimiter,
    replays: Option<Arc<ReplayExporter>>,
    match_index: Mutex<MatchIndex>,
    pub(super) request_locks: RequestLocks,
    /// The lock under which the tickets of a match and of the index are changed together.
    pub(super) ticket_lock: Mutex<()>,
    pub(super) delayed: Arc<DelayedMatches>,
    /// Set before the first match is created.
    listeners: OnceLock<Vec<Arc<dyn MatchListener>>>,
}

impl Matches {
    /// Creates an empty set of matches. With a journal, inputs are stored before they take effect.
    pub fn new(
        limits: Limits,
        (metrics, span_recorder): (Arc<Metrics>, SpanRecorder),
        replays: Option<Arc<ReplayExporter>>,
        journal: Option<Arc<Journal>>,
        signing_key: SigningKey,
        offer_tickets: OfferTickets,
    ) -> Self {
        metrics.set_match_slots(limits.open_matches);
        Self {
            read_limiter: ReadLimiter::new(&limits),
            quarantine: Quarantine::new(Arc::clone(&metrics)),
            context: Arc::new(Context {
                history_id: HistoryId::new(system_bytes()),
                match_ids: MatchIds::default(),
                watcher_queue_bytes: Limiter::new(limits.watcher_queue_bytes),
                limits,
                clock: Arc::new(ServerClock::start(Arc::clone(&metrics))),
                metrics,
                span_recorder,
                lifecycle: Arc::default(),
                journal,
                signing_key: Arc::new(signing_key),
                offer_tickets,
                groups: Arc::default(),
                cluster: OnceLock::new(),
                end_handler: OnceLock::new(),
            }),
            idle: Notify::new(),
            replays,
            match_index: Mutex::default(),
            request_locks: RequestLocks::default(),
            ticket_lock: Mutex::default(),
            delayed: Arc::default(),
            listeners: OnceLock::new(),
        }
    }

    /// Sets the cluster that shares the store. Call this once, before a match is created or
    /// recovered.
    pub fn set_cluster(&self, cluster: Arc<Cluster>) {
        let set = self.context.cluster.set(cluster);
        debug_assert!(set.is_ok(), "the cluster is set once");
    }

    /// Returns the cluster that shares the store, if the store can be shared.
    pub fn cluster(&self) -> Option<&Arc<Cluster>> {
        self.context.cluster.get()
    }

    /// Sets the listeners that are notified about matches. Call this once, before a match is
    /// created or recovered.
    pub fn set_listeners(&self, listeners: Vec<Arc<dyn MatchListener>>) {
        let set = self.listeners.set(listeners);
        debug_assert!(set.is_ok(), "listeners are set once");
    }

    fn listeners(&self) -> &[Arc<dyn MatchListener>] {
        self.listeners.get().map_or(&[], Vec::as_slice)
    }

    /// Returns the ticket for an offered seat.
    pub(super) fn offered_ticket(&self, id: &MatchId, seat: Seat) -> Ticket {
        self.context.offer_tickets.ticket(id, seat)
    }

    /// Notifies listeners that a bot has joined a seat.
    pub(super) fn notify_joined(&self, id: &MatchId, seat: Seat) {
        for listener in self.listeners() {
            listener.on_joined(id, seat);
        }
    }

    /// Returns the server's limits.
    pub fn limits(&self) -> &Limits {
        &self.context.limits
    }

    /// Returns the server's metrics.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.context.metrics
    }

    /// Returns the recorder for trace spans.
    pub fn span_recorder(&self) -> &SpanRecorder {
        &self.context.span_recorder
    }

    /// Returns the clock of all matches.
    pub fn clock(&self) -> &Arc<ServerClock> {
        &self.context.clock
    }

    /// Returns the server's shutdown state.
    pub fn lifecycle(&self) -> &Arc<Lifecycle> {
        &self.context.lifecycle
    }

    /// Returns the journal; `None` without a store.
    pub fn journal(&self) -> Option<&Arc<Journal>> {
        self.context.journal.as_ref()
    }

    /// Returns the stored matches that cannot be read.
    pub fn quarantined(&self) -> &Quarantine {
        &self.quarantine
    }

    /// Returns the key that signs replays.
    pub fn signing_key(&self) -> &SigningKey {
        &self.context.signing_key
    }

    /// Reserves a slot, and then creates a match with `make`. If no slot is free, `make` is not
    /// called, so that a full server does not compute a setup for nothing.
    pub(super) fn with_slot<T>(
        &self,
        maker: Option<&KeyName>,
        make: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.match_index().reserve_slot(maker, self.limits())?;
        make().inspect_err(|_| self.release_slot(maker))
    }

    /// Hosts a match that has a slot, and starts its timer.
    pub(super) fn host(
        self: &Arc<Self>,
        played: Arc<dyn ActiveMatch>,
        tickets: Vec<TicketHash>,
        is_new: bool,
        delay_permit: Option<DelayedMatchPermit>,
    ) {
        self.context.end_handler.get_or_init(|| {
            let matches = Arc::downgrade(self);
            Box::new(move |ended| {
                if let Some(matches) = matches.upgrade() {
                    matches.handle_end(ended);
                }
            })
        });
        let (deadline_moved, clock, span) =
            (played.deadline_moved(), played.clock(), played.span());
        let spectator_delay = played.spectator_delay();
        let is_delayed = spectator_delay.is_some();
        if let Some(spectator_delay) = spectator_delay {
            // The cursor is started before the match can be looked up.
            self.start_cursor(&(Arc::clone(&played) as _), spectator_delay, delay_permit);
        }
        let parties = played.parties();
        let mut match_index = self.match_index();
        match_index.insert(Arc::clone(&played) as _, tickets, &parties);
        if is_delayed {
            match_index.mark_delayed(played.id());
        }
        drop(match_index);
        for listener in self.listeners() {
            let ticket = |seat: Seat| self.offered_ticket(played.id(), seat);
            listener.on_hosted(&*played, &ticket, is_new);
        }
        let played = Arc::downgrade(&played);
        let tick = move || played.upgrade()?.tick();
        tokio::spawn(drive_timer(tick, deadline_moved, clock).instrument(span));
    }

    /// Hosts a match from an earlier server. The limits are not checked, since they concern only
    /// new matches.
    pub(super) fn resume(self: &Arc<Self>, played: Arc<dyn ActiveMatch>, tickets: Vec<TicketHash>) {
        self.match_index().occupy_slot(played.facts().maker.as_ref());
        let end = played.restart();
        self.host(Arc::clone(&played), tickets, false, None);
        drop(end);
    }

    /// Adds a finished match to memory, unless it is already there. If `shows_view_here`, this
    /// server serves the delayed view of the match.
    pub(super) fn add_finished(self: &Arc<Self>, stored: StoredMatch, shows_view_here: bool) {
        let (id, tickets) = (stored.id().clone(), stored.tickets());
        let parties = stored.parties();
        let spectator_delay = stored.spectator_delay().filter(|_| shows_view_here);
        let stored: Arc<dyn HostedMatch> = Arc::new(stored);
        let mut match_index = self.match_index();
        if let Some(existing) = match_index.get(&id) {
            drop(match_index);
            // Another node might have served the delayed view of the match until now.
            if let Some(spectator_delay) = spectator_delay {
                self.start_cursor(&existing, spectator_delay, None);
            }
            return;
        }
        match_index.insert(Arc::clone(&stored), tickets, &parties);
        if spectator_delay.is_some() {
            match_index.mark_delayed(&id);
        }
        let evicted = match_index.mark_ended(&id, self.limits().ended_matches_kept);
        drop(match_index);
        drop(evicted);
        if let Some(spectator_delay) = spectator_delay {
            self.start_cursor(&stored, spectator_delay, None);
        }
    }

    /// Ends the spectators' delay of a match.
    pub(super) fn end_delay(&self, id: &MatchId) {
        self.delayed.remove(id);
        if let Some(journal) = self.journal() {
            journal.queue_records(vec![delayed::delay_records::remove_record(id)]);
        }
        let retained = self.limits().ended_matches_kept;
        let evicted = self.match_index().end_delay(id, retained);
        // The evicted match is dropped outside the lock.
        drop(evicted);
    }

    /// Returns whether a ticket is valid for a seat.
    pub fn has_seat(&self, ticket: &Ticket) -> bool {
        self.match_index().seat_of(ticket.hash()).is_some()
    }

    /// Returns the match and the seat to which a ticket belongs.
    pub(super) fn seat_of(&self, ticket: &Ticket) -> Result<(Arc<dyn HostedMatch>, Seat), Refusal> {
        let seat = self.match_index().seat_of(ticket.hash());
        seat.ok_or_else(|| match self.quarantine.match_of_ticket(ticket.hash()) {
            Some(id) => quarantine::match_unreadable(&id),
            None => match self.quarantine.in_play_count() {
                0 => Refusal::new(
                    RefusalReason::TicketUnknown,
                    "the ticket is not valid for any match on this server",
                ),
                count => quarantine::unknown_ticket(count),
            },
        })
    }

    /// Returns a match that is in memory.
    pub(super) fn in_memory(&self, id: &MatchId) -> Option<Arc<dyn HostedMatch>> {
        self.match_index().get(id)
    }

    /// Returns at most `count` matches in memory that satisfy the query, highest identifier first,
    /// as `viewer` sees them. Lists only matches with lower identifiers than `before` and, if a
    /// party is given, only that party's matches. The second value is the identifier below which
    /// the list continues. The page can be short although more matches follow, since one call does
    /// not examine all matches of a large server.
    pub(super) async fn list_in_memory(
        self: &Arc<Self>,
        query: &MatchQuery,
        mut before: Option<MatchId>,
        count: usize,
        (viewer, of): (&Caller, Option<&KeyName>),
    ) -> (Vec<(MatchId, Gated<MatchInfo>)>, Option<MatchId>) {
        let mut page: Vec<(MatchId, Gated<MatchInfo>)> = Vec::new();
        for _ in 0..MAX_BATCHES {
            let older = self.match_index().list_before(before.as_ref(), of, BATCH_SIZE);
            if older.is_empty() {
                return (page, None);
            }
            for hosted in older {
                let id = hosted.id().clone();
                // If another node serves the delayed view of a match, that node lists it.
                if let Ok(view) = self.view_for(hosted, viewer).await
                    && let Some(info) = view.info_if_matching(query)
                {
                    // The position at which the list continues depends only on matches that the
                    // viewer sees as satisfying the query. Otherwise it would reveal a bot that has
                    // joined a match invisibly.
                    if page.len() == count {
                        let last = page.last().map(|(last, _)| last.clone());
                        return (page, last.or(before));
                    }
                    page.push((id.clone(), info));
                }
                before = Some(id);
            }
            // Yields to other tasks while the lock is not held.
            yield_now().await;
        }
        (page, before)
    }

    /// Returns the limits on expensive reads.
    pub fn read_limiter(&self) -> &ReadLimiter {
        &self.read_limiter
    }

    pub(super) fn match_index(&self) -> MutexGuard<'_, MatchIndex> {
        self.match_index.lock()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bridgemaster_games::{GAME_IDS, with_game};
    use bridgemaster_proto::{
        games::WireGame as _,
        v1::{ClockRules, MatchConfig, TimeControl},
    };
    use tokio::{runtime::Handle, time::timeout};

    use super::*;
    use bridgemaster_match::{JoinRequest, SeatInput};

    use crate::{
        RedeemedTicket,
        creation::{CreatedMatch, MatchOptions},
        hosted_match::ReplayBytes,
    };

    fn matches(limits: Limits) -> Arc<Matches> {
        Arc::new(Matches::new(
            limits,
            (Arc::new(Metrics::for_node(None)), SpanRecorder::disabled()),
            None,
            None,
            crate::replays::generate_signing_key(),
            OfferTickets::generate(),
        ))
    }

    #[tokio::test]
    async fn a_full_server_creates_nothing_and_a_failure_releases_its_slot() {
        let matches = matches(Limits { open_matches: 1, ..Limits::default() });
        let mut created = 0;
        let mut make = |outcome: Result<(), Refusal>| {
            matches.with_slot(None, || {
                created += 1;
                outcome
            })
        };
        let fails = Refusal::field("config", "planted");
        make(Err(fails)).unwrap_err();
        make(Ok(())).expect("the slot of the failed one is free");
        make(Ok(())).unwrap_err();
        assert_eq!(created, 2, "the third found no slot");
    }

    #[tokio::test]
    async fn an_ended_match_leaves_no_task_running() {
        let matches = matches(Limits::default());
        let game = with_game!(GAME_IDS[0], G => G::config_to_wire(&Default::default()));
        let config = MatchConfig {
            game,
            seats: 2,
            clock: Some(ClockRules {
                time_control: Some(TimeControl::fischer(86_400_000, 0, 86_400_000)),
                startup_ms: Some(3_600_000),
                ..ClockRules::default()
            }),
            ..MatchConfig::default()
        };
        let created = matches.create(&config, MatchOptions::default()).await;
        let CreatedMatch { info, tickets, .. } = created.unwrap();
        // Lets the timer register the startup deadline, which is an hour away.
        yield_now().await;
        for ticket in tickets {
            let ticket = Ticket::from_client(&ticket.ticket);
            let redeemed = RedeemedTicket::redeem(&matches, &ticket).unwrap();
            let (seat, ..) = redeemed.join(JoinRequest::default()).unwrap();
            seat.report(SeatInput::Resign);
        }
        let id = MatchId::new(&*info.match_id).unwrap();
        let replay = matches.in_memory(&id).unwrap().replay();
        assert!(matches!(replay, ReplayBytes::InMemory(_)), "it has ended");
        let no_task = async {
            while Handle::current().metrics().num_alive_tasks() > 0 {
                yield_now().await;
            }
        };
        timeout(Duration::from_secs(10), no_task).await.expect("its timer ends with it");
    }
}
