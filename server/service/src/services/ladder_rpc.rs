//! `LadderService`: ladders, their standings, and their matches.

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use async_stream::try_stream;
use bridgemaster_edge::{
    identity::{Authenticator, Caller, KeyScope, ReadAccess},
    refusal::Refusal,
    transport::Call,
};
use bridgemaster_ladder::BotVersion;
use bridgemaster_live::Matches;
use bridgemaster_matchmaking::ladder::{
    Attendances, CSV_HEAD, Ladders, LiveLadder, MatchFilter, request_unrated_match,
};
use bridgemaster_proto::v1::{
    ActOnLadderRequest, ActOnLadderResponse, AdvanceLadderRequest, AdvanceLadderResponse,
    CreateLadderRequest, CreateLadderResponse, ExportReplaysRequest, ExportReplaysResponse,
    ExportResultsRequest, ExportResultsResponse, GetLadderBotRequest, GetLadderBotResponse,
    GetLadderRequest, GetLadderResponse, LadderBotRef, ListHeadToHeadsRequest,
    ListHeadToHeadsResponse, ListLadderActionsRequest, ListLadderActionsResponse,
    ListLadderMatchesRequest, ListLadderMatchesResponse, ListLaddersRequest, ListLaddersResponse,
    ListStandingsRequest, ListStandingsResponse, RefusalReason, RequestMatchRequest,
    RequestMatchResponse, UnbenchBotRequest, UnbenchBotResponse, WatchLadderRequest,
    WatchLadderResponse, ladder_service_server::LadderService,
};
use bridgemaster_store::KeyName;
use prost::Message as _;
use tokio_stream::Stream;
use tonic::{Request, Response, Status};
use tracing::error;

use super::{
    ladder_actions::action,
    ladder_replay_tar::LadderReplayTar,
    ladder_updates::{LadderUpdates, attendances},
    ladder_validation::{bot_ref, new_ladder, next_state, page, page_offset},
    match_rpc::reader,
    until_access_ends,
    validation::{page_size, quoted},
};

/// The number of result rows in one response of an export.
const ROWS_PER_CHUNK: u32 = 200;

/// The implementation of `LadderService`.
pub(crate) struct LadderRpc {
    ladders: Arc<Ladders>,
    authenticator: Authenticator,
}

impl LadderRpc {
    pub(crate) fn new(ladders: Arc<Ladders>, authenticator: Authenticator) -> Self {
        Self { ladders, authenticator }
    }

    async fn caller<T>(&self, request: &Request<T>) -> Result<Caller, Refusal> {
        self.authenticator.caller(request.metadata()).await
    }

    /// Authenticates the caller, and checks that the caller may read results.
    async fn caller_or_guest<T>(&self, request: &Request<T>) -> Result<Caller, Refusal> {
        let caller = self.authenticator.caller_or_guest(request.metadata()).await?;
        caller.require_read(ReadAccess::Results)?;
        Ok(caller)
    }

    /// Returns the ladder `ladder_id`, if the caller may read it.
    async fn readable_ladder<T>(
        &self,
        request: &Request<T>,
        ladder_id: &str,
    ) -> Result<Arc<LiveLadder>, Refusal> {
        self.caller_or_guest(request).await?;
        self.ladders.get(ladder_id)
    }

    /// Returns the ladder `ladder_id`, if the caller may change it.
    async fn changeable_ladder<T>(
        &self,
        request: &Request<T>,
        ladder_id: &str,
    ) -> Result<(Arc<LiveLadder>, Caller), Refusal> {
        let caller = self.caller(request).await?;
        caller.require_scope(KeyScope::Admin)?;
        let ladder = self.ladders.get(ladder_id)?;
        let organisers = ladder.created_ladder().organiser_key_names;
        let is_organiser = |key: &KeyName| organisers.iter().any(|name| name == key.as_str());
        if organisers.is_empty() || caller.key_name().is_none_or(is_organiser) {
            return Ok((ladder, caller));
        }
        let organisers = organisers.join(", ");
        let message = format!("only the ladder's organisers may change it: {organisers}");
        Err(Refusal::new(RefusalReason::ScopeMissing, message).with("scope", "admin"))
    }

    fn attendances(&self, ladder: &LiveLadder) -> Attendances {
        attendances(&self.ladders, ladder)
    }

