//! The simulation of one match in virtual time: bots, networks and servers, driven by a queue of
//! events.

mod alone;
mod bots;
mod ending;
mod events;
mod leases;
mod network;
mod nodes;
mod refusing;
mod searching;
mod serving;
mod sessions;
mod troubles;

use std::{cmp::Reverse, collections::BinaryHeap};

use bridgemaster_games::Digest;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{FaultReason, Referee, Time};

use self::{
    alone::Alone,
    events::{Event, Scheduled},
    network::Stream,
};
use crate::{
    auditor::Auditor,
    bot::Bot,
    cluster::{Cluster, Figures},
    dice::{Dice, Purpose},
    oracle::{Violation, require},
    plan::{Kind, Plan},
    server::Server,
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
    servers: Vec<Server<G>>,
    alone: Alone,
    /// The cluster; `None` for a single server.
    cluster: Option<Cluster>,
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
    /// Statistics of the cluster.
    pub(crate) figures: Figures,
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
            servers: vec![Server::new(
                Some(shell),
                Dice::new(plan.seed, Purpose::Server),
            )],
            alone: Alone::new(plan.seed),
            cluster: None,
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
        if let Some(plan) = world.plan.cluster.clone() {
            world.start_cluster(plan, tamperings.cluster);
        }
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
        self.start_timer(0);
        self.schedule_spectator(0);
        self.stall_later(0);
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
        self.events.push(Reverse(Scheduled {
            at,
            number: self.scheduled,
            event,
        }));
    }

    /// Runs until the match is over and every bot that can know it does.
    pub(crate) fn play(&mut self) -> Result<Played, Violation> {
        let mut events = 0;
        while let Some(Reverse(next)) = self.events.pop() {
            let server = self.server_of(&next.event);
            if let Some(server) = server
                && next.at < self.servers[server].stalled_until
            {
                let at = self.servers[server].stalled_until;
                self.events.push(Reverse(Scheduled { at, ..next }));
                continue;
            }
            events += 1;
            require!(events < MAX_EVENTS, "the match does not end");
            self.now = next.at;
            if self.is_long_over() {
                break;
            }
            self.handle_event(next.event, server)?;
            self.timers_are_set()?;
        }
        self.check_end()
    }

    /// The server that handles an event, which is delayed while it is frozen.
    fn server_of(&self, event: &Event<G>) -> Option<usize> {
        match event {
            Event::Hello(stream, _)
            | Event::ToServer(stream, _)
            | Event::Transport(stream)
            | Event::ServerFindsLoss(stream)
            | Event::Ping(stream) => Some(self.streams[stream.0].server),
            Event::Handle(server) | Event::Tick { server, .. } | Event::News { server, .. } => {
                Some(*server)
            }
            Event::Cancel if self.cluster.is_none() => Some(0),
            Event::Cluster(event) => event.server(),
            _ => None,
        }
    }

    fn handle_event(&mut self, event: Event<G>, server: Option<usize>) -> Result<(), Violation> {
        let is_down = server.is_some_and(|server| !self.servers[server].is_up);
        if is_down && !matches!(event, Event::Cluster(_)) {
            return Ok(());
        }
        match event {
            Event::Dial(seat) => self.dial(seat),
            Event::Act { seat, life, action } => self.act(seat, life, action),
            Event::BotFindsLoss(stream) => self.detect_loss_at_bot(stream),
            Event::ReadOn(stream) => {
                self.streams[stream.0].is_read = true;
                self.after(0, Event::Transport(stream));
            }
            Event::Cut(stream) => self.cut(stream),
            Event::ToBot(stream, message) => return self.arrive(stream, message),
            Event::Hello(stream, resume_point) => return self.hello(stream, resume_point),
            Event::ToServer(stream, report) => self.receive_at_server(stream, report),
            Event::Handle(server) => {
                return self.serve(server, |server, now, trace| server.catch_up(now, trace));
            }
            Event::Transport(stream) => return self.transport(stream),
            Event::ServerFindsLoss(stream) => self.detect_loss_at_server(stream),
            Event::Ping(stream) => self.ping(stream),
            Event::Tick { server, setting } => return self.tick(server, setting),
            Event::Watch(server) => {
                if let Some(shell) = &mut self.servers[server].shell {
                    return shell.watch();
                }
            }
            Event::News { server, life } => return self.publish_update(server, life),
            Event::Stall(server) => self.stall(server),
            Event::Full => self.fill(),
            Event::Stored { life, count } => return self.finish_store_alone(life, count),
            Event::Cancel => return self.cancel(),
            Event::Kill => return self.kill(),
            Event::Restart => return self.restart(),
            Event::Cluster(event) => return self.handle_cluster_event(event),
        }
        Ok(())
    }

    /// Cancels the match at a server that has it.
    fn cancel(&mut self) -> Result<(), Violation> {
        let server = match self.cluster.is_some() {
            true => self.answering_owner(),
            false => Some(0),
        };
        let Some(server) = server else { return Ok(()) };
        self.serve(server, |server, now, trace| server.cancel(now, trace))
    }

    fn check_end(&mut self) -> Result<Played, Violation> {
        let auditor = match self.cluster.is_some() {
            true => &self.match_in_the_database()?,
            false => match &self.servers[0].shell {
                Some(shell) => {
                    require!(shell.has_ended(), "nothing happens any more");
                    &shell.auditor
                }
                None => return Err(Violation("the match is nowhere".to_owned())),
            },
        };
        require!(
            auditor.oracle.has_ended(),
            "nothing happens any more, and the match is not over"
        );
        self.nobody_is_wronged(&auditor.referee)?;
        Ok(self.played(auditor))
    }

    fn nobody_is_wronged(&self, referee: &Referee<G>) -> Result<(), Violation> {
        require!(
            referee.result().is_some() != referee.is_cancelled(),
            "a match ends without a result and was not cancelled"
        );
        let Some(result) = referee.result().filter(|_| self.plan.is_roomy) else {
            return Ok(());
        };
        for (bot, seat) in self.bots.iter().zip(&result.seats) {
            let kind = bot.behaviour.kind;
            let committed: Vec<FaultReason> =
                seat.faults.iter().map(|fault| fault.reason).collect();
            // A bot that knows of its forfeit has left, and a server that forgets the forfeit
            // waits for it.
            let is_missed = |reason: &FaultReason| {
                let stays_away = [FaultReason::Disconnected, FaultReason::NeverConnected];
                bot.is_gone && self.alone.lost_tails > 0 && stays_away.contains(reason)
            };
            require!(
                committed
                    .iter()
                    .all(|reason| kind.faults().contains(reason) || is_missed(reason)),
                "a {kind:?} bot had time enough and committed {committed:?}"
            );
            if kind.faults().is_empty() {
                require!(
                    bot.knows_end,
                    "the {kind:?} bot of {} never receives the end",
                    bot.seat
                );
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
        let Auditor {
            oracle, referee, ..
        } = auditor;
        let seats = referee.result().map(|result| result.seats.clone());
        let seats = seats.unwrap_or_default();
        Played {
            inputs: auditor.inputs,
            restarts: self.alone.life,
            lost_tails: self.alone.lost_tails,
            is_cancelled: referee.is_cancelled(),
            decided: oracle.decided.clone(),
            digest: oracle.digest(),
            places: seats.iter().map(|seat| (seat.place, seat.score)).collect(),
            faults: oracle.faults.iter().map(|(_, reason)| *reason).collect(),
            virtual_us: self.now.0,
            figures: self.figures(),
        }
    }

    /// The kinds of bots in a summary.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.plan.bots.iter().map(|behaviour| behaviour.kind)
    }
}
