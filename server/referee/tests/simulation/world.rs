//! The world of one match in virtual time: bots, networks and a server, as a queue of events.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use bridgemaster_games::{Game, Seat};
use bridgemaster_referee::{
    Answer, BadAnswerReason, CloseReason, FaultReason, Known, Referee, SeatMessage, Time,
};

use crate::{
    bot::{Bot, Deed, Heard},
    dice::{Dice, Purpose},
    oracle::{Violation, demand},
    plan::{Kind, Plan},
    server::{Closing, Report, Server, StreamId, ToBot},
    tampering::Tampering,
    trace::Trace,
};

/// Events after which a match should have ended.
const MOST_EVENTS: u64 = 400_000;
/// Times that a network cuts the streams of a bot while it has one request: the bot has to get
/// through at last.
const MOST_CUTS_A_REQUEST: u32 = 4;
/// Times that the server of a match is killed: the match has to end at last.
const MOST_KILLS: u32 = 6;
/// Times that the server of a match has no room: the match has to end at last.
const MOST_FULL: u32 = 6;
/// The longest that a bot which nobody answers waits before it tries again, in µs: as the SDKs do.
const LONGEST_PAUSE_US: u64 = 2_000_000;
/// Useless messages that a flooding bot sends: more than a referee bears.
const FLOOD_MESSAGES: u32 = 130;

/// Something that happens.
#[derive(Debug)]
enum Event<G: Game> {
    /// A bot opens a stream.
    Dial(Seat),
    /// A bot's time to think is over.
    Act {
        seat: Seat,
        life: u32,
        deed: Deed,
    },
    /// Its stream is found to be lost by a bot.
    BotFindsLoss(StreamId),
    /// A bot that did not read goes on.
    ReadOn(StreamId),
    /// The network drops a stream.
    Cut(StreamId),
    /// A message comes to its bot.
    ToBot(StreamId, ToBot<G>),
    /// Hello comes to the server.
    Hello(StreamId, Option<Known>),
    /// A report comes to the server.
    ToServer(StreamId, Report<G::Decision>),
    /// The server handles what was reported.
    Handle,
    /// The transport takes what is queued.
    Transport(StreamId),
    /// The server finds that a stream is lost.
    ServerFindsLoss(StreamId),
    Ping(StreamId),
    /// The timer wakes; one that was set again since stays asleep.
    Tick {
        setting: u64,
    },
    /// The server stands still.
    Stall,
    /// The server has no room from now on.
    Full,
    /// The journal of a life of the server has stored so many entries.
    Stored {
        life: u32,
        count: usize,
    },
    /// The server is killed.
    Kill,
    /// The server starts again.
    Restart,
}

impl<G: Game> Event<G> {
    fn is_for_server(&self) -> bool {
        matches!(
            self,
            Self::Hello(..)
                | Self::ToServer(..)
                | Self::Handle
                | Self::Transport(_)
                | Self::ServerFindsLoss(_)
                | Self::Ping(_)
                | Self::Tick { .. }
        )
    }
}

struct Scheduled<G: Game> {
    at: Time,
    number: u64,
    event: Event<G>,
}

impl<G: Game> Ord for Scheduled<G> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl<G: Game> PartialOrd for Scheduled<G> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<G: Game> PartialEq for Scheduled<G> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<G: Game> Eq for Scheduled<G> {}

/// A stream between a bot and the server.
struct Stream {
    seat: Seat,
    is_cut: bool,
    /// The server that it led to was killed: nothing arrives there any more.
    is_orphaned: bool,
    /// The bot reads it.
    is_read: bool,
    /// When the last message in each direction arrives: messages keep their order.
    to_bot_at: Time,
    to_server_at: Time,
    heard: Heard,
}

impl Stream {
    fn leads_to_server(&self) -> bool {
        !self.is_cut && !self.is_orphaned
    }
}

