//! The slots of an attending bot. A slot stays in use until no more computation for its match runs,
//! which can be later than the end of the match.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Interval of the checks for busy slots. A slot is reported as busy only after a whole interval,
/// since a bot needs some time after every match.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum time that an offer waits for a free slot. Then it is declined, because the other bots of
/// the match wait, too.
const MAX_OFFER_WAIT: Duration = Duration::from_secs(5);

/// A slot in use. Keep it until no more computation for the offered match runs. When it is dropped,
/// the slot is free again.
#[derive(Debug)]
pub struct Slot(#[allow(dead_code, reason = "only dropped")] OwnedSemaphorePermit);

/// The slots of one attendance, and the offers that wait for a free slot.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Arc<Semaphore>,
    total: u32,
    /// Matches in play and open offers, as the server counts them; `None` without a stream.
    used_at_server: Option<u32>,
    /// Offers that wait for a free slot, oldest first, with the time at which they are declined.
    waiting: VecDeque<(v1::Offer, Instant)>,
    /// The minimum number of busy slots since the last check.
    least_busy: u32,
    next_check: Instant,
    /// The number of busy slots that the server knows.
    pub(crate) reported: u32,
}

impl Slots {
    pub(crate) fn new(total: u32) -> Self {
        Self {
            free: Arc::new(Semaphore::new(total as usize)),
            total,
            used_at_server: None,
            waiting: VecDeque::new(),
            least_busy: 0,
            next_check: Instant::now() + CHECK_INTERVAL,
            reported: 0,
        }
    }

    /// Records the server's counts of slots in use, or `None` without a stream, and of busy slots.
    /// The server's count of busy slots replaces the last report, which the server may have lost.
    pub(crate) fn set_server_counts(&mut self, used: Option<u32>, busy: u32) {
        self.used_at_server = used;
        self.reported = busy;
    }

    pub(crate) fn add_offer(&mut self, offer: v1::Offer, now: Instant) {
        let open_for = Duration::from_millis(offer.time_left_ms.into()) / 2;
        self.waiting.push_back((offer, now + open_for.min(MAX_OFFER_WAIT)));
    }

    pub(crate) fn remove_offer(&mut self, offer_id: &str) {
        self.waiting.retain(|(offer, _)| offer.offer_id != offer_id);
    }

    /// Returns a waiting offer whose time is up.
    pub(crate) fn overdue_offer(&self, now: Instant) -> Option<&v1::Offer> {
        let overdue = self.waiting.iter().find(|(_, until)| *until <= now);
        overdue.map(|(offer, _)| offer)
    }

    /// Waits for a free slot, if an offer waits for one.
    pub(crate) fn free_slot(&self) -> impl Future<Output = Option<Slot>> + use<> {
        let awaited = (!self.waiting.is_empty()).then(|| Arc::clone(&self.free));
        async { Some(Slot(awaited?.acquire_owned().await.ok()?)) }
    }

    /// Removes and returns the oldest waiting offer.
    pub(crate) fn take_offer(&mut self) -> Option<v1::Offer> {
        self.waiting.pop_front().map(|(offer, _)| offer)
    }

    /// Returns the time of the next check, unless nothing can change.
    pub(crate) fn next_check(&self) -> Option<Instant> {
        let is_idle = self.free.available_permits() == self.total as usize;
        let until = self.waiting.iter().map(|(_, until)| *until).min();
        if is_idle && self.reported == 0 {
            return until;
        }
        Some(until.map_or(self.next_check, |until| until.min(self.next_check)))
    }

    /// Returns the number of busy slots if it must be reported.
    pub(crate) fn check(&mut self, now: Instant) -> Option<u32> {
        let busy = self.busy();
        self.least_busy = self.least_busy.min(busy);
        if now < self.next_check {
            return None;
        }
        self.next_check = now + CHECK_INTERVAL;
        let stuck = std::mem::replace(&mut self.least_busy, busy);
        (stuck != self.reported && self.used_at_server.is_some()).then_some(stuck)
    }

    /// Returns the number of slots in use whose matches have ended, by the server's count.
    fn busy(&self) -> u32 {
        let in_use = self.total as usize - self.free.available_permits() + self.waiting.len();
        let Some(used_at_server) = self.used_at_server else {
            return 0;
        };
        u32::try_from(in_use).unwrap_or(u32::MAX).saturating_sub(used_at_server)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    fn offer(offer_id: &str) -> v1::Offer {
        v1::Offer { offer_id: offer_id.to_owned(), time_left_ms: 30_000, ..v1::Offer::default() }
    }

    async fn take(slots: &mut Slots) -> Option<(String, Slot)> {
        let slot = timeout(Duration::from_millis(1), slots.free_slot()).await;
        let slot = slot.ok().flatten()?;
        Some((slots.take_offer()?.offer_id, slot))
    }

    #[tokio::test]
    async fn an_offer_waits_for_a_free_slot_and_is_overdue_after_five_seconds() {
        let (mut slots, now) = (Slots::new(1), Instant::now());
        slots.add_offer(offer("a"), now);
        slots.add_offer(offer("b"), now);
        let (first, slot) = take(&mut slots).await.unwrap();
        assert_eq!(first, "a");
        assert!(take(&mut slots).await.is_none(), "the only slot is in use");
        assert!(slots.overdue_offer(now + MAX_OFFER_WAIT / 2).is_none());
        let overdue = slots.overdue_offer(now + MAX_OFFER_WAIT);
        assert_eq!(overdue.unwrap().offer_id, "b");
        drop(slot);
        assert_eq!(take(&mut slots).await.unwrap().0, "b");
    }

    #[tokio::test]
    async fn a_slot_in_use_after_its_match_is_reported_after_a_whole_interval() {
        let (mut slots, mut now) = (Slots::new(2), Instant::now());
        slots.add_offer(offer("a"), now);
        slots.set_server_counts(Some(1), 0);
        let (_, slot) = take(&mut slots).await.unwrap();
        let mut check = |slots: &mut Slots| {
            now += CHECK_INTERVAL + CHECK_INTERVAL / 10;
            slots.check(now)
        };
        assert_eq!(check(&mut slots), None, "the match is in play");
        slots.set_server_counts(Some(0), 0);
        assert_eq!(check(&mut slots), None, "it has just ended");
        assert_eq!(check(&mut slots), Some(1));
        slots.reported = 1;
        drop(slot);
        assert_eq!(check(&mut slots), Some(0));
        slots.reported = 0;
        assert!(slots.next_check().is_none(), "no check is needed");
    }
}
