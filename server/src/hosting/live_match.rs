//! One match with its referee, its streams, its spectators and its replay.

#[cfg(test)]
mod handled_late;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::WireGame,
    v1::{self, WatchMatchResponse},
};
use bridgemaster_referee::{
    BotIdentity, DecisionRecord, Input, MatchPhase, MatchRules, Output, Record, RecordEntry,
    Referee, Time,
};
use bridgemaster_store::KeyName;
use tokio::sync::Notify;
use tracing::{info, warn};

use super::{
    HostedMatch, MatchId, SeatInput,
    clock::Moment,
    inbox::{Inbox, Report},
    link::{Link, closing, forfeited, of_another_key},
    matches::Matches,
    outbound::Outbound,
    referee_input::referee_input,
    seat_stream::StreamNumber,
    spectators::{Spectators, WatchReceiver},
    timer::Timed,
};
use crate::{
    metrics::{CountedMatch, GameMetrics},
    refusal::Refusal,
    replay::ReplayWriter,
    wire::{
        SeedSalt, record_to_wire, response_to_wire, result_to_wire, rules_to_wire, seat_to_wire,
    },
};

/// A match of one game.
pub(crate) struct LiveMatch<G: WireGame> {
    id: MatchId,
    salt: SeedSalt,
    maker: Option<KeyName>,
    matches: Weak<Matches>,
    metrics: GameMetrics,
    sooner: Arc<Notify>,
    inbox: Inbox,
    table: Mutex<Table<G>>,
}

struct Table<G: WireGame> {
    referee: Referee<G>,
    counted: CountedMatch,
    /// Lag of the server that the referee knows of or that was before its time, in µs.
    lag_us: u64,
    links: Vec<Link>,
    spectators: Spectators,
    replay: Replay,
    /// The moment at which the timer looks again.
    armed: Option<Time>,
    outputs: Vec<Output<G>>,
    /// Reports that are being handled.
    reports: Vec<Report>,
}

