//! Holds the stream of an attendance, over as many streams as it takes.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use bridgemaster_proto::v1::{
    self, AttendRequest, AttendResponse, AttendanceState, LeaveQueueRequest,
    UpdateAttendanceRequest, attend_response, lobby_service_client::LobbyServiceClient,
};
use tokio::time::{sleep, timeout};
use tonic::{Status, Streaming, transport::Channel};
use tracing::{debug, warn};

use crate::{
    AttendOptions, KEY_METADATA, PlayError, Refusal,
    backoff::Backoff,
    error::{StreamFailure, TransportFailure},
    servers::Route,
};

/// Revision of the protocol that is spoken here.
const PROTOCOL_REVISION: u32 = 1;
/// Time for the first answer, once a stream is asked for.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Offers that are remembered, so that one that comes again is known: those of all slots, many
/// times over.
const REMEMBERED_OFFERS: usize = 1024;
/// The refusal while the queue is not opened yet.
const QUEUE_UNKNOWN: &str = "QUEUE_UNKNOWN";

/// The last offers that were told.
#[derive(Debug, Default)]
struct KnownOffers {
    ids: HashSet<Arc<str>>,
    /// The same, the oldest first.
    in_order: VecDeque<Arc<str>>,
}

impl KnownOffers {
    /// Remembers an offer, and tells whether it is new.
    fn insert(&mut self, offer_id: &str) -> bool {
        if self.ids.contains(offer_id) {
            return false;
        }
        if self.in_order.len() >= REMEMBERED_OFFERS
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        let id: Arc<str> = offer_id.into();
        self.in_order.push_back(Arc::clone(&id));
        self.ids.insert(id)
    }
}

/// What an attending bot is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// How the bot stands in the queue.
    Attendance(v1::Attendance),
    /// A seat. Each offer is told once, however often the server repeats it.
    Offer(v1::Offer),
    /// An offer that holds no more.
    Withdrawn(v1::OfferWithdrawn),
}

/// An attendance of a queue. A stream that is lost is opened again. Dropped, the bot is absent, and
/// the server forgets it after a while.
#[derive(Debug)]
pub struct Attending {
    route: Route,
    options: AttendOptions,
    stream: Option<Streaming<AttendResponse>>,
    backoff: Backoff,
    /// Whether some stream was answered.
    has_attended: bool,
    /// Whether the stream in use has told something.
    has_progressed: bool,
    attendance_id: String,
    /// As the server was told last; `None` before its first message on a stream.
    told_paused: Option<bool>,
    known_offers: KnownOffers,
}

impl Attending {
    pub(crate) fn new(route: Route, options: AttendOptions) -> Result<Self, PlayError> {
        options.check()?;
        Ok(Self {
            route,
            backoff: Backoff::new(options.connect_for),
            options,
            stream: None,
            has_attended: false,
            has_progressed: false,
            attendance_id: String::new(),
            told_paused: None,
            known_offers: KnownOffers::default(),
        })
    }

    /// What comes next; `None` when the bot has left the queue, or the queue was closed. May be
    /// dropped and called again.
    ///
    /// # Errors
    /// See [`PlayError`]. A lost stream is an error only after
    /// [`AttendOptions::reconnect_for`].
    pub async fn next(&mut self) -> Result<Option<Told>, PlayError> {
        loop {
            let mut switch = self.options.pause.follow();
            let is_to_pause = *switch.borrow_and_update();
            if self.told_paused.is_some_and(|told| told != is_to_pause) {
                self.tell_pause(is_to_pause).await;
            }
            let next = tokio::select! {
                next = self.next_on_a_stream() => next,
                // Its sender is in the options, which are held here.
                Ok(()) = switch.changed() => continue,
            };
            let failure = match next {
                Ok(None) => return Ok(None),
                Ok(Some(message)) => match self.take(message) {
                    Some(told) => return Ok(Some(told)),
                    None => continue,
                },
                Err(status) => self.failure(status),
            };
            self.stream = None;
            self.told_paused = None;
            let status = match failure {
                StreamFailure::Fatal(error) => return Err(error),
                StreamFailure::Lost(status) => status,
            };
            if std::mem::take(&mut self.has_progressed) {
                self.backoff.restart(self.options.reconnect_for, true);
            }
            let is_sent_on = self.route.go_on(&status);
            let Some(pause) = self.backoff.next_pause() else {
                return Err(self.give_up(status));
            };
            if is_sent_on {
                continue;
            }
            let message = status.message();
            match self.has_attended {
                true => warn!(message, ?pause, "the attendance is lost; trying again"),
                false => debug!(message, ?pause, "the queue cannot be attended yet"),
            }
            sleep(pause).await;
        }
    }

