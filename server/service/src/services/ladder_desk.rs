//! `LadderService`: ladders, how their bots stand, and their matches.

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use async_stream::{stream, try_stream};
use bridgemaster_ladder::BotVersion;
use bridgemaster_proto::v1::{
    AdvanceLadderRequest, AdvanceLadderResponse, CreateLadderRequest, CreateLadderResponse,
    ExportReplaysRequest, ExportReplaysResponse, ExportResultsRequest, ExportResultsResponse,
    GetLadderBotRequest, GetLadderBotResponse, GetLadderRequest, GetLadderResponse, LadderBotRef,
    ListHeadToHeadsRequest, ListHeadToHeadsResponse, ListLadderMatchesRequest,
    ListLadderMatchesResponse, ListLaddersRequest, ListLaddersResponse, ListStandingsRequest,
    ListStandingsResponse, RefusalReason, RequestMatchRequest, RequestMatchResponse,
    UnbenchBotRequest, UnbenchBotResponse, WatchLadderRequest, WatchLadderResponse,
    ladder_service_server::LadderService,
};
use prost::Message as _;
use tokio_stream::Stream;
use tonic::{Request, Response, Status};
use tracing::error;

use super::{
    ladder_news::{LadderNews, attending, ended},
    ladder_wishes::{named, new_ladder, next_state, page, page_begin, page_size},
    match_desk::reader,
    replay_archive::ReplayArchive,
};
use crate::{
    hosting::{Matches, Viewer as _},
    identity::{Authenticator, Caller, KeyScope, Sight},
    ladder::{Attending, CSV_HEAD, Ladders, LiveLadder, MatchFilter, csv_of, request},
    refusal::Refusal,
    transport::Call,
};

/// Rows of results that are sent at once.
const ROWS_A_CHUNK: u32 = 200;

/// The service over the ladders of a server.
pub(crate) struct LadderDesk {
    ladders: Arc<Ladders>,
    authenticator: Authenticator,
}

impl LadderDesk {
    pub(crate) fn new(ladders: Arc<Ladders>, authenticator: Authenticator) -> Self {
        Self {
            ladders,
            authenticator,
        }
    }

    async fn caller<T>(&self, request: &Request<T>) -> Result<Caller, Refusal> {
        self.authenticator.caller(request.metadata()).await
    }

    /// The caller, who may see ladders.
    async fn onlooker<T>(&self, request: &Request<T>) -> Result<Caller, Refusal> {
        let caller = self.authenticator.onlooker(request.metadata()).await?;
        caller.require_sight(Sight::Results)?;
        Ok(caller)
    }

    /// The ladder of this name, for a caller who may see it.
    async fn seen<T>(
        &self,
        request: &Request<T>,
        ladder_id: &str,
    ) -> Result<Arc<LiveLadder>, Refusal> {
        self.onlooker(request).await?;
        self.ladders.get(ladder_id)
    }

    /// The ladder of this name, for a caller who may change it.
    async fn changeable<T>(
        &self,
        request: &Request<T>,
        ladder_id: &str,
    ) -> Result<Arc<LiveLadder>, Refusal> {
        let caller = self.caller(request).await?;
        caller.require(KeyScope::Admin)?;
        self.ladders.get(ladder_id)
    }

    fn attending(&self, ladder: &LiveLadder) -> Attending {
        attending(&self.ladders, ladder)
    }

    fn matches(&self) -> &Arc<Matches> {
        self.ladders.matches()
    }
}

/// The version of a bot that a request names.
fn version(
    ladder: &LiveLadder,
    field: &str,
    bot: Option<LadderBotRef>,
    attending: &Attending,
) -> Result<BotVersion, Refusal> {
    let bot = named(field, bot)?;
    let known = ladder.version(&bot, attending);
    known.ok_or_else(|| bot_unknown(&bot))
}

