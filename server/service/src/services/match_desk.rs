//! `MatchService`: making matches and looking at them.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_proto::v1::{
    CancelMatchRequest, CancelMatchResponse, CloseGroupRequest, CloseGroupResponse,
    CreateMatchRequest, CreateMatchResponse, GetMatchRequest, GetMatchResponse, GetReplayRequest,
    GetReplayResponse, ListMatchesRequest, ListMatchesResponse, MatchConfig, MatchFork, MatchInfo,
    OfferPurpose, RefusalReason, ReplaceTicketsRequest, ReplaceTicketsResponse, SeatReservation,
    WatchMatchRequest, WatchMatchResponse, WatchMatchesRequest, WatchPositionsRequest,
    WatchPositionsResponse, match_fork::Source as ForkSource, match_service_server::MatchService,
    watch_positions_request::Source,
};
use bridgemaster_store::KeyName;
use bridgemaster_wire::TakenOver;
use tokio_stream::Empty;
use tonic::{Request, Response, Status};

use super::{
    forking::taken_over,
    opened_replay::{OpenedReplay, ReplayDesk, whole_replay},
    overview::{Overview, OverviewStream},
    positions::{PositionStream, viewers},
    replay_sight::check_replay,
    supported::check_new_match,
    waiting::{until_over, wait_for_end},
    wishes::{check_group_replays, check_reason, invited_bot, making, query, wanted_seats},
};
use crate::{
    hosting::{HostedMatch, Matches, Reader, Seen, ShownMatch, Viewer},
    identity::{Authenticator, Caller, KeyScope, Sight},
    journal::NotStored,
    ladder::Ladders,
    limits::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_REPEATED_CHARS},
    lobby::Lobby,
    refusal::Refusal,
    transport::{Call, ConnectionInfo},
};

/// The service over a set of matches.
pub(crate) struct MatchDesk {
    pub(super) matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    pub(super) ladders: Arc<Ladders>,
    pub(super) authenticator: Authenticator,
    replays: Arc<ReplayDesk>,
}

impl MatchDesk {
    pub(crate) fn new(
        matches: Arc<Matches>,
        lobby: Arc<Lobby>,
        ladders: Arc<Ladders>,
        authenticator: Authenticator,
        replays: Arc<ReplayDesk>,
    ) -> Self {
        Self {
            matches,
            lobby,
            ladders,
            authenticator,
            replays,
        }
    }

    /// The positions of the replay file of a request.
    pub(super) async fn opened(
        &self,
        request: WatchPositionsRequest,
    ) -> Result<PositionStream, Refusal> {
        let Some(Source::ReplayFile(file)) = request.source else {
            return Err(Refusal::field("source", "no replay file is there"));
        };
        let place = self.replays.place(self.matches.limits()).await?;
        let opened = OpenedReplay::check(file, place).await?;
        let seats = opened.seats();
        let seats = seats.ok_or_else(|| Refusal::field("replay_file", "it has no seats"))?;
        let viewers = viewers(&request.viewers, seats)?;
        Ok(opened.positions(viewers, request.from_decision))
    }

    /// What a match takes over that is forked.
    async fn taken_over(
        &self,
        mut asked: MatchFork,
        config: &mut MatchConfig,
        (caller, reader): (&Caller, &Reader),
    ) -> Result<TakenOver, Refusal> {
        let unnamed = || Refusal::field("fork.source", "name a match, or give a replay file");
        let bytes = match asked.source.take().ok_or_else(unnamed)? {
            ForkSource::ReplayFile(file) => file,
            ForkSource::MatchId(match_id) => {
                let id = MatchId::new(match_id.as_str()).map_err(|_| unknown(&match_id, caller))?;
                let hosted = self.matches.find(&id, caller, reader).await?;
                let hosted = hosted.ok_or_else(|| unknown(&match_id, caller))?;
                check_replay(&self.ladders, &*hosted, caller).await?;
                self.matches.replay(&*hosted, reader).await?.to_vec()
            }
        };
        let place = self.replays.place(self.matches.limits()).await?;
        let replay = whole_replay(bytes, place).await?;
        taken_over(&replay, &asked, config)
    }

