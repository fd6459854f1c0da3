//! One match in play: its referee, its streams, its spectators and its replay behind one lock.
//!
//! Whatever happens goes through one function, [`LiveMatch::handle`]: it is written down for the
//! journal, given to the referee, and carried out. What is sent waits for the gate of its commit.

mod effects;
#[cfg(test)]
mod handled_late;
mod shown;
mod storing;
mod uncounted;

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, Weak,
    atomic::{AtomicU8, Ordering},
};

use bridgemaster_games::Seat;
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{
    BotIdentity, Histories, Input, Known, MatchPhase, MatchRules, Output, Referee, Time,
};
use bridgemaster_replay::ReplayWriter;
use bridgemaster_store::KeyName;
use bridgemaster_wire::SeedSalt;
use tokio::sync::Notify;
use tracing::{info, warn};

use self::uncounted::Uncounted;
use super::{
    MatchId, SeatInput, TicketHash,
    clock::Moment,
    inbox::{Inbox, Report},
    link::Link,
    matches::Matches,
    referee_input::referee_input,
    spectators::Spectators,
    timer::Timed,
};
use crate::{
    journal::{Gate, Header, MatchJournal, Recovered},
    metrics::{CountedMatch, GameMetrics},
    refusal::Refusal,
};

/// A match of one game.
pub(crate) struct LiveMatch<G: WireGame> {
    id: MatchId,
    salt: SeedSalt,
    maker: Option<KeyName>,
    /// Of each seat, in seat order.
    tickets: Vec<TicketHash>,
    matches: Weak<Matches>,
    metrics: GameMetrics,
    sooner: Arc<Notify>,
    inbox: Inbox,
    state: ShownState,
    table: Mutex<Table<G>>,
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

struct Table<G: WireGame> {
    referee: Referee<G>,
    /// Which numbers of bots that come back are believed.
    histories: Histories,
    counted: CountedMatch,
    /// What happened while it was secret who had decided.
    uncounted: Uncounted,
    /// Changes of what everybody may know that the spectators were told.
    told_changes: u64,
    /// Lag of the server that the referee knows of or that was before its time, in µs.
    lag_us: u64,
    links: Vec<Link>,
    spectators: Spectators,
    replay: Replay,
    /// `None` without a store, and once the match has ended.
    journal: Option<MatchJournal>,
    /// What the last effect waits for; `None` without a store.
    gate: Option<Gate>,
    /// Since when the last effect waits, as far as the referee does not know of it.
    storing_since: Option<Time>,
    /// The moment at which the timer looks again.
    armed: Option<Time>,
    outputs: Vec<Output<G>>,
    /// Reports that are being handled.
    reports: Vec<Report>,
}

impl<G: WireGame> Table<G> {
    fn new(
        referee: Referee<G>,
        histories: Histories,
        counted: CountedMatch,
        writer: ReplayWriter,
    ) -> Self {
        Self {
            histories,
            counted,
            uncounted: Uncounted::default(),
            told_changes: referee.public_changes(),
            lag_us: 0,
            links: referee.seats().map(|_| Link::default()).collect(),
            spectators: Spectators::default(),
            replay: Replay::Growing(writer),
            journal: None,
            gate: None,
            storing_since: None,
            armed: None,
            outputs: Vec::new(),
            reports: Vec::new(),
            referee,
        }
    }

    fn state(&self) -> v1::MatchState {
        match self.referee.phase() {
            MatchPhase::Waiting => v1::MatchState::Waiting,
            MatchPhase::Running => v1::MatchState::Running,
            MatchPhase::Ended => v1::MatchState::Ended,
        }
    }

    /// The bot that has a seat, or had it last.
    fn bot(&self, seat: Seat) -> Option<&BotIdentity> {
        self.referee.seats().nth(seat.index())?.bot.as_ref()
    }

    /// The bots that have seats.
    fn bots(&self) -> impl Iterator<Item = &BotIdentity> {
        self.referee.seats().filter_map(|seat| seat.bot.as_ref())
    }

    /// The number of a bot that comes back, if it is one of this match and everything after it can
    /// be sent. Otherwise the bot begins anew.
    fn believed(&self, seat: Seat, known: Option<Known>) -> Option<u32> {
        let known = known?;
        let sent_so_far = self.referee.sent().nth(seat.index())?;
        let is_true = self.histories.holds(seat, known, sent_so_far)
            && self.referee.can_resume(seat, known.last_sequence);
        is_true.then_some(known.last_sequence)
    }

    /// What everything must wait for that shows the match as it is now.
    fn unsettled(&self) -> Option<Gate> {
        self.gate.as_ref().filter(|gate| !gate.is_open()).cloned()
    }
}

enum Replay {
    Growing(ReplayWriter),
    Sealed(Arc<[u8]>),
}

impl<G: WireGame> LiveMatch<G> {
    /// Makes a match that waits for its bots.
    pub(super) fn new(
        id: MatchId,
        rules: MatchRules<G>,
        salt: SeedSalt,
        maker: Option<KeyName>,
        tickets: Vec<TicketHash>,
        matches: &Arc<Matches>,
    ) -> Result<Self, Refusal> {
        let Moment { time, lag_us } = matches.clock().now();
        let referee = Referee::new(rules, time).map_err(|error| {
            Refusal::field(format!("config.{}", error.field()), error.to_string())
        })?;
        let counted = matches.metrics().count_match(referee.phase());
        let histories = Histories::new(matches.history_id());
        let mut table = Table::new(referee, histories, counted, ReplayWriter::default());
        table.lag_us = lag_us;
        Ok(Self::hosted((id, salt, maker, tickets), table, 0, matches))
    }

