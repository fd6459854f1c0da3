//! Client for a server's ladder service.

use anyhow::Context as _;
use bridgemaster_proto::v1::{
    AdvanceLadderRequest, CreateLadderRequest, ExportReplaysRequest, ExportReplaysResponse,
    ExportResultsRequest, GetLadderBotRequest, GetLadderRequest, Ladder, LadderBotRef,
    LadderHeadToHead, LadderMatch, LadderState, LadderVersion, ListHeadToHeadsRequest,
    ListLadderMatchesRequest, ListLaddersRequest, ListLaddersResponse, ListStandingsRequest,
    RequestMatchRequest, Standing, UnbenchBotRequest, WatchLadderRequest, WatchLadderResponse,
    ladder_service_client::LadderServiceClient,
};
use tonic::{Status, Streaming};

use crate::{
    failure::refused,
    match_client::{KeyedChannel, ServerFlag},
};

/// Number of entries that are requested per page.
const PAGE_SIZE: u32 = 500;

/// Client for a ladder service.
pub(super) struct LadderClient(LadderServiceClient<KeyedChannel>);

/// Connects to the server's ladder service.
pub(super) async fn connect(server: &ServerFlag) -> anyhow::Result<LadderClient> {
    let (channel, key) = server.channel().await?;
    Ok(LadderClient(LadderServiceClient::with_interceptor(
        channel, key,
    )))
}

fn into_message<T>(response: Result<tonic::Response<T>, Status>) -> anyhow::Result<T> {
    Ok(response.map_err(|status| refused(&status))?.into_inner())
}

/// Returns a streamed file's next chunk. Returns `None` at the end of the file.
pub(super) async fn next_part<T>(parts: &mut Streaming<T>) -> anyhow::Result<Option<T>> {
    parts.message().await.map_err(|status| refused(&status))
}

const NO_LADDER: &str = "the server sent no information about the ladder";

impl LadderClient {
    pub(super) async fn create(&mut self, ladder: Ladder) -> anyhow::Result<Ladder> {
        let request = CreateLadderRequest {
            ladder: Some(ladder),
        };
        let created = into_message(self.0.create_ladder(request).await)?;
        created.ladder.context(NO_LADDER)
    }

    pub(super) async fn advance(
        &mut self,
        ladder_id: String,
        state: LadderState,
    ) -> anyhow::Result<Ladder> {
        let request = AdvanceLadderRequest {
            ladder_id,
            state: state.into(),
        };
        let advanced = into_message(self.0.advance_ladder(request).await)?;
        advanced.ladder.context(NO_LADDER)
    }

    pub(super) async fn get(&mut self, ladder_id: &str) -> anyhow::Result<Ladder> {
        let ladder_id = ladder_id.to_owned();
        let response = self.0.get_ladder(GetLadderRequest { ladder_id }).await;
        into_message(response)?.ladder.context(NO_LADDER)
    }

    /// Returns all ladders, from all pages.
    pub(super) async fn ladders(&mut self) -> anyhow::Result<ListLaddersResponse> {
        let mut all = ListLaddersResponse::default();
        loop {
            let request = ListLaddersRequest {
                page_size: PAGE_SIZE,
                page_token: std::mem::take(&mut all.next_page_token),
            };
            let page = into_message(self.0.list_ladders(request).await)?;
            all.ladders.extend(page.ladders);
            if page.next_page_token.is_empty() {
                return Ok(all);
            }
            all.next_page_token = page.next_page_token;
        }
    }

