//! `MatchService`: creates matches, and reads and changes them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bridgemaster_cluster::forwarding::{Forwarder, ListCaller};
use bridgemaster_cluster::match_list::{PageToken, RemotePages};
use bridgemaster_edge::{
    identity::{Authenticator, Caller, KeyScope, ReadAccess, Visibility},
    limits::{LISTED_MATCH_BYTES, MAX_MATCH_END_WAIT_MS},
    refusal::Refusal,
    transport::{Call, ConnectionInfo},
};
use bridgemaster_live::{HostedMatch, MatchView, Matches, Reader};
use bridgemaster_match::{Cancellation, MatchId};
use bridgemaster_matchmaking::{ladder::Ladders, lobby::Lobby};
use bridgemaster_proto::{
    games::game_id,
    v1::{
        CancelMatchRequest, CancelMatchResponse, CloseGroupRequest, CloseGroupResponse,
        CreateMatchRequest, CreateMatchResponse, ExpireSeatRequest, ExpireSeatResponse,
        GetMatchRequest, GetMatchResponse, GetReplayRequest, GetReplayResponse, ListMatchesRequest,
        ListMatchesResponse, MatchConfig, MatchFilter, MatchFork, MatchInfo, OfferPurpose,
        RefusalReason, ReplaceTicketsRequest, ReplaceTicketsResponse, SeatReservation,
        WatchMatchRequest, WatchMatchResponse, WatchMatchesRequest, WatchPositionsRequest,
        WatchPositionsResponse, match_fork::Source as RequestedSource,
        match_service_server::MatchService, watch_positions_request::Source,
    },
};
use bridgemaster_replay::wire::ForkSource;
use tokio::{select, time::sleep};
use tokio_stream::Empty;
use tonic::{Request, Response, Status, codegen::Bytes, metadata::MetadataMap};

use super::{
    check_replay,
    match_validation::{
        check_group_replays, check_reason, fork_start, invited_bot, match_options, match_query,
        seat_number, ticket_seats,
    },
    overview::{Overview, OverviewStream},
    positions::{PositionStream, check_viewers},
    uploaded_replay::ReplayVerifier,
    validation::{check_range, check_rules_version, page_size, page_token, quoted},
};

/// The implementation of `MatchService`.
pub(crate) struct MatchRpc {
    pub(super) matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    pub(super) ladders: Arc<Ladders>,
    pub(super) authenticator: Authenticator,
    replays: Arc<ReplayVerifier>,
    /// Fetches other nodes' parts of a list; `None` if this is the only node.
    forwarder: Option<Arc<Forwarder>>,
}

impl MatchRpc {
    pub(crate) fn new(
        matches: Arc<Matches>,
        lobby: Arc<Lobby>,
        ladders: Arc<Ladders>,
        authenticator: Authenticator,
        replays: Arc<ReplayVerifier>,
        forwarder: Option<Arc<Forwarder>>,
    ) -> Self {
        Self { matches, lobby, ladders, authenticator, replays, forwarder }
    }

    /// Streams the positions of the replay file in a request.
    pub(super) async fn file_positions(
        &self,
        request: WatchPositionsRequest,
    ) -> Result<PositionStream, Refusal> {
        let Some(Source::ReplayFile(file)) = request.source else {
            return Err(Refusal::field("source", "must be a replay file"));
        };
        let opened = self.replays.verify(file.into()).await?;
        let seats = opened.seats();
        let seats = seats.ok_or_else(|| Refusal::field("replay_file", "has no seats"))?;
        let viewers = check_viewers(&request.viewers, seats)?;
        Ok(opened.positions(viewers, request.from_decision))
    }

    /// Builds the start of a match that is forked from another match or a replay file.
    async fn fork_start(
        &self,
        mut requested: MatchFork,
        config: &mut MatchConfig,
        (caller, reader): (&Caller, &Reader),
    ) -> Result<ForkSource, Refusal> {
        let unnamed = || Refusal::field("fork.source", "must be a match or a replay file");
        let opened = match requested.source.take().ok_or_else(unnamed)? {
            RequestedSource::ReplayFile(file) => self.replays.verify(file.into()).await?,
            RequestedSource::MatchId(match_id) => {
                let id = MatchId::new(match_id.as_str())
                    .map_err(|_| match_unknown(&match_id, caller))?;
                let hosted = self.matches.find(&id, caller, reader).await?;
                let hosted = hosted.ok_or_else(|| match_unknown(&match_id, caller))?;
                check_replay(&self.ladders, &hosted, caller).await?;
                let stored = Bytes::from_owner(self.matches.replay(&hosted, reader).await?);
                self.replays.verify_stored(stored).await?
            }
        };
        fork_start(opened.replay(), &requested, config)
    }