    fn matches(&self) -> &Arc<Matches> {
        self.ladders.matches()
    }
}

/// Resolves the bot version that a request names.
fn resolve_version(
    ladder: &LiveLadder,
    field: &str,
    bot: Option<LadderBotRef>,
    attendances: &Attendances,
) -> Result<BotVersion, Refusal> {
    let bot = bot_ref(field, bot)?;
    let registered = ladder.version(&bot, attendances);
    registered.ok_or_else(|| bot_unknown(&bot))
}

fn bot_unknown(bot: &LadderBotRef) -> Refusal {
    let LadderBotRef { bot_name, bot_version } = bot;
    let of = if bot_version.is_empty() { "" } else { " with that version" };
    let message = format!("the ladder has no bot named {}{of}", quoted(bot_name));
    Refusal::new(RefusalReason::BotUnknown, message)
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl LadderService for LadderRpc {
    async fn create_ladder(
        &self,
        request: Request<CreateLadderRequest>,
    ) -> Result<Response<CreateLadderResponse>, Status> {
        let caller = self.caller(&request).await?;
        caller.require_scope(KeyScope::Admin)?;
        let mut requested = request.into_inner().ladder.unwrap_or_default();
        if requested.organiser_key_names.is_empty() {
            requested.organiser_key_names.extend(caller.key_name().map(ToString::to_string));
        }
        let (id, ladder) = new_ladder(requested, &self.authenticator)?;
        let ladder = self.ladders.create(id, ladder).await?;
        Ok(Response::new(CreateLadderResponse { ladder: Some(ladder) }))
    }

    async fn advance_ladder(
        &self,
        request: Request<AdvanceLadderRequest>,
    ) -> Result<Response<AdvanceLadderResponse>, Status> {
        let (ladder, _) = self.changeable_ladder(&request, &request.get_ref().ladder_id).await?;
        let to = next_state(request.get_ref().state)?;
        self.ladders.advance_state(&ladder, to).await?;
        Ok(Response::new(AdvanceLadderResponse { ladder: Some(ladder.to_wire()) }))
    }

    async fn list_ladders(
        &self,
        request: Request<ListLaddersRequest>,
    ) -> Result<Response<ListLaddersResponse>, Status> {
        self.caller_or_guest(&request).await?;
        let ListLaddersRequest { page_size: requested_size, page_token } = request.get_ref();
        let count = page_size(*requested_size)?;
        let mut ladders = self.ladders.list(page_token, count + 1);
        let has_more = ladders.len() > count;
        ladders.truncate(count);
        let last = ladders.last().filter(|_| has_more);
        Ok(Response::new(ListLaddersResponse {
            next_page_token: last.map(|last| last.ladder_id.clone()).unwrap_or_default(),
            ladders,
        }))
    }

    async fn get_ladder(
        &self,
        request: Request<GetLadderRequest>,
    ) -> Result<Response<GetLadderResponse>, Status> {
        let ladder = self.readable_ladder(&request, &request.get_ref().ladder_id).await?;
        Ok(Response::new(GetLadderResponse { ladder: Some(ladder.to_wire()) }))
    }

    async fn list_standings(
        &self,
        request: Request<ListStandingsRequest>,
    ) -> Result<Response<ListStandingsResponse>, Status> {
        let ladder = self.readable_ladder(&request, &request.get_ref().ladder_id).await?;
        let ListStandingsRequest { all_versions, page_size, page_token, .. } = request.get_ref();
        let all = ladder.standings(&self.attendances(&ladder), *all_versions);
        let (standings, next_page_token) = page(all, *page_size, page_token)?;
        Ok(Response::new(ListStandingsResponse { standings, next_page_token }))
    }

    async fn get_ladder_bot(
        &self,
        request: Request<GetLadderBotRequest>,
    ) -> Result<Response<GetLadderBotResponse>, Status> {
        let ladder = self.readable_ladder(&request, &request.get_ref().ladder_id).await?;
        let bot_name = &request.get_ref().bot_name;
        let versions = ladder.bot(bot_name, &self.attendances(&ladder));
        if versions.is_empty() {
            let bot = LadderBotRef { bot_name: bot_name.clone(), ..LadderBotRef::default() };
            return Err(bot_unknown(&bot).into());
        }
        let response = GetLadderBotResponse { versions };
        Call::reserve_answer(response.encoded_len()).await?;
        Ok(Response::new(response))
    }

    async fn list_head_to_heads(
        &self,
        request: Request<ListHeadToHeadsRequest>,
    ) -> Result<Response<ListHeadToHeadsResponse>, Status> {
        let ladder = self.readable_ladder(&request, &request.get_ref().ladder_id).await?;
        let ListHeadToHeadsRequest { bot, against_bot_name, page_size, page_token, .. } =
            request.into_inner();
        let bot = resolve_version(&ladder, "bot", bot, &self.attendances(&ladder))?;
        let all = ladder.head_to_heads(&bot, &against_bot_name).await;
        let (entries, next_page_token) = page(all, page_size, &page_token)?;
        Ok(Response::new(ListHeadToHeadsResponse { entries, next_page_token }))
    }

    async fn list_ladder_matches(
        &self,
        request: Request<ListLadderMatchesRequest>,
    ) -> Result<Response<ListLadderMatchesResponse>, Status> {
        let caller = self.caller_or_guest(&request).await?;
        let ladder = self.ladders.get(&request.get_ref().ladder_id)?;
        let reader = reader(&request, &caller);
        let ListLadderMatchesRequest {
            ladder_id: _,
            bot_name,
            against_bot_name,
            annulled,
            page_size: requested_size,
            page_token,
        } = request.into_inner();
        let filter = MatchFilter { bot_name, against_bot_name, annulled };
        let (count, before) = (page_size(requested_size)?, page_offset(&page_token)?);
        let listed = ladder
            .list(self.matches(), &filter, before, count, (&reader, caller.visible()))
            .await?;
        let next = listed.next.map(|next| next.to_string());
        Ok(Response::new(ListLadderMatchesResponse {
            matches: listed.matches,
            next_page_token: next.unwrap_or_default(),
        }))
    }

    type WatchLadderStream = Responses<WatchLadderResponse>;

    async fn watch_ladder(
        &self,
        request: Request<WatchLadderRequest>,
    ) -> Result<Response<Self::WatchLadderStream>, Status> {
        let caller = self.caller_or_guest(&request).await?;
        let ladder = self.ladders.get(&request.get_ref().ladder_id)?;
        let matches = Arc::clone(self.matches());
        let ladders = Arc::clone(&self.ladders);
        let mut updates = LadderUpdates::new(ladders, ladder, caller.clone());
        Ok(Response::new(Box::pin(try_stream! {
            let mut ended = pin!(until_access_ends(&matches, &caller));
            while let Some(update) = updates.next(ended.as_mut()).await? {
                yield update;
            }
        })))
    }

    async fn request_match(
        &self,
        request_: Request<RequestMatchRequest>,
    ) -> Result<Response<RequestMatchResponse>, Status> {
        let caller = self.caller(&request_).await?;
        caller.require_scope(KeyScope::Play)?;
        let RequestMatchRequest { ladder_id, bots } = request_.into_inner();
        let ladder = self.ladders.get(&ladder_id)?;
        let attendances = self.attendances(&ladder);
        let bots =
            bots.into_iter().map(|bot| resolve_version(&ladder, "bots", Some(bot), &attendances));
        let bots = bots.collect::<Result<Vec<_>, _>>()?;
        let own = caller.key_name().filter(|_| !caller.has_scope(KeyScope::Admin));
        if let Some(own) = own
            && bots.iter().all(|bot| bot.name != own.as_str())
        {
            let detail = format!(
                "include your own bot {:?}, or use a key with the `admin` scope",
                own.as_str()
            );
            return Err(Refusal::field("bots", detail).into());
        }
        Ok(Response::new(RequestMatchResponse {
            match_id: request_unrated_match(&ladder, bots).await?,
        }))
    }

    async fn act_on_ladder(
        &self,
        request: Request<ActOnLadderRequest>,
    ) -> Result<Response<ActOnLadderResponse>, Status> {
        let (ladder, caller) =
            self.changeable_ladder(&request, &request.get_ref().ladder_id).await?;
        let requested = request.into_inner().action.unwrap_or_default();
        let action = action(requested, &caller, &self.authenticator, |bot| {
            !ladder.bot(bot, &Attendances::new()).is_empty()
        })?;
        let action = self.ladders.act(&ladder, action).await?;
        let ladder = Some(ladder.to_wire());
        Ok(Response::new(ActOnLadderResponse { action: Some(action), ladder }))
    }

    async fn list_ladder_actions(
        &self,
        request: Request<ListLadderActionsRequest>,
    ) -> Result<Response<ListLadderActionsResponse>, Status> {
        let ladder = self.readable_ladder(&request, &request.get_ref().ladder_id).await?;
        let ListLadderActionsRequest { page_size: requested_size, page_token, .. } =
            request.get_ref();
        let begin = page_offset(page_token)?.unwrap_or_default();
        let begin = usize::try_from(begin).unwrap_or(usize::MAX);
        let (actions, next) = ladder.actions(begin, page_size(*requested_size)?);
        let next_page_token = next.map_or_else(String::new, |next| next.to_string());
        let response = ListLadderActionsResponse { actions, next_page_token };
        Call::reserve_answer(response.encoded_len()).await?;
        Ok(Response::new(response))
    }

    async fn unbench_bot(
        &self,
        request: Request<UnbenchBotRequest>,
    ) -> Result<Response<UnbenchBotResponse>, Status> {
        let (ladder, _) = self.changeable_ladder(&request, &request.get_ref().ladder_id).await?;
        let attendances = self.attendances(&ladder);
        let bot = resolve_version(&ladder, "bot", request.into_inner().bot, &attendances)?;
        self.ladders.unbench(&ladder, bot.clone()).await?;
        Ok(Response::new(UnbenchBotResponse {
            standing: Some(ladder.standing(&bot, &self.attendances(&ladder))),
        }))
    }

    type ExportResultsStream = Responses<ExportResultsResponse>;

    async fn export_results(
        &self,
        request: Request<ExportResultsRequest>,
    ) -> Result<Response<Self::ExportResultsStream>, Status> {
        let caller = self.caller_or_guest(&request).await?;
        let ladder = self.ladders.get(&request.get_ref().ladder_id)?;
        let matches = Arc::clone(self.matches());
        let reader = reader(&request, &caller);
        Ok(Response::new(Box::pin(try_stream! {
            // The permit is held until the stream ends.
            let _place = matches.read_limiter().admit(&reader)?;
            let mut from = Some(0);
            let mut chunk = CSV_HEAD.to_owned();
            while let Some(number) = from {
                let rows = ladder.read_rows(&matches, number, ROWS_PER_CHUNK).await?;
                from = rows.next;
                for stored in &rows.intact {
                    match ladder.csv_rows(stored) {
                        Ok(lines) => chunk.push_str(&lines),
                        // Unreadable rows, which were logged when the ladder was loaded, are
                        // skipped here too.
                        Err(problem) => error!(number = stored.number, problem, "cannot read a match of the ladder"),
                    }
                }
                yield ExportResultsResponse { chunk: std::mem::take(&mut chunk).into_bytes() };
            }
        })))
    }

    type ExportReplaysStream = Responses<ExportReplaysResponse>;

    async fn export_replays(
        &self,
        request: Request<ExportReplaysRequest>,
    ) -> Result<Response<Self::ExportReplaysStream>, Status> {
        let caller = self.caller_or_guest(&request).await?;
        caller.require_guest_read(ReadAccess::Replays)?;
        let reader = reader(&request, &caller);
        let ExportReplaysRequest { ladder_id, bot_name, against_bot_name } = request.into_inner();
        let ladder = self.ladders.get(&ladder_id)?;
        let attendances = self.attendances(&ladder);
        if bot_name.is_empty() {
            return Err(Refusal::field("bot_name", "must not be empty").into());
        }
        let named = [&bot_name, &against_bot_name].into_iter();
        for bot_name in named.filter(|name| !name.is_empty()) {
            let bot = LadderBotRef { bot_name: bot_name.clone(), ..LadderBotRef::default() };
            let registered = ladder.version(&bot, &attendances);
            registered.ok_or_else(|| bot_unknown(&bot))?;
        }
        let archive = LadderReplayTar {
            ladders: Arc::clone(&self.ladders),
            ladder,
            filter: MatchFilter { bot_name, against_bot_name, annulled: None },
            caller,
            reader,
        };
        Ok(Response::new(Box::pin(archive.stream_parts())))
    }
}
