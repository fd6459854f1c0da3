//! The leases of servers that share a database: renewed, trusted, and looked for where nobody has one.

use std::time::Duration;

use bridgemaster_lease::limits::{LEASE_RENEWAL, LOOK_FOR_ORPHANS};
use bridgemaster_proto::games::WireGame;

use super::{World, ending::Ending, events::Event};
use crate::{
    auditor::StreamId,
    cluster::{
        database::RenewalAsked,
        events::{ClusterEvent, Of},
        node::Phase,
        tampering::WrongCluster,
        transaction::Work,
    },
    oracle::Violation,
    shell::Closing,
};

/// How late a server looks at its lease, in µs, at most.
const LATE_LOOK_US: u64 = 15_000;
/// What a wrong server trusts its lease for.
const TOO_LONG: Duration = Duration::from_secs(60);

impl<G: WireGame> World<G> {
    pub(super) fn renew(&mut self, of: Of) {
        let now = self.own_now(of.server);
        let true_now = self.now;
        let node = &mut self.cluster().nodes[of.server];
        // A lease that it gives up is not renewed.
        let work = node.work.as_ref().map(|trying| &trying.work);
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
        // Over a connection of its own, which does not wait for what others have sent.
        if let Some(at) = self.arrival_of_renewal(of.server) {
            self.at(at, Event::Cluster(ClusterEvent::RenewalAsked(asked)));
        }
        let number = asked.number;
        let timed_out = ClusterEvent::RenewalTimedOut { of, number };
        self.later_by_own_clock(of.server, LEASE_RENEWAL, timed_out);
    }

    pub(super) fn renewal_answered(
        &mut self,
        of: Of,
        number: u32,
        is_ours: bool,
    ) -> Result<(), Violation> {
        let now = self.own_now(of.server);
        let node = &mut self.cluster().nodes[of.server];
        let begun = node.renewal_begun.filter(|_| node.renewals == number);
        let Some(begun) = begun else { return Ok(()) };
        node.renewal_begun = None;
        if !is_ours {
            self.cluster().figures.superseded += 1;
            return self.process_ends(of.server, Ending::ByItself);
        }
        node.trust.renewed(begun);
        let pause = node.trust.pause(true, begun, now);
        let holds = node.trust.holds(now);
        let (phase, answered) = (node.phase, node.answers);
        self.later_by_own_clock(of.server, pause, ClusterEvent::RenewalDue(of));
        if !holds {
            return Ok(());
        }
        if phase == Phase::Joining {
            return self.joins(of);
        }
        if !answered {
            self.cluster().nodes[of.server].answers = true;
            self.look_at_trust_later(of);
        }
        Ok(())
    }

    pub(super) fn renewal_timed_out(&mut self, of: Of, number: u32) {
        let now = self.own_now(of.server);
        let node = &mut self.cluster().nodes[of.server];
        let begun = node.renewal_begun.filter(|_| node.renewals == number);
        let Some(begun) = begun else { return };
        node.renewal_begun = None;
        let pause = node.trust.pause(false, begun, now);
        self.later_by_own_clock(of.server, pause, ClusterEvent::RenewalDue(of));
    }

    /// Whether a server may answer, by its own clock.
    pub(super) fn may_answer(&self, server: usize) -> bool {
        let Some(cluster) = &self.cluster else {
            return true;
        };
        let (trust, now) = (cluster.nodes[server].trust, self.own_now(server));
        match cluster.does(WrongCluster::AnswersAfterTheMargin) {
            true => trust.since_renewal(now) < TOO_LONG,
            false => trust.holds(now),
        }
    }

    pub(super) fn look_at_trust_later(&mut self, of: Of) {
        let now = self.own_now(of.server);
        let cluster = self.cluster();
        let late_us = cluster.lines.within(0..LATE_LOOK_US);
        let look_in = cluster.nodes[of.server].trust.look_in(now);
        let after = look_in + Duration::from_micros(late_us);
        self.later_by_own_clock(of.server, after, ClusterEvent::LookAtTrust(of));
    }

    /// A server whose last renewal is too old ends its streams.
    pub(super) fn look_at_trust(&mut self, of: Of) -> Result<(), Violation> {
        let woke_now = self.servers[of.server].stalled_until == self.now;
        let cluster = self.cluster();
        if !cluster.nodes[of.server].answers {
            return Ok(());
        }
        // What else there is to do when it wakes may come first.
        if woke_now && cluster.lines.happens(500) {
            let us = cluster.lines.within(1..LATE_LOOK_US);
            self.later(us, ClusterEvent::LookAtTrust(of));
            return Ok(());
        }
        if self.may_answer(of.server) {
            self.look_at_trust_later(of);
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

    pub(super) fn look_for_orphans(&mut self, of: Of) -> Result<(), Violation> {
        let has_match = self.servers[of.server].shell.is_some();
        let node = &self.cluster().nodes[of.server];
        if node.phase != Phase::Up {
            return Ok(());
        }
        let is_free = node.work.is_none() && !has_match;
        self.later_by_own_clock(
            of.server,
            LOOK_FOR_ORPHANS,
            ClusterEvent::LookForOrphans(of),
        );
        match is_free {
            true => self.begin_work(of.server, Work::Take, 0),
            false => Ok(()),
        }
    }
}
