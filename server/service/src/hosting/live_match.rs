//! One match in play: a lock around the match itself, and the hands that carry out its effects.

mod buffers;
mod course;
mod effects;
mod hosted;
mod leaving;
mod news;

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use bridgemaster_match::{Effect, Inbox, Match, Moment, Origin, Recovered, Report, Unreplayable};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{MatchRules, RulesError};
use bridgemaster_store::KeyName;
use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use self::effects::{Locked, Surroundings};
use super::{
    clock::MatchClock,
    context::Context,
    gates::Gates,
    groups::GroupKey,
    hosted_match::Outcome,
    relay::Relay,
    spectators::{Audience, Teller},
};
use crate::journal::MatchJournal;

pub(crate) struct LiveMatch<G: WireGame> {
    around: Surroundings,
    inbox: Mutex<Inbox>,
    state: ShownState,
    locked: Mutex<Locked<G>>,
}

/// The state of a match, to be seen without its lock.
struct ShownState(AtomicU8);

impl ShownState {
    fn new(state: v1::MatchState) -> Self {
        let shown = Self(AtomicU8::new(0));
        shown.set(state);
        shown
    }

    fn set(&self, state: v1::MatchState) {
        // The values are small; one that is not shows as no state.
        let number = u8::try_from(i32::from(state)).unwrap_or_default();
        self.0.store(number, Ordering::Relaxed);
    }

    fn get(&self) -> v1::MatchState {
        let number = i32::from(self.0.load(Ordering::Relaxed));
        v1::MatchState::try_from(number).unwrap_or_default()
    }
}

impl<G: WireGame> LiveMatch<G> {
    /// Makes a match that waits for its bots.
    ///
    /// # Errors
    /// Names the first of the rules that is not valid.
    pub(super) fn new(
        origin: Origin,
        maker: Option<KeyName>,
        rules: MatchRules<G>,
        context: &Arc<Context>,
    ) -> Result<Self, RulesError> {
        let made_at = context.clock.now();
        let machine = Match::new(
            origin,
            rules,
            made_at,
            context.history_id,
            context.journal.is_some(),
            Arc::clone(&context.signing_key),
        )?;
        let clock = MatchClock::from(&context.clock);
        Ok(Self::hosted(machine, maker, clock, context))
    }

    /// Goes on with a match of an earlier server, or of another one.
    ///
    /// # Errors
    /// When no key can have the name of its maker.
    pub(super) fn recovered(
        recovered: Recovered<G>,
        clock: MatchClock,
        context: &Arc<Context>,
    ) -> Result<Self, Unreplayable> {
        let maker = recovered.origin.maker.as_deref().map(KeyName::new);
        let maker = maker.transpose().map_err(|error| Unreplayable::Header {
            field: "maker",
            problem: error.to_string(),
        })?;
        let machine = Match::recovered(recovered, Arc::clone(&context.signing_key));
        Ok(Self::hosted(machine, maker, clock, context))
    }

    fn hosted(
        machine: Match<G>,
        maker: Option<KeyName>,
        clock: MatchClock,
        context: &Arc<Context>,
    ) -> Self {
        let origin = Arc::clone(machine.origin());
        let audience = Arc::<Audience>::default();
        let teller = Teller::new(&audience, &context.limits, &context.watcher_queue_bytes);
        let journal = context.journal.as_ref();
        let journal =
            journal.map(|journal| MatchJournal::new(Arc::clone(journal), origin.id.clone()));
        Self {
            around: Surroundings {
                seats: machine.referee().rules().seats,
                group: GroupKey::of(origin.group.as_ref(), origin.maker.as_deref()),
                origin,
                game_id: G::ID,
                maker,
                metrics: context.metrics.game(G::ID),
                context: Arc::clone(context),
                clock,
                sooner: Arc::default(),
                over: CancellationToken::new(),
                left: CancellationToken::new(),
                audience,
                relay: Relay::default(),
            },
            inbox: Mutex::default(),
            state: ShownState::new(machine.state()),
            locked: Mutex::new(Locked {
                counted: context.metrics.count_match(machine.referee().phase()),
                streams: machine.referee().seats().map(|_| None).collect(),
                joining: None,
                teller,
                has_newscast: false,
                changes: None,
                changes_for_many: None,
                journal,
                gates: Gates::default(),
                machine,
            }),
        }
    }

    /// What a store must keep to begin it again.
    pub(super) fn header(&self) -> Vec<u8> {
        self.lock().machine.header()
    }

    /// When it was made, in ms since 1970 UTC.
    pub(super) fn created_unix_ms(&self) -> i64 {
        i64::try_from(self.around.origin.created_unix_ms).unwrap_or(i64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Locked<G>> {
        let mut locked = self.locked.lock();
        if let Some(group) = &self.around.group
            && self.state.get() == v1::MatchState::Ended
            && self.around.context.groups.is_revealed(group)
        {
            locked.machine.reveal();
        }
        locked
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock()
    }

    /// Gives the match what happened, together with all that was reported by now, and carries out
    /// what comes of it.
    fn drive<T>(
        &self,
        locked: &mut Locked<G>,
        act: impl FnOnce(&mut Match<G>, (Moment, &mut Vec<Report>), &mut Vec<Effect>) -> T,
    ) -> Outcome<T> {
        if self.around.context.lifecycle.is_parked() {
            locked.machine.park();
        }
        let clock = &self.around.clock;
        while let Some((entries, gate)) = locked.gates.pop_open() {
            if let Some(opened_at) = gate.opened_at() {
                locked.machine.stored(entries, clock.time_at(opened_at));
            }
        }
        let (mut reports, mut effects) = buffers::take();
        let now = {
            let mut inbox = self.inbox();
            inbox.drain_into(&mut reports);
            // Under its lock: a report that comes later has no earlier moment.
            clock.now()
        };
        let value = act(&mut locked.machine, (now, &mut reports), &mut effects);
        locked.counted.is_in(locked.machine.referee().phase());
        self.state.set(locked.machine.state());
        // Before bots are sent something, since what was woken last has its turn first.
        locked.tell_changes();
        let ended = locked.carry_out(&self.around, &mut effects, now);
        // A stream that was too slow has ended by it.
        locked.tell_changes();
        if ended.is_some() {
            // The match may be gone from memory before anybody looks.
            locked.tell_news();
        }
        buffers::give_back((reports, effects));
        Outcome { value, ended }
    }
}
