//! A queue attendance, across all of its streams.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{
        self, AttendRequest, AttendResponse, AttendanceState, DeclineOfferRequest,
        LeaveQueueRequest, UpdateAttendanceRequest, attend_response,
        lobby_service_client::LobbyServiceClient,
    },
};
use tokio::{
    task::JoinSet,
    time::{sleep_until, timeout},
};
use tonic::{Status, Streaming, transport::Channel};
use tracing::warn;

use crate::{
    AttendOptions, PlayError, Refusal, Slot,
    credentials::add_key,
    error::StreamFailure,
    reconnection::Reconnection,
    servers::Route,
    slots::{CHECK_INTERVAL, Slots},
};

/// Maximum time to wait for the response to a call.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of recent offers that are stored in order to detect repetitions. It is far more than
/// a bot has slots.
const MAX_RECENT_OFFERS: usize = 1024;
/// The reason with which a server refuses a queue that does not exist, or does not exist yet.
const QUEUE_UNKNOWN: &str = "QUEUE_UNKNOWN";
/// Reason that the server receives with an offer for which no slot became free.
const SLOTS_BUSY: &str = "all slots are busy: the bot still computes for matches that have ended";

/// The ids of the most recent offers, oldest first, stored in order to detect repetitions.
#[derive(Debug, Default)]
struct RecentOffers(VecDeque<String>);

impl RecentOffers {
    /// Adds an offer, and returns whether it is new.
    fn insert(&mut self, offer_id: &str) -> bool {
        if self.0.iter().any(|id| id == offer_id) {
            return false;
        }
        if self.0.len() >= MAX_RECENT_OFFERS {
            self.0.pop_front();
        }
        self.0.push_back(offer_id.to_owned());
        true
    }
}

/// An event of an [`AttendanceSession`].
#[derive(Debug)]
pub enum AttendEvent {
    /// The state of the attendance changed, or this is the first message of a new stream.
    Attendance(v1::Attendance),
    /// A seat is offered, and this slot is free for it. Each offer is returned only once, even if
    /// the server repeats it.
    Offer(v1::Offer, Slot),
    /// An earlier offer is no longer valid.
    OfferWithdrawn(v1::OfferWithdrawn),
}

/// A bot's attendance of a queue. If its stream is lost, the session opens a new one.
///
/// When the session is dropped, the bot becomes absent, and the server removes it from the queue
/// after some time. To leave the queue at once, call [`AttendanceSession::leave`].
#[derive(Debug)]
pub struct AttendanceSession {
    server: Reconnection,
    options: AttendOptions,
    stream: Option<Streaming<AttendResponse>>,
    /// The call that opens the stream, at most one. It continues when [`AttendanceSession::next`]
    /// is dropped: if it were cancelled and repeated, the server could handle the cancelled call
    /// last, which would supersede the other one.
    opening: JoinSet<Result<Streaming<AttendResponse>, Status>>,
    /// Whether the current stream has received a message.
    has_progressed: bool,
    attendance_id: String,
    /// The pause state that the server last confirmed; `None` before a stream's first message.
    acknowledged_pause: Option<bool>,
    recent_offers: RecentOffers,
    slots: Slots,
}

impl AttendanceSession {
    pub(crate) fn new(route: Route, options: AttendOptions) -> Result<Self, PlayError> {
        options.validate()?;
        Ok(Self {
            server: Reconnection::new(route, options.connect_for),
            slots: Slots::new(options.slots),
            options,
            stream: None,
            opening: JoinSet::new(),
            has_progressed: false,
            attendance_id: String::new(),
            acknowledged_pause: None,
            recent_offers: RecentOffers::default(),
        })
    }

