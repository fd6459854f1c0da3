//! `LobbyService`: queues, and the bots that attend them.

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use async_stream::try_stream;
use bridgemaster_edge::{
    identity::{Authenticator, Caller, KeyScope},
    refusal::Refusal,
};
use bridgemaster_games::Seat;
use bridgemaster_ladder::BotVersion;
use bridgemaster_live::Matches;
use bridgemaster_match::MatchId;
use bridgemaster_matchmaking::{
    ladder::Ladders,
    lobby::{AttendanceId, Lobby, OfferId, QueueId, QueueRules, queue_unknown},
};
use bridgemaster_proto::v1::{
    AttendRequest, AttendResponse, CreateQueueRequest, CreateQueueResponse, DeclineOfferRequest,
    DeclineOfferResponse, DeleteQueueRequest, DeleteQueueResponse, LeaveQueueRequest,
    LeaveQueueResponse, ListQueuesRequest, ListQueuesResponse, UpdateAttendanceRequest,
    UpdateAttendanceResponse, WatchQueueRequest, WatchQueueResponse,
    lobby_service_server::LobbyService,
};
use tokio::select;
use tokio_stream::Stream;
use tonic::{Request, Response, Status};

use super::{
    lobby_validation::{attend_request, check_slots, queue_rules},
    managed_queue,
    match_validation::check_reason,
    until_access_ends,
    validation::{self, page_token},
};

/// The implementation of `LobbyService`.
pub(crate) struct LobbyRpc {
    lobby: Arc<Lobby>,
    ladders: Arc<Ladders>,
    authenticator: Authenticator,
}

impl LobbyRpc {
    pub(crate) fn new(
        lobby: Arc<Lobby>,
        ladders: Arc<Ladders>,
        authenticator: Authenticator,
    ) -> Self {
        Self { lobby, ladders, authenticator }
    }

    fn matches(&self) -> &Arc<Matches> {
        self.ladders.matches()
    }

    /// Authenticates the caller, and checks that the caller may play.
    async fn player<T>(&self, request: &Request<T>) -> Result<Caller, Refusal> {
        let caller = self.authenticator.caller(request.metadata()).await?;
        caller.require_scope(KeyScope::Play)?;
        Ok(caller)
    }

    /// Returns the queue `queue_id`, if the caller manages it.
    async fn require_managed_queue<T>(
        &self,
        request: &Request<T>,
        queue_id: &str,
    ) -> Result<(QueueId, Caller), Refusal> {
        let caller = self.authenticator.caller(request.metadata()).await?;
        let queue_id = managed_queue(&self.lobby, queue_id, &caller)?;
        Ok((queue_id, caller))
    }