    /// Leaves the queue: no more offers come, and [`Attending::next`] ends after the last match.
    ///
    /// # Errors
    /// The refusal, or the failure of the call.
    pub async fn leave(&mut self) -> Result<(), PlayError> {
        let request = self.showing(LeaveQueueRequest {
            attendance_id: self.attendance_id.clone(),
        });
        match self.client().leave_queue(request).await {
            Ok(_) => Ok(()),
            Err(status) => Err(match self.failure(status) {
                StreamFailure::Fatal(error) => error,
                StreamFailure::Lost(status) => self.give_up(status),
            }),
        }
    }

    /// Tells the server that the bot pauses, or goes on. Where that fails, the next message of the
    /// server says how it stands, or the stream is lost as well.
    async fn tell_pause(&mut self, is_to_pause: bool) {
        let request = self.showing(UpdateAttendanceRequest {
            attendance_id: self.attendance_id.clone(),
            paused: Some(is_to_pause),
            slots: None,
        });
        if let Err(status) = self.client().update_attendance(request).await {
            let message = status.message();
            warn!(message, is_to_pause, "the server could not be told");
        }
        self.told_paused = Some(is_to_pause);
    }

    async fn next_on_a_stream(&mut self) -> Result<Option<AttendResponse>, Status> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let request = self.showing(AttendRequest {
                    queue_id: self.options.queue.clone(),
                    bot_name: self.options.bot_name.clone(),
                    bot_version: self.options.bot_version.clone(),
                    slots: self.options.slots,
                    protocol_revision: PROTOCOL_REVISION,
                });
                let patience = self.route.patience(ANSWER_TIMEOUT, self.backoff.span());
                let mut client = self.client();
                let attended = timeout(patience, client.attend(request))
                    .await
                    .unwrap_or_else(|_| Err(Status::deadline_exceeded("no answer came")));
                self.stream.insert(attended?.into_inner())
            }
        };
        stream.message().await
    }

    fn client(&self) -> LobbyServiceClient<Channel> {
        LobbyServiceClient::new(self.route.channel())
    }

    /// What a message tells; nothing if it is of an unknown kind, or an offer that is known.
    fn take(&mut self, message: AttendResponse) -> Option<Told> {
        self.has_attended = true;
        self.route.arrived();
        self.has_progressed = true;
        match message.message? {
            attend_response::Message::Attendance(attendance) => {
                attendance.attendance_id.clone_into(&mut self.attendance_id);
                self.told_paused = match attendance.state() {
                    AttendanceState::Paused => Some(true),
                    AttendanceState::Active | AttendanceState::Validating => Some(false),
                    // It is offered nothing in any case.
                    _ => None,
                };
                Some(Told::Attendance(attendance))
            }
            attend_response::Message::Offer(offer) => {
                let is_new = self.known_offers.insert(&offer.offer_id);
                is_new.then_some(Told::Offer(offer))
            }
            attend_response::Message::OfferWithdrawn(withdrawn) => Some(Told::Withdrawn(withdrawn)),
        }
    }

    /// A queue that is not there may be opened in a moment, by a contest that begins or goes on.
    fn failure(&self, status: Status) -> StreamFailure {
        let refusal = Refusal::from_status(&status);
        match refusal.is_some_and(|refusal| refusal.reason == QUEUE_UNKNOWN) {
            true => StreamFailure::Lost(Box::new(status)),
            false => StreamFailure::from_status(status, &self.options.server_url),
        }
    }

    fn give_up(&self, status: Box<Status>) -> PlayError {
        let server_url = self.options.server_url.clone();
        let waited: Duration = self.backoff.span();
        match Refusal::from_status(&status) {
            Some(refusal) => PlayError::Refused(Box::new(refusal)),
            None if self.has_attended => PlayError::Lost {
                server_url,
                waited,
                source: TransportFailure(status),
            },
            None => PlayError::Unreachable {
                server_url,
                waited,
                source: TransportFailure(status),
            },
        }
    }

    fn showing<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        if let Some(key) = &self.options.key {
            request.metadata_mut().insert(KEY_METADATA, key.metadata());
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_is_new_once_while_it_is_among_the_last() {
        let mut known = KnownOffers::default();
        assert!(known.insert("first"));
        assert!(!known.insert("first"));
        for number in 0..REMEMBERED_OFFERS {
            assert!(known.insert(&number.to_string()));
        }
        assert!(!known.insert("0"));
        assert!(known.insert("first"), "so many have come since");
        assert_eq!(known.ids.len(), known.in_order.len());
    }
}