    /// A match that the caller may change, and the caller.
    async fn changeable<T>(
        &self,
        request: &Request<T>,
        match_id: &str,
    ) -> Result<(Arc<dyn HostedMatch>, Caller), Refusal> {
        let caller = self.authenticator.caller(request.metadata()).await?;
        let id = MatchId::new(match_id).map_err(|_| unknown(match_id, &caller))?;
        let reader = reader(request, &caller);
        let hosted = self.matches.find_itself(&id, &caller, &reader).await?;
        let hosted = hosted.ok_or_else(|| unknown(match_id, &caller))?;
        check_may_change(&*hosted, &caller)?;
        Ok((hosted, caller))
    }

    /// A match of which the caller may see this, and the caller.
    pub(super) async fn seen<T>(
        &self,
        request: &Request<T>,
        match_id: &str,
        what: Sight,
    ) -> Result<(Arc<dyn ShownMatch>, Caller), Refusal> {
        let caller = self.authenticator.onlooker(request.metadata()).await?;
        caller.require_sight_of_guest(what)?;
        let id = MatchId::new(match_id).map_err(|_| unknown(match_id, &caller))?;
        let reader = reader(request, &caller);
        let hosted = self.matches.find(&id, &caller, &reader).await?;
        let hosted = hosted.ok_or_else(|| unknown(match_id, &caller))?;
        Ok((hosted, caller))
    }
}

/// Makes sure that the caller may change a match: that his key made it, or has the scope `admin`.
fn check_may_change(hosted: &dyn HostedMatch, caller: &Caller) -> Result<(), Refusal> {
    let is_maker = caller.name().is_some() && hosted.maker() == caller.name();
    match is_maker {
        true => Ok(()),
        false => caller.require(KeyScope::Admin),
    }
}

/// Whether a seat is for a bot that attends a queue.
fn is_invitation(reservation: &SeatReservation) -> bool {
    !reservation.queue_id.is_empty()
}

/// The caller as one who reads.
pub(super) fn reader<T>(request: &Request<T>, caller: &Caller) -> Reader {
    Reader {
        key: caller.key_id().cloned(),
        peer: ConnectionInfo::of(request).map(|known| (known.peer, known.origin)),
    }
}

/// The refusal of a match that there is not or that the caller may not see: which of the two is
/// not told, so that nobody learns what identifiers there are.
fn unknown(match_id: &str, caller: &Caller) -> Refusal {
    let shown: String = match_id.chars().take(MAX_REPEATED_CHARS).collect();
    let message = if caller.sees(Sight::Matches) {
        format!("no match has the identifier {shown:?}")
    } else {
        format!(
            "no match that this API key may see has the identifier {shown:?}: without the scope \
             read it sees those that it made and those in which its bot has a seat"
        )
    };
    Refusal::new(RefusalReason::MatchUnknown, message)
}

impl Viewer for Caller {
    fn seen(&self) -> Seen<'_> {
        match self.name() {
            _ if self.sees(Sight::Matches) => Seen::All,
            Some(name) => Seen::Of(name),
            None => Seen::Nothing,
        }
    }

    fn sees_at_once(&self, hosted: &dyn HostedMatch) -> bool {
        self.sees_at_once(|name| hosted.is_of(name))
    }

    fn sees_at_once_what_is_of(&self, parties: &[KeyName]) -> bool {
        self.sees_at_once(|name| parties.contains(name))
    }

    fn sees_unreadable(&self, maker: Option<&KeyName>) -> bool {
        let may_act = self.may(KeyScope::Read) || self.may(KeyScope::Admin);
        may_act || (maker.is_some() && maker == self.name())
    }
}

/// The answer to a call that does not come here: its stream is sent as bytes by `shared_streams`.
fn sent_as_bytes() -> Status {
    Status::internal("this stream is answered by another service")
}

