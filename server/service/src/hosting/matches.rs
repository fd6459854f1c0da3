//! All matches of a server, and the tickets to their seats.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::{WireError, game_id},
    v1::{MatchConfig, MatchInfo, MatchState, RefusalReason, SeatTicket},
};
use bridgemaster_referee::HistoryId;
use bridgemaster_replay::SigningKey;
use bridgemaster_store::KeyName;
use bridgemaster_wire::{game_unset, seed_from_wire};
use tokio::{sync::Notify, task::yield_now};
use tracing::{Instrument as _, info};

use super::{
    HostedMatch, LiveMatch, MatchId, SeatKey, StoredMatch, Ticket, TicketHash,
    clock::ServerClock,
    hosted_match::PlayedMatch,
    ids::{draw_seed, draw_seed_salt},
    lifecycle::Lifecycle,
    reading::Reading,
    roster::Roster,
    set_aside::{self, SetAside},
    timer::{self, Timed},
};
use crate::{
    journal::{Gate, Gated, Journal, NotStored},
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
const MAX_LOOKS: usize = 64;

/// All matches of a server.
pub(crate) struct Matches {
    /// The history that began with this server.
    history_id: HistoryId,
    limits: Limits,
    metrics: Arc<Metrics>,
    clock: Arc<ServerClock>,
    lifecycle: Lifecycle,
    /// Notified when no match waits or runs any more.
    emptied: Notify,
    journal: Option<Arc<Journal>>,
    set_aside: SetAside,
    reading: Reading,
    signing_key: SigningKey,
    replays: Option<Arc<ReplayKeeper>>,
    /// Of news that wait for spectators behind others.
    watcher_queue_bytes: Arc<Tally>,
    roster: Mutex<Roster>,
}

impl Matches {
    /// No matches yet; with a journal, what happens in them is stored before it has an effect.
    pub(crate) fn new(
        limits: Limits,
        metrics: Arc<Metrics>,
        replays: Option<Arc<ReplayKeeper>>,
        journal: Option<Arc<Journal>>,
        signing_key: SigningKey,
    ) -> Self {
        Self {
            history_id: HistoryId::new(system_bytes()),
            reading: Reading::new(&limits),
            watcher_queue_bytes: Tally::new(limits.watcher_queue_bytes),
            limits,
            clock: Arc::new(ServerClock::start(Arc::clone(&metrics))),
            set_aside: SetAside::new(Arc::clone(&metrics)),
            metrics,
            lifecycle: Lifecycle::default(),
            emptied: Notify::new(),
            journal,
            signing_key,
            replays,
            roster: Mutex::default(),
        }
    }

    /// The history that began with this server: what is sent from now on may differ from what an
    /// earlier server sent under the same numbers.
    pub(super) fn history_id(&self) -> HistoryId {
        self.history_id
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The count of bytes of news that wait for spectators.
    pub(super) fn watcher_queue_bytes(&self) -> &Arc<Tally> {
        &self.watcher_queue_bytes
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    pub(crate) fn clock(&self) -> &Arc<ServerClock> {
        &self.clock
    }

    /// How far the server is from its end.
    pub(crate) fn lifecycle(&self) -> &Lifecycle {
        &self.lifecycle
    }

    /// What is stored before it has an effect; `None` without a store.
    pub(crate) fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// What the store has and the server cannot read.
    pub(crate) fn set_aside(&self) -> &SetAside {
        &self.set_aside
    }

    /// What replays are signed with.
    pub(crate) fn signing_key(&self) -> &SigningKey {
        &self.signing_key
    }

    /// Completes when no match waits or runs.
    pub(crate) async fn emptied(&self) {
        loop {
            let emptied = self.emptied.notified();
            tokio::pin!(emptied);
            emptied.as_mut().enable();
            if self.roster().is_empty() {
                return;
            }
            emptied.await;
        }
    }

    /// Why nothing is taken any more, once the server stops.
    pub(crate) fn stop_refusal(&self) -> Refusal {
        match &self.journal {
            Some(journal) if journal.failed().is_cancelled() => Refusal::storage_failed(),
            _ => Refusal::stopping(),
        }
    }

    /// Makes a match, and the tickets to its seats; `maker` is the key that asks for it. With a
    /// store, the match is in it.
    pub(crate) async fn create(
        self: &Arc<Self>,
        config: &MatchConfig,
        maker: Option<&KeyName>,
    ) -> Result<(MatchInfo, Vec<SeatTicket>), Refusal> {
        if self.lifecycle.is_draining() {
            return Err(self.stop_refusal());
        }
        let refuse_config =
            |error: WireError| Refusal::field(format!("config.{}", error.field), error.detail);
        let unnamed = || refuse_config(game_unset());
        let game = config.game.as_ref().and_then(game_id).ok_or_else(unnamed)?;
        let seed = seed_from_wire(config).map_err(refuse_config)?;
        let seed = seed.unwrap_or_else(draw_seed);
        with_game!(game, G => {
            let rules = bridgemaster_wire::rules_from_wire::<G>(config, seed).map_err(refuse_config)?;
            let tickets: Vec<Ticket> = rules.seats.seats().map(|_| Ticket::draw()).collect();
            let hashes = tickets.iter().map(Ticket::hash).collect();
            let (id, salt) = (MatchId::draw(), draw_seed_salt());
            let made = Arc::new(LiveMatch::<G>::new(id, rules, salt, maker.cloned(), hashes, self)?);
            self.roster().reserve(maker, &self.limits)?;
            if let Some(journal) = &self.journal {
                let (journal, matches) = (Arc::clone(journal), Arc::clone(self));
                // In a task of its own: a caller that goes away meanwhile must not leave a match
                // that is stored and that nobody hosts.
                let admitted = tokio::spawn(async move {
                    let stored = journal.open(made.id().stored(), &made.header()).await;
                    matches.admit(made, tickets, stored)
                });
                admitted.await.unwrap_or_else(|_| Err(Refusal::stopping()))
            } else {
                self.admit(made, tickets, Ok(()))
            }
        })
        .ok_or_else(unnamed)?
    }

    /// Hosts a match that has its place, if it is stored.
    fn admit(
        &self,
        made: Arc<dyn PlayedMatch>,
        tickets: Vec<Ticket>,
        stored: Result<(), NotStored>,
    ) -> Result<(MatchInfo, Vec<SeatTicket>), Refusal> {
        if let Err(NotStored) = stored {
            self.leave(made.maker());
            return Err(Refusal::storage_failed());
        }
        let info = made.info().into_value();
        let hashes = tickets.iter().map(Ticket::hash).collect();
        self.host(made, hashes);
        info!(match_id = %info.match_id, seats = info.seats.len(), "match made");
        let shown = (0..).zip(&tickets).map(|(seat, ticket)| SeatTicket {
            seat,
            ticket: ticket.reveal().to_owned(),
        });
        Ok((info, shown.collect()))
    }

    /// Takes in a match that has its place, and starts its timer.
    fn host(&self, played: Arc<dyn PlayedMatch>, tickets: Vec<TicketHash>) {
        let (sooner, span) = (played.sooner(), played.span());
        let parties = played.parties();
        self.roster()
            .enter(Arc::clone(&played) as _, tickets, &parties);
        let timed: Arc<dyn Timed> = played;
        let clock = Arc::clone(&self.clock);
        let timer = timer::drive(Arc::downgrade(&timed), sooner, clock);
        tokio::spawn(timer.instrument(span));
    }

    /// Takes in a match of an earlier server that goes on; limits are for new ones.
    pub(super) fn go_on_with(&self, played: Arc<dyn PlayedMatch>, tickets: Vec<TicketHash>) {
        self.roster().open(played.maker());
        played.restarted();
        self.host(played, tickets);
    }

    /// Takes in a match of an earlier server that has ended.
    pub(super) fn remember(&self, stored: StoredMatch) {
        let (id, tickets) = (stored.id().clone(), stored.tickets());
        let parties = stored.parties();
        let mut roster = self.roster();
        roster.enter(Arc::new(stored), tickets, &parties);
        let forgotten = roster.end(&id, self.limits.ended_matches_kept);
        drop(roster);
        drop(forgotten);
    }

    /// The seat that a ticket is for.
    pub(crate) fn redeem(&self, ticket: &Ticket) -> Result<SeatKey, Refusal> {
        if let Some(seat) = self.roster().seat_of(ticket.hash()) {
            return Ok(seat);
        }
        Err(match self.set_aside.match_of(ticket.hash()) {
            Some(id) => set_aside::unreadable(&id),
            None => Refusal::new(
                RefusalReason::TicketUnknown,
                "the ticket is of no match that this server knows",
            ),
        })
    }

    /// The match of this identifier, if the server holds it in memory.
    pub(super) fn held(&self, id: &MatchId) -> Option<Arc<dyn HostedMatch>> {
        self.roster().get(id)
    }

    /// At most `count` of the matches in memory in `state`, of all or of one name, made before the
    /// one of this age, the newest first, and the age where the list goes on. There may be fewer
    /// and still more to come: one call does not look at all matches of a large server.
    pub(super) async fn held_before(
        &self,
        state: MatchState,
        mut age: u64,
        count: usize,
        of: Option<&KeyName>,
    ) -> (Vec<Gated<MatchInfo>>, Option<u64>) {
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
                page.extend(hosted.info_in(state));
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
    pub(super) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Takes note that a match has ended, and writes its replay when `gate` is open.
    pub(super) fn ended(
        &self,
        id: &MatchId,
        maker: Option<&KeyName>,
        replay: Arc<[u8]>,
        gate: Option<Gate>,
    ) {
        if let Some(keeper) = &self.replays {
            keeper.take(id.stored(), replay, gate);
        }
        let forgotten = self.roster().end(id, self.limits.ended_matches_kept);
        // Dropped here, outside the lock.
        drop(forgotten);
        self.leave(maker);
    }

    /// Gives up a place among the matches that wait or run.
    fn leave(&self, maker: Option<&KeyName>) {
        let mut roster = self.roster();
        roster.leave(maker);
        if roster.is_empty() {
            self.emptied.notify_waiters();
        }
    }

    fn roster(&self) -> MutexGuard<'_, Roster> {
        // Nothing that holds the lock can leave the roster half changed.
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Duration;

    use bridgemaster_games::GAME_IDS;
    use bridgemaster_proto::{games::WireGame as _, v1::ClockRules};
    use bridgemaster_referee::BotIdentity;
    use tokio::{runtime::Handle, time::timeout};

    use super::*;
    use crate::hosting::{SeatInput, hosted_match::ReplayBytes};

    #[tokio::test]
    async fn a_match_that_has_ended_leaves_no_task_behind() {
        let matches = Arc::new(Matches::new(
            Limits::default(),
            Arc::new(Metrics::new()),
            None,
            None,
            crate::replays::signing_key::draw(),
        ));
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
        let (info, tickets) = matches.create(&config, None).await.unwrap();
        // The timer takes note of the start-up time, an hour from now.
        yield_now().await;
        for ticket in tickets {
            let key = matches
                .redeem(&Ticket::from_client(&ticket.ticket))
                .unwrap();
            let (seat, ..) = key.join(BotIdentity::default(), None, None).unwrap();
            seat.report(SeatInput::Resign {
                match_id: info.match_id.clone(),
            });
        }
        let id = MatchId::from_client(&info.match_id);
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
