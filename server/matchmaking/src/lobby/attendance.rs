//! A bot's attendance in a queue: its status, slots and seats, pauses between offers, the offers
//! themselves, and the streams that receive them.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_edge::transport::{CallerId, ForwardingNode, LagReader};
use bridgemaster_games::Seat;
use bridgemaster_live::Ticket;
use bridgemaster_match::{ClientStream, MatchId, OfferedSeat};
use bridgemaster_proto::v1::{self, AttendanceState};

use super::{AttendanceId, BotName, OfferId, QueueId};

/// The time without offers after a bot has missed or declined an offer. It doubles with each
/// further missed offer in a row.
const OFFER_BACKOFF: Duration = Duration::from_secs(1);
/// The maximum number of doublings, which results in a pause of about a minute.
const MAX_DOUBLINGS: u32 = 6;

/// The state of one bot in a queue.
#[derive(Debug, Default)]
pub(super) struct QueueEntry {
    pub(super) attendance: Option<Attendance>,
    /// The seats that are offered to the bot or that it plays; these exist even if the bot does not
    /// attend.
    pub(super) seats: BTreeMap<OfferId, SeatOffer>,
    /// The number of slots that are reserved for matches being created.
    pub(super) reserved: u32,
    /// The number of offers in a row that the bot missed or declined.
    missed_offers: u32,
    /// The time until which the bot gets no offers.
    backoff_until: Option<Instant>,
}

/// The attendance of a bot: its request for matches from a queue, which lasts until it leaves.
#[derive(Debug)]
pub(super) struct Attendance {
    pub(super) id: AttendanceId,
    pub(super) version: String,
    pub(super) owner: String,
    /// The caller against whose limit the attendance counts.
    pub(super) caller: Option<CallerId>,
    /// The maximum number of matches that the bot plays at a time.
    pub(super) slots: u32,
    /// The number of slots that the bot still uses for matches that have ended.
    pub(super) busy_slots: u32,
    /// The node that forwards the stream, if any.
    pub(super) node: Option<Arc<ForwardingNode>>,
    pub(super) is_paused: bool,
    pub(super) is_leaving: bool,
    /// `None` while the bot is absent.
    pub(super) stream: Option<StreamNumber>,
    /// The client's identification of the newest stream.
    pub(super) client_stream: Option<ClientStream>,
    /// The time at which the attendance of an absent bot ends; `None` while the bot is present.
    pub(super) expires_at: Option<Instant>,
    /// Whether a delayed notification of the bot's stream is scheduled.
    pub(super) is_notification_scheduled: bool,
    /// The revision of the waiting room at the last change that clients see.
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

    /// Returns the reason why the bot cannot be offered a seat now, or `None` if it can.
    pub(super) fn unavailable_reason(
        &self,
        status: &VersionStatus,
        now: Instant,
    ) -> Option<String> {
        let Some(attendance) = &self.attendance else {
            return Some("the bot does not attend the queue".to_owned());
        };
        let used = self.slots_used() + self.reserved + attendance.busy_slots;
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
            return Some(format!("the bot uses {used} of its {} slots", attendance.slots));
        }
        let until = self.backoff_until.filter(|until| *until > now)?;
        let left_ms = until.duration_since(now).as_millis();
        Some(format!("the bot missed its last offers; the next offer is possible in {left_ms} ms"))
    }
}

/// Returns the state of an attendance whose version has this status, and a reason for people.
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
    let (mut name, mut details) = (AttendanceState::Active, Vec::new());
    if let VersionStatus::Validating { failed } = status {
        name = AttendanceState::Validating;
        details.push("this version is new, and plays a validation match first".to_owned());
        let failed = failed.as_ref();
        details.extend(failed.map(|why| format!("its last validation match failed: {why}")));
    }
    if attendance.busy_slots > 0 {
        let (busy, slots) = (attendance.busy_slots, attendance.slots);
        details.push(format!(
            "{busy} of {slots} slots are busy: the bot still computes for matches that have ended"
        ));
    }
    (name, details.join("; "))
}

/// A seat that is offered to a bot, or that the bot has taken.
#[derive(Debug)]
pub(super) struct SeatOffer {
    pub(super) match_id: MatchId,
    pub(super) seat: Seat,
    pub(super) ticket: Ticket,
    pub(super) game_id: &'static str,
    pub(super) rules_version: u32,
    /// The bot, and the purpose of the match.
    pub(super) offered: OfferedSeat,
    /// The time at which the offer expires unless the bot accepts it.
    pub(super) until: Instant,
    /// Reads the lag of the node that forwards the offer; the lag extends `until`.
    pub(super) lag: Option<LagReader>,
    pub(super) is_taken: bool,
    /// The stream on which the offer was last sent.
    pub(super) sent_on: Option<StreamNumber>,
}

impl SeatOffer {
    pub(super) fn id(&self) -> OfferId {
        OfferId::for_seat(&self.match_id, self.seat, &self.ticket)
    }

    pub(super) fn match_and_seat(&self) -> (MatchId, Seat) {
        (self.match_id.clone(), self.seat)
    }

    /// Extends the offer by the lag of its forwarding node since the last call.
    pub(super) fn extend(&mut self) {
        let lag_us = self.lag.as_mut().map_or(0, LagReader::take_us);
        self.until += Duration::from_micros(lag_us);
    }

    /// Sets the node that forwards the offer from now on, if any.
    pub(super) fn forward_through(&mut self, node: Option<&Arc<ForwardingNode>>) {
        self.extend();
        self.lag = node.cloned().map(LagReader::new);
    }

    /// Converts the offer to its message.
    pub(super) fn to_wire(&self, now: Instant) -> v1::Offer {
        let left_ms = self.until.saturating_duration_since(now).as_millis();
        v1::Offer {
            offer_id: self.id().as_str().to_owned(),
            match_id: self.match_id.to_string(),
            seat: self.seat.number().into(),
            ticket: self.ticket.reveal().to_owned(),
            game_id: self.game_id.to_owned(),
            rules_version: self.rules_version,
            time_left_ms: u32::try_from(left_ms).unwrap_or(u32::MAX),
            purpose: self.offered.purpose.into(),
        }
    }
}

/// Identifies a stream of an attendance; newer streams have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StreamNumber(pub(super) u64);

/// The state of an attendance's open stream.
#[derive(Debug)]
pub(super) struct AttendanceStream {
    pub(super) queue_id: QueueId,
    pub(super) bot: BotName,
    /// The revision of the attendance that was last sent.
    pub(super) sent_revision: u64,
    /// Offers that were sent on the stream and withdrawn since; at most one per slot.
    pub(super) withdrawn: VecDeque<(OfferId, &'static str)>,
    pub(super) end: Option<StreamEnd>,
}

impl AttendanceStream {
    /// Creates the state for a stream on which nothing has been sent.
    pub(super) fn new(queue_id: QueueId, bot: BotName) -> Self {
        Self { queue_id, bot, sent_revision: 0, withdrawn: VecDeque::new(), end: None }
    }
}

/// The reason why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// A newer stream was opened.
    Superseded,
    /// The bot left, or its queue was closed.
    Left,
    /// The bot's version was benched, for this reason.
    Benched(String),
}

/// The status of a bot version, as set by the queue's owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VersionStatus {
    /// The version is offered seats.
    #[default]
    Active,
    /// The version is offered seats, but has not yet passed a validation match.
    Validating {
        /// The reason why the version failed its last validation match, for people.
        failed: Option<String>,
    },
    /// The version failed too often, and is not offered seats.
    Benched {
        /// The reason, for people.
        detail: String,
    },
}