    /// Reserves response memory for a page of at most `count` matches, and requests the other
    /// nodes' parts of the page. Without a connection, no node is called.
    async fn remote_pages(
        &self,
        (connection, metadata): (Option<&ConnectionInfo>, &MetadataMap),
        filter: &MatchFilter,
        after: Option<&PageToken>,
        count: usize,
    ) -> Result<RemotePages, Status> {
        let page_bytes = count * LISTED_MATCH_BYTES;
        let Some((forwarder, connection)) = self.forwarder.as_ref().zip(connection) else {
            Call::reserve_answer(page_bytes).await?;
            return Ok(RemotePages::default());
        };
        // The parts of the other nodes are together as large as a page. Memory for the page and for
        // these parts is reserved in one step: calls that hold one reservation and wait for the
        // other would deadlock.
        Call::reserve_answer(2 * page_bytes).await?;
        let caller = ListCaller { connection, metadata };
        forwarder.remote_pages(caller, filter, after, count).await
    }

    /// Returns a match that the caller may change, together with the caller.
    async fn changeable_match<T>(
        &self,
        request: &Request<T>,
        match_id: &str,
    ) -> Result<(Arc<dyn HostedMatch>, Caller), Refusal> {
        let caller = self.authenticator.caller(request.metadata()).await?;
        let id = MatchId::new(match_id).map_err(|_| match_unknown(match_id, &caller))?;
        let reader = reader(request, &caller);
        let hosted = self.matches.find_undelayed(&id, &caller, &reader).await?;
        let hosted = hosted.ok_or_else(|| match_unknown(match_id, &caller))?;
        check_may_change(&*hosted, &caller)?;
        Ok((hosted, caller))
    }

    /// Returns the caller of a read, if this kind of read is allowed.
    async fn reading_caller<T>(
        &self,
        request: &Request<T>,
        access: ReadAccess,
    ) -> Result<(Caller, Reader), Refusal> {
        let caller = self.authenticator.caller_or_guest(request.metadata()).await?;
        caller.require_guest_read(access)?;
        let reader = reader(request, &caller);
        Ok((caller, reader))
    }

    /// Returns a match to which the caller has this kind of read access, together with the caller.
    pub(super) async fn readable_match<T>(
        &self,
        request: &Request<T>,
        match_id: &str,
        access: ReadAccess,
    ) -> Result<(MatchView, Caller), Refusal> {
        let (caller, reader) = self.reading_caller(request, access).await?;
        let id = MatchId::new(match_id).map_err(|_| match_unknown(match_id, &caller))?;
        let hosted = self.matches.find(&id, &caller, &reader).await?;
        let hosted = hosted.ok_or_else(|| match_unknown(match_id, &caller))?;
        Ok((hosted, caller))
    }
}

/// Checks that the caller may change a match: the caller's key created the match, or has the
/// `admin` scope.
fn check_may_change(hosted: &dyn HostedMatch, caller: &Caller) -> Result<(), Refusal> {
    if caller.key_name().is_some() && hosted.facts().maker.as_ref() == caller.key_name() {
        return Ok(());
    }
    caller.require_scope(KeyScope::Admin)
}

/// Returns whether a seat is to be offered to a bot that attends a queue.
fn is_queue_offer(reservation: &SeatReservation) -> bool {
    !reservation.queue_id.is_empty()
}

/// Identifies the caller for the queue of reads.
pub(super) fn reader<T>(request: &Request<T>, caller: &Caller) -> Reader {
    Reader {
        key: caller.key_id().cloned(),
        peer: ConnectionInfo::from_request(request).map(|info| (info.peer, info.origin)),
    }
}

/// The refusal for a match that does not exist or that the caller may not see. The refusal is the
/// same in both cases, so that callers cannot find out which identifiers exist.
fn match_unknown(match_id: &str, caller: &Caller) -> Refusal {
    let quoted = quoted(match_id);
    let message = if caller.may_read(ReadAccess::Matches) {
        format!("no match has the identifier {quoted}")
    } else {
        format!(
            "this API key sees no match {quoted}: without the `read` scope a key sees only \
             matches that it created or in which its bot has a seat"
        )
    };
    Refusal::new(RefusalReason::MatchUnknown, message)
}

/// The status of a streaming method that `encoded_streams` handles instead.
fn handled_by_encoded_streams() -> Status {
    Status::internal("internal error: call was not routed to encoded_streams")
}

/// Removes the faults from a listed match; its result still contains the number of faults.
fn without_fault_list(mut info: MatchInfo) -> MatchInfo {
    for seat in info.result.iter_mut().flat_map(|result| &mut result.seats) {
        seat.faults.clear();
    }
    info
}

