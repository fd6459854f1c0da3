//! The simulation of one match in virtual time: bots, networks and a server, driven by a queue of
//! events.

mod bots;
mod events;
mod network;
mod server;
mod serving;

use std::{cmp::Reverse, collections::BinaryHeap};

use bridgemaster_games::Digest;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{FaultReason, Referee, Time};

use self::{
    events::{Event, Scheduled},
    network::Stream,
    server::Server,
};
use crate::{
    auditor::Auditor,
    bot::Bot,
    dice::{Dice, Purpose},
    oracle::{Violation, require},
    plan::{Kind, Plan},
    shell::Shell,
    tampering::Tamperings,
    trace::Trace,
};

/// Maximum number of events of a match.
const MAX_EVENTS: u64 = 400_000;
/// Maximum number of cuts of a bot's streams per request, so that it gets through eventually.
const MAX_CUTS_PER_REQUEST: u32 = 4;
/// Maximum retry delay of a bot, in µs, as in the SDKs.
const MAX_RETRY_DELAY_US: u64 = 2_000_000;
/// Maximum delay of a spectator update, in µs. With fast bots it combines many changes.
const MAX_UPDATE_DELAY_US: u64 = 100_000;
/// The number of useless messages of a flooding bot, above the limit of the referee.
const FLOOD_MESSAGES: u32 = 130;

/// A match and its environment.
pub(crate) struct World<G: WireGame> {
    plan: Plan<G>,
    now: Time,
    events: BinaryHeap<Reverse<Scheduled<G>>>,
    scheduled: u64,
    server: Server<G>,
    news: Dice,
    bots: Vec<Bot<G::Decision>>,
    networks: Vec<Dice>,
    cuts_of_request: Vec<(u32, u32)>,
    streams: Vec<Stream<G::Decision>>,
    pub(crate) trace: Trace,
}

/// The outcome of a simulated match.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) inputs: u64,
    /// The number of restarts of the server.
    pub(crate) restarts: u32,
    /// The number of restarts that found less than was stored.
    pub(crate) lost_tails: u32,
    pub(crate) decided: Vec<Vec<String>>,
    pub(crate) digest: Digest,
    pub(crate) places: Vec<(u8, i32)>,
    pub(crate) faults: Vec<FaultReason>,
    pub(crate) virtual_us: u64,
    pub(crate) is_cancelled: bool,
}

impl<G: WireGame> World<G> {
    pub(crate) fn new(plan: Plan<G>, tamperings: Tamperings) -> Result<Self, Violation> {
        let now = Time(0);
        let seats = || plan.rules.seats.seats();
        let shell = Shell::new(plan.rules.clone(), tamperings.referee, tamperings.effects)?;
        let mut world = Self {
            now,
            events: BinaryHeap::new(),
            scheduled: 0,
            server: Server::new(shell, plan.seed),
            news: Dice::new(plan.seed, Purpose::News),
            bots: seats()
                .zip(&plan.bots)
                .map(|(seat, behaviour)| Bot::new(plan.seed, seat, behaviour.clone()))
                .collect(),
            networks: seats()
                .map(|seat| Dice::new(plan.seed, Purpose::Network(seat.number())))
                .collect(),
            cuts_of_request: vec![(0, 0); plan.bots.len()],
            streams: Vec::new(),
            trace: Trace::default(),
            plan,
        };
        world.begin();
        Ok(world)
    }

    fn begin(&mut self) {
        let rules = &self.plan.rules;
        self.trace.line(
            self.now,
            format_args!(
                "{}, {} seats, {:?}, {:?}, {:?}, {:?}",
                G::NAME,
                rules.seats.get(),
                rules.clock,
                rules.odds,
                rules.faults,
                self.plan.server
            ),
        );
        for index in 0..self.bots.len() {
            let bot = &mut self.bots[index];
            let seat = bot.seat;
            let line = format_args!("{seat}: {:?}", bot.behaviour);
            self.trace.line(self.now, line);
            if let Some(comes) = bot.behaviour.comes_after_us.clone() {
                let after_us = bot.dice.within(comes);
                self.after(after_us, Event::Dial(seat));
            }
        }
        self.set_timer(self.now);
        self.schedule_spectator();
        self.stall_later();
        self.kill_later();
        self.fill_later();
        if let Some(range) = self.plan.server.cancelled_after_us.clone() {
            let after_us = Dice::new(self.plan.seed, Purpose::Cancelling).within(range);
            self.after(after_us, Event::Cancel);
        }
    }

    fn after(&mut self, us: u64, event: Event<G>) {
        self.at(self.now.plus_us(us), event);
    }

    fn at(&mut self, at: Time, event: Event<G>) {
        self.scheduled += 1;
        self.events.push(Reverse(Scheduled { at, number: self.scheduled, event }));
    }