/// A match and everything around it.
pub(crate) struct World<G: Game> {
    plan: Plan<G>,
    now: Time,
    events: BinaryHeap<Reverse<Scheduled<G>>>,
    scheduled: u64,
    server: Server<G>,
    server_dice: Dice,
    stalled_until: Time,
    room: Dice,
    /// Counts how often there was no room.
    times_full: u32,
    full_until: Time,
    kills: Dice,
    tails: Dice,
    lost_tails: u32,
    /// Counts the lives of the server.
    server_life: u32,
    is_server_up: bool,
    /// Counts how often the timer was set.
    timer_settings: u64,
    bots: Vec<Bot<G::Decision>>,
    networks: Vec<Dice>,
    cuts_of_request: Vec<(u32, u32)>,
    streams: Vec<Stream>,
    pub(crate) trace: Trace,
}

/// What came of a match.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) inputs: u64,
    /// How often the server was killed and started again.
    pub(crate) restarts: u32,
    /// How often it then found less than it had stored.
    pub(crate) lost_tails: u32,
    pub(crate) decided: Vec<Vec<String>>,
    pub(crate) digest: bridgemaster_games::Digest,
    pub(crate) places: Vec<(u8, i32)>,
    pub(crate) faults: Vec<FaultReason>,
    pub(crate) virtual_us: u64,
}

impl<G: Game> World<G> {
    pub(crate) fn new(plan: Plan<G>, tampering: Option<Tampering>) -> Result<Self, Violation> {
        let now = Time(0);
        let referee = Referee::new(plan.rules.clone(), now)
            .map_err(|error| Violation(format!("the rules are refused: {error}")))?;
        let seats = || plan.rules.seats.seats();
        let mut world = Self {
            now,
            events: BinaryHeap::new(),
            scheduled: 0,
            server: Server::new(referee, tampering)?,
            server_dice: Dice::new(plan.seed, Purpose::Server),
            stalled_until: now,
            room: Dice::new(plan.seed, Purpose::Room),
            times_full: 0,
            full_until: now,
            kills: Dice::new(plan.seed, Purpose::Kills),
            tails: Dice::new(plan.seed, Purpose::Tails),
            lost_tails: 0,
            server_life: 0,
            is_server_up: true,
            timer_settings: 0,
            bots: seats()
                .zip(&plan.bots)
                .map(|(seat, habits)| Bot::new(plan.seed, seat, habits.clone()))
                .collect(),
            networks: seats()
                .map(|seat| Dice::new(plan.seed, Purpose::Network(seat.number())))
                .collect(),
            cuts_of_request: vec![(0, 0); plan.bots.len()],
            streams: Vec::new(),
            trace: Trace::default(),
            plan,
        };
        let rules = &world.plan.rules;
        world.trace.line(
            now,
            format_args!(
                "{}, {} seats, {:?}, {:?}, {:?}",
                G::NAME,
                rules.seats.get(),
                rules.clock,
                rules.faults,
                world.plan.server
            ),
        );
        for index in 0..world.bots.len() {
            let bot = &mut world.bots[index];
            let seat = bot.seat;
            let line = format_args!("{seat}: {:?}", bot.habits);
            world.trace.line(now, line);
            if let Some(comes) = bot.habits.comes_after_us.clone() {
                let after_us = bot.dice.within(comes);
                world.after(after_us, Event::Dial(seat));
            }
        }
        world.stall_later();
        world.kill_later();
        world.fill_later();
        Ok(world)
    }

    fn after(&mut self, us: u64, event: Event<G>) {
        self.at(self.now.plus_us(us), event);
    }

    fn at(&mut self, at: Time, event: Event<G>) {
        self.scheduled += 1;
        self.events.push(Reverse(Scheduled {
            at,
            number: self.scheduled,
            event,
        }));
    }

    /// Plays the match to its end, and on until everybody who can know of it does.
    pub(crate) fn play(&mut self) -> Result<Played, Violation> {
        self.arm();
        let mut events = 0;
        while let Some(Reverse(next)) = self.events.pop() {
            if next.event.is_for_server() && next.at < self.stalled_until {
                let at = self.stalled_until;
                self.events.push(Reverse(Scheduled { at, ..next }));
                continue;
            }
            events += 1;
            demand!(events < MOST_EVENTS, "the match does not end");
            self.now = next.at;
            self.happen(next.event)?;
            self.arm();
        }
        self.check_end()
    }

