//! The world of one match in virtual time: bots, networks and a server, as a queue of events.

mod bots;

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeSet, BinaryHeap, VecDeque},
};

use bridgemaster_games::Seat;
use bridgemaster_match::Outgoing;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{FaultReason, Known, Time};

use crate::{
    auditor::StreamId,
    bot::{Bot, Deed, Heard},
    dice::{Dice, Purpose},
    oracle::{Violation, demand},
    plan::{Kind, Plan},
    reported::Report,
    shell::{Shell, ToBot},
    tampering::{EffectTampering, Tampering},
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
/// Who watches is told of a change after so long at most, in µs: with it of many, if bots are fast.
const LONGEST_WITHOUT_NEWS_US: u64 = 100_000;
/// Useless messages that a flooding bot sends: more than a referee bears.
const FLOOD_MESSAGES: u32 = 130;

/// Something that happens.
#[derive(Debug)]
enum Event<G: WireGame> {
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
    ToBot(StreamId, ToBot),
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
    /// Somebody begins to watch.
    Watch,
    /// A life of the server tells the news to those who watch.
    News {
        life: u32,
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
    /// Somebody cancels the match.
    Cancel,
    /// The server is killed.
    Kill,
    /// The server starts again.
    Restart,
}

impl<G: WireGame> Event<G> {
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
                | Self::News { .. }
                | Self::Cancel
        )
    }
}

struct Scheduled<G: WireGame> {
    at: Time,
    number: u64,
    event: Event<G>,
}

impl<G: WireGame> Ord for Scheduled<G> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl<G: WireGame> PartialOrd for Scheduled<G> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<G: WireGame> PartialEq for Scheduled<G> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<G: WireGame> Eq for Scheduled<G> {}

/// A stream between a bot and the server.
struct Stream<D> {
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
    /// What came to the server and was not read yet.
    inbound: VecDeque<Report<D>>,
}

impl<D> Stream<D> {
    fn leads_to_server(&self) -> bool {
        !self.is_cut && !self.is_orphaned
    }
}

/// A match and everything around it.
pub(crate) struct World<G: WireGame> {
    plan: Plan<G>,
    now: Time,
    events: BinaryHeap<Reverse<Scheduled<G>>>,
    scheduled: u64,
    server: Shell<G>,
    server_dice: Dice,
    stalled_until: Time,
    room: Dice,
    /// Counts how often there was no room.
    times_full: u32,
    full_until: Time,
    kills: Dice,
    news: Dice,
    /// A look for news is to come.
    are_news_due: bool,
    tails: Dice,
    lost_tails: u32,
    /// Counts the lives of the server.
    server_life: u32,
    is_server_up: bool,
    /// Counts how often the timer was set.
    timer_settings: u64,
    /// When it means to look again; `None` once it never will.
    looks_at: Option<Time>,
    bots: Vec<Bot<G::Decision>>,
    networks: Vec<Dice>,
    cuts_of_request: Vec<(u32, u32)>,
    streams: Vec<Stream<G::Decision>>,
    /// Streams that have something to be read.
    unread: BTreeSet<StreamId>,
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
    pub(crate) is_cancelled: bool,
}

