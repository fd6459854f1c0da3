//! One match in play: its state machine behind a lock, and the code that executes the effects.

mod commits;
mod effects;
mod forwarded_seats;
mod hosted;
mod publishing;

use std::{
    cell::Cell,
    ops::{Deref, DerefMut},
    sync::{
        Arc,
        atomic::{AtomicI32, Ordering},
    },
    time::Duration,
};

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_games::FieldError;
use bridgemaster_match::{
    Effect, Inbox, Match, Origin, Recovered, Report, ServerTime, Unreplayable,
};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::MatchRules;
use bridgemaster_store::KeyName;
use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use self::{
    commits::{MatchJournal, PendingGates},
    effects::{LockedMatch, MatchShared},
    forwarded_seats::ForwardedSeats,
};
use super::{
    clock::MatchClock,
    context::Context,
    groups::GroupKey,
    hosted_match::{MatchFacts, PendingEnd},
    relay::Relay,
    spectators::{Audience, Publisher},
};

pub(crate) struct LiveMatch<G: WireGame> {
    shared: MatchShared,
    inbox: Mutex<Inbox>,
    state: AtomicState,
    locked: Mutex<LockedMatch<G>>,
}

/// The locked match. Dropping the guard releases the lock, and then handles the end of the match,
/// if a call ended it.
struct MatchGuard<'a, G: WireGame> {
    // The fields are dropped in this order.
    locked: MutexGuard<'a, LockedMatch<G>>,
    end: PendingEnd<'a>,
}

impl<G: WireGame> Deref for MatchGuard<'_, G> {
    type Target = LockedMatch<G>;

    fn deref(&self) -> &LockedMatch<G> {
        &self.locked
    }
}

impl<G: WireGame> DerefMut for MatchGuard<'_, G> {
    fn deref_mut(&mut self) -> &mut LockedMatch<G> {
        &mut self.locked
    }
}

/// The state of a match, readable without its lock.
struct AtomicState(AtomicI32);

impl AtomicState {
    fn set(&self, state: v1::MatchState) {
        self.0.store(state.into(), Ordering::Relaxed);
    }

    fn get(&self) -> v1::MatchState {
        v1::MatchState::try_from(self.0.load(Ordering::Relaxed)).unwrap_or_default()
    }
}

impl<G: WireGame> LiveMatch<G> {
    /// Creates a match that waits for its bots.
    ///
    /// # Errors
    /// Returns an error if a rule is invalid; the error names the first one.
    pub(super) fn new(
        origin: Origin,
        maker: Option<KeyName>,
        rules: MatchRules<G>,
        context: &Arc<Context>,
    ) -> Result<Self, FieldError> {
        let created_at = context.clock.now();
        let machine = Match::new(
            origin,
            rules,
            created_at,
            context.history_id,
            context.journal.is_some(),
            Arc::clone(&context.signing_key),
        )?;
        let clock = MatchClock::from(&context.clock);
        Ok(Self::build(machine, maker, clock, context))
    }

    /// Continues a match of an earlier server or of another node.
    ///
    /// # Errors
    /// Returns an error if the name of the key that created the match is not valid.
    pub(super) fn recovered(
        recovered: Recovered<G>,
        clock: MatchClock,
        context: &Arc<Context>,
    ) -> Result<Self, Unreplayable> {
        let maker = recovered.origin.maker.as_deref().map(KeyName::new);
        let maker = maker.transpose().map_err(|error| FieldError::new("maker", error))?;
        let machine = Match::from_recovered(recovered, Arc::clone(&context.signing_key));
        Ok(Self::build(machine, maker, clock, context))
    }

