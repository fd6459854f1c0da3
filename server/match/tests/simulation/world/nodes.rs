//! The servers that share a database: what happens to them, how they start, and how they go on with
//! the match.

use std::ops::Range;

use bridgemaster_lease::{
    Commits,
    limits::{LEASE_RENEWAL, LOOK_FOR_ORPHANS},
};
use bridgemaster_match::Ahead;
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
        tampering::WrongCluster,
        transaction::{Opened, Work},
    },
    dice::{Dice, Purpose},
    oracle::Violation,
    route::Route,
    server::Server,
    shell::Shell,
};

/// How long a cluster goes on after the match, in µs: everybody who can hear of the end has by then.
const AFTERWARDS_US: u64 = 200_000_000;
/// For how long the line of a process that starts may be slow, in µs.
const SLOW_START_US: u64 = 12_000_000;
/// How often somebody asks for the match, in µs.
const CALLS_EVERY_US: Range<u64> = 50_000..400_000;

impl<G: WireGame> World<G> {
    pub(super) fn begin_cluster(&mut self, plan: ClusterPlan, wrong: Option<WrongCluster>) {
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
            node.trust.renewed(now);
            let of = node.of(server);
            let us = dice.within(0..LEASE_RENEWAL.as_micros() as u64);
            self.later(us, ClusterEvent::RenewalDue(of));
            self.look_at_trust_later(of);
            if server > 0 {
                self.stall_later(server);
            }
            let us = dice.within(0..LOOK_FOR_ORPHANS.as_micros() as u64);
            self.later(us, ClusterEvent::LookForOrphans(of));
        }
        self.trouble_later();
        self.later(0, ClusterEvent::CallerAsks);
    }

    /// Whether the match was over long ago, so that nothing more is to be seen.
    pub(super) fn is_long_over(&self) -> bool {
        let over_at = self.cluster.as_ref().and_then(|cluster| cluster.over_at);
        over_at.is_some_and(|over_at| self.now.us_since(over_at) > AFTERWARDS_US)
    }

    pub(super) fn happen_to_cluster(&mut self, event: ClusterEvent) -> Result<(), Violation> {
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
            ClusterEvent::LookAtTrust(of) => return self.look_at_trust(of),
            ClusterEvent::LookForOrphans(of) => return self.look_for_orphans(of),
            ClusterEvent::Answered {
                of,
                transaction,
                answer,
            } => return self.answered(of, transaction, answer),
            ClusterEvent::TryTimedOut { of, transaction } => {
                let work = nodes[of.server].work.as_ref();
                if work.is_some_and(|trying| trying.transaction == Some(transaction)) {
                    self.connection_breaks(of)?;
                    self.try_failed(of);
                }
            }
            ClusterEvent::TryAgain(of) => self.try_work(of.server),
            ClusterEvent::GivesUp(of) | ClusterEvent::StopTimeOver(of) => {
                return self.process_ends(of.server, Ending::ByItself);
            }
            ClusterEvent::Drained(of) => return self.drained(of),
            ClusterEvent::CallerAsks => self.caller_asks(),
            ClusterEvent::Called(server) => return self.called(server),
            ClusterEvent::BotGivesUp(stream) => self.bot_gives_up(stream),
            ClusterEvent::NobodyIsThere(seat) => self.nobody_is_there(seat),
            ClusterEvent::ClocksGoOn(of) => self.clocks_go_on(of.server),
            ClusterEvent::SilenceIsFound(of) => self.silence_is_found(of),
            ClusterEvent::Asked {
                of,
                transaction,
                step,
            } => return self.asked(of, transaction, step),
            ClusterEvent::RenewalAsked(asked) => {
                let now = self.now;
                let database = &mut self.cluster().database;
                if database.is_up {
                    let reply = database.renew(now, asked)?;
                    self.reply(reply.into_iter().collect());
                }
            }
            ClusterEvent::Flushed(transaction) => return self.flushed(transaction),
            ClusterEvent::LockTimedOut(transaction) => return self.lock_timed_out(transaction),
            ClusterEvent::IdleTimedOut { transaction, steps } => {
                return self.idle_timed_out(transaction, steps);
            }
            ClusterEvent::DatabaseStarts => self.cluster().database.is_up = true,
            ClusterEvent::RowLetGo(transaction) => {
                let now = self.now;
                let replies = self.cluster().database.let_go(now, transaction)?;
                self.reply(replies);
            }
            ClusterEvent::Trouble => return self.trouble(),
        }
        Ok(())
    }

    // A process starts.

    pub(super) fn start(&mut self, server: usize) -> Result<(), Violation> {
        let cluster = self.cluster();
        let row = cluster.nodes[server].row;
        let holder = cluster.database.rows[row].server;
        let is_held = holder != server && cluster.nodes[holder].phase != Phase::Down;
        // Whoever runs them starts no second one.
        if cluster.nodes[server].phase != Phase::Down || is_held {
            return Ok(());
        }
        self.open_node(server)
    }

    /// A process takes a node, whoever has it.
    pub(super) fn open_node(&mut self, server: usize) -> Result<(), Violation> {
        self.trace
            .line(self.now, format_args!("process {server} starts"));
        let slow_until = self.now.plus_us(SLOW_START_US);
        let cluster = self.cluster();
        // A machine that starts has much to do.
        let is_slow = cluster.dice.happens(200);
        let node = &mut cluster.nodes[server];
        if is_slow {
            node.slow_until = slow_until;
        }
        node.phase = Phase::Opening;
        node.commits = Commits::new(0);
        self.begin_work(server, Work::Open, 0)
    }

    /// A server has its node, and renews its lease before it answers.
    pub(super) fn has_its_node(&mut self, server: usize, opened: Opened) {
        let node = &mut self.cluster().nodes[server];
        node.phase = Phase::Joining;
        node.epoch = opened.epoch;
        node.commits = Commits::new(opened.commits);
        node.handed = opened.handed;
        let of = node.of(server);
        self.later(0, ClusterEvent::RenewalDue(of));
    }

    /// A server that has renewed its lease for the first time answers, and goes on with what its
    /// node had.
    pub(super) fn joins(&mut self, of: Of) -> Result<(), Violation> {
        let node = &mut self.cluster().nodes[of.server];
        node.phase = Phase::Up;
        node.answers = true;
        let handed = node.handed.take();
        let it = &mut self.servers[of.server];
        (it.is_up, it.ahead) = (true, Ahead::default());
        self.later(0, ClusterEvent::LookForOrphans(of));
        self.look_at_trust_later(of);
        match handed {
            Some(handed) => self.goes_on_with(of.server, &handed),
            None => Ok(()),
        }
    }

    /// A server goes on with the match.
    pub(super) fn goes_on_with(&mut self, server: usize, handed: &Handed) -> Result<(), Violation> {
        let cluster = self.cluster();
        cluster.lives += 1;
        cluster.figures.lives += 1;
        let life = cluster.lives;
        cluster.nodes[server].proved = 0;
        self.trace.line(
            self.now,
            format_args!("process {server} goes on with the match"),
        );
        let (shell, known_until) = Shell::going_on(handed, life)?;
        self.forget_match(server);
        let own_now = self.servers[server].own_time(self.now);
        let it = &mut self.servers[server];
        it.ahead = Ahead::going_on_from(own_now, known_until);
        it.shell = Some(shell);
        self.start_timer(server);
        self.watch_later(server);
        self.serve(server, |server, now, trace| server.begin_again(now, trace))?;
        self.every_bot_is_known(server)
    }

    /// A server has its match no more.
    pub(super) fn forget_match(&mut self, server: usize) {
        let it = &mut self.servers[server];
        it.timer_settings += 1;
        it.unread.clear();
        if let Some(shell) = it.shell.take() {
            self.cluster().inputs += shell.auditor.inputs;
        }
    }

    /// Bots may know more than a server that had the match, once another one has it.
    pub(super) fn match_may_have_moved(&mut self) {
        for server in 0..self.servers.len() {
            let is_owner = self.cluster().is_owner(server);
            if let Some(shell) = self.servers[server].shell.as_mut().filter(|_| !is_owner) {
                shell.auditor.is_behind = true;
            }
        }
    }

    pub(super) fn caller_asks(&mut self) {
        let cluster = self.cluster();
        let server = cluster.caller.within(0..cluster.nodes.len() as u64) as usize;
        let us = cluster.caller.within(CALLS_EVERY_US);
        self.later(0, ClusterEvent::Called(server));
        self.later(us, ClusterEvent::CallerAsks);
    }

    /// A server tells how the match stands, if it has it and may say so, and all of that is stored.
    pub(super) fn called(&mut self, server: usize) -> Result<(), Violation> {
        let it = &self.servers[server];
        let has_match = it.shell.as_ref().is_some_and(Shell::is_settled);
        match it.is_up && has_match && self.may_answer(server) {
            true => self.speaks(server),
            false => Ok(()),
        }
    }

    /// A server that has the match and may say so.
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