    fn check_end(&mut self) -> Result<Played, Violation> {
        demand!(
            self.server.has_ended() && self.server.oracle.has_ended(),
            "nothing happens any more, and the match is not over"
        );
        let Some(result) = self.server.referee.result() else {
            return Err(Violation("an ended match without a result".to_owned()));
        };
        for (bot, seat) in self.bots.iter().zip(&result.seats) {
            let kind = bot.habits.kind;
            if !self.plan.is_roomy {
                continue;
            }
            let committed: Vec<FaultReason> =
                seat.faults.iter().map(|fault| fault.reason).collect();
            // A bot that was told of its forfeit has left, and a server that forgets the forfeit
            // waits for it.
            let is_missed = |reason: &FaultReason| {
                let stays_away = [FaultReason::Disconnected, FaultReason::NeverConnected];
                bot.is_gone && self.lost_tails > 0 && stays_away.contains(reason)
            };
            demand!(
                committed
                    .iter()
                    .all(|reason| kind.faults().contains(reason) || is_missed(reason)),
                "a {kind:?} bot had time enough and committed {committed:?}"
            );
            if kind.faults().is_empty() {
                demand!(
                    bot.knows_end,
                    "the {kind:?} bot of {} never hears of the end",
                    bot.seat
                );
                demand!(
                    seat.house_decisions == 0,
                    "the house decides for the {kind:?} bot of {}",
                    bot.seat
                );
            }
        }
        let oracle = &self.server.oracle;
        Ok(Played {
            inputs: self.server.inputs,
            restarts: self.server_life,
            lost_tails: self.lost_tails,
            decided: oracle.decided.clone(),
            digest: oracle.digest(),
            places: result
                .seats
                .iter()
                .map(|seat| (seat.place, seat.score))
                .collect(),
            faults: oracle.faults.iter().map(|(_, reason)| *reason).collect(),
            virtual_us: self.now.0,
        })
    }

    /// Lets the timer wake in time if it would look too late.
    fn arm(&mut self) {
        if !self.is_server_up {
            return;
        }
        let Some(deadline) = self.server.referee.deadline() else {
            return;
        };
        if self.server.armed.is_none_or(|armed| deadline < armed) {
            self.server.armed = Some(deadline);
            self.wake_at(deadline);
        }
    }

    fn wake_at(&mut self, deadline: Time) {
        let late_us = self
            .server_dice
            .within(self.plan.server.tick_late_us.clone());
        self.timer_settings += 1;
        let setting = self.timer_settings;
        self.at(
            deadline.max(self.now).plus_us(late_us),
            Event::Tick { setting },
        );
    }

    fn happen(&mut self, event: Event<G>) -> Result<(), Violation> {
        if event.is_for_server() && !self.is_server_up {
            return Ok(());
        }
        match event {
            Event::Dial(seat) => self.dial(seat),
            Event::Act { seat, life, deed } => self.act(seat, life, deed),
            Event::BotFindsLoss(stream) => self.bot_finds_loss(stream),
            Event::ReadOn(stream) => {
                self.streams[stream.0].is_read = true;
                self.after(0, Event::Transport(stream));
            }
            Event::Cut(stream) => self.cut(stream),
            Event::ToBot(stream, message) => return self.arrive(stream, message),
            Event::Hello(stream, known) => return self.hello(stream, known),
            Event::ToServer(stream, report) => {
                if self.streams[stream.0].leads_to_server() {
                    self.report(stream, report);
                }
            }
            Event::Handle => return self.serve(|server, _, trace| server.catch_up(trace)),
            Event::Transport(stream) => self.transport(stream),
            Event::ServerFindsLoss(stream) => self.report(stream, Report::Left),
            Event::Ping(stream) => self.ping(stream),
            Event::Tick { setting } if setting != self.timer_settings => {}
            Event::Tick { .. } => {
                self.serve(|server, now, trace| server.tick(now, trace))?;
                if let Some(deadline) = self.server.armed {
                    self.wake_at(deadline);
                }
            }
            Event::Stall => self.stall(),
            Event::Full => self.fill(),
            Event::Stored { life, .. } if life != self.server_life => {}
            Event::Stored { count, .. } => {
                return self.serve(|server, _, _| {
                    server.have_stored(count);
                    Ok(())
                });
            }
            Event::Kill => self.kill(),
            Event::Restart => return self.restart(),
        }
        Ok(())
    }

