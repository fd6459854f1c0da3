//! Troubles of a cluster.

use std::ops::Range;

use bridgemaster_proto::games::WireGame;

use super::{World, ending::Ending};
use crate::{
    cluster::{
        clock::TRUE_RATE,
        events::ClusterEvent,
        node::Phase,
        trouble::{Trouble, holds_us, lasts_us},
    },
    oracle::Violation,
};

/// One second, in µs.
const SECOND: u64 = 1_000_000;
/// Time after which a silent connection is closed, in µs, as in the SDKs.
pub(super) const SILENCE_US: u64 = 20 * SECOND;
/// Duration of a database restart, in µs.
const DATABASE_AWAY_US: Range<u64> = 0..20 * SECOND;
/// Sizes of clock jumps, in µs.
const WALL_JUMPS_US: [i64; 4] = [-172_800_000_000, -5_000_000, 30_000_000, 172_800_000_000];
const DATABASE_JUMPS_US: [i64; 5] = [
    -30_000_000,
    -3_000_000,
    3_000_000,
    9_000_000,
    172_800_000_000,
];

impl<G: WireGame> World<G> {
    pub(super) fn trouble_later(&mut self) {
        let cluster = self.cluster();
        if cluster.troubles_left == 0 || cluster.over_at.is_some() {
            return;
        }
        cluster.troubles_left -= 1;
        let every = cluster.plan.trouble_every_us.clone();
        let us = cluster.dice.within(every);
        self.later(us, ClusterEvent::Trouble);
    }

    /// Makes trouble, mostly for the server that has the match.
    pub(super) fn handle_trouble(&mut self) -> Result<(), Violation> {
        let cluster = self.cluster();
        if cluster.over_at.is_some() {
            return Ok(());
        }
        let trouble = Trouble::draw(cluster.plan.clocks_hold, &mut cluster.dice);
        let is_made = self.make_trouble(trouble)?;
        if let Some(place) = trouble.place() {
            self.cluster().figures.troubles[place] += u64::from(is_made);
        }
        self.trouble_later();
        Ok(())
    }

    /// The server that is affected.
    fn victim(&mut self) -> usize {
        let cluster = self.cluster();
        let owner = cluster.database.rows[cluster.database.owner].server;
        match cluster.dice.happens(700) {
            true => owner,
            false => cluster.dice.within(0..cluster.nodes.len() as u64) as usize,
        }
    }

    /// Makes a trouble happen. Returns whether it did: only running processes can be stopped.
    fn make_trouble(&mut self, trouble: Trouble) -> Result<bool, Violation> {
        let (now, server) = (self.now, self.victim());
        self.trace
            .line(now, format_args!("{trouble:?} with process {server}"));
        let stands_still = self.servers[server].stalled_until > now;
        let cluster = self.cluster();
        let phase = cluster.nodes[server].phase;
        let is_there = phase != Phase::Down;
        let lasts_us = lasts_us(&mut cluster.dice);
        let until = now.plus_us(lasts_us);
        match trouble {
            Trouble::Kill if is_there => self.end_process(server, Ending::Killed)?,
            Trouble::LoseMachine if is_there => self.end_process(server, Ending::Silent)?,
            Trouble::Freeze if is_there && !stands_still => self.freeze(server, lasts_us),
            Trouble::Suspend if is_there && !stands_still => self.suspend(server, lasts_us),
            Trouble::Kill | Trouble::LoseMachine | Trouble::Freeze | Trouble::Suspend => {
                return Ok(false);
            }
            Trouble::CutLine => {
                cluster.nodes[server].cut_until = until;
                self.lose_connection(server)?;
            }
            Trouble::LoseCommit => cluster.loses_commit = Some(server),
            Trouble::SilenceLine => cluster.nodes[server].silent_until = until,
            Trouble::SlowLine => cluster.nodes[server].slow_until = until,
            Trouble::SlowCommits => cluster.slow_until = until,
            Trouble::RestartDatabase => return self.restart_database(),
            Trouble::HoldRow => return Ok(self.hold_row(server)),
            Trouble::JumpWall => {
                let by_us = cluster.dice.pick(&WALL_JUMPS_US);
                cluster.nodes[server].wall.jump(now, by_us);
            }
            Trouble::JumpDatabase => {
                let by_us = cluster.dice.pick(&DATABASE_JUMPS_US);
                cluster.database.clock.jump(now, by_us);
            }
            Trouble::RateOfDatabase => {
                let rate = cluster
                    .dice
                    .pick(&[TRUE_RATE / 2, TRUE_RATE, TRUE_RATE * 3]);
                cluster.database.clock.set_rate(now, rate);
            }
            Trouble::Drain if phase == Phase::Up => self.drain(server),
            Trouble::Drain => return Ok(false),
            Trouble::Rival => return self.start_rival(server),
        }
        Ok(true)
    }

