//! Ends of servers in a cluster: kills, superseded nodes and drains.

use bridgemaster_proto::games::WireGame;

use super::{World, troubles::SILENCE_US};
use crate::{
    auditor::StreamId,
    cluster::{
        events::{ClusterEvent, Of},
        node::Phase,
        transaction::Work,
    },
    oracle::Violation,
    shell::{Closing, Shell},
};

/// Time that a stopping server waits for its last commit, in µs.
const STOP_TIME_US: u64 = 20_000_000;

/// The way in which a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It was killed, and its machine closes its connections.
    Killed,
    /// It ends silently.
    Silent,
    /// It lost its node, or its database does not answer.
    ByItself,
    /// It has drained.
    InOrder,
}

impl<G: WireGame> World<G> {
    /// Starts a drain, whose streams end soon.
    pub(super) fn drain(&mut self, server: usize) {
        let cluster = self.cluster();
        if cluster.nodes[server].phase != Phase::Up {
            return;
        }
        let us = cluster.dice.within(cluster.plan.drain_us.clone());
        let node = &mut cluster.nodes[server];
        node.phase = Phase::Draining;
        let of = node.of(server);
        self.later(us, ClusterEvent::Drained(of));
    }

    pub(super) fn finish_drain(&mut self, of: Of) -> Result<(), Violation> {
        self.cluster().nodes[of.server].phase = Phase::Closing;
        self.servers[of.server].is_up = false;
        self.end_streams_of(of.server, Closing::ServerStopping);
        self.serve(of.server, |server, now, trace| server.park(now, trace))?;
        self.later(STOP_TIME_US, ClusterEvent::StopTimeOver(of));
        self.release_if_settled(of.server)
    }

    /// Releases the lease of a drained server once everything is stored.
    pub(super) fn release_if_settled(&mut self, server: usize) -> Result<(), Violation> {
        let shell = self.servers[server].shell.as_ref();
        let is_settled = shell.is_none_or(Shell::is_settled);
        let node = &self.cluster().nodes[server];
        match node.phase == Phase::Closing && node.work.is_none() && is_settled {
            true => self.begin_work(server, Work::Release, 0),
            false => Ok(()),
        }
    }

    pub(super) fn end_process(&mut self, server: usize, ending: Ending) -> Result<(), Violation> {
        self.trace
            .line(self.now, format_args!("process {server} ends: {ending:?}"));
        let of = self.cluster().nodes[server].of(server);
        match ending {
            Ending::Silent => {}
            _ => self.close_connection(of)?,
        }
        self.forget_match(server);
        self.cluster().nodes[server].end();
        self.servers[server].is_up = false;
        if ending == Ending::ByItself {
            self.end_streams_of(server, Closing::NodeSuperseded);
        }
        for index in 0..self.streams.len() {
            let stream = StreamId(index);
            if self.streams[index].server != server || self.streams[index].is_orphaned {
                continue;
            }
            let dice = &mut self.cluster().dice;
            let loses_messages = dice.happens(500);
            let found_after_us = match ending {
                Ending::Silent => dice.within(SILENCE_US..SILENCE_US + 1000),
                _ => dice.within(0..300_000),
            };
            self.break_stream(stream, loses_messages, found_after_us);
        }
        let now = self.now;
        let cluster = self.cluster();
        let us = cluster.dice.within(cluster.plan.away_us.clone());
        if ending == Ending::Silent {
            cluster.nodes[server].lost_until = now.plus_us(us);
        }
        self.servers[server].stalled_until = now;
        // A machine on which a process starts is not suspended.
        self.resume_clocks(server);
        self.later(us, ClusterEvent::Start(server));
        Ok(())
    }

    /// Closes the database connection of a process: all transactions are rolled back unless they
    /// are being committed.
    pub(super) fn close_connection(&mut self, of: Of) -> Result<(), Violation> {
        let now = self.now;
        for transaction in self.cluster().database.transactions_of(of) {
            let cluster = self.cluster();
            // Its commit may be in transit.
            if cluster.database.is_written(transaction) && cluster.lines.happens(500) {
                continue;
            }
            let replies = cluster.database.roll_back(now, transaction)?;
            // The server learns nothing of the outcome.
            let others = replies.into_iter().filter(|reply| reply.of != of);
            let others = others.collect();
            self.reply(others);
        }
        Ok(())
    }
}