    /// Lets the server do something, and the transport have what it queued.
    fn serve(
        &mut self,
        act: impl FnOnce(&mut Server<G>, Time, &mut Trace) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        act(&mut self.server, self.now, &mut self.trace)?;
        if let Some(count) = self.server.begin_to_store() {
            let us = self.server_dice.within(self.plan.server.store_us.clone());
            let life = self.server_life;
            self.after(us, Event::Stored { life, count });
        }
        let waiting: Vec<StreamId> = self.server.waiting().collect();
        for stream in waiting {
            let us = self.server_dice.within(0..100);
            self.after(us, Event::Transport(stream));
        }
        Ok(())
    }

    fn report(&mut self, stream: StreamId, report: Report<G::Decision>) {
        let seat = self.streams[stream.0].seat;
        self.server.report(self.now, seat, stream, report);
        let us = self
            .server_dice
            .within(self.plan.server.handling_us.clone());
        self.after(us, Event::Handle);
    }

    fn stall_later(&mut self) {
        if let Some(every) = self.plan.server.stall_every_us.clone() {
            let after_us = self.server_dice.within(every);
            self.after(after_us, Event::Stall);
        }
    }

    fn stall(&mut self) {
        if self.server.has_ended() {
            return;
        }
        let stall_us = self.server_dice.within(self.plan.server.stall_us.clone());
        let unnoticed_us = self
            .server_dice
            .within(self.plan.server.unnoticed_us.clone());
        self.stalled_until = self.now.plus_us(stall_us);
        self.server.lag_us += stall_us.saturating_sub(unnoticed_us);
        self.trace.line(
            self.now,
            format_args!("the server stands still for {stall_us} µs"),
        );
        self.stall_later();
    }

    fn fill_later(&mut self) {
        if let Some(every) = self.plan.server.full_every_us.clone()
            && self.times_full < MOST_FULL
        {
            let after_us = self.room.within(every);
            self.at(self.full_until.max(self.now).plus_us(after_us), Event::Full);
        }
    }

    fn fill(&mut self) {
        if self.server.has_ended() {
            return;
        }
        self.times_full += 1;
        let full_us = self.room.within(self.plan.server.full_us.clone());
        self.full_until = self.now.plus_us(full_us);
        self.trace.line(
            self.now,
            format_args!("the server has no room for {full_us} µs"),
        );
        self.fill_later();
    }

    fn kill_later(&mut self) {
        if let Some(range) = self.plan.server.killed_after_us.clone()
            && self.server_life < MOST_KILLS
        {
            let after_us = self.kills.within(range);
            self.after(after_us, Event::Kill);
        }
    }

    /// Kills the server; the streams break, with or without what was on its way to the bots.
    fn kill(&mut self) {
        if self.server.is_complete() {
            return;
        }
        let stored = self.server.stored();
        let kept = match self.tails.happens(self.plan.server.loses_tail) {
            true => self.tails.within(0..stored as u64) as usize,
            false => stored,
        };
        self.lost_tails += u32::from(kept < stored);
        self.server.kill(self.now, kept, &mut self.trace);
        self.server_life += 1;
        self.is_server_up = false;
        self.stalled_until = self.now;
        // Its timer is gone with it.
        self.timer_settings += 1;
        for index in 0..self.streams.len() {
            let loses_messages = self.kills.happens(500);
            let found_after_us = self.kills.within(0..300_000);
            let stream = &mut self.streams[index];
            if stream.leads_to_server() {
                stream.is_orphaned = true;
                stream.is_cut = loses_messages;
                let at = stream.to_bot_at.max(self.now.plus_us(found_after_us));
                self.at(at, Event::BotFindsLoss(StreamId(index)));
            }
        }
        let away_us = self.kills.within(self.plan.server.away_us.clone());
        self.after(away_us, Event::Restart);
    }