    /// Goes on with a match of an earlier server.
    pub(super) fn recovered(id: MatchId, recovered: Recovered<G>, matches: &Arc<Matches>) -> Self {
        let Recovered {
            referee,
            salt,
            tickets,
            maker,
            histories,
            replay,
            entries,
            ..
        } = recovered;
        let counted = matches.metrics().count_match(referee.phase());
        let table = Table::new(referee, histories, counted, replay);
        Self::hosted((id, salt, maker, tickets), table, entries, matches)
    }

    fn hosted(
        (id, salt, maker, tickets): (MatchId, SeedSalt, Option<KeyName>, Vec<TicketHash>),
        mut table: Table<G>,
        entries: u64,
        matches: &Arc<Matches>,
    ) -> Self {
        table.journal = matches
            .journal()
            .map(|journal| MatchJournal::new(Arc::clone(journal), id.stored(), entries));
        Self {
            id,
            salt,
            maker,
            tickets,
            metrics: matches.metrics().game(G::ID),
            matches: Arc::downgrade(matches),
            sooner: Arc::default(),
            inbox: Inbox::default(),
            state: ShownState::new(table.state()),
            table: Mutex::new(table),
        }
    }

    /// What a store must keep to begin it again.
    pub(super) fn header(&self) -> Header {
        let table = self.table();
        let referee = &table.referee;
        Header::new(
            referee.rules(),
            &self.salt,
            &self.tickets,
            referee.created_at(),
            self.maker.as_ref(),
            table.histories.running(),
        )
    }

    fn table(&self) -> MutexGuard<'_, Table<G>> {
        // A panic while the lock was held is a defect; the match goes on with what it has.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles what streams have reported, and tells the moment up to which it did.
    fn catch_up(&self, table: &mut Table<G>, matches: &Matches) -> Moment {
        let mut reports = std::mem::take(&mut table.reports);
        let moment = self.inbox.take(matches.clock(), &mut reports);
        for report in reports.drain(..) {
            self.take(table, matches, report);
        }
        table.reports = reports;
        moment
    }

    /// Handles a report; one of a stream that does not hold its seat is dropped.
    fn take(&self, table: &mut Table<G>, matches: &Matches, report: Report) {
        let Report {
            moment,
            seat,
            number,
            input,
        } = report;
        let link = &mut table.links[seat.index()];
        if !link.holds(number) {
            return;
        }
        if matches!(input, SeatInput::Left | SeatInput::Garbage { .. }) {
            link.lose();
            warn_of_lost_stream(seat, &input);
        }
        self.tell_lag(table, matches, moment);
        let input = referee_input(&self.id, seat, input);
        let gate = self.handle(table, matches, moment.time, input);
        table.links[seat.index()].note(gate.as_ref());
        matches.metrics().handled(matches.clock().since(moment));
    }

    /// Tells the referee what it does not know of the server's lag before a moment, and of the
    /// time that effects waited to be stored.
    fn tell_lag(&self, table: &mut Table<G>, matches: &Matches, moment: Moment) {
        if table.referee.phase() == MatchPhase::Ended {
            return;
        }
        let storing_us = table.take_storing_us(moment.time, matches.clock());
        let lag_us = moment.lag_us.saturating_sub(table.lag_us);
        table.lag_us = table.lag_us.max(moment.lag_us);
        let lag_us = lag_us.saturating_add(storing_us);
        if lag_us > 0 {
            self.handle(table, matches, moment.time, Input::RefereeLag { lag_us });
        }
    }

    /// Gives an input to the referee and carries out what it says. Gives what the effect waits
    /// for, if there is one and it does.
    fn handle(
        &self,
        table: &mut Table<G>,
        matches: &Matches,
        time: Time,
        input: Input<G>,
    ) -> Option<Gate> {
        if matches.lifecycle().is_parked() {
            return None;
        }
        // Bots are told of a history as soon as it runs, so its beginning is stored in any case.
        let must_be_stored = matches!(input, Input::Restarted);
        if let Some(journal) = &mut table.journal {
            journal.take(time, &input, table.histories.running());
        }
        table.referee.handle(time, input, &mut table.outputs);
        table.counted.is_in(table.referee.phase());
        self.state.set(table.state());
        let gate = if table.outputs.is_empty() && !must_be_stored {
            if let Some(journal) = &mut table.journal {
                journal.ride_along(&table.referee);
            }
            None
        } else {
            self.carry_out(table, matches, time)
        };
        self.arm(table);
        gate
    }

    /// Lets the timer know when the deadline is before the moment at which it looks again, or
    /// when there is none any more.
    fn arm(&self, table: &mut Table<G>) {
        let deadline = table.referee.deadline();
        let looks_too_late = match (deadline, table.armed) {
            (Some(deadline), Some(armed)) => deadline < armed,
            (Some(_), None) | (None, Some(_)) => true,
            (None, None) => false,
        };
        if looks_too_late {
            table.armed = deadline;
            self.sooner.notify_one();
        }
    }
}

impl<G: WireGame> Timed for LiveMatch<G> {
    fn tick(&self) -> Option<Time> {
        let matches = self.matches.upgrade()?;
        if matches.lifecycle().is_parked() {
            return None;
        }
        let mut table = self.table();
        // What was decoded before the deadline is in time, and lag moves the deadline.
        let moment = self.catch_up(&mut table, &matches);
        self.tell_lag(&mut table, &matches, moment);
        if table.referee.deadline()? <= moment.time {
            self.handle(&mut table, &matches, moment.time, Input::Tick);
        }
        table.armed = table.referee.deadline();
        table.armed
    }
}

fn warn_of_lost_stream(seat: Seat, input: &SeatInput) {
    if let SeatInput::Garbage { detail } = input {
        warn!(%seat, detail, "the stream carried garbage");
    } else {
        info!(%seat, "the stream ended");
    }
}