    /// Returns a ladder's standings, strongest bot first.
    pub(super) async fn standings(
        &mut self,
        ladder_id: &str,
        all_versions: bool,
    ) -> anyhow::Result<Vec<Standing>> {
        let mut all = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListStandingsRequest {
                ladder_id: ladder_id.to_owned(),
                all_versions,
                page_size: PAGE_SIZE,
                page_token,
            };
            let page = into_message(self.0.list_standings(request).await)?;
            all.extend(page.standings);
            if page.next_page_token.is_empty() {
                return Ok(all);
            }
            page_token = page.next_page_token;
        }
    }

    /// Returns a bot's versions, newest first.
    pub(super) async fn bot(
        &mut self,
        ladder_id: &str,
        bot_name: &str,
    ) -> anyhow::Result<Vec<LadderVersion>> {
        let request = GetLadderBotRequest {
            ladder_id: ladder_id.to_owned(),
            bot_name: bot_name.to_owned(),
        };
        Ok(into_message(self.0.get_ladder_bot(request).await)?.versions)
    }

    /// Returns a bot's head-to-head results against all other bots or against one bot.
    pub(super) async fn head_to_heads(
        &mut self,
        ladder_id: &str,
        bot: LadderBotRef,
        against: &str,
    ) -> anyhow::Result<Vec<LadderHeadToHead>> {
        let mut all = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListHeadToHeadsRequest {
                ladder_id: ladder_id.to_owned(),
                bot: Some(bot.clone()),
                against_bot_name: against.to_owned(),
                page_size: PAGE_SIZE,
                page_token,
            };
            let page = into_message(self.0.list_head_to_heads(request).await)?;
            all.extend(page.entries);
            if page.next_page_token.is_empty() {
                return Ok(all);
            }
            page_token = page.next_page_token;
        }
    }

    /// Returns the newest matches of one bot, or of a pair of bots.
    pub(super) async fn matches(
        &mut self,
        ladder_id: &str,
        bot_name: &str,
        against: &str,
        limit: usize,
    ) -> anyhow::Result<Vec<LadderMatch>> {
        let mut found = Vec::new();
        let mut page_token = String::new();
        loop {
            let left = u32::try_from(limit - found.len()).unwrap_or(u32::MAX);
            let request = ListLadderMatchesRequest {
                ladder_id: ladder_id.to_owned(),
                bot_name: bot_name.to_owned(),
                against_bot_name: against.to_owned(),
                annulled: None,
                page_size: left.min(PAGE_SIZE),
                page_token,
            };
            let page = into_message(self.0.list_ladder_matches(request).await)?;
            found.extend(page.matches);
            if page.next_page_token.is_empty() || found.len() >= limit {
                return Ok(found);
            }
            page_token = page.next_page_token;
        }
    }

    pub(super) async fn unbench(
        &mut self,
        ladder_id: String,
        bot: LadderBotRef,
    ) -> anyhow::Result<Standing> {
        let request = UnbenchBotRequest {
            ladder_id,
            bot: Some(bot),
        };
        let unbenched = into_message(self.0.unbench_bot(request).await)?;
        unbenched
            .standing
            .context("the server sent no information about the bot")
    }

    /// Requests a match and returns the match's identifier.
    pub(super) async fn request(
        &mut self,
        ladder_id: String,
        bots: Vec<LadderBotRef>,
    ) -> anyhow::Result<String> {
        let request = RequestMatchRequest { ladder_id, bots };
        Ok(into_message(self.0.request_match(request).await)?.match_id)
    }

    /// Opens a stream of a ladder's updates.
    pub(super) async fn watch(
        &mut self,
        ladder_id: &str,
    ) -> anyhow::Result<Streaming<WatchLadderResponse>> {
        let ladder_id = ladder_id.to_owned();
        into_message(self.0.watch_ladder(WatchLadderRequest { ladder_id }).await)
    }

    /// Requests the replays of one bot, or of a pair of bots. Returns the chunks of a tar file.
    pub(super) async fn replays(
        &mut self,
        ladder_id: &str,
        bot_name: &str,
        against: &str,
    ) -> anyhow::Result<Streaming<ExportReplaysResponse>> {
        let request = ExportReplaysRequest {
            ladder_id: ladder_id.to_owned(),
            bot_name: bot_name.to_owned(),
            against_bot_name: against.to_owned(),
        };
        into_message(self.0.export_replays(request).await)
    }

    /// Returns all results as a CSV file.
    pub(super) async fn results(&mut self, ladder_id: &str) -> anyhow::Result<Vec<u8>> {
        let ladder_id = ladder_id.to_owned();
        let export = self.0.export_results(ExportResultsRequest { ladder_id });
        let mut parts = into_message(export.await)?;
        let mut file = Vec::new();
        while let Some(part) = next_part(&mut parts).await? {
            file.extend(part.chunk);
        }
        Ok(file)
    }
}