    fn restart(&mut self) -> Result<(), Violation> {
        self.is_server_up = true;
        self.serve(|server, now, trace| server.restart(now, trace))?;
        for bot in &self.bots {
            self.server.knows_what_was_sent(bot.seat, bot.has)?;
        }
        self.kill_later();
        Ok(())
    }

    // The way there and back.

    fn latency_us(&mut self, seat: Seat) -> u64 {
        let latency = self.bots[seat.index()].habits.latency_us.clone();
        self.networks[seat.index()].within(latency)
    }

    /// When a message that is sent now arrives at the server.
    fn arrival_at_server(&mut self, stream: StreamId) -> Time {
        let seat = self.streams[stream.0].seat;
        let at = self.now.plus_us(self.latency_us(seat));
        let last = &mut self.streams[stream.0].to_server_at;
        *last = at.max(*last);
        *last
    }

    fn send(&mut self, stream: StreamId, report: Report<G::Decision>) {
        let at = self.arrival_at_server(stream);
        self.at(at, Event::ToServer(stream, report));
    }

    /// Sends what is queued for a stream, if its bot reads.
    fn transport(&mut self, stream: StreamId) {
        if !self.streams[stream.0].is_read {
            return;
        }
        while let Some(message) = self.server.next_to_bot(stream) {
            if let ToBot::Message {
                message: SeatMessage::Request(request),
                ..
            } = &message
            {
                let request_id = request.request_id;
                self.report(stream, Report::HandedOver { request_id });
            }
            let seat = self.streams[stream.0].seat;
            let at = self.now.plus_us(self.latency_us(seat));
            let last = &mut self.streams[stream.0].to_bot_at;
            *last = at.max(*last);
            let at = *last;
            self.at(at, Event::ToBot(stream, message));
        }
    }

    fn cut(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        let Stream { is_cut, .. } = &mut self.streams[stream.0];
        if std::mem::replace(is_cut, true) {
            return;
        }
        self.trace
            .line(self.now, format_args!("{stream:?} of {seat} is cut"));
        let network = &mut self.networks[seat.index()];
        let bot_us = network.within(0..300_000);
        let server_us = network.within(self.bots[seat.index()].habits.half_open_us.clone());
        self.after(bot_us, Event::BotFindsLoss(stream));
        self.after(server_us, Event::ServerFindsLoss(stream));
    }

    fn ping(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        if !self.server.holds(seat, stream) || self.server.has_ended() {
            return;
        }
        self.after(self.plan.server.ping_every_us, Event::Ping(stream));
        if self.streams[stream.0].is_read {
            let elapsed_us = self.latency_us(seat) + self.latency_us(seat);
            let report = Report::RoundTrip { elapsed_us };
            self.after(elapsed_us, Event::ToServer(stream, report));
        }
    }

    fn hello(&mut self, stream: StreamId, known: Option<Known>) -> Result<(), Violation> {
        let Stream { seat, .. } = self.streams[stream.0];
        if !self.streams[stream.0].leads_to_server() {
            return Ok(());
        }
        if self.now < self.full_until {
            let mut is_turned_away = false;
            self.serve(|server, now, trace| {
                is_turned_away = server.turns_away(now, seat, stream, trace)?;
                Ok(())
            })?;
            if is_turned_away {
                return Ok(());
            }
        }
        let bot = self.bots[seat.index()].identity();
        self.serve(|server, now, trace| server.join(now, seat, stream, bot, known, trace))?;
        self.after(0, Event::Ping(stream));
        Ok(())
    }

    // The bots.

