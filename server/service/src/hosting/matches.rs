//! All matches of a server, and the tickets to their seats.

mod ending;
mod leaving;
mod stopping;

use std::sync::{Arc, OnceLock};

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};
use bridgemaster_referee::HistoryId;
use bridgemaster_replay::SigningKey;
use bridgemaster_store::KeyName;
use bridgemaster_traces::Traces;
use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::Notify, task::yield_now};
use tracing::Instrument as _;

use super::{
    HostedMatch, MatchListener, MatchQuery, OfferTickets, ShownMatch as _, StoredMatch, Ticket,
    Viewer,
    clock::ServerClock,
    context::Context,
    hosted_match::PlayedMatch,
    late::{self, LateMatches, LatePlace},
    lifecycle::Lifecycle,
    reading::Reading,
    requests::{MadeBefore, RequestLocks},
    roster::Roster,
    set_aside::{self, SetAside},
    timer,
};
use crate::{
    cluster::Cluster,
    journal::{Gated, Journal},
    limits::Limits,
    metrics::Metrics,
    random::system_bytes,
    refusal::Refusal,
    replays::ReplayKeeper,
    tally::Tally,
};

/// Matches that a list looks at before it lets others go on.
const AT_ONCE: usize = 64;
/// Most times that one call does.
pub(super) const MAX_LOOKS: usize = 64;

/// All matches of a server.
pub(crate) struct Matches {
    /// What each of them has of the server.
    context: Arc<Context>,
    /// Notified when no match waits or runs any more.
    emptied: Notify,
    set_aside: SetAside,
    reading: Reading,
    replays: Option<Arc<ReplayKeeper>>,
    roster: Mutex<Roster>,
    pub(super) request_locks: RequestLocks,
    replacing: Mutex<()>,
    late: LateMatches,
    /// Set before the first match is there.
    listeners: OnceLock<Vec<Arc<dyn MatchListener>>>,
}

impl Matches {
    /// No matches yet; with a journal, what happens in them is stored before it has an effect.
    pub(crate) fn new(
        limits: Limits,
        (metrics, traces): (Arc<Metrics>, Traces),
        replays: Option<Arc<ReplayKeeper>>,
        journal: Option<Arc<Journal>>,
        signing_key: SigningKey,
        offer_tickets: OfferTickets,
    ) -> Self {
        metrics.has_slots(limits.open_matches);
        Self {
            reading: Reading::new(&limits),
            set_aside: SetAside::new(Arc::clone(&metrics)),
            context: Arc::new(Context {
                history_id: HistoryId::new(system_bytes()),
                watcher_queue_bytes: Tally::new(limits.watcher_queue_bytes),
                limits,
                clock: Arc::new(ServerClock::start(Arc::clone(&metrics))),
                metrics,
                traces,
                lifecycle: Lifecycle::default(),
                journal,
                signing_key: Arc::new(signing_key),
                offer_tickets,
                groups: Arc::default(),
                cluster: OnceLock::new(),
            }),
            emptied: Notify::new(),
            replays,
            roster: Mutex::default(),
            request_locks: RequestLocks::default(),
            replacing: Mutex::default(),
            late: LateMatches::default(),
            listeners: OnceLock::new(),
        }
    }

    /// Has these servers share the store. To be called once, before a match is made or recovered.
    pub(crate) fn share(&self, cluster: Arc<Cluster>) {
        let set = self.context.cluster.set(cluster);
        debug_assert!(set.is_ok(), "a store is shared by the same servers");
    }

    /// The servers that share the store, if it is one that can be shared.
    pub(crate) fn cluster(&self) -> Option<&Arc<Cluster>> {
        self.context.cluster.get()
    }

    /// Has these told what becomes of matches. To be called once, before a match is made or
    /// recovered.
    pub(crate) fn listen(&self, listeners: Vec<Arc<dyn MatchListener>>) {
        let set = self.listeners.set(listeners);
        debug_assert!(set.is_ok(), "listeners are set once");
    }

    fn listeners(&self) -> &[Arc<dyn MatchListener>] {
        self.listeners.get().map_or(&[], Vec::as_slice)
    }

    /// The ticket of an offered seat.
    pub(super) fn offered_ticket(&self, id: &MatchId, seat: Seat) -> Ticket {
        self.context.offer_tickets.ticket(id, seat)
    }

    /// A bot has come to a seat.
    pub(super) fn joined(&self, id: &MatchId, seat: Seat) {
        for listener in self.listeners() {
            listener.joined(id, seat);
        }
    }