fn bot_unknown(bot: &LadderBotRef) -> Refusal {
    let LadderBotRef {
        bot_name,
        bot_version,
    } = bot;
    let shown: String = bot_name.chars().take(64).collect();
    let of = if bot_version.is_empty() {
        ""
    } else {
        ", or not this version of it"
    };
    let message = format!("the ladder has no bot of the name {shown:?}{of}");
    Refusal::new(RefusalReason::BotUnknown, message)
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl LadderService for LadderDesk {
    async fn create_ladder(
        &self,
        request: Request<CreateLadderRequest>,
    ) -> Result<Response<CreateLadderResponse>, Status> {
        let caller = self.caller(&request).await?;
        caller.require(KeyScope::Admin)?;
        let asked = request.into_inner().ladder.unwrap_or_default();
        let (id, ladder) = new_ladder(asked, &self.authenticator)?;
        let ladder = self.ladders.create(id, ladder).await?;
        Ok(Response::new(CreateLadderResponse {
            ladder: Some(ladder),
        }))
    }

    async fn advance_ladder(
        &self,
        request: Request<AdvanceLadderRequest>,
    ) -> Result<Response<AdvanceLadderResponse>, Status> {
        let ladder = self
            .changeable(&request, &request.get_ref().ladder_id)
            .await?;
        let to = next_state(request.get_ref().state)?;
        self.ladders.advance(&ladder, to).await?;
        Ok(Response::new(AdvanceLadderResponse {
            ladder: Some(ladder.shown()),
        }))
    }

    async fn list_ladders(
        &self,
        request: Request<ListLaddersRequest>,
    ) -> Result<Response<ListLaddersResponse>, Status> {
        self.onlooker(&request).await?;
        let ListLaddersRequest {
            page_size: asked,
            page_token,
        } = request.get_ref();
        let count = page_size(*asked)?;
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
        let ladder = self.seen(&request, &request.get_ref().ladder_id).await?;
        Ok(Response::new(GetLadderResponse {
            ladder: Some(ladder.shown()),
        }))
    }

    async fn list_standings(
        &self,
        request: Request<ListStandingsRequest>,
    ) -> Result<Response<ListStandingsResponse>, Status> {
        let ladder = self.seen(&request, &request.get_ref().ladder_id).await?;
        let ListStandingsRequest {
            all_versions,
            page_size,
            page_token,
            ..
        } = request.get_ref();
        let all = ladder.standings(&self.attending(&ladder), *all_versions);
        let (standings, next_page_token) = page(all, *page_size, page_token)?;
        Ok(Response::new(ListStandingsResponse {
            standings,
            next_page_token,
        }))
    }

    async fn get_ladder_bot(
        &self,
        request: Request<GetLadderBotRequest>,
    ) -> Result<Response<GetLadderBotResponse>, Status> {
        let ladder = self.seen(&request, &request.get_ref().ladder_id).await?;
        let bot_name = &request.get_ref().bot_name;
        let versions = ladder.bot(bot_name, &self.attending(&ladder));
        if versions.is_empty() {
            let bot = LadderBotRef {
                bot_name: bot_name.clone(),
                ..LadderBotRef::default()
            };
            return Err(bot_unknown(&bot).into());
        }
        let answer = GetLadderBotResponse { versions };
        Call::room_for_answer(answer.encoded_len()).await?;
        Ok(Response::new(answer))
    }

    async fn list_head_to_heads(
        &self,
        request: Request<ListHeadToHeadsRequest>,
    ) -> Result<Response<ListHeadToHeadsResponse>, Status> {
        let ladder = self.seen(&request, &request.get_ref().ladder_id).await?;
        let ListHeadToHeadsRequest {
            bot,
            against_bot_name,
            page_size,
            page_token,
            ..
        } = request.into_inner();
        let bot = version(&ladder, "bot", bot, &self.attending(&ladder))?;
        let all = ladder.head_to_heads(&bot, &against_bot_name).await;
        let (entries, next_page_token) = page(all, page_size, &page_token)?;
        Ok(Response::new(ListHeadToHeadsResponse {
            entries,
            next_page_token,
        }))
    }

    async fn list_ladder_matches(
        &self,
        request: Request<ListLadderMatchesRequest>,
    ) -> Result<Response<ListLadderMatchesResponse>, Status> {
        let caller = self.onlooker(&request).await?;
        let ladder = self.ladders.get(&request.get_ref().ladder_id)?;
        let reader = reader(&request, &caller);
        let ListLadderMatchesRequest {
            ladder_id: _,
            bot_name,
            against_bot_name,
            annulled,
            page_size: asked,
            page_token,
        } = request.into_inner();
        let filter = MatchFilter {
            bot_name,
            against_bot_name,
            annulled,
        };
        let (count, before) = (page_size(asked)?, page_begin(&page_token)?);
        let listed = ladder
            .list(
                self.matches(),
                &filter,
                before,
                count,
                (&reader, caller.seen()),
            )
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
        let caller = self.onlooker(&request).await?;
        let ladder = self.ladders.get(&request.get_ref().ladder_id)?;
        let ladders = Arc::clone(&self.ladders);
        let mut news = LadderNews::new(Arc::clone(&ladders), ladder, caller.clone());
        Ok(Response::new(Box::pin(try_stream! {
            let mut ended = pin!(ended(ladders, &caller));
            while let Some(told) = news.next(ended.as_mut()).await? {
                yield told;
            }
        })))
    }

    async fn request_match(
        &self,
        request_: Request<RequestMatchRequest>,
    ) -> Result<Response<RequestMatchResponse>, Status> {
        let caller = self.caller(&request_).await?;
        caller.require(KeyScope::Play)?;
        let RequestMatchRequest { ladder_id, bots } = request_.into_inner();
        let ladder = self.ladders.get(&ladder_id)?;
        let attending = self.attending(&ladder);
        let bots = bots
            .into_iter()
            .map(|bot| version(&ladder, "bots", Some(bot), &attending));
        let bots = bots.collect::<Result<Vec<_>, _>>()?;
        let own = caller.name().filter(|_| !caller.may(KeyScope::Admin));
        if let Some(own) = own
            && bots.iter().all(|bot| bot.name != own.as_str())
        {
            let detail = format!(
                "name your own bot {:?} among them, or show a key with the scope `admin`",
                own.as_str()
            );
            return Err(Refusal::field("bots", detail).into());
        }
        Ok(Response::new(RequestMatchResponse {
            match_id: request(&ladder, bots).await?,
        }))
    }

    async fn unbench_bot(
        &self,
        request: Request<UnbenchBotRequest>,
    ) -> Result<Response<UnbenchBotResponse>, Status> {
        let ladder = self
            .changeable(&request, &request.get_ref().ladder_id)
            .await?;
        let attending = self.attending(&ladder);
        let bot = version(&ladder, "bot", request.into_inner().bot, &attending)?;
        self.ladders.unbench(&ladder, bot.clone()).await?;
        Ok(Response::new(UnbenchBotResponse {
            standing: Some(ladder.standing(&bot, &self.attending(&ladder))),
        }))
    }

    type ExportResultsStream = Responses<ExportResultsResponse>;

    async fn export_results(
        &self,
        request: Request<ExportResultsRequest>,
    ) -> Result<Response<Self::ExportResultsStream>, Status> {
        let caller = self.onlooker(&request).await?;
        let ladder = self.ladders.get(&request.get_ref().ladder_id)?;
        let matches = Arc::clone(self.matches());
        let reader = reader(&request, &caller);
        Ok(Response::new(Box::pin(stream! {
            // Held for as long as the stream is read.
            let _place = match matches.reading().begin(&reader) {
                Ok(place) => place,
                Err(refusal) => {
                    yield Err(refusal.into());
                    return;
                }
            };
            let mut from = Some(0);
            let mut chunk = CSV_HEAD.to_owned();
            while let Some(number) = from {
                let rows = match ladder.rows(&matches, number, ROWS_A_CHUNK).await {
                    Ok(rows) => rows,
                    Err(refusal) => {
                        yield Err(refusal.into());
                        return;
                    }
                };
                from = rows.next;
                for stored in &rows.kept {
                    match csv_of(stored) {
                        Ok(lines) => chunk.push_str(&lines),
                        // As everywhere, it is left out; it was told of at the start.
                        Err(problem) => error!(number = stored.number, problem, "a match of a ladder cannot be read"),
                    }
                }
                yield Ok(ExportResultsResponse {
                    chunk: std::mem::take(&mut chunk).into_bytes(),
                });
            }
        })))
    }

    type ExportReplaysStream = Responses<ExportReplaysResponse>;

    async fn export_replays(
        &self,
        request: Request<ExportReplaysRequest>,
    ) -> Result<Response<Self::ExportReplaysStream>, Status> {
        let caller = self.onlooker(&request).await?;
        caller.require_sight_of_guest(Sight::Replays)?;
        let reader = reader(&request, &caller);
        let ExportReplaysRequest {
            ladder_id,
            bot_name,
            against_bot_name,
        } = request.into_inner();
        let ladder = self.ladders.get(&ladder_id)?;
        let attending = self.attending(&ladder);
        if bot_name.is_empty() {
            return Err(Refusal::field("bot_name", "name a bot").into());
        }
        let named = [&bot_name, &against_bot_name].into_iter();
        for bot_name in named.filter(|name| !name.is_empty()) {
            let bot = LadderBotRef {
                bot_name: bot_name.clone(),
                ..LadderBotRef::default()
            };
            let known = ladder.version(&bot, &attending);
            known.ok_or_else(|| bot_unknown(&bot))?;
        }
        let archive = ReplayArchive {
            ladders: Arc::clone(&self.ladders),
            ladder,
            filter: MatchFilter {
                bot_name,
                against_bot_name,
                annulled: None,
            },
            caller,
            reader,
        };
        Ok(Response::new(Box::pin(archive.parts())))
    }
}