    fn build(
        machine: Match<G>,
        maker: Option<KeyName>,
        clock: MatchClock,
        context: &Arc<Context>,
    ) -> Self {
        let origin = Arc::clone(machine.origin());
        let rules = machine.referee().rules();
        let audience = Arc::<Audience>::default();
        let publisher = Publisher::new(&audience, &context.limits, &context.watcher_queue_bytes);
        let journal = context.journal.as_ref();
        let journal =
            journal.map(|journal| MatchJournal::new(Arc::clone(journal), origin.id.clone()));
        Self {
            shared: MatchShared {
                facts: MatchFacts {
                    id: origin.id.clone(),
                    game_id: G::ID,
                    rules_version: G::RULES_VERSION,
                    seats: rules.seats,
                    maker,
                    group: origin.group.clone(),
                    withheld_group: GroupKey::if_seeds_withheld(
                        origin.group.as_ref(),
                        origin.maker.as_deref(),
                    ),
                    offered: origin.offered.clone(),
                    startup_timeout: Duration::from_millis(rules.clock.startup_ms.into()),
                    spectator_delay: MatchFacts::delay_of(origin.spectators),
                },
                origin,
                metrics: context.metrics.game(G::ID),
                context: Arc::clone(context),
                clock,
                deadline_moved: Arc::default(),
                over: CancellationToken::new(),
                moved: CancellationToken::new(),
                audience,
                relay: Relay::default(),
            },
            inbox: Mutex::default(),
            state: AtomicState(AtomicI32::new(machine.state().into())),
            locked: Mutex::new(LockedMatch {
                counted: context.metrics.count_match(machine.referee().phase()),
                streams: machine.referee().seats().map(|_| None).collect(),
                joining: None,
                forwarded: ForwardedSeats::default(),
                publisher,
                is_publishing: false,
                changes: None,
                throttled_changes: None,
                journal,
                gates: PendingGates::default(),
                machine,
            }),
        }
    }

    /// Returns the header that the store needs to restore the match.
    pub(super) fn header(&self) -> Vec<u8> {
        self.lock().machine.header()
    }

    /// Returns the creation time in ms since 1970 UTC.
    pub(super) fn created_unix_ms(&self) -> i64 {
        i64::try_from(self.shared.origin.created_unix_ms).unwrap_or(i64::MAX)
    }

    fn lock(&self) -> MatchGuard<'_, G> {
        let mut locked = self.locked.lock();
        if let Some(group) = &self.shared.facts.withheld_group
            && self.state.get() == v1::MatchState::Ended
            && self.shared.context.groups.is_revealed(group)
        {
            locked.machine.reveal_seed();
        }
        MatchGuard { locked, end: PendingEnd::none(&self.shared.context.end_handler) }
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock()
    }

    /// Passes an input to the match, after all pending reports, and executes the effects.
    fn drive<T>(
        &self,
        guard: &mut MatchGuard<'_, G>,
        act: impl FnOnce(&mut Match<G>, (ServerTime, &mut Vec<Report>), &mut Vec<Effect>) -> T,
    ) -> T {
        let locked = &mut *guard.locked;
        if self.shared.context.lifecycle.is_parked() {
            locked.machine.park();
        }
        let clock = &self.shared.clock;
        while let Some((entries, gate)) = locked.gates.pop_open() {
            if let Some(opened_at) = gate.opened_at() {
                locked.machine.mark_stored(entries, clock.time_at(opened_at));
            }
        }
        let (mut reports, mut effects) = BUFFERS.take();
        let now = {
            let mut inbox = self.inbox();
            inbox.drain_into(&mut reports);
            // The time is read under the inbox lock, so that no later report has an earlier time.
            clock.now()
        };
        let LockedMatch { machine, forwarded, .. } = locked;
        forwarded.take_lags(|seat, lag_us| machine.add_forwarding_lag(seat, lag_us, now.time));
        let value = act(&mut locked.machine, (now, &mut reports), &mut effects);
        locked.counted.set_phase(locked.machine.referee().phase());
        self.state.set(locked.machine.state());
        // Watchers are notified before messages are sent to bots: the task that is woken last runs
        // first, and that should be the bot's.
        locked.notify_changes();
        let ended = locked.execute_effects(&self.shared, &mut effects, now);
        // If an effect closed the stream of a slow reader, the visible state has changed again.
        locked.notify_changes();
        if let Some(ended) = ended {
            // The end is published here, since the match might be removed from memory before the
            // publishing task runs.
            locked.publish_updates();
            guard.end.set(ended);
        }
        // No contents may leak into another match.
        debug_assert!(reports.is_empty() && effects.is_empty());
        reports.clear();
        effects.clear();
        BUFFERS.set((reports, effects));
        value
    }
}

/// Buffers for reports and effects. Both are empty between calls, so all matches that run on a
/// thread can share one pair.
type Buffers = (Vec<Report>, Vec<Effect>);

thread_local! {
    static BUFFERS: Cell<Buffers> = const { Cell::new((Vec::new(), Vec::new())) };
}

impl<G: WireGame> LiveMatch<G> {
    /// Checks that the match was not handed off to another node.
    ///
    /// # Errors
    /// Returns the refusal of a stopping server, if the match was handed off.
    fn check_not_moved(&self) -> Result<(), Refusal> {
        if self.shared.moved.is_cancelled() { Err(Refusal::stopping()) } else { Ok(()) }
    }
}