    fn dial(&mut self, seat: Seat) {
        let bot = &mut self.bots[seat.index()];
        if bot.is_gone || bot.knows_end {
            return;
        }
        if !self.is_server_up {
            // Refused; a bot that has a stream will find that it is lost.
            if bot.stream.is_none() {
                self.dial_later(seat);
            }
            return;
        }
        let stream = StreamId(self.streams.len());
        bot.stream = Some(stream);
        let known = bot.known();
        self.streams.push(Stream {
            seat,
            is_cut: false,
            is_orphaned: false,
            is_read: true,
            to_bot_at: self.now,
            to_server_at: self.now,
            heard: Heard::default(),
        });
        self.server.add_queue();
        let at = self.arrival_at_server(stream);
        self.at(at, Event::Hello(stream, known));
    }

    /// Dials again after a pause that grows with each refusal.
    fn dial_later(&mut self, seat: Seat) {
        let bot = &mut self.bots[seat.index()];
        bot.stream = None;
        bot.refused_dials += 1;
        let longer = 1 << bot.refused_dials.min(16);
        let us = bot.dice.within(bot.habits.backoff_us.clone());
        let longest_us = LONGEST_PAUSE_US.max(us);
        self.after((us * longer).min(longest_us), Event::Dial(seat));
    }

    fn dial_again(&mut self, seat: Seat) {
        let bot = &mut self.bots[seat.index()];
        bot.stream = None;
        let us = bot.dice.within(bot.habits.backoff_us.clone());
        self.after(us, Event::Dial(seat));
    }

    fn bot_finds_loss(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        if self.bots[seat.index()].stream == Some(stream) {
            self.dial_again(seat);
        }
    }

    /// Ends a stream from the bot's side; what is on its way from the server is lost.
    fn drop_stream(&mut self, seat: Seat) {
        if let Some(stream) = self.bots[seat.index()].stream.take() {
            let at = self.arrival_at_server(stream);
            if !self.streams[stream.0].is_cut {
                self.at(at, Event::ServerFindsLoss(stream));
            }
        }
    }

    fn arrive(&mut self, stream: StreamId, message: ToBot<G>) -> Result<(), Violation> {
        let Stream { seat, is_cut, .. } = self.streams[stream.0];
        let bot = &mut self.bots[seat.index()];
        if is_cut || bot.stream != Some(stream) {
            return Ok(());
        }
        match message {
            ToBot::Welcome {
                history_id,
                resumed,
            } => {
                let heard = &mut self.streams[stream.0].heard;
                (heard.is_welcomed, heard.resumed) = (true, resumed);
                if let Some(again) = bot.welcomed(history_id, resumed) {
                    self.send(stream, again);
                }
            }
            ToBot::Message { sequence, message } => {
                bot.refused_dials = 0;
                let heard = &mut self.streams[stream.0].heard;
                if bot.hear(sequence, &message, heard)? {
                    self.consider(stream);
                }
            }
            ToBot::Closed(closing) => match closing {
                Closing::ByReferee(CloseReason::MatchEnded) => {
                    demand!(bot.knows_end, "the stream of {seat} ends without the end");
                }
                Closing::ByReferee(CloseReason::Forfeited(_)) | Closing::SeatClosed => {
                    bot.is_gone = true;
                }
                Closing::ByReferee(CloseReason::Garbage) | Closing::SlowConsumer => {
                    self.dial_again(seat);
                }
                Closing::TurnedAway => self.dial_later(seat),
                // By a stream of its own.
                Closing::Superseded => {}
            },
        }
        Ok(())
    }

    /// A bot has a request and begins to think; its network may fail meanwhile.
    fn consider(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        let bot = &mut self.bots[seat.index()];
        let Some(asked) = &bot.asked else { return };
        let (request_id, left_ms) = (asked.request_id, asked.decision_left_ms);
        let deed = bot.deed();
        let think_us = match deed {
            Deed::AnswerLate => u64::from(left_ms) * 1000 + bot.dice.within(0..2_000_000),
            _ => bot.think_us(),
        };
        let (life, cut) = (bot.life, bot.habits.cut);
        self.after(think_us, Event::Act { seat, life, deed });
        let (cut_request, cuts) = &mut self.cuts_of_request[seat.index()];
        if *cut_request != request_id {
            (*cut_request, *cuts) = (request_id, 0);
        }
        let network = &mut self.networks[seat.index()];
        if *cuts < MOST_CUTS_A_REQUEST && network.happens(cut) {
            *cuts += 1;
            let latency_us = self.bots[seat.index()].habits.latency_us.end;
            let us = network.within(0..think_us + 3 * latency_us + 1000);
            self.after(us, Event::Cut(stream));
        }
    }