/// A match for a list: its result counts faults and does not list them.
fn without_single_faults(mut info: MatchInfo) -> MatchInfo {
    for seat in info.result.iter_mut().flat_map(|result| &mut result.seats) {
        seat.faults.clear();
    }
    info
}

#[tonic::async_trait]
impl MatchService for MatchDesk {
    async fn create_match(
        &self,
        request: Request<CreateMatchRequest>,
    ) -> Result<Response<CreateMatchResponse>, Status> {
        let caller = self.authenticator.maker(request.metadata()).await?;
        let reader = reader(&request, &caller);
        let mut request = request.into_inner();
        check_new_match(&request)?;
        let mut making = making(&mut request, &caller, &self.authenticator)?;
        if making.spans_matches() || request.seat_reservations.iter().any(is_invitation) {
            self.matches.check_leads().await?;
        }
        let mut invited = BTreeMap::new();
        for reservation in &request.seat_reservations {
            if let Some((seat, one)) = invited_bot(reservation, &self.lobby, &caller)? {
                invited.insert(seat, one);
            }
        }
        let mut config = request.config.take().unwrap_or_default();
        if let Some(fork) = request.fork.take() {
            let taken_over = self
                .taken_over(fork, &mut config, (&caller, &reader))
                .await?;
            making.taken_over = Some(taken_over);
        }
        let made = match invited.is_empty() {
            true => self.matches.create_or_place(&config, making).await?,
            false => {
                let purpose = OfferPurpose::Contest;
                self.lobby
                    .make_match(&self.matches, &config, making, invited, purpose)
                    .await?
            }
        };
        let made = match made.existed {
            true => self.matches.made_for(made, &caller).await?,
            false => made,
        };
        let mut info = made.info;
        if request.without_config {
            info.config = None;
        }
        Ok(Response::new(CreateMatchResponse {
            r#match: Some(info),
            tickets: made.tickets,
            existed: made.existed,
        }))
    }

    async fn get_match(
        &self,
        request: Request<GetMatchRequest>,
    ) -> Result<Response<GetMatchResponse>, Status> {
        let GetMatchRequest {
            match_id,
            wait_ms,
            without_config,
        } = request.get_ref();
        let wait = wait_for_end(*wait_ms)?;
        let (hosted, caller) = self.seen(&request, match_id, Sight::Matches).await?;
        if let Some(wait) = wait {
            until_over(&*hosted, wait, &self.matches, &caller).await?;
        }
        let info = match without_config {
            true => hosted.info_without_config(),
            false => hosted.info(),
        };
        let info = info.shown().await;
        let info = info.map_err(|NotStored| Refusal::storage_failed())?;
        Ok(Response::new(GetMatchResponse {
            r#match: Some(info),
        }))
    }

    async fn list_matches(
        &self,
        request: Request<ListMatchesRequest>,
    ) -> Result<Response<ListMatchesResponse>, Status> {
        let caller = self.authenticator.onlooker(request.metadata()).await?;
        caller.require_sight_of_guest(Sight::Matches)?;
        let reader = reader(&request, &caller);
        let request = request.into_inner();
        let filter = request.filter.unwrap_or_default();
        let wanted = query(filter)?;
        let page_size = match request.page_size {
            0 => DEFAULT_PAGE_SIZE,
            size @ 1..=MAX_PAGE_SIZE => size,
            other => {
                let detail = format!("0 to {MAX_PAGE_SIZE}, not {other}");
                return Err(Refusal::field("page_size", detail).into());
            }
        };
        let before = match request.page_token.as_str() {
            "" => None,
            token => Some(token.parse().map_err(|_| {
                Refusal::field(
                    "page_token",
                    "take `next_page_token` of the answer before, or none",
                )
            })?),
        };
        let listed = self
            .matches
            .list(&wanted, before, page_size as usize, &caller, &reader);
        let listed = listed.await?;
        let next = listed.next.map(|next| next.to_string());
        let matches = listed.matches.into_iter().map(without_single_faults);
        Ok(Response::new(ListMatchesResponse {
            matches: matches.collect(),
            next_page_token: next.unwrap_or_default(),
            damaged_match_ids: listed.damaged.iter().map(MatchId::to_string).collect(),
        }))
    }