    /// Waits for the next event. Returns `None` once the bot has left the queue or the queue is
    /// closed.
    ///
    /// This method is cancel safe.
    ///
    /// # Errors
    /// Returns a [`PlayError`]. If the stream is lost, an error is returned only once
    /// [`AttendOptions::reconnect_for`] has passed.
    pub async fn next(&mut self) -> Result<Option<AttendEvent>, PlayError> {
        loop {
            let mut switch = self.options.pause.subscribe();
            let paused = *switch.borrow_and_update();
            let differs = move |state: bool| state != paused;
            if self.acknowledged_pause.is_some_and(differs) && self.update(Some(paused), None).await
            {
                self.acknowledged_pause = Some(paused);
            }
            self.check_slots().await;
            // A failed update is repeated at the next check.
            let is_pause_unknown = self.acknowledged_pause.is_some_and(differs);
            let repetition = is_pause_unknown.then(|| Instant::now() + CHECK_INTERVAL);
            let next_check = self.slots.next_check().or(repetition);
            let free_slot = self.slots.free_slot();
            let next = tokio::select! {
                next = self.next_message() => next,
                // `self.options` keeps a sender, so the channel is never closed here.
                Ok(()) = switch.changed() => continue,
                Some(slot) = free_slot => match self.slots.take_offer() {
                    Some(offer) => return Ok(Some(AttendEvent::Offer(offer, slot))),
                    None => continue,
                },
                () = sleep_until(next_check.unwrap_or_else(Instant::now).into()),
                    if next_check.is_some() => continue,
            };
            let failure = match next {
                Ok(None) => return Ok(None),
                Ok(Some(message)) => match self.receive(message) {
                    Some(event) => return Ok(Some(event)),
                    None => continue,
                },
                Err(status) => Self::classify(status),
            };
            self.stream = None;
            self.acknowledged_pause = None;
            self.slots.set_server_counts(None, 0);
            if std::mem::take(&mut self.has_progressed) {
                self.server.restart(self.options.reconnect_for, true);
            }
            self.server.record_failure(failure).await?;
        }
    }

    /// Leaves the queue. The bot receives no further offers, and [`AttendanceSession::next`]
    /// returns `None` after the last match.
    ///
    /// # Errors
    /// Returns [`PlayError::Refused`] if the server refuses the call, or another error if the call
    /// fails.
    pub async fn leave(&mut self) -> Result<(), PlayError> {
        let request =
            self.with_key(LeaveQueueRequest { attendance_id: self.attendance_id.clone() });
        let left = answer(ANSWER_TIMEOUT, self.client().leave_queue(request)).await;
        left.map(drop).map_err(|status| self.fatal(status))
    }

    /// Declines an offer that the bot cannot accept. The offered match is cancelled, and the bot
    /// receives no offers for a short time. Other open offers stay valid.
    ///
    /// # Errors
    /// Returns [`PlayError::Refused`] if the server refuses the call, or another error if the call
    /// fails.
    pub async fn decline(
        &self,
        offer_id: impl Into<String>,
        reason: impl Into<String>,
    ) -> Result<(), PlayError> {
        let request =
            self.with_key(DeclineOfferRequest { offer_id: offer_id.into(), reason: reason.into() });
        let declined = answer(ANSWER_TIMEOUT, self.client().decline_offer(request)).await;
        declined.map(drop).map_err(|status| self.fatal(status))
    }

    /// Reports busy slots to the server, and declines offers for which no slot became free.
    async fn check_slots(&mut self) {
        let now = Instant::now();
        if let Some(busy) = self.slots.check(now) {
            if busy > self.slots.reported {
                warn!(busy, "the bot still computes for matches that have ended");
            }
            if self.update(None, Some(busy)).await {
                self.slots.reported = busy;
            }
        }
        while let Some(offer) = self.slots.overdue_offer(now) {
            let offer_id = offer.offer_id.clone();
            warn!(offer_id, "offer declined: {SLOTS_BUSY}");
            if let Err(error) = self.decline(&*offer_id, SLOTS_BUSY).await {
                warn!(offer_id, %error, "cannot decline the offer");
            }
            self.slots.remove_offer(&offer_id);
        }
    }

    /// Updates the attendance, and returns whether the server has accepted the update. A failure is
    /// only logged: the caller repeats the update as long as the stream lasts.
    async fn update(&self, paused: Option<bool>, busy_slots: Option<u32>) -> bool {
        let request = self.with_key(UpdateAttendanceRequest {
            attendance_id: self.attendance_id.clone(),
            paused,
            busy_slots,
            slots: None,
        });
        let updated = answer(ANSWER_TIMEOUT, self.client().update_attendance(request)).await;
        if let Err(status) = &updated {
            let message = status.message();
            warn!(message, ?paused, ?busy_slots, "cannot update the attendance");
        }
        updated.is_ok()
    }