    fn act(&mut self, seat: Seat, life: u32, deed: Deed) {
        let bot = &mut self.bots[seat.index()];
        if bot.life != life || bot.knows_end || bot.is_gone {
            return;
        }
        let Some(asked) = bot.asked.clone() else {
            return;
        };
        bot.has_decided |= !matches!(deed, Deed::StaySilent | Deed::AnswerIllegally);
        bot.awaits_refusal |= deed == Deed::AnswerIllegally;
        let is_welcomed = |stream: &StreamId| self.streams[stream.0].heard.is_welcomed;
        let Some(stream) = bot.stream.filter(is_welcomed) else {
            return;
        };
        let request_id = asked.request_id;
        let legal = || asked.answer();
        match deed {
            Deed::Answer | Deed::AnswerLate => self.send(stream, legal()),
            Deed::StaySilent => {}
            Deed::Restart => {
                bot.begin_anew();
                self.drop_stream(seat);
                self.dial_again(seat);
            }
            Deed::Leave => {
                self.drop_stream(seat);
                let bot = &mut self.bots[seat.index()];
                match bot.dice.happens(500) {
                    true => bot.is_gone = true,
                    false => {
                        let us = bot.dice.within(0..40_000_000);
                        self.after(us, Event::Dial(seat));
                    }
                }
            }
            Deed::AnswerIllegally => {
                let earlier = bot.earlier.clone();
                let report = match (bot.dice.within(0..3), earlier) {
                    (0, Some(decision)) => Report::Answer {
                        request_id,
                        answer: Answer::Decision(decision),
                    },
                    (1, _) => Report::BadAnswer {
                        request_id,
                        reason: BadAnswerReason::MalformedDecision,
                    },
                    _ => Report::Answer {
                        request_id,
                        answer: Answer::Index(asked.choices + bot.dice.within(0..3) as u32),
                    },
                };
                self.send(stream, report);
            }
            Deed::SendStrayAnswers => {
                let wrong = bot
                    .dice
                    .pick(&[0, 1, request_id.saturating_sub(1), request_id + 1]);
                let stray = Report::Answer {
                    request_id: wrong,
                    answer: Answer::Index(0),
                };
                // A stray answer must not answer the request by chance.
                if wrong != request_id {
                    self.send(stream, stray);
                }
                let reason = BadAnswerReason::WrongMatch;
                self.send(stream, Report::BadAnswer { request_id, reason });
                self.send(stream, Report::Useless);
                self.send(stream, legal());
                self.send(stream, legal());
            }
            Deed::Flood => {
                if bot.dice.happens(500) {
                    self.send(stream, Report::Flood);
                } else {
                    for _ in 0..FLOOD_MESSAGES {
                        self.send(stream, Report::Useless);
                    }
                }
                self.send(stream, legal());
            }
            Deed::SendGarbage => self.send(stream, Report::Garbage),
            Deed::Resign => self.send(stream, Report::Resign),
            Deed::OpenSecondStream => {
                // The older stream's answer and the newer stream race.
                self.dial(seat);
                self.send(stream, legal());
            }
            Deed::StopReading => {
                self.streams[stream.0].is_read = false;
                self.send(stream, legal());
                let bot = &mut self.bots[seat.index()];
                if bot.dice.happens(800) {
                    let us = bot.dice.within(0..60_000_000);
                    self.after(us, Event::ReadOn(stream));
                }
            }
        }
    }
}

impl<G: Game> World<G> {
    /// The seats of a kind of bot, for a summary.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.plan.bots.iter().map(|habits| habits.kind)
    }
}
