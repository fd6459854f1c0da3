//! `LobbyService`: bots that attend queues, and those who run them.

use std::{pin::Pin, sync::Arc};

use async_stream::stream;
use bridgemaster_games::Seat;
use bridgemaster_ladder::BotVersion;
use bridgemaster_match::MatchId;
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
    lobby_wishes::{asking, queue_rules, slots},
    queue_access::run_by,
    wishes::check_reason,
};
use crate::{
    hosting::Matches,
    identity::{Authenticator, Caller, KeyScope},
    ladder::Ladders,
    limits::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE},
    lobby::{AttendanceId, Lobby, OfferId, QueueId, QueueRules},
    refusal::Refusal,
};

/// The service over the lobby of a server.
pub(crate) struct LobbyDesk {
    lobby: Arc<Lobby>,
    ladders: Arc<Ladders>,
    authenticator: Authenticator,
}

impl LobbyDesk {
    pub(crate) fn new(
        lobby: Arc<Lobby>,
        ladders: Arc<Ladders>,
        authenticator: Authenticator,
    ) -> Self {
        Self {
            lobby,
            ladders,
            authenticator,
        }
    }

    fn matches(&self) -> &Arc<Matches> {
        self.ladders.matches()
    }

    /// The caller, who may play.
    async fn player<T>(&self, request: &Request<T>) -> Result<Caller, Refusal> {
        let caller = self.authenticator.caller(request.metadata()).await?;
        caller.require(KeyScope::Play)?;
        Ok(caller)
    }

    /// The queue of this name, which the caller runs.
    async fn run_by<T>(
        &self,
        request: &Request<T>,
        queue_id: &str,
    ) -> Result<(QueueId, Caller), Refusal> {
        let caller = self.authenticator.caller(request.metadata()).await?;
        let queue_id = run_by(&self.lobby, queue_id, &caller)?;
        Ok((queue_id, caller))
    }

    /// Cancels matches whose seats were offered to a bot that comes with another version. Only
    /// the first is held against the one before: to come with a new version is one act.
    async fn cancel_offered(&self, offers: Vec<(MatchId, Seat)>) -> Result<(), Refusal> {
        let reason = "its bot came with another version before it took its seat";
        for (count, (id, seat)) in offers.into_iter().enumerate() {
            let of = Some(seat).filter(|_| count == 0);
            self.matches()
                .cancel_offered(&id, of, reason.to_owned())
                .await?;
        }
        Ok(())
    }
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl LobbyService for LobbyDesk {
    type AttendStream = Responses<AttendResponse>;

    async fn attend(
        &self,
        request: Request<AttendRequest>,
    ) -> Result<Response<Self::AttendStream>, Status> {
        let caller = self.player(&request).await?;
        if self.matches().lifecycle().is_draining() {
            return Err(self.matches().stop_refusal().into());
        }
        let asking = asking(request.get_ref(), &caller)?;
        let version = BotVersion::new(asking.bot.as_str(), &*asking.version);
        self.ladders.check_room(&asking.queue_id, version)?;
        let (mut attending, off) = self.lobby.attend(asking)?;
        self.cancel_offered(off).await?;
        let matches = Arc::clone(self.matches());
        Ok(Response::new(Box::pin(stream! {
            let (refused, interrupted) = (caller.refused(), matches.interrupted());
            tokio::pin!(refused, interrupted);
            loop {
                let told = select! {
                    biased;
                    refusal = &mut refused => Err(refusal),
                    refusal = &mut interrupted => Err(refusal),
                    told = attending.next() => told,
                };
                match told {
                    Ok(Some(message)) => yield Ok(message),
                    Ok(None) => return,
                    Err(refusal) => {
                        yield Err(refusal.into());
                        return;
                    }
                }
            }
        })))
    }

    async fn update_attendance(
        &self,
        request: Request<UpdateAttendanceRequest>,
    ) -> Result<Response<UpdateAttendanceResponse>, Status> {
        let caller = self.player(&request).await?;
        let UpdateAttendanceRequest {
            attendance_id,
            slots: wanted,
            paused,
        } = request.into_inner();
        let wanted = wanted.map(|wanted| slots("slots", wanted)).transpose()?;
        let id = AttendanceId::from_client(&attendance_id);
        let updated = self
            .lobby
            .with(|room, _| room.update(&id, caller.name(), wanted, paused));
        let attendance = Some(updated.map_err(Refusal::from)?);
        Ok(Response::new(UpdateAttendanceResponse { attendance }))
    }

    async fn leave_queue(
        &self,
        request: Request<LeaveQueueRequest>,
    ) -> Result<Response<LeaveQueueResponse>, Status> {
        let caller = self.player(&request).await?;
        let id = AttendanceId::from_client(&request.get_ref().attendance_id);
        let left = self.lobby.with(|room, _| room.leave(&id, caller.name()));
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
        let declined = self
            .lobby
            .with(|room, now| room.decline(&id, caller.name(), now));
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
        caller.require(KeyScope::Create)?;
        let queue = request.into_inner().queue.unwrap_or_default();
        let opened = self.lobby.open_queue(queue_rules(&queue, &caller)?).await?;
        Ok(Response::new(CreateQueueResponse {
            queue: Some(opened),
        }))
    }

    async fn delete_queue(
        &self,
        request: Request<DeleteQueueRequest>,
    ) -> Result<Response<DeleteQueueResponse>, Status> {
        let (queue_id, _) = self.run_by(&request, &request.get_ref().queue_id).await?;
        let rules = self.lobby.rules(&queue_id);
        if rules.is_some_and(|rules| rules.is_ladder) {
            let detail = "it is the queue of a ladder, and ends with it: close the ladder";
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
        let ListQueuesRequest {
            page_size,
            page_token,
        } = request.into_inner();
        let count = match page_size {
            0 => DEFAULT_PAGE_SIZE,
            size @ 1..=MAX_PAGE_SIZE => size,
            other => {
                let detail = format!("0 to {MAX_PAGE_SIZE}, not {other}");
                return Err(Refusal::field("page_size", detail).into());
            }
        };
        let after = match page_token.as_str() {
            "" => None,
            token => Some(QueueId::new(token).ok_or_else(|| {
                let detail = "take `next_page_token` of the answer before, or none";
                Refusal::field("page_token", detail)
            })?),
        };
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let admits = |rules: &QueueRules| rules.admits(caller.name());
        let mut queues = self
            .lobby
            .with(|room, _| room.list(after.as_ref(), count + 1, admits));
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
        let (queue_id, caller) = self.run_by(&request, &request.get_ref().queue_id).await?;
        let mut watch = self.lobby.watch(queue_id);
        let matches = Arc::clone(self.matches());
        Ok(Response::new(Box::pin(stream! {
            let (refused, interrupted) = (caller.refused(), matches.interrupted());
            tokio::pin!(refused, interrupted);
            loop {
                let news = select! {
                    biased;
                    refusal = &mut refused => Err(refusal),
                    refusal = &mut interrupted => Err(refusal),
                    news = watch.next() => Ok(news),
                };
                match news {
                    Ok(Some(news)) => for message in news {
                        yield Ok(message);
                    },
                    Ok(None) => return,
                    Err(refusal) => {
                        yield Err(refusal.into());
                        return;
                    }
                }
            }
        })))
    }
}
