//! Renewals of leases.

use bridgemaster_referee::Time;

use super::{Database, LONG_AGO, RenewalAsked, Reply, ReplyOutcome, Waiter, term_us};
use crate::{
    cluster::tampering::ClusterDefect,
    oracle::{Violation, require},
};

impl Database {
    pub(crate) fn renew(
        &mut self,
        now: Time,
        asked: RenewalAsked,
    ) -> Result<Option<Reply>, Violation> {
        let reply = self.renewed(now, asked)?;
        if reply.is_none() {
            self.waiters.push(Waiter::Renewal(asked));
        }
        Ok(reply)
    }

    /// Renews a lease, expired or not, if the node is in the epoch of the server.
    pub(super) fn renewed(
        &mut self,
        now: Time,
        asked: RenewalAsked,
    ) -> Result<Option<Reply>, Violation> {
        if !self.locks.may_renew(asked.row) {
            return Ok(None);
        }
        let clock_us = self.clock.at(now);
        let any_epoch = self.does(ClusterDefect::RenewsAfterItsEpoch);
        let by_own_clock = self.does(ClusterDefect::LeasesByTheNodesClock);
        let row = &mut self.rows[asked.row];
        let is_ours = any_epoch || row.epoch == asked.epoch;
        if is_ours {
            require!(
                row.lease_until_us != LONG_AGO,
                "a lease that was given up is renewed"
            );
            require!(
                row.epoch == asked.epoch,
                "a server of epoch {} renews the lease of epoch {}",
                asked.epoch,
                row.epoch
            );
            row.lease_until_us = term_us() + if by_own_clock { asked.own_us } else { clock_us };
            let left_us = row.lease_until_us - clock_us;
            require!(left_us == term_us(), "a lease of {left_us} µs is given");
        }
        Ok(Some(Reply {
            of: asked.of,
            answer: ReplyOutcome::Renewal {
                number: asked.number,
                is_ours,
            },
        }))
    }
}
