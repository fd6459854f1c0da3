//! Servers of a cluster: their events, their start, and the takeover of the match.

use std::ops::Range;

use bridgemaster_lease::{
    CommitNumbers,
    limits::{LEASE_RENEWAL_INTERVAL, ORPHAN_POLL_INTERVAL},
};
use bridgemaster_match::ClockOffset;
use bridgemaster_proto::games::WireGame;

use super::{World, ending::Ending};
use crate::{
    cluster::{
        Cluster, Figures,
        clock::Clock,
        events::{ClusterEvent, Of},
        journal::Handed,
        node::Phase,
        plan::ClusterPlan,
        tampering::ClusterDefect,
        transaction::{Opened, Work},
    },
    dice::{Dice, Purpose},
    oracle::Violation,
    route::Route,
    server::Server,
    shell::Shell,
};

/// Time that a cluster runs after the match, in µs, so that every reachable bot learns of the end.
const AFTERWARDS_US: u64 = 200_000_000;
/// Duration of slow messages after the start of a process, in µs.
const SLOW_START_US: u64 = 12_000_000;
/// Interval of client requests for the match, in µs.
const CALLS_EVERY_US: Range<u64> = 50_000..400_000;

impl<G: WireGame> World<G> {
    pub(super) fn start_cluster(&mut self, plan: ClusterPlan, wrong: Option<ClusterDefect>) {
        let seed = self.plan.seed;
        let header = self.servers[0].shell.as_ref().map(Shell::header);
        let header = header.expect("the first server has the match").to_vec();
        let cluster = Cluster::new(plan, seed, self.bots.len(), &header, wrong);
        let servers = cluster.nodes.len();
        for server in 0..servers {
            if server > 0 {
                let dice = Dice::new(seed, Purpose::Node(server as u8));
                self.servers.push(Server::new(None, dice));
            }
            let node = &cluster.nodes[server];
            let it = &mut self.servers[server];
            it.clock = Clock::new(cluster.plan.own_us[server], node.rate);
            it.is_up = node.phase == Phase::Up;
        }
        let mut dice = Dice::new(seed, Purpose::Routes);
        for bot in &mut self.bots {
            bot.route = Route::new(servers, dice.within(0..servers as u64) as usize);
        }
        self.trace
            .line(self.now, format_args!("{:?}", cluster.plan));
        let nodes = cluster.plan.nodes;
        self.cluster = Some(cluster);
        for server in 0..nodes {
            let now = self.own_now(server);
            let node = &mut self.cluster().nodes[server];
            node.trust.record_renewal(now);
            let of = node.of(server);
            let us = dice.within(0..LEASE_RENEWAL_INTERVAL.as_micros() as u64);
            self.later(us, ClusterEvent::RenewalDue(of));
            self.check_trust_later(of);
            if server > 0 {
                self.stall_later(server);
            }
            let us = dice.within(0..ORPHAN_POLL_INTERVAL.as_micros() as u64);
            self.later(us, ClusterEvent::PollOrphans(of));
        }
        self.trouble_later();
        self.later(0, ClusterEvent::CallerAsks);
    }

    /// Returns whether the match was over long ago.
    pub(super) fn is_long_over(&self) -> bool {
        let over_at = self.cluster.as_ref().and_then(|cluster| cluster.over_at);
        over_at.is_some_and(|over_at| self.now.us_since(over_at) > AFTERWARDS_US)
    }

