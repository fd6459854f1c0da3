//! A bot's attendance in a queue: slots, seats, and pauses between offers.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::AttendanceState;

use super::{AttendanceId, OfferId, VersionStatus, offer::SeatOffer, stream::StreamNumber};
use crate::transport::{CallerId, ForwardingNode};

/// The time without offers after a bot missed or declined an offer. The time doubles with each
/// further such offer in a row.
const OFFER_BACKOFF: Duration = Duration::from_secs(1);
/// The maximum number of doublings, which gives a pause of about a minute.
const MAX_DOUBLINGS: u32 = 6;

/// The state of one bot in a queue.
#[derive(Debug, Default)]
pub(super) struct QueueEntry {
    pub(super) attendance: Option<Attendance>,
    /// Seats that are offered to the bot or that it plays, even while it does not attend.
    pub(super) seats: BTreeMap<OfferId, SeatOffer>,
    /// The number of slots that are reserved for matches being created.
    pub(super) reserved: u32,
    /// The number of offers in a row that the bot missed or declined.
    missed_offers: u32,
    /// The time until which the bot gets no offers.
    backoff_until: Option<Instant>,
}

/// An attendance: a bot's standing request for matches from a queue.
#[derive(Debug)]
pub(super) struct Attendance {
    pub(super) id: AttendanceId,
    pub(super) version: String,
    pub(super) owner: String,
    /// The caller against whose limit the attendance counts.
    pub(super) caller: Option<CallerId>,
    /// The maximum number of matches that the bot plays at a time.
    pub(super) slots: u32,
    /// The node that forwards the stream, if any.
    pub(super) node: Option<Arc<ForwardingNode>>,
    pub(super) is_paused: bool,
    pub(super) is_leaving: bool,
    /// `None` while the bot is absent.
    pub(super) stream: Option<StreamNumber>,
    /// The end of the attendance, while the bot is absent.
    pub(super) expires_at: Option<Instant>,
    /// Whether a deferred notification of the bot's stream is scheduled.
    pub(super) is_notification_scheduled: bool,
    /// The revision of the last change that is visible to clients.
    pub(super) revision: u64,
}

impl QueueEntry {
    /// Returns whether the entry can be removed.
    pub(super) fn is_empty(&self) -> bool {
        self.attendance.is_none() && self.seats.is_empty() && self.reserved == 0
    }

    pub(super) fn slots_used(&self) -> u32 {
        u32::try_from(self.seats.len()).unwrap_or(u32::MAX)
    }

    /// Records that the bot missed or declined an offer.
    pub(super) fn record_missed_offer(&mut self, now: Instant) {
        let backoff = OFFER_BACKOFF * (1 << self.missed_offers.min(MAX_DOUBLINGS));
        self.backoff_until = Some(now + backoff);
        self.missed_offers += 1;
    }

    /// Records that the bot accepted an offer.
    pub(super) fn record_accepted_offer(&mut self) {
        self.missed_offers = 0;
        self.backoff_until = None;
    }

    /// Returns whether the bot accepts offers now, regardless of free slots.
    pub(super) fn accepts_offers(&self, status: &VersionStatus, now: Instant) -> bool {
        let is_benched = matches!(status, VersionStatus::Benched { .. });
        let backs_off = self.backoff_until.is_some_and(|until| until > now);
        let attendance = self.attendance.as_ref();
        let is_present =
            attendance.is_some_and(|one| one.stream.is_some() && !one.is_leaving && !one.is_paused);
        is_present && !is_benched && !backs_off
    }

    /// The reason why the bot cannot be offered a seat now; `None` if a seat can be offered.
    pub(super) fn unavailable_reason(
        &self,
        status: &VersionStatus,
        now: Instant,
    ) -> Option<String> {
        let Some(attendance) = &self.attendance else {
            return Some("the bot does not attend the queue".to_owned());
        };
        let used = self.slots_used() + self.reserved;
        if let VersionStatus::Benched { detail } = status {
            return Some(format!("its version is benched: {detail}"));
        }
        if attendance.stream.is_none() {
            return Some("the stream of the bot is disconnected".to_owned());
        }
        if attendance.is_leaving {
            return Some("it is leaving".to_owned());
        }
        if attendance.is_paused {
            return Some("it is paused".to_owned());
        }
        if used >= attendance.slots {
            return Some(format!(
                "the bot uses {used} of its {} slots",
                attendance.slots
            ));
        }
        let until = self.backoff_until.filter(|until| *until > now)?;
        let left_ms = until.duration_since(now).as_millis();
        Some(format!(
            "the bot missed its last offers; the next offer is possible in {left_ms} ms"
        ))
    }
}

/// Returns the state of an attendance whose version has this status, and a human-readable reason.
pub(super) fn state(attendance: &Attendance, status: &VersionStatus) -> (AttendanceState, String) {
    if attendance.is_leaving {
        let detail = "the bot leaves once its matches have ended";
        return (AttendanceState::Leaving, detail.to_owned());
    }
    if let VersionStatus::Benched { detail } = status {
        return (AttendanceState::Benched, detail.clone());
    }
    if attendance.stream.is_none() {
        let detail = "the stream of the bot is disconnected";
        return (AttendanceState::Absent, detail.to_owned());
    }
    if attendance.is_paused {
        return (AttendanceState::Paused, "it paused itself".to_owned());
    }
    match status {
        VersionStatus::Validating { failed } => {
            let detail = "this version is new, and plays a validation match first";
            let failed = failed.as_ref();
            let failed = failed.map_or_else(String::new, |why| {
                format!("; its last validation match failed: {why}")
            });
            (AttendanceState::Validating, format!("{detail}{failed}"))
        }
        _ => (AttendanceState::Active, String::new()),
    }
}
