//! A bot that attends a queue.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::AttendanceState;

use super::{AttendanceId, OfferId, Standing, offer::SeatOffer, stream::StreamNumber};
use crate::transport::CallerId;

/// How long a bot is offered nothing after it did not take one offer. It doubles with each further
/// one in a row.
const REST: Duration = Duration::from_secs(1);
/// How often it doubles at most: to about a minute.
const MAX_DOUBLINGS: u32 = 6;

/// What a queue knows of one bot.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) attendance: Option<Attendance>,
    /// Seats that are offered to it or that it plays, also while it does not attend.
    pub(super) seats: BTreeMap<OfferId, SeatOffer>,
    /// Slots for matches that are being made.
    pub(super) held: u32,
    /// Offers in a row that it did not take.
    not_taken: u32,
    /// Until then it is offered nothing.
    rests_until: Option<Instant>,
}

/// An attendance.
#[derive(Debug)]
pub(super) struct Attendance {
    pub(super) id: AttendanceId,
    pub(super) version: String,
    pub(super) owner: String,
    /// Whom it counts for.
    pub(super) caller: Option<CallerId>,
    /// Matches that it plays at once.
    pub(super) slots: u32,
    pub(super) is_paused: bool,
    pub(super) is_leaving: bool,
    /// `None` while it is absent.
    pub(super) stream: Option<StreamNumber>,
    /// When it ends, while it is absent.
    pub(super) away_at: Option<Instant>,
    /// Its stream will be woken for what changed.
    pub(super) is_told_soon: bool,
    /// When something last changed that is told of it.
    pub(super) revision: u64,
}

impl Place {
    /// Whether nothing is known of the bot that must be kept.
    pub(super) fn is_empty(&self) -> bool {
        self.attendance.is_none() && self.seats.is_empty() && self.held == 0
    }

    pub(super) fn slots_used(&self) -> u32 {
        u32::try_from(self.seats.len()).unwrap_or(u32::MAX)
    }

    /// It did not take an offer.
    pub(super) fn did_not_take(&mut self, now: Instant) {
        let rest = REST * (1 << self.not_taken.min(MAX_DOUBLINGS));
        self.rests_until = Some(now + rest);
        self.not_taken += 1;
    }

    /// It took an offer.
    pub(super) fn has_taken(&mut self) {
        self.not_taken = 0;
        self.rests_until = None;
    }

    /// Whether it is offered seats now, or would be with a slot free.
    pub(super) fn is_offered(&self, standing: &Standing, now: Instant) -> bool {
        let is_benched = matches!(standing, Standing::Benched { .. });
        let rests = self.rests_until.is_some_and(|until| until > now);
        let attendance = self.attendance.as_ref();
        let is_there =
            attendance.is_some_and(|one| one.stream.is_some() && !one.is_leaving && !one.is_paused);
        is_there && !is_benched && !rests
    }

    /// Why it can be offered no seat now; `None` when it can.
    pub(super) fn not_available(&self, standing: &Standing, now: Instant) -> Option<String> {
        let Some(attendance) = &self.attendance else {
            return Some("it does not attend".to_owned());
        };
        let used = self.slots_used() + self.held;
        if let Standing::Benched { detail } = standing {
            return Some(format!("it is benched: {detail}"));
        }
        if attendance.stream.is_none() {
            return Some("its stream is lost".to_owned());
        }
        if attendance.is_leaving {
            return Some("it leaves".to_owned());
        }
        if attendance.is_paused {
            return Some("it pauses".to_owned());
        }
        if used >= attendance.slots {
            return Some(format!("it uses {used} of its {} slots", attendance.slots));
        }
        let rests = self.rests_until.filter(|until| *until > now)?;
        let left_ms = rests.duration_since(now).as_millis();
        Some(format!(
            "it did not take its last offers, and gets the next in {left_ms} ms"
        ))
    }
}

/// How an attendance of a version that stands so is shown, and why, for people.
pub(super) fn state(attendance: &Attendance, standing: &Standing) -> (AttendanceState, String) {
    if attendance.is_leaving {
        let detail = "it leaves when its matches have ended";
        return (AttendanceState::Leaving, detail.to_owned());
    }
    if let Standing::Benched { detail } = standing {
        return (AttendanceState::Benched, detail.clone());
    }
    if attendance.stream.is_none() {
        let detail = "its stream is lost";
        return (AttendanceState::Absent, detail.to_owned());
    }
    if attendance.is_paused {
        return (AttendanceState::Paused, "it paused itself".to_owned());
    }
    match standing {
        Standing::Validating { failed } => {
            let detail = "it is new, and plays a match that shows whether it works";
            let failed = failed.as_ref();
            let failed = failed.map_or_else(String::new, |why| format!("; it failed one: {why}"));
            (AttendanceState::Validating, format!("{detail}{failed}"))
        }
        _ => (AttendanceState::Active, String::new()),
    }
}