#[tonic::async_trait]
impl MatchService for MatchRpc {
    async fn create_match(
        &self,
        request: Request<CreateMatchRequest>,
    ) -> Result<Response<CreateMatchResponse>, Status> {
        let caller = self.authenticator.match_creator(request.metadata()).await?;
        let reader = reader(&request, &caller);
        let mut request = request.into_inner();
        let config = request.config.as_ref();
        if let Some(game) = config.and_then(|config| config.game.as_ref()).and_then(game_id) {
            check_rules_version("rules_version", request.rules_version, game)?;
        }
        let mut options = match_options(&mut request, &caller, &self.authenticator)?;
        if options.has_withheld_seeds() || request.seat_reservations.iter().any(is_queue_offer) {
            self.matches.check_leader().await?;
        }
        let mut invited = BTreeMap::new();
        for reservation in &request.seat_reservations {
            if let Some((seat, one)) = invited_bot(reservation, &self.lobby, &caller)? {
                invited.insert(seat, one);
            }
        }
        let mut config = request.config.take().unwrap_or_default();
        if let Some(fork) = request.fork.take() {
            let start = self.fork_start(fork, &mut config, (&caller, &reader)).await?;
            options.fork_from = Some(start);
        }
        let created = if invited.is_empty() {
            self.matches.create_or_forward(&config, options).await?
        } else {
            let purpose = OfferPurpose::Contest;
            self.lobby.create_match(&self.matches, &config, options, invited, purpose).await?
        };
        let created = if created.existed {
            self.matches.previous_result_for(created, &caller).await?
        } else {
            created
        };
        let mut info = created.info;
        if request.without_config {
            info.config = None;
        }
        Ok(Response::new(CreateMatchResponse {
            r#match: Some(info),
            tickets: created.tickets,
            existed: created.existed,
        }))
    }