    /// Cancels matches whose seats were offered to a previous version of a bot. A bot changes its
    /// version in one step, so only the first cancellation counts as a declined offer.
    async fn cancel_offered_matches(&self, offers: Vec<(MatchId, Seat)>) -> Result<(), Refusal> {
        let reason = "a bot changed its version before it took its seat";
        for (count, (id, seat)) in offers.into_iter().enumerate() {
            let of = Some(seat).filter(|_| count == 0);
            self.matches().cancel_offered(&id, of, reason.to_owned()).await?;
        }
        Ok(())
    }
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl LobbyService for LobbyRpc {
    type AttendStream = Responses<AttendResponse>;

    async fn attend(
        &self,
        request: Request<AttendRequest>,
    ) -> Result<Response<Self::AttendStream>, Status> {
        let caller = self.player(&request).await?;
        if self.matches().lifecycle().is_draining() {
            return Err(self.matches().lifecycle().stop_refusal().into());
        }
        let attend = attend_request(&request, &caller)?;
        let node = attend.node.clone();
        if !caller.may_attend(attend.queue_id.as_str()) {
            return Err(queue_unknown(attend.queue_id.as_str()).into());
        }
        let version = BotVersion::new(attend.bot.as_str(), &*attend.version);
        self.ladders.check_admission(&attend.queue_id, version)?;
        let (mut updates, cancelled) = self.lobby.attend(attend)?;
        self.cancel_offered_matches(cancelled).await?;
        let matches = Arc::clone(self.matches());
        Ok(Response::new(Box::pin(try_stream! {
            let lost = async {
                match &node {
                    Some(node) => node.until_lost().await,
                    None => std::future::pending().await,
                }
            };
            let mut ended = pin!(until_access_ends(&matches, &caller));
            let mut lost = pin!(lost);
            loop {
                let update = select! {
                    biased;
                    refusal = &mut ended => Err(refusal),
                    () = &mut lost => Err(Refusal::forwarding_node_lost()),
                    update = updates.next() => update,
                };
                let Some(message) = update? else { return };
                yield message;
            }
        })))
    }

    async fn update_attendance(
        &self,
        request: Request<UpdateAttendanceRequest>,
    ) -> Result<Response<UpdateAttendanceResponse>, Status> {
        let caller = self.player(&request).await?;
        let UpdateAttendanceRequest { attendance_id, slots, paused, busy_slots } =
            request.into_inner();
        let slots = slots.map(|value| check_slots("slots", value)).transpose()?;
        if let Some(busy @ 1..) = busy_slots {
            check_slots("busy_slots", busy)?;
        }
        let id = AttendanceId::from_client(&attendance_id);
        let updated = self.lobby.with_room(|room, _| {
            room.update_attendance(&id, caller.key_name(), slots, paused, busy_slots)
        });
        let attendance = Some(updated.map_err(Refusal::from)?);
        Ok(Response::new(UpdateAttendanceResponse { attendance }))
    }

    async fn leave_queue(
        &self,
        request: Request<LeaveQueueRequest>,
    ) -> Result<Response<LeaveQueueResponse>, Status> {
        let caller = self.player(&request).await?;
        let id = AttendanceId::from_client(&request.get_ref().attendance_id);
        let left = self.lobby.with_room(|room, _| room.leave_queue(&id, caller.key_name()));
        left.map_err(Refusal::from)?;
        Ok(Response::new(LeaveQueueResponse {}))
    }

    async fn decline_offer(
        &self,
        request: Request<DeclineOfferRequest>,
    ) -> Result<Response<DeclineOfferResponse>, Status> {
        let caller = self.player(&request).await?;
        let DeclineOfferRequest { offer_id, reason } = request.get_ref();
        check_reason(reason)?;
        let id = OfferId::from_client(offer_id);
        let declined =
            self.lobby.with_room(|room, now| room.decline_offer(&id, caller.key_name(), now));
        let (id, seat) = declined.map_err(Refusal::from)?;
        let why = match reason.as_str() {
            "" => "a bot declined its seat".to_owned(),
            reason => format!("a bot declined its seat: {reason}"),
        };
        self.matches().cancel_offered(&id, Some(seat), why).await?;
        Ok(Response::new(DeclineOfferResponse {}))
    }

    async fn create_queue(
        &self,
        request: Request<CreateQueueRequest>,
    ) -> Result<Response<CreateQueueResponse>, Status> {
        let caller = self.authenticator.caller(request.metadata()).await?;
        caller.require_scope(KeyScope::Create)?;
        let queue = request.into_inner().queue.unwrap_or_default();
        let opened = self.lobby.open_queue(queue_rules(&queue, &caller)?).await?;
        Ok(Response::new(CreateQueueResponse { queue: Some(opened) }))
    }

    async fn delete_queue(
        &self,
        request: Request<DeleteQueueRequest>,
    ) -> Result<Response<DeleteQueueResponse>, Status> {
        let (queue_id, _) =
            self.require_managed_queue(&request, &request.get_ref().queue_id).await?;
        let rules = self.lobby.rules(&queue_id);
        if rules.is_some_and(|rules| rules.is_ladder) {
            let detail = "is the queue of a ladder: close the ladder instead";
            return Err(Refusal::field("queue_id", detail).into());
        }
        self.lobby.close_queue(&queue_id).await?;
        Ok(Response::new(DeleteQueueResponse {}))
    }

    async fn list_queues(
        &self,
        request: Request<ListQueuesRequest>,
    ) -> Result<Response<ListQueuesResponse>, Status> {
        let caller = self.player(&request).await?;
        let ListQueuesRequest { page_size, page_token: token } = request.into_inner();
        let count = validation::page_size(page_size)?;
        let after = page_token(&token, QueueId::new)?;
        let admits = |rules: &QueueRules| rules.admits(caller.key_name());
        let mut queues =
            self.lobby.with_room(|room, _| room.list(after.as_ref(), count + 1, admits));
        let has_more = queues.len() > count;
        queues.truncate(count);
        let next = queues.last().filter(|_| has_more);
        Ok(Response::new(ListQueuesResponse {
            next_page_token: next.map(|last| last.queue_id.clone()).unwrap_or_default(),
            queues,
        }))
    }

    type WatchQueueStream = Responses<WatchQueueResponse>;

    async fn watch_queue(
        &self,
        request: Request<WatchQueueRequest>,
    ) -> Result<Response<Self::WatchQueueStream>, Status> {
        let (queue_id, caller) =
            self.require_managed_queue(&request, &request.get_ref().queue_id).await?;
        let mut watch = self.lobby.watch(queue_id);
        let matches = Arc::clone(self.matches());
        Ok(Response::new(Box::pin(try_stream! {
            let mut ended = pin!(until_access_ends(&matches, &caller));
            loop {
                let updates = select! {
                    biased;
                    refusal = &mut ended => Err(refusal),
                    updates = watch.next() => Ok(updates),
                };
                let Some(updates) = updates? else { return };
                for message in updates {
                    yield message;
                }
            }
        })))
    }
}