    pub(super) fn handle_cluster_event(&mut self, event: ClusterEvent) -> Result<(), Violation> {
        let nodes = &self.cluster().nodes;
        // A message to a process that has ended, or a timer of it.
        if let Some(of) = event.of()
            && nodes[of.server].life != of.life
        {
            return Ok(());
        }
        match event {
            ClusterEvent::Start(server) => return self.start(server),
            ClusterEvent::RenewalDue(of) => self.renew(of),
            ClusterEvent::RenewalAnswered {
                of,
                number,
                is_ours,
            } => return self.renewal_answered(of, number, is_ours),
            ClusterEvent::RenewalTimedOut { of, number } => self.renewal_timed_out(of, number),
            ClusterEvent::CheckTrust(of) => return self.check_trust(of),
            ClusterEvent::PollOrphans(of) => return self.poll_orphans(of),
            ClusterEvent::Answered {
                of,
                transaction,
                answer,
            } => return self.answered(of, transaction, answer),
            ClusterEvent::TryTimedOut { of, transaction } => {
                let work = nodes[of.server].work.as_ref();
                if work.is_some_and(|attempt| attempt.transaction == Some(transaction)) {
                    self.close_connection(of)?;
                    self.try_failed(of);
                }
            }
            ClusterEvent::TryAgain(of) => self.try_work(of.server),
            ClusterEvent::GivesUp(of) | ClusterEvent::StopTimeOver(of) => {
                return self.end_process(of.server, Ending::ByItself);
            }
            ClusterEvent::Drained(of) => return self.finish_drain(of),
            ClusterEvent::CallerAsks => self.schedule_call(),
            ClusterEvent::Called(server) => return self.handle_call(server),
            ClusterEvent::BotGivesUp(stream) => self.time_out_welcome(stream),
            ClusterEvent::MachineIsGone(seat) => self.detect_missing_machine(seat),
            ClusterEvent::ClocksResume(of) => self.resume_clocks(of.server),
            ClusterEvent::SilenceIsFound(of) => self.close_silent_streams(of),
            ClusterEvent::Asked {
                of,
                transaction,
                step,
            } => return self.handle_step(of, transaction, step),
            ClusterEvent::RenewalAsked(asked) => {
                let now = self.now;
                let database = &mut self.cluster().database;
                if database.is_up {
                    let reply = database.renew(now, asked)?;
                    self.reply(reply.into_iter().collect());
                }
            }
            ClusterEvent::Flushed(transaction) => return self.finish_commit(transaction),
            ClusterEvent::LockTimedOut(transaction) => return self.time_out_lock(transaction),
            ClusterEvent::IdleTimedOut { transaction, steps } => {
                return self.time_out_idle(transaction, steps);
            }
            ClusterEvent::DatabaseStarts => self.cluster().database.is_up = true,
            ClusterEvent::RowReleased(transaction) => {
                let now = self.now;
                let replies = self.cluster().database.release_row(now, transaction)?;
                self.reply(replies);
            }
            ClusterEvent::Trouble => return self.handle_trouble(),
        }
        Ok(())
    }

    // Start of a process.

    pub(super) fn start(&mut self, server: usize) -> Result<(), Violation> {
        let cluster = self.cluster();
        let row = cluster.nodes[server].row;
        let holder = cluster.database.rows[row].server;
        let is_held = holder != server && cluster.nodes[holder].phase != Phase::Down;
        // The operator does not start a second one.
        if cluster.nodes[server].phase != Phase::Down || is_held {
            return Ok(());
        }
        self.open_node(server)
    }

    /// Takes a node for a process, whoever has it.
    pub(super) fn open_node(&mut self, server: usize) -> Result<(), Violation> {
        self.trace
            .line(self.now, format_args!("process {server} starts"));
        let slow_until = self.now.plus_us(SLOW_START_US);
        let cluster = self.cluster();
        // A starting machine is busy.
        let is_slow = cluster.dice.happens(200);
        let node = &mut cluster.nodes[server];
        if is_slow {
            node.slow_until = slow_until;
        }
        node.phase = Phase::Opening;
        node.commits = CommitNumbers::new(0);
        self.begin_work(server, Work::Open, 0)
    }

    /// Handles the takeover of its node by a server, which renews its lease before it answers.
    pub(super) fn handle_node_taken(&mut self, server: usize, opened: Opened) {
        let node = &mut self.cluster().nodes[server];
        node.phase = Phase::Joining;
        node.epoch = opened.epoch;
        node.commits = CommitNumbers::new(opened.commits);
        node.handed = opened.handed;
        let of = node.of(server);
        self.later(0, ClusterEvent::RenewalDue(of));
    }