    /// Drops the database connection of a server, which detects that.
    pub(super) fn lose_connection(&mut self, server: usize) -> Result<(), Violation> {
        let node = &self.cluster().nodes[server];
        let of = node.of(server);
        let work = node.work.as_ref();
        let transaction = work.and_then(|attempt| attempt.transaction);
        self.close_connection(of)?;
        if let Some(transaction) = transaction {
            self.fail_later(of, transaction);
        }
        Ok(())
    }

    /// Freezes a process while its clock runs, so that it detects that afterwards.
    fn freeze(&mut self, server: usize, lasts_us: u64) {
        let it = &mut self.servers[server];
        let lag_us = it.clock.between_us(self.now, self.now.plus_us(lasts_us));
        if let Some(shell) = &mut it.shell {
            shell.lag_us += lag_us;
        }
        self.freeze_without_lag(server, lasts_us);
    }

    /// Suspends a machine with its clocks.
    fn suspend(&mut self, server: usize, lasts_us: u64) {
        let now = self.now;
        self.servers[server].clock.set_rate(now, 0);
        let of = self.cluster().nodes[server].of(server);
        self.later(lasts_us - 1, ClusterEvent::ClocksResume(of));
        self.freeze_without_lag(server, lasts_us);
    }

    pub(super) fn resume_clocks(&mut self, server: usize) {
        let (now, rate) = (self.now, self.cluster().nodes[server].rate);
        self.servers[server].clock.set_rate(now, rate);
    }

    fn freeze_without_lag(&mut self, server: usize, lasts_us: u64) {
        let until = self.now.plus_us(lasts_us);
        self.servers[server].stalled_until = until;
        let node = &mut self.cluster().nodes[server];
        node.woke_at = until;
        let of = node.of(server);
        self.later(SILENCE_US, ClusterEvent::SilenceIsFound(of));
    }

    /// Locks the row of a node for a third party. Returns whether it was free.
    fn hold_row(&mut self, server: usize) -> bool {
        let cluster = self.cluster();
        let row = cluster.nodes[server].row;
        let transaction = cluster.next_transaction();
        let holds_us = holds_us(&mut cluster.dice);
        let is_held = cluster.database.lock_row(row, transaction);
        if is_held {
            self.later(holds_us, ClusterEvent::RowReleased(transaction));
        }
        is_held
    }

    /// Stops the database immediately and restarts it later.
    fn restart_database(&mut self) -> Result<bool, Violation> {
        let now = self.now;
        let cluster = self.cluster();
        if !cluster.database.is_up {
            return Ok(false);
        }
        let dice = &mut cluster.dice;
        let us = dice.within(DATABASE_AWAY_US);
        let replies = cluster.database.crash(|| dice.happens(500))?;
        if cluster.database.finish.is_some() {
            cluster.over_at.get_or_insert(now);
        }
        self.mark_stale_servers();
        self.reply(replies);
        self.later(us, ClusterEvent::DatabaseStarts);
        Ok(true)
    }

    /// Starts another process under the name of a node.
    fn start_rival(&mut self, server: usize) -> Result<bool, Violation> {
        let cluster = self.cluster();
        let row = cluster.nodes[server].row;
        let mut rivals = cluster.plan.nodes..cluster.nodes.len();
        let idle = rivals.find(|rival| cluster.nodes[*rival].phase == Phase::Down);
        let Some(rival) = idle else { return Ok(false) };
        cluster.nodes[rival].row = row;
        self.open_node(rival)?;
        Ok(true)
    }
}