impl<G: WireGame> Table<G> {
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
        matches: &Arc<Matches>,
    ) -> Result<Self, Refusal> {
        let seats = rules.seats;
        let Moment { time, lag_us } = matches.clock().now();
        let referee = Referee::new(rules, time).map_err(|error| {
            Refusal::field(format!("config.{}", error.field()), error.to_string())
        })?;
        let counted = matches.metrics().count_match(referee.phase());
        Ok(Self {
            id,
            salt,
            maker,
            metrics: matches.metrics().game(G::ID),
            matches: Arc::downgrade(matches),
            sooner: Arc::default(),
            inbox: Inbox::default(),
            table: Mutex::new(Table {
                referee,
                counted,
                lag_us,
                links: seats.seats().map(|_| Link::default()).collect(),
                spectators: Spectators::default(),
                replay: Replay::Growing(ReplayWriter::default()),
                armed: None,
                outputs: Vec::new(),
                reports: Vec::new(),
            }),
        })
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
            warn_of_lost_stream(&self.id, seat, &input);
        }
        self.tell_lag(table, matches, moment);
        let input = referee_input(&self.id, seat, input);
        self.handle(table, matches, moment.time, input);
        matches.metrics().handled(matches.clock().since(moment));
    }

    /// Tells the referee what it does not know of the server's lag before a moment.
    fn tell_lag(&self, table: &mut Table<G>, matches: &Matches, moment: Moment) {
        let lag_us = moment.lag_us.saturating_sub(table.lag_us);
        if lag_us > 0 && table.referee.phase() != MatchPhase::Ended {
            table.lag_us = moment.lag_us;
            self.handle(table, matches, moment.time, Input::RefereeLag { lag_us });
        }
    }

    /// Gives an input to the referee and carries out what it says.
    fn handle(&self, table: &mut Table<G>, matches: &Matches, time: Time, input: Input<G>) {
        table.referee.handle(time, input, &mut table.outputs);
        table.counted.is_in(table.referee.phase());
        if table.outputs.is_empty() {
            return self.arm(table);
        }
        let mut outputs = std::mem::take(&mut table.outputs);
        let mut news = News::default();
        let mut slow = Vec::new();
        for output in outputs.drain(..) {
            match output {
                Output::Send {
                    seat,
                    sequence,
                    message,
                } => {
                    let Table { referee, links, .. } = table;
                    let (id, rules) = (self.id.as_str(), referee.rules());
                    let response = || response_to_wire(id, rules, &self.salt, sequence, &message);
                    if links[seat.index()].send(response).is_err() {
                        slow.push(seat);
                    }
                }
                Output::Close { seat, reason } => {
                    table.links[seat.index()].close(closing(reason));
                }
                Output::Record(record) => self.record(table, matches, &record, &mut news),
                Output::Ended => self.ended(table, matches),
            }
        }
        table.outputs = outputs;
        self.tell(table, news);
        for seat in slow {
            self.handle(table, matches, time, Input::Disconnected { seat });
        }
        self.arm(table);
    }

    fn record(&self, table: &mut Table<G>, matches: &Matches, record: &Record<G>, news: &mut News) {
        if let RecordEntry::Decision(decision) = &record.entry {
            let DecisionRecord {
                decided_by, charge, ..
            } = decision;
            self.metrics.decided(*decided_by, charge.as_ref());
        }
        if let RecordEntry::Fault { seat, fault } = &record.entry {
            matches.metrics().fault(fault);
            info!(match_id = %self.id, %seat, reason = %fault.reason, action = %fault.action, detail = fault.detail, "fault");
        }
        let wire = record_to_wire(record);
        // A decision without an event is secret, and so is that it was made.
        news.changed |= match &record.entry {
            RecordEntry::Decision(decision) => !decision.events.is_empty(),
            _ => true,
        };
        if !table.spectators.is_empty() {
            news.events.extend_from_slice(match &wire.record {
                Some(v1::record::Record::Decision(decision)) => &decision.events,
                // The result itself is secret.
                Some(v1::record::Record::Chance(chance)) => &chance.events,
                _ => &[],
            });
        }
        if let Replay::Growing(writer) = &mut table.replay {
            writer.push(&wire);
        }
    }

    /// Tells the spectators what changed.
    fn tell(&self, table: &mut Table<G>, news: News) {
        if !news.changed || table.spectators.is_empty() {
            return;
        }
        let mut response = WatchMatchResponse {
            events: news.events,
            ..self.snapshot(table)
        };
        if table.referee.result().is_none()
            && let Some(info) = &mut response.r#match
        {
            // The first message had them, and with edition data they are most of a message.
            info.config = None;
            info.seed_commitment.clear();
        }
        table.spectators.tell(&response);
        if table.referee.result().is_some() {
            table.spectators.dismiss();
        }
    }

    fn snapshot(&self, table: &Table<G>) -> WatchMatchResponse {
        WatchMatchResponse {
            r#match: Some(self.match_info(table)),
            observation: table
                .referee
                .observe_spectator()
                .map(|observation| G::observation_to_wire(&observation)),
            events: Vec::new(),
        }
    }

    fn match_info(&self, table: &Table<G>) -> v1::MatchInfo {
        let referee = &table.referee;
        let rules = referee.rules();
        let result = referee.result();
        v1::MatchInfo {
            match_id: self.id.to_string(),
            state: table.state().into(),
            config: Some(rules_to_wire(rules, result.is_some())),
            seats: referee.seats().map(seat_to_wire).collect(),
            decisions: referee.public_decisions(),
            result: result.map(|result| result_to_wire(self.id.as_str(), result)),
            seed_commitment: self.salt.commit(&rules.seed),
            seed_salt: result.map(|_| self.salt.to_hex()).unwrap_or_default(),
        }
    }

    fn ended(&self, table: &mut Table<G>, matches: &Matches) {
        let Replay::Growing(writer) = &mut table.replay else {
            return;
        };
        let Some(result) = table.referee.result() else {
            return;
        };
        info!(match_id = %self.id, decisions = result.decisions, "match ended");
        self.metrics.ended();
        if result.spoiled_by_referee {
            matches.metrics().match_spoiled();
            let longest_lag_ms = result.longest_referee_lag_us / 1000;
            warn!(match_id = %self.id, longest_lag_ms, "the match is spoiled by the server's own lag");
        }
        let bytes: Arc<[u8]> = std::mem::take(writer)
            .finish(
                self.id.as_str(),
                &table.referee,
                &self.salt,
                result_to_wire(self.id.as_str(), result),
            )
            .into();
        table.replay = Replay::Sealed(Arc::clone(&bytes));
        matches.ended(&self.id, bytes);
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

/// What spectators have to be told.
#[derive(Default)]
struct News {
    changed: bool,
    events: Vec<v1::GameEvent>,
}

impl<G: WireGame> Timed for LiveMatch<G> {
    fn tick(&self) -> Option<Time> {
        let matches = self.matches.upgrade()?;
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

impl<G: WireGame> HostedMatch for LiveMatch<G> {
    fn id(&self) -> &MatchId {
        &self.id
    }

    fn game_id(&self) -> &'static str {
        G::ID
    }

    fn maker(&self) -> Option<&KeyName> {
        self.maker.as_ref()
    }

    fn is_of(&self, key: &KeyName) -> bool {
        self.maker() == Some(key) || self.table().bots().any(|bot| bot.name == key.as_str())
    }

    fn join(
        &self,
        seat: Seat,
        bot: BotIdentity,
        key: Option<&KeyName>,
        last_sequence: Option<u32>,
    ) -> Result<(StreamNumber, Outbound), Refusal> {
        let matches = self.matches.upgrade().ok_or_else(Refusal::stopping)?;
        let mut table = self.table();
        if let Some(key) = key
            && table.bot(seat).is_some_and(|bot| bot.name != key.as_str())
        {
            return Err(of_another_key());
        }
        let moment = self.catch_up(&mut table, &matches);
        self.tell_lag(&mut table, &matches, moment);
        if let Some(fault) = table.referee.forfeit(seat) {
            return Err(forfeited(fault));
        }
        let link = &mut table.links[seat.index()];
        let (number, outbound) = link.renew(matches.limits().outbound_queue);
        info!(match_id = %self.id, %seat, bot = bot.name, version = bot.version, "bot joined");
        self.handle(
            &mut table,
            &matches,
            moment.time,
            Input::Connected {
                seat,
                bot,
                last_sequence,
            },
        );
        Ok((number, outbound))
    }

    fn report(&self, seat: Seat, number: StreamNumber, input: SeatInput) {
        let Some(matches) = self.matches.upgrade() else {
            return;
        };
        self.inbox.put(matches.clock(), seat, number, input);
        // Whoever has the lock handles it; once this has it, it is handled.
        self.catch_up(&mut self.table(), &matches);
    }

    fn info(&self) -> v1::MatchInfo {
        self.match_info(&self.table())
    }

    fn info_in(&self, state: v1::MatchState) -> Option<v1::MatchInfo> {
        let table = self.table();
        let is_meant = state == v1::MatchState::Unspecified || state == table.state();
        is_meant.then(|| self.match_info(&table))
    }

    fn watch(&self) -> Result<WatchReceiver, Refusal> {
        let matches = self.matches.upgrade().ok_or_else(Refusal::stopping)?;
        let mut table = self.table();
        let snapshot = self.snapshot(&table);
        let receiver = table.spectators.add(snapshot, matches.limits())?;
        if table.referee.result().is_some() {
            table.spectators.dismiss();
        }
        Ok(receiver)
    }

    fn replay(&self) -> Option<Arc<[u8]>> {
        match &self.table().replay {
            Replay::Growing(_) => None,
            Replay::Sealed(bytes) => Some(Arc::clone(bytes)),
        }
    }

    fn sooner(&self) -> Arc<Notify> {
        Arc::clone(&self.sooner)
    }
}

fn warn_of_lost_stream(match_id: &MatchId, seat: Seat, input: &SeatInput) {
    if let SeatInput::Garbage { detail } = input {
        warn!(%match_id, %seat, detail, "the stream carried garbage");
    } else {
        info!(%match_id, %seat, "the stream ended");
    }
}