    /// Lets a server answer after the first renewal of its lease, and resume the match of its node.
    pub(super) fn join_cluster(&mut self, of: Of) -> Result<(), Violation> {
        let node = &mut self.cluster().nodes[of.server];
        node.phase = Phase::Up;
        node.answers = true;
        let handed = node.handed.take();
        let it = &mut self.servers[of.server];
        (it.is_up, it.offset) = (true, ClockOffset::default());
        self.later(0, ClusterEvent::PollOrphans(of));
        self.check_trust_later(of);
        match handed {
            Some(handed) => self.resumes_match(of.server, &handed),
            None => Ok(()),
        }
    }

    /// Resumes the match at a server.
    pub(super) fn resumes_match(
        &mut self,
        server: usize,
        handed: &Handed,
    ) -> Result<(), Violation> {
        let cluster = self.cluster();
        cluster.lives += 1;
        cluster.figures.lives += 1;
        let life = cluster.lives;
        cluster.nodes[server].proved = 0;
        self.trace.line(
            self.now,
            format_args!("process {server} goes on with the match"),
        );
        let (shell, known_until) = Shell::resuming(handed, life)?;
        self.forget_match(server);
        let own_now = self.servers[server].own_time(self.now);
        let it = &mut self.servers[server];
        it.offset = ClockOffset::resuming_at(own_now, known_until);
        it.shell = Some(shell);
        self.start_timer(server);
        self.schedule_spectator(server);
        self.serve(server, |server, now, trace| {
            server.restart_match(now, trace)
        })?;
        self.every_bot_is_known(server)
    }

    /// Removes the match from a server.
    pub(super) fn forget_match(&mut self, server: usize) {
        let it = &mut self.servers[server];
        it.timer_settings += 1;
        it.unread.clear();
        if let Some(shell) = it.shell.take() {
            self.cluster().inputs += shell.auditor.inputs;
        }
    }

    /// Notes that bots may have messages that a server does not know, once another one has the
    /// match.
    pub(super) fn mark_stale_servers(&mut self) {
        for server in 0..self.servers.len() {
            let is_owner = self.cluster().is_owner(server);
            if let Some(shell) = self.servers[server].shell.as_mut().filter(|_| !is_owner) {
                shell.auditor.is_behind = true;
            }
        }
    }

    pub(super) fn schedule_call(&mut self) {
        let cluster = self.cluster();
        let server = cluster.caller.within(0..cluster.nodes.len() as u64) as usize;
        let us = cluster.caller.within(CALLS_EVERY_US);
        self.later(0, ClusterEvent::Called(server));
        self.later(us, ClusterEvent::CallerAsks);
    }

    /// Handles a call for the match. Only a server that has it, may answer and has stored all of it
    /// returns its state.
    pub(super) fn handle_call(&mut self, server: usize) -> Result<(), Violation> {
        let it = &self.servers[server];
        let has_match = it.shell.as_ref().is_some_and(Shell::is_settled);
        match it.is_up && has_match && self.may_answer(server) {
            true => self.check_sent_facts(server),
            false => Ok(()),
        }
    }

    /// A server that has the match and may answer.
    pub(super) fn answering_owner(&self) -> Option<usize> {
        let cluster = self.cluster.as_ref()?;
        (0..self.servers.len()).find(|server| {
            let it = &self.servers[*server];
            let has_match = it.shell.as_ref().is_some_and(|shell| !shell.is_parked());
            has_match
                && it.is_up
                && it.stalled_until <= self.now
                && cluster.is_owner(*server)
                && self.may_answer(*server)
        })
    }

    pub(super) fn figures(&self) -> Figures {
        let Some(cluster) = &self.cluster else {
            return Figures::default();
        };
        Figures {
            moves: cluster.database.moves.into(),
            ..cluster.figures
        }
    }
}