    /// What each of them has of the server.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.context.limits
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.context.metrics
    }

    /// Takes spans.
    pub(crate) fn traces(&self) -> &Traces {
        &self.context.traces
    }

    pub(crate) fn clock(&self) -> &Arc<ServerClock> {
        &self.context.clock
    }

    /// How far the server is from its end.
    pub(crate) fn lifecycle(&self) -> &Lifecycle {
        &self.context.lifecycle
    }

    /// What is stored before it has an effect; `None` without a store.
    pub(crate) fn journal(&self) -> Option<&Arc<Journal>> {
        self.context.journal.as_ref()
    }

    /// What the store has and the server cannot read.
    pub(crate) fn set_aside(&self) -> &SetAside {
        &self.set_aside
    }

    /// What replays are signed with.
    pub(crate) fn signing_key(&self) -> &SigningKey {
        &self.context.signing_key
    }

    /// Makes what takes a place among the matches that wait or run. Without a place nothing is
    /// made, so that a server that is full draws no setups.
    pub(super) fn in_a_place<T>(
        &self,
        maker: Option<&KeyName>,
        make: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.roster().reserve(maker, self.limits())?;
        make().inspect_err(|_| self.leave(maker))
    }

    /// Takes in a match that has its places, and starts its timer.
    pub(super) fn host(
        self: &Arc<Self>,
        played: Arc<dyn PlayedMatch>,
        tickets: Vec<TicketHash>,
        is_new: bool,
        late_place: Option<LatePlace>,
    ) {
        let (sooner, clock, span) = (played.sooner(), played.clock(), played.span());
        let lateness = played.lateness();
        let is_late = lateness.is_some();
        if let Some(lateness) = lateness {
            // Before anybody can find it.
            self.show_late(&(Arc::clone(&played) as _), lateness, late_place);
        }
        let parties = played.parties();
        let hashes = tickets.clone();
        let mut roster = self.roster();
        roster.enter(Arc::clone(&played) as _, tickets, &parties);
        if is_late {
            roster.is_late(played.id());
        }
        drop(roster);
        for listener in self.listeners() {
            let ticket = |seat: Seat| match hashes.get(seat.index()) {
                Some(hash) => self
                    .context
                    .offer_tickets
                    .ticket_of(played.id(), seat, *hash),
                None => self.offered_ticket(played.id(), seat),
            };
            listener.hosted(&*played, &ticket, is_new);
        }
        let (matches, played) = (Arc::downgrade(self), Arc::downgrade(&played));
        let tick = move || {
            let ticked = played.upgrade()?.tick();
            matches.upgrade()?.note_end(ticked)
        };
        tokio::spawn(timer::drive(tick, sooner, clock).instrument(span));
    }

    /// Takes in a match of an earlier server that goes on; limits are for new ones.
    pub(super) fn go_on_with(
        self: &Arc<Self>,
        played: Arc<dyn PlayedMatch>,
        tickets: Vec<TicketHash>,
    ) {
        self.roster().open(played.maker());
        let restarted = played.restarted();
        self.host(played, tickets, false, None);
        self.note_end(restarted);
    }

    /// Takes in a match of an earlier server that has ended, if it is not here. It is shown late here
    /// if it `is_shown_here`.
    pub(super) fn remember(self: &Arc<Self>, stored: StoredMatch, is_shown_here: bool) {
        let (id, tickets) = (stored.id().clone(), stored.tickets());
        let parties = stored.parties();
        let lateness = stored.lateness().filter(|_| is_shown_here);
        let stored: Arc<dyn HostedMatch> = Arc::new(stored);
        let mut roster = self.roster();
        if let Some(there) = roster.get(&id) {
            drop(roster);
            // It may have been shown late by another server until now.
            if let Some(lateness) = lateness {
                self.show_late(&there, lateness, None);
            }
            return;
        }
        roster.enter(Arc::clone(&stored), tickets, &parties);
        if lateness.is_some() {
            roster.is_late(&id);
        }
        let forgotten = roster.end(&id, self.limits().ended_matches_kept);
        drop(roster);
        drop(forgotten);
        if let Some(lateness) = lateness {
            self.show_late(&stored, lateness, None);
        }
    }

    /// Nobody sees a match late any more.
    pub(super) fn late_no_more(&self, id: &MatchId) {
        self.late().forget(id);
        if let Some(journal) = self.journal() {
            journal.note(vec![late::noted::dropped(id)]);
        }
        let kept = self.limits().ended_matches_kept;
        let forgotten = self.roster().late_no_more(id, kept);
        // Dropped here, outside the lock.
        drop(forgotten);
    }

    /// Whether a ticket is for a seat that can be played.
    pub(crate) fn has_seat(&self, ticket: &Ticket) -> bool {
        self.roster().seat_of(ticket.hash()).is_some()
    }

    /// The match and the seat that a ticket is for.
    pub(super) fn seat_of(&self, ticket: &Ticket) -> Result<(Arc<dyn HostedMatch>, Seat), Refusal> {
        let seat = self.roster().seat_of(ticket.hash());
        seat.ok_or_else(|| match self.set_aside.match_of(ticket.hash()) {
            Some(id) => set_aside::unreadable(&id),
            None => match self.set_aside.count() {
                0 => Refusal::new(
                    RefusalReason::TicketUnknown,
                    "the ticket is of no match that this server knows",
                ),
                count => set_aside::may_be_unreadable(count),
            },
        })
    }

    /// The match that the request of this name made, on a server without a store.
    pub(super) fn requested(&self, name: &str) -> Option<MadeBefore> {
        self.roster().requested(name)
    }

    /// The matches that some see late.
    pub(super) fn late(&self) -> &LateMatches {
        &self.late
    }

    /// Held to give tickets to a match and its place in the roster together.
    pub(super) fn replacing(&self) -> &Mutex<()> {
        &self.replacing
    }

    /// The match of this identifier, if the server holds it in memory.
    pub(super) fn held(&self, id: &MatchId) -> Option<Arc<dyn HostedMatch>> {
        self.roster().get(id)
    }

    /// At most `count` of the `wanted` matches in memory, of all or of one name, made before the
    /// one of this age, the newest first, each with its age, as `viewer` sees them; and the age where
    /// the list goes on. There may be fewer and still more to come: one call does not look at all
    /// matches of a large server.
    pub(super) async fn held_before(
        self: &Arc<Self>,
        wanted: &MatchQuery,
        mut age: u64,
        count: usize,
        (viewer, of): (&(dyn Viewer + Sync), Option<&KeyName>),
    ) -> (Vec<(u64, Gated<MatchInfo>)>, Option<u64>) {
        let mut page = Vec::new();
        for _ in 0..MAX_LOOKS {
            let older = self.roster().before(age, of, AT_ONCE);
            if older.is_empty() {
                return (page, None);
            }
            for (older, hosted) in older {
                if page.len() == count {
                    return (page, Some(age));
                }
                age = older;
                // What another server shows late is in the list of that one.
                if let Ok(shown) = self.shown_to(hosted, viewer).await {
                    page.extend(shown.info_if(wanted).map(|info| (older, info)));
                }
            }
            // Neither the lock nor the thread is kept for longer.
            yield_now().await;
        }
        (page, Some(age))
    }

    /// A bot of this name has a seat in a match.
    pub(super) fn is_of(&self, id: &MatchId, name: &KeyName) {
        self.roster().is_of(id, name);
    }

    /// Those who read much.
    pub(crate) fn reading(&self) -> &Reading {
        &self.reading
    }

    pub(super) fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bridgemaster_games::{GAME_IDS, with_game};
    use bridgemaster_proto::{
        games::WireGame as _,
        v1::{ClockRules, MatchConfig},
    };
    use bridgemaster_referee::BotIdentity;
    use tokio::{runtime::Handle, time::timeout};

    use super::*;
    use bridgemaster_match::SeatInput;

    use crate::hosting::{
        SeatKey,
        hosted_match::ReplayBytes,
        making::{Made, Making},
    };

    fn matches(limits: Limits) -> Arc<Matches> {
        Arc::new(Matches::new(
            limits,
            (Arc::new(Metrics::new()), Traces::off()),
            None,
            None,
            crate::replays::signing_key::draw(),
            OfferTickets::draw(),
        ))
    }

    #[tokio::test]
    async fn nothing_is_made_without_a_place_and_what_fails_keeps_none() {
        let matches = matches(Limits {
            open_matches: 1,
            ..Limits::default()
        });
        let mut made = 0;
        let mut make = |outcome: Result<(), Refusal>| {
            matches.in_a_place(None, || {
                made += 1;
                outcome
            })
        };
        let fails = Refusal::field("config", "planted");
        make(Err(fails)).unwrap_err();
        make(Ok(())).expect("the place of what failed is free");
        make(Ok(())).unwrap_err();
        assert_eq!(made, 2, "the third found no place");
    }

    #[tokio::test]
    async fn a_match_that_has_ended_leaves_no_task_behind() {
        let matches = matches(Limits::default());
        let game = with_game!(GAME_IDS[0], G => G::config_to_wire(&Default::default()));
        let config = MatchConfig {
            game,
            seats: 2,
            clock: Some(ClockRules {
                bank_ms: Some(86_400_000),
                cap_ms: Some(86_400_000),
                startup_ms: Some(3_600_000),
                ..ClockRules::default()
            }),
            ..MatchConfig::default()
        };
        let made = matches.create(&config, Making::default()).await;
        let Made { info, tickets, .. } = made.unwrap();
        // The timer takes note of the start-up time, an hour from now.
        yield_now().await;
        for ticket in tickets {
            let ticket = Ticket::from_client(&ticket.ticket);
            let key = SeatKey::redeem(&matches, &ticket).unwrap();
            let (seat, ..) = key.join(BotIdentity::default(), None, None).unwrap();
            seat.report(SeatInput::Resign);
        }
        let id = MatchId::new(&*info.match_id).unwrap();
        let replay = matches.held(&id).unwrap().replay();
        assert!(matches!(replay, ReplayBytes::Here(_)), "it has ended");
        let no_task = async {
            while Handle::current().metrics().num_alive_tasks() > 0 {
                yield_now().await;
            }
        };
        timeout(Duration::from_secs(10), no_task)
            .await
            .expect("its timer ends with it");
    }
}