    async fn get_match(
        &self,
        request: Request<GetMatchRequest>,
    ) -> Result<Response<GetMatchResponse>, Status> {
        let GetMatchRequest { match_id, wait_ms, without_config } = request.get_ref();
        let wait = wait_for_end(*wait_ms)?;
        let (hosted, caller) = self.readable_match(&request, match_id, ReadAccess::Matches).await?;
        if let Some(wait) = wait {
            until_over(&hosted, wait, &self.matches, &caller).await?;
        }
        let info = if *without_config { hosted.info_without_config() } else { hosted.info() };
        let info = info.committed().await.map_err(Refusal::from)?;
        Ok(Response::new(GetMatchResponse { r#match: Some(info) }))
    }

    async fn list_matches(
        &self,
        request: Request<ListMatchesRequest>,
    ) -> Result<Response<ListMatchesResponse>, Status> {
        let (caller, reader) = self.reading_caller(&request, ReadAccess::Matches).await?;
        let connection = ConnectionInfo::from_request(&request).cloned();
        let (metadata, _, request) = request.into_parts();
        let filter = request.filter.unwrap_or_default();
        let query = match_query(filter.clone())?;
        let page_size = page_size(request.page_size)?;
        let after: Option<PageToken> = page_token(&request.page_token, |token| token.parse().ok())?;
        let permit = self.matches.read_limiter().admit(&reader)?;
        if matches!(caller.visible(), Visibility::None) {
            return Ok(Response::new(ListMatchesResponse::default()));
        }
        let connection = connection.as_ref().filter(|_| query.includes_in_play());
        let origin = (connection, &metadata);
        let remote = self.remote_pages(origin, &filter, after.as_ref(), page_size);
        let remote = remote.await?;
        let listed = self.matches.list(&query, (after, remote), page_size, &caller, &permit);
        let listed = listed.await?;
        let next = listed.next.map(|next| next.to_string());
        let matches = listed.matches.into_iter().map(without_fault_list);
        Ok(Response::new(ListMatchesResponse {
            matches: matches.collect(),
            next_page_token: next.unwrap_or_default(),
            damaged_match_ids: listed.damaged,
            incomplete: listed.is_incomplete,
        }))
    }

    type WatchMatchStream = Empty<Result<WatchMatchResponse, Status>>;

    async fn watch_match(
        &self,
        _: Request<WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        Err(handled_by_encoded_streams())
    }

    type WatchMatchesStream = OverviewStream;

    async fn watch_matches(
        &self,
        request: Request<WatchMatchesRequest>,
    ) -> Result<Response<Self::WatchMatchesStream>, Status> {
        let (caller, reader) = self.reading_caller(&request, ReadAccess::Matches).await?;
        let matches = Arc::clone(&self.matches);
        let overview = Overview::new(matches, caller, reader, request.into_inner())?;
        Ok(Response::new(overview.updates()))
    }

    type WatchPositionsStream = Empty<Result<WatchPositionsResponse, Status>>;

    async fn watch_positions(
        &self,
        _: Request<WatchPositionsRequest>,
    ) -> Result<Response<Self::WatchPositionsStream>, Status> {
        Err(handled_by_encoded_streams())
    }

    async fn cancel_match(
        &self,
        request: Request<CancelMatchRequest>,
    ) -> Result<Response<CancelMatchResponse>, Status> {
        let CancelMatchRequest { match_id, reason } = request.get_ref();
        let (hosted, caller) = self.changeable_match(&request, match_id).await?;
        check_reason(reason)?;
        let why = Cancellation {
            reason: reason.clone(),
            by: caller.key_name().map(ToString::to_string),
            declined: None,
        };
        let info = self.matches.cancel_for(&hosted, why, &caller).await?;
        Ok(Response::new(CancelMatchResponse { r#match: Some(info) }))
    }

    async fn replace_tickets(
        &self,
        request: Request<ReplaceTicketsRequest>,
    ) -> Result<Response<ReplaceTicketsResponse>, Status> {
        let ReplaceTicketsRequest { match_id, seats } = request.get_ref();
        let (hosted, caller) = self.changeable_match(&request, match_id).await?;
        let requested = ticket_seats(seats)?;
        let replaced = self.matches.replace_tickets_for(&hosted, requested, &caller);
        let tickets = replaced.await?;
        Ok(Response::new(ReplaceTicketsResponse { tickets }))
    }

    async fn expire_seat(
        &self,
        request: Request<ExpireSeatRequest>,
    ) -> Result<Response<ExpireSeatResponse>, Status> {
        let ExpireSeatRequest { match_id, seat, reason } = request.get_ref();
        let (hosted, caller) = self.changeable_match(&request, match_id).await?;
        check_reason(reason)?;
        let expired = (seat_number("seat", *seat)?, reason.clone());
        let expired = self.matches.expire_seat_for(&hosted, expired, &caller);
        expired.await?;
        Ok(Response::new(ExpireSeatResponse {}))
    }

    async fn close_group(
        &self,
        request: Request<CloseGroupRequest>,
    ) -> Result<Response<CloseGroupResponse>, Status> {
        let CloseGroupRequest { match_id, replay_match_ids } = request.get_ref();
        check_group_replays(replay_match_ids)?;
        let (hosted, caller) = self.changeable_match(&request, match_id).await?;
        self.matches.close_group(&*hosted).await?;
        let reader = reader(&request, &caller);
        let access = (&caller, &reader);
        let replays = self.group_replays(&*hosted, replay_match_ids, access);
        let replays = replays.await?;
        Ok(Response::new(CloseGroupResponse { replays }))
    }

    async fn get_replay(
        &self,
        request: Request<GetReplayRequest>,
    ) -> Result<Response<GetReplayResponse>, Status> {
        let GetReplayRequest { match_id, as_file } = request.get_ref();
        let (hosted, caller) = self.readable_match(&request, match_id, ReadAccess::Replays).await?;
        check_replay(&self.ladders, &hosted, &caller).await?;
        let reader = reader(&request, &caller);
        let replay = self.read_replay(&hosted, &reader, !as_file).await?;
        // The buffer into which the response is encoded can be twice as large.
        Call::reserve_answer(2 * replay.bytes.len()).await?;
        let mut response = GetReplayResponse::default();
        if *as_file {
            response.file = replay.bytes.to_vec();
        } else {
            response.replay = replay.message;
        }
        Ok(Response::new(response))
    }
}

/// Validates the requested waiting time; `None` if the call does not wait.
pub(super) fn wait_for_end(wait_ms: u32) -> Result<Option<Duration>, Refusal> {
    check_range("wait_ms", wait_ms, 0..=MAX_MATCH_END_WAIT_MS)?;
    Ok((wait_ms > 0).then(|| Duration::from_millis(wait_ms.into())))
}

/// Waits until the caller sees the match as ended, for at most `wait`. Also completes when the
/// server drains, since waiting calls must not delay the server's shutdown.
///
/// # Errors
/// Returns an error if the server stops, or the caller's key is revoked or expires.
pub(super) async fn until_over(
    hosted: &MatchView,
    wait: Duration,
    matches: &Matches,
    caller: &Caller,
) -> Result<(), Refusal> {
    if hosted.is_over() {
        return Ok(());
    }
    let draining = matches.lifecycle().drain_token();
    select! {
        biased;
        () = hosted.until_over() => Ok(()),
        refusal = matches.until_interrupted() => Err(refusal),
        refusal = caller.until_revoked() => Err(refusal),
        () = draining.cancelled() => Ok(()),
        () = sleep(wait) => Ok(()),
    }
}