    /// Reads the next message. Opens a stream first if there is none. Cancel safe.
    async fn next_message(&mut self) -> Result<Option<AttendResponse>, Status> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                self.server.finish_pause().await;
                if self.opening.is_empty() {
                    self.open_stream();
                }
                let Some(Ok(opened)) = self.opening.join_next().await else {
                    return Err(Status::unavailable("the call that opens the stream was aborted"));
                };
                self.stream.insert(opened?)
            }
        };
        stream.message().await
    }

    /// Starts the call that opens a stream.
    fn open_stream(&mut self) {
        let (client_instance_id, stream_number) = self.server.next_stream();
        let request = self.with_key(AttendRequest {
            queue_id: self.options.queue.clone(),
            bot_name: self.options.bot_name.clone(),
            bot_version: self.options.bot_version.clone(),
            slots: self.options.slots,
            protocol_revision: PROTOCOL_REVISION,
            client_instance_id,
            stream_number,
        });
        let (mut client, limit) = (self.client(), self.server.answer_timeout(ANSWER_TIMEOUT));
        self.opening.spawn(async move { answer(limit, client.attend(request)).await });
    }

    fn client(&self) -> LobbyServiceClient<Channel> {
        LobbyServiceClient::new(self.server.route.channel())
    }

    /// Processes a message. Returns `None` if the message is of an unknown kind, or an offer, which
    /// is returned once a slot is free.
    fn receive(&mut self, message: AttendResponse) -> Option<AttendEvent> {
        self.server.had_stream = true;
        self.has_progressed = true;
        match message.message? {
            attend_response::Message::Attendance(attendance) => {
                attendance.attendance_id.clone_into(&mut self.attendance_id);
                self.acknowledged_pause = match attendance.state() {
                    AttendanceState::Paused => Some(true),
                    AttendanceState::Active | AttendanceState::Validating => Some(false),
                    // In the other states there are no offers.
                    _ => None,
                };
                self.slots.set_server_counts(Some(attendance.slots_used), attendance.busy_slots);
                Some(AttendEvent::Attendance(attendance))
            }
            attend_response::Message::Offer(offer) => {
                if self.recent_offers.insert(&offer.offer_id) {
                    self.slots.add_offer(offer, Instant::now());
                }
                None
            }
            attend_response::Message::OfferWithdrawn(withdrawn) => {
                self.slots.remove_offer(&withdrawn.offer_id);
                Some(AttendEvent::OfferWithdrawn(withdrawn))
            }
        }
    }

    /// Classifies a failure. If the queue is unknown, the call is retried, since a starting or
    /// resuming contest might be about to open the queue.
    fn classify(status: Status) -> StreamFailure {
        let refusal = Refusal::from_status(&status);
        if refusal.is_some_and(|refusal| refusal.reason == QUEUE_UNKNOWN) {
            StreamFailure::Lost(Box::new(status))
        } else {
            StreamFailure::from_status(status)
        }
    }

    /// Converts the failure of a call that must not be retried.
    fn fatal(&self, status: Status) -> PlayError {
        match Self::classify(status) {
            StreamFailure::Fatal(error) => error,
            StreamFailure::Lost(status) => self.server.timed_out(status),
        }
    }

    /// Wraps a message in a request. The request contains the API key, if there is one.
    fn with_key<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        add_key(&mut request, self.options.key.as_ref());
        request
    }
}

/// Waits for the response to a call, at most for `limit`.
async fn answer<T>(
    limit: Duration,
    call: impl Future<Output = Result<tonic::Response<T>, Status>>,
) -> Result<T, Status> {
    let response = timeout(limit, call)
        .await
        .unwrap_or_else(|_| Err(Status::deadline_exceeded("no response arrived in time")));
    response.map(tonic::Response::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_offer_is_recognized_while_it_is_recent() {
        let mut offers = RecentOffers::default();
        assert!(offers.insert("first"));
        assert!(!offers.insert("first"));
        for number in 0..MAX_RECENT_OFFERS {
            assert!(offers.insert(&number.to_string()));
        }
        assert!(!offers.insert("0"));
        assert!(offers.insert("first"), "the oldest is dropped");
        assert_eq!(offers.0.len(), MAX_RECENT_OFFERS);
    }
}