    type WatchMatchStream = Empty<Result<WatchMatchResponse, Status>>;

    async fn watch_match(
        &self,
        _: Request<WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        Err(sent_as_bytes())
    }

    type WatchMatchesStream = OverviewStream;

    async fn watch_matches(
        &self,
        request: Request<WatchMatchesRequest>,
    ) -> Result<Response<Self::WatchMatchesStream>, Status> {
        let caller = self.authenticator.onlooker(request.metadata()).await?;
        caller.require_sight_of_guest(Sight::Matches)?;
        let reader = reader(&request, &caller);
        let matches = Arc::clone(&self.matches);
        let overview = Overview::new(matches, caller, reader, request.into_inner())?;
        Ok(Response::new(overview.news()))
    }

    type WatchPositionsStream = Empty<Result<WatchPositionsResponse, Status>>;

    async fn watch_positions(
        &self,
        _: Request<WatchPositionsRequest>,
    ) -> Result<Response<Self::WatchPositionsStream>, Status> {
        Err(sent_as_bytes())
    }

    async fn cancel_match(
        &self,
        request: Request<CancelMatchRequest>,
    ) -> Result<Response<CancelMatchResponse>, Status> {
        let CancelMatchRequest { match_id, reason } = request.get_ref();
        let (hosted, caller) = self.changeable(&request, match_id).await?;
        check_reason(reason)?;
        let why = Cancellation {
            reason: reason.clone(),
            by: caller.name().map(ToString::to_string),
            declined: None,
        };
        let info = self.matches.cancel_for(&hosted, why, &caller).await?;
        Ok(Response::new(CancelMatchResponse {
            r#match: Some(info),
        }))
    }

    async fn replace_tickets(
        &self,
        request: Request<ReplaceTicketsRequest>,
    ) -> Result<Response<ReplaceTicketsResponse>, Status> {
        let ReplaceTicketsRequest { match_id, seats } = request.get_ref();
        let (hosted, caller) = self.changeable(&request, match_id).await?;
        let wanted = wanted_seats(seats)?;
        let replaced = self.matches.replace_tickets_for(&hosted, wanted, &caller);
        let tickets = replaced.await?;
        Ok(Response::new(ReplaceTicketsResponse { tickets }))
    }

    async fn close_group(
        &self,
        request: Request<CloseGroupRequest>,
    ) -> Result<Response<CloseGroupResponse>, Status> {
        let CloseGroupRequest {
            match_id,
            replay_match_ids,
        } = request.get_ref();
        check_group_replays(replay_match_ids)?;
        let (hosted, caller) = self.changeable(&request, match_id).await?;
        self.matches.close_group(&*hosted).await?;
        let reader = reader(&request, &caller);
        let asking = (&caller, &reader);
        let replays = self.group_replays(&*hosted, replay_match_ids, asking);
        let replays = replays.await?;
        Ok(Response::new(CloseGroupResponse { replays }))
    }

    async fn get_replay(
        &self,
        request: Request<GetReplayRequest>,
    ) -> Result<Response<GetReplayResponse>, Status> {
        let GetReplayRequest { match_id, as_file } = request.get_ref();
        let (hosted, caller) = self.seen(&request, match_id, Sight::Replays).await?;
        check_replay(&self.ladders, &*hosted, &caller).await?;
        let reader = reader(&request, &caller);
        let replay = self.told_replay(&*hosted, &reader, !as_file).await?;
        // The buffer that it is written into may be twice as large.
        Call::room_for_answer(2 * replay.bytes.len()).await?;
        let mut response = GetReplayResponse::default();
        match as_file {
            true => response.file = replay.bytes.to_vec(),
            false => response.replay = replay.message,
        }
        Ok(Response::new(response))
    }
}
