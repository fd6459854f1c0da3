//! Leases of servers in a cluster: renewal, trust, and the search for orphans.

use std::time::Duration;

use bridgemaster_lease::limits::{LEASE_RENEWAL_INTERVAL, ORPHAN_POLL_INTERVAL};
use bridgemaster_proto::games::WireGame;

use super::{World, ending::Ending, events::Event};
use crate::{
    auditor::StreamId,
    cluster::{
        database::RenewalAsked,
        events::{ClusterEvent, Of},
        node::Phase,
        tampering::ClusterDefect,
        transaction::Work,
    },
    oracle::Violation,
    shell::Closing,
};

/// Maximum delay of a server's lease check, in µs.
const LATE_LOOK_US: u64 = 15_000;
/// The lease time that a defective server trusts.
const TOO_LONG: Duration = Duration::from_secs(60);

impl<G: WireGame> World<G> {
    pub(super) fn renew(&mut self, of: Of) {
        let now = self.own_now(of.server);
        let true_now = self.now;
        let node = &mut self.cluster().nodes[of.server];
        // A lease that is being released is not renewed.
        let work = node.work.as_ref().map(|attempt| &attempt.work);
        if matches!(work, Some(Work::Release)) {
            return;
        }
        node.renewals += 1;
        node.renewal_begun = Some(now);
        let asked = RenewalAsked {
            of,
            number: node.renewals,
            row: node.row,
            epoch: node.epoch,
            own_us: node.wall.at(true_now),
        };
        // Renewals use their own connection, which is not blocked by other messages.
        if let Some(at) = self.arrival_of_renewal(of.server) {
            self.at(at, Event::Cluster(ClusterEvent::RenewalAsked(asked)));
        }
        let number = asked.number;
        let timed_out = ClusterEvent::RenewalTimedOut { of, number };
        self.later_by_own_clock(of.server, LEASE_RENEWAL_INTERVAL, timed_out);
    }

    pub(super) fn renewal_answered(
        &mut self,
        of: Of,
        number: u32,
        is_ours: bool,
    ) -> Result<(), Violation> {
        let now = self.own_now(of.server);
        let node = &mut self.cluster().nodes[of.server];
        let start = node.renewal_begun.filter(|_| node.renewals == number);
        let Some(start) = start else { return Ok(()) };
        node.renewal_begun = None;
        if !is_ours {
            self.cluster().figures.superseded += 1;
            return self.end_process(of.server, Ending::ByItself);
        }
        node.trust.record_renewal(start);
        let pause = node.trust.renewal_delay(true, start, now);
        let holds = node.trust.is_valid(now);
        let (phase, answered) = (node.phase, node.answers);
        self.later_by_own_clock(of.server, pause, ClusterEvent::RenewalDue(of));
        if !holds {
            return Ok(());
        }
        if phase == Phase::Joining {
            return self.join_cluster(of);
        }
        if !answered {
            self.cluster().nodes[of.server].answers = true;
            self.check_trust_later(of);
        }
        Ok(())
    }

    pub(super) fn renewal_timed_out(&mut self, of: Of, number: u32) {
        let now = self.own_now(of.server);
        let node = &mut self.cluster().nodes[of.server];
        let start = node.renewal_begun.filter(|_| node.renewals == number);
        let Some(start) = start else { return };
        node.renewal_begun = None;
        let pause = node.trust.renewal_delay(false, start, now);
        self.later_by_own_clock(of.server, pause, ClusterEvent::RenewalDue(of));
    }

    /// Returns whether a server may answer, by its own clock.
    pub(super) fn may_answer(&self, server: usize) -> bool {
        let Some(cluster) = &self.cluster else {
            return true;
        };
        let (trust, now) = (cluster.nodes[server].trust, self.own_now(server));
        match cluster.does(ClusterDefect::AnswersAfterTheMargin) {
            true => trust.since_renewal(now) < TOO_LONG,
            false => trust.is_valid(now),
        }
    }

    pub(super) fn check_trust_later(&mut self, of: Of) {
        let now = self.own_now(of.server);
        let cluster = self.cluster();
        let late_us = cluster.lines.within(0..LATE_LOOK_US);
        let look_in = cluster.nodes[of.server].trust.next_check_in(now);
        let after = look_in + Duration::from_micros(late_us);
        self.later_by_own_clock(of.server, after, ClusterEvent::CheckTrust(of));
    }

    /// Closes the streams of a server whose last renewal is too old.
    pub(super) fn check_trust(&mut self, of: Of) -> Result<(), Violation> {
        let woke_now = self.servers[of.server].stalled_until == self.now;
        let cluster = self.cluster();
        if !cluster.nodes[of.server].answers {
            return Ok(());
        }
        // Other pending events may be handled first after a freeze.
        if woke_now && cluster.lines.happens(500) {
            let us = cluster.lines.within(1..LATE_LOOK_US);
            self.later(us, ClusterEvent::CheckTrust(of));
            return Ok(());
        }
        if self.may_answer(of.server) {
            self.check_trust_later(of);
            return Ok(());
        }
        let cluster = self.cluster();
        cluster.figures.lapses += 1;
        cluster.nodes[of.server].answers = false;
        self.trace.line(
            self.now,
            format_args!("process {} does not answer any more", of.server),
        );
        self.end_streams_of(of.server, Closing::NodeSuperseded);
        self.serve(of.server, |server, now, trace| {
            server.take_streams_away(now, trace)
        })
    }

    pub(super) fn end_streams_of(&mut self, server: usize, closing: Closing) {
        for index in 0..self.streams.len() {
            if self.streams[index].server == server && !self.streams[index].is_orphaned {
                self.end_stream(StreamId(index), closing.clone());
            }
        }
        self.servers[server].unread.clear();
    }

    pub(super) fn poll_orphans(&mut self, of: Of) -> Result<(), Violation> {
        let has_match = self.servers[of.server].shell.is_some();
        let node = &self.cluster().nodes[of.server];
        if node.phase != Phase::Up {
            return Ok(());
        }
        let is_free = node.work.is_none() && !has_match;
        self.later_by_own_clock(
            of.server,
            ORPHAN_POLL_INTERVAL,
            ClusterEvent::PollOrphans(of),
        );
        match is_free {
            true => self.begin_work(of.server, Work::Take, 0),
            false => Ok(()),
        }
    }
}