impl<G: WireGame> World<G> {
    pub(crate) fn new(
        plan: Plan<G>,
        tampering: Option<Tampering>,
        effect_tampering: Option<EffectTampering>,
    ) -> Result<Self, Violation> {
        let now = Time(0);
        let seats = || plan.rules.seats.seats();
        let mut world = Self {
            now,
            events: BinaryHeap::new(),
            scheduled: 0,
            server: Shell::new(plan.rules.clone(), tampering, effect_tampering)?,
            server_dice: Dice::new(plan.seed, Purpose::Server),
            stalled_until: now,
            room: Dice::new(plan.seed, Purpose::Room),
            times_full: 0,
            full_until: now,
            kills: Dice::new(plan.seed, Purpose::Kills),
            news: Dice::new(plan.seed, Purpose::News),
            are_news_due: false,
            tails: Dice::new(plan.seed, Purpose::Tails),
            lost_tails: 0,
            server_life: 0,
            is_server_up: true,
            timer_settings: 0,
            looks_at: Some(now),
            bots: seats()
                .zip(&plan.bots)
                .map(|(seat, habits)| Bot::new(plan.seed, seat, habits.clone()))
                .collect(),
            networks: seats()
                .map(|seat| Dice::new(plan.seed, Purpose::Network(seat.number())))
                .collect(),
            cuts_of_request: vec![(0, 0); plan.bots.len()],
            streams: Vec::new(),
            unread: BTreeSet::new(),
            trace: Trace::default(),
            plan,
        };
        let rules = &world.plan.rules;
        world.trace.line(
            now,
            format_args!(
                "{}, {} seats, {:?}, {:?}, {:?}, {:?}",
                G::NAME,
                rules.seats.get(),
                rules.clock,
                rules.odds,
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
        world.start_timer();
        world.watch_later();
        world.stall_later();
        world.kill_later();
        world.fill_later();
        if let Some(range) = world.plan.server.cancelled_after_us.clone() {
            let after_us = Dice::new(world.plan.seed, Purpose::Cancelling).within(range);
            world.after(after_us, Event::Cancel);
        }
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
            self.timer_is_set()?;
        }
        self.check_end()
    }

    fn check_end(&mut self) -> Result<Played, Violation> {
        demand!(
            self.server.has_ended() && self.server.auditor.oracle.has_ended(),
            "nothing happens any more, and the match is not over"
        );
        let referee = self.server.referee();
        demand!(
            referee.result().is_some() != referee.is_cancelled(),
            "a match ends without a result and was not cancelled"
        );
        let seats = referee.result().map(|result| result.seats.clone());
        let seats = seats.unwrap_or_default();
        for (bot, seat) in self.bots.iter().zip(&seats) {
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
        let oracle = &self.server.auditor.oracle;
        Ok(Played {
            inputs: self.server.auditor.inputs,
            restarts: self.server_life,
            lost_tails: self.lost_tails,
            is_cancelled: referee.is_cancelled(),
            decided: oracle.decided.clone(),
            digest: oracle.digest(),
            places: seats.iter().map(|seat| (seat.place, seat.score)).collect(),
            faults: oracle.faults.iter().map(|(_, reason)| *reason).collect(),
            virtual_us: self.now.0,
        })
    }

    /// The timer of a match that is hosted looks at once.
    fn start_timer(&mut self) {
        self.looks_at = Some(self.now);
        self.look_at(self.now);
    }

    /// Sets the timer, which may wake late.
    fn look_at(&mut self, at: Time) {
        self.looks_at = Some(at);
        let late_us = self
            .server_dice
            .within(self.plan.server.tick_late_us.clone());
        self.timer_settings += 1;
        let setting = self.timer_settings;
        self.at(at.max(self.now).plus_us(late_us), Event::Tick { setting });
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
                    self.streams[stream.0].inbound.push_back(report);
                    self.read(stream);
                }
            }
            Event::Handle => return self.serve(|server, now, trace| server.catch_up(now, trace)),
            Event::Transport(stream) => self.transport(stream),
            Event::ServerFindsLoss(stream) => self.server_finds_loss(stream),
            Event::Ping(stream) => self.ping(stream),
            Event::Tick { setting } if setting != self.timer_settings => {}
            Event::Tick { .. } => {
                // It has looked, and what it does may wake it again.
                self.looks_at = None;
                let mut looks_at = None;
                self.serve(|server, now, trace| {
                    looks_at = server.tick(now, trace)?;
                    Ok(())
                })?;
                self.looks_at = looks_at;
                if let Some(at) = looks_at {
                    self.look_at(at);
                }
            }
            Event::Watch if !self.is_server_up => {}
            Event::Watch => return self.server.watch(),
            Event::News { life } if life != self.server_life => {}
            Event::News { .. } => {
                self.are_news_due = false;
                return self.server.tell_news();
            }
            Event::Stall => self.stall(),
            Event::Full => self.fill(),
            Event::Stored { life, .. } if life != self.server_life => {}
            Event::Stored { count, .. } => {
                return self.serve(|server, now, _| {
                    server.have_stored(count, now);
                    Ok(())
                });
            }
            Event::Cancel => return self.serve(|server, now, trace| server.cancel(now, trace)),
            Event::Kill => return self.kill(),
            Event::Restart => return self.restart(),
        }
        Ok(())
    }

    /// Lets the server do something, and the transport have what it queued.
    fn serve(
        &mut self,
        act: impl FnOnce(&mut Shell<G>, Time, &mut Trace) -> Result<(), Violation>,
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
        if self.server.take_change() && !std::mem::replace(&mut self.are_news_due, true) {
            let us = self.news.within(0..LONGEST_WITHOUT_NEWS_US);
            let life = self.server_life;
            self.after(us, Event::News { life });
        }
        if self.server.take_wake() && self.looks_at.is_some() {
            self.look_at(self.now);
        }
        for stream in self.unread.clone() {
            self.read(stream);
        }
        Ok(())
    }

    /// The timer looks in time, whatever happened.
    fn timer_is_set(&self) -> Result<(), Violation> {
        let deadline = self.server.referee().deadline();
        let (looks_at, now) = (self.looks_at, self.now);
        demand!(
            !self.is_server_up
                || deadline.is_none_or(|due| looks_at.is_some_and(|at| at <= due.max(now))),
            "the deadline is {deadline:?}, and the timer looks at {looks_at:?}"
        );
        Ok(())
    }

    /// A stream reads what came, but for what it must wait with.
    fn read(&mut self, stream: StreamId) {
        let seat = self.streams[stream.0].seat;
        while self.server.reads(seat, stream)
            && let Some(report) = self.streams[stream.0].inbound.pop_front()
        {
            self.report(stream, report);
        }
        match self.streams[stream.0].inbound.is_empty() {
            true => self.unread.remove(&stream),
            false => self.unread.insert(stream),
        };
    }

    /// A stream that was cut brings no more; of one that its bot closed the rest is read first.
    fn server_finds_loss(&mut self, stream: StreamId) {
        let Stream {
            is_orphaned,
            is_cut,
            inbound,
            ..
        } = &mut self.streams[stream.0];
        if *is_orphaned {
            return;
        }
        if *is_cut {
            inbound.clear();
            self.unread.remove(&stream);
            return self.report(stream, Report::Left);
        }
        inbound.push_back(Report::Left);
        self.read(stream);
    }

    fn watch_later(&mut self) {
        if self.server_dice.happens(500) {
            let after_us = self.server_dice.within(0..3_000_000);
            self.after(after_us, Event::Watch);
        }
    }

    fn report(&mut self, stream: StreamId, report: Report<G::Decision>) {
        let seat = self.streams[stream.0].seat;
        // As the real server's, which handles it with whatever comes next.
        let is_handled_soon = !matches!(report, Report::HandedOver { .. });
        self.server.report(self.now, seat, stream, report);
        if !is_handled_soon {
            return;
        }
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

    /// Kills the server, or stops it in order; the streams break, with or without what was on its
    /// way to the bots.
    fn kill(&mut self) -> Result<(), Violation> {
        if self.server.is_complete() {
            return Ok(());
        }
        if !self.server.has_ended() && self.kills.happens(250) {
            self.server.stop(self.now, &mut self.trace)?;
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
        self.are_news_due = false;
        self.stalled_until = self.now;
        // Its timer is gone with it.
        self.timer_settings += 1;
        for index in 0..self.streams.len() {
            let loses_messages = self.kills.happens(500);
            let found_after_us = self.kills.within(0..300_000);
            let stream = &mut self.streams[index];
            stream.inbound.clear();
            if std::mem::replace(&mut stream.is_orphaned, true) {
                continue;
            }
            if !stream.is_cut {
                stream.is_cut = loses_messages;
                let at = stream.to_bot_at.max(self.now.plus_us(found_after_us));
                self.at(at, Event::BotFindsLoss(StreamId(index)));
            }
        }
        self.unread.clear();
        let away_us = self.kills.within(self.plan.server.away_us.clone());
        self.after(away_us, Event::Restart);
        Ok(())
    }

    fn restart(&mut self) -> Result<(), Violation> {
        self.is_server_up = true;
        self.start_timer();
        self.watch_later();
        self.serve(|server, now, trace| server.restart(now, trace))?;
        for bot in &self.bots {
            let auditor = &self.server.auditor;
            auditor.knows_what_was_sent(bot.seat, bot.has)?;
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
            if let ToBot::Message(Outgoing {
                request_id: Some(request_id),
                ..
            }) = message
            {
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
}

impl<G: WireGame> World<G> {
    /// The seats of a kind of bot, for a summary.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.plan.bots.iter().map(|habits| habits.kind)
    }
}