    /// Runs until the match is over and every bot that can be informed of this has been.
    pub(crate) fn play(&mut self) -> Result<Played, Violation> {
        let mut events = 0;
        while let Some(Reverse(next)) = self.events.pop() {
            let at = self.server.stalled_until;
            if next.at < at && next.event.is_for_server() {
                self.events.push(Reverse(Scheduled { at, ..next }));
                continue;
            }
            events += 1;
            require!(events < MAX_EVENTS, "the match does not end");
            self.now = next.at;
            self.handle_event(next.event)?;
            self.check_timer()?;
        }
        self.check_end()
    }

    fn handle_event(&mut self, event: Event<G>) -> Result<(), Violation> {
        if !self.server.is_up && event.is_for_server() {
            return Ok(());
        }
        match event {
            Event::Dial(seat) => self.dial(seat),
            Event::Act { seat, run, action } => self.act(seat, run, action),
            Event::BotFindsLoss(stream) => self.detect_loss_at_bot(stream),
            Event::ReadOn(stream) => {
                self.streams[stream.0].is_read = true;
                self.after(0, Event::Transport(stream));
            }
            Event::Cut(stream) => self.cut(stream),
            Event::ToBot(stream, message) => return self.arrive(stream, message),
            Event::Hello(stream, resume_point) => return self.hello(stream, resume_point),
            Event::ToServer(stream, report) => self.receive_at_server(stream, report),
            Event::Handle => return self.serve(Shell::catch_up),
            Event::Transport(stream) => self.transport(stream),
            Event::ServerFindsLoss(stream) => self.detect_loss_at_server(stream),
            Event::Ping(stream) => self.ping(stream),
            Event::Tick { setting } => return self.tick(setting),
            Event::Watch => return self.server.shell.watch(),
            Event::News { run } => return self.publish_update(run),
            Event::Stall => self.stall(),
            Event::Full => self.fill(),
            Event::Stored { run, count } => return self.finish_store(run, count),
            Event::Cancel => return self.serve(Shell::cancel),
            Event::Kill => return self.kill(),
            Event::Restart => return self.restart(),
        }
        Ok(())
    }

    fn check_end(&mut self) -> Result<Played, Violation> {
        let auditor = &self.server.shell.auditor;
        require!(
            self.server.shell.has_ended() && auditor.oracle.has_ended(),
            "there are no more events, but the match is not over"
        );
        for bot in &self.bots {
            bot.check_decisions(&auditor.decisions_of(bot.seat))?;
        }
        self.check_no_undeserved_fault(&auditor.referee)?;
        Ok(self.played(auditor))
    }

    fn check_no_undeserved_fault(&self, referee: &Referee<G>) -> Result<(), Violation> {
        require!(
            referee.result().is_some() != referee.is_cancelled(),
            "a match ended without a result, but was not cancelled"
        );
        let Some(result) = referee.result().filter(|_| self.plan.is_roomy) else {
            return Ok(());
        };
        for (bot, seat) in self.bots.iter().zip(&result.seats) {
            let kind = bot.behaviour.kind;
            let committed: Vec<FaultReason> =
                seat.faults.iter().map(|fault| fault.reason).collect();
            // A bot that was informed of its forfeit has left. A server that lost the record of the
            // forfeit in a restart waits for this bot.
            let is_missed = |reason: &FaultReason| {
                let stays_away = [FaultReason::Disconnected, FaultReason::NeverConnected];
                bot.is_gone && self.server.lost_tails > 0 && stays_away.contains(reason)
            };
            require!(
                committed.iter().all(|reason| kind.faults().contains(reason) || is_missed(reason)),
                "a {kind:?} bot had enough time, but committed {committed:?}"
            );
            if kind.faults().is_empty() {
                require!(bot.knows_end, "the {kind:?} bot of {} never receives the end", bot.seat);
                require!(
                    seat.house_decisions == 0,
                    "the house decides for the {kind:?} bot of {}",
                    bot.seat
                );
            }
        }
        Ok(())
    }

    fn played(&self, auditor: &Auditor<G>) -> Played {
        let Auditor { oracle, referee, .. } = auditor;
        let seats = referee.result().map(|result| result.seats.clone());
        let seats = seats.unwrap_or_default();
        Played {
            inputs: auditor.inputs,
            restarts: self.server.run,
            lost_tails: self.server.lost_tails,
            is_cancelled: referee.is_cancelled(),
            decided: oracle.decided.clone(),
            digest: oracle.digest(),
            places: seats.iter().map(|seat| (seat.place, seat.score)).collect(),
            faults: oracle.faults.iter().map(|(_, reason)| *reason).collect(),
            virtual_us: self.now.0,
        }
    }

    /// The kinds of bots in a summary.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.plan.bots.iter().map(|behaviour| behaviour.kind)
    }
}
