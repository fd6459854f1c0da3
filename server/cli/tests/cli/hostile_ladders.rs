//! The ladders of a server that puts control sequences into everything that it answers.

use std::pin::Pin;

use bridgemaster_proto::v1::{
    self, AdvanceLadderRequest, AdvanceLadderResponse, CreateLadderRequest, CreateLadderResponse,
    ExportReplaysRequest, ExportReplaysResponse, ExportResultsRequest, ExportResultsResponse,
    GetLadderBotRequest, GetLadderBotResponse, GetLadderRequest, GetLadderResponse,
    ListHeadToHeadsRequest, ListHeadToHeadsResponse, ListLadderMatchesRequest,
    ListLadderMatchesResponse, ListLaddersRequest, ListLaddersResponse, ListStandingsRequest,
    ListStandingsResponse, RequestMatchRequest, RequestMatchResponse, UnbenchBotRequest,
    UnbenchBotResponse, WatchLadderRequest, WatchLadderResponse,
    ladder_service_server::LadderService,
};
use tokio_stream::Stream;
use tonic::{Request, Response, Status};

use crate::hostile_server::{Hostile, hostile, info, result};

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

fn ladder() -> Option<v1::Ladder> {
    Some(v1::Ladder {
        ladder_id: hostile(),
        ..v1::Ladder::default()
    })
}

fn standing() -> v1::Standing {
    v1::Standing {
        bot_name: hostile(),
        bot_version: hostile(),
        owner: hostile(),
        state: v1::AttendanceState::Benched.into(),
        detail: hostile(),
        rating: Some(v1::Rating::default()),
        ..v1::Standing::default()
    }
}

fn bot() -> v1::LadderBotRef {
    v1::LadderBotRef {
        bot_name: hostile(),
        bot_version: hostile(),
    }
}

fn matched() -> v1::LadderMatch {
    let mut info = info(Some(result()));
    info.state = v1::MatchState::Ended.into();
    v1::LadderMatch {
        r#match: Some(info),
        ..v1::LadderMatch::default()
    }
}

#[tonic::async_trait]
impl LadderService for Hostile {
    async fn create_ladder(
        &self,
        _: Request<CreateLadderRequest>,
    ) -> Result<Response<CreateLadderResponse>, Status> {
        self.answer(CreateLadderResponse { ladder: ladder() })
    }

    async fn advance_ladder(
        &self,
        _: Request<AdvanceLadderRequest>,
    ) -> Result<Response<AdvanceLadderResponse>, Status> {
        self.answer(AdvanceLadderResponse { ladder: ladder() })
    }

    async fn list_ladders(
        &self,
        _: Request<ListLaddersRequest>,
    ) -> Result<Response<ListLaddersResponse>, Status> {
        self.answer(ListLaddersResponse {
            ladders: ladder().into_iter().collect(),
            next_page_token: String::new(),
        })
    }

    async fn get_ladder(
        &self,
        _: Request<GetLadderRequest>,
    ) -> Result<Response<GetLadderResponse>, Status> {
        self.answer(GetLadderResponse { ladder: ladder() })
    }

    async fn list_standings(
        &self,
        _: Request<ListStandingsRequest>,
    ) -> Result<Response<ListStandingsResponse>, Status> {
        self.answer(ListStandingsResponse {
            standings: vec![standing()],
            next_page_token: String::new(),
        })
    }

    async fn get_ladder_bot(
        &self,
        _: Request<GetLadderBotRequest>,
    ) -> Result<Response<GetLadderBotResponse>, Status> {
        let version = v1::LadderVersion {
            standing: Some(standing()),
            ..v1::LadderVersion::default()
        };
        self.answer(GetLadderBotResponse {
            versions: vec![version],
        })
    }

    async fn list_head_to_heads(
        &self,
        _: Request<ListHeadToHeadsRequest>,
    ) -> Result<Response<ListHeadToHeadsResponse>, Status> {
        let entry = v1::LadderHeadToHead {
            against: Some(bot()),
            head_to_head: Some(v1::HeadToHead {
                // More than there are: nothing may panic on it.
                first_ahead: 7,
                ..v1::HeadToHead::default()
            }),
        };
        self.answer(ListHeadToHeadsResponse {
            entries: vec![entry],
            next_page_token: String::new(),
        })
    }

    async fn list_ladder_matches(
        &self,
        _: Request<ListLadderMatchesRequest>,
    ) -> Result<Response<ListLadderMatchesResponse>, Status> {
        self.answer(ListLadderMatchesResponse {
            matches: vec![matched()],
            next_page_token: String::new(),
        })
    }

    type WatchLadderStream = Answers<WatchLadderResponse>;

    async fn watch_ladder(
        &self,
        _: Request<WatchLadderRequest>,
    ) -> Result<Response<Self::WatchLadderStream>, Status> {
        let standings = WatchLadderResponse {
            ladder: ladder(),
            standings: vec![standing()],
            r#match: None,
        };
        let matches = WatchLadderResponse {
            r#match: Some(matched()),
            ..WatchLadderResponse::default()
        };
        let news = [Ok(standings), Ok(matches)];
        self.answer(Box::pin(tokio_stream::iter(news)))
    }

    async fn request_match(
        &self,
        _: Request<RequestMatchRequest>,
    ) -> Result<Response<RequestMatchResponse>, Status> {
        self.answer(RequestMatchResponse {
            match_id: hostile(),
        })
    }

    async fn unbench_bot(
        &self,
        _: Request<UnbenchBotRequest>,
    ) -> Result<Response<UnbenchBotResponse>, Status> {
        self.answer(UnbenchBotResponse {
            standing: Some(standing()),
        })
    }

    type ExportResultsStream = Answers<ExportResultsResponse>;

    async fn export_results(
        &self,
        _: Request<ExportResultsRequest>,
    ) -> Result<Response<Self::ExportResultsStream>, Status> {
        let chunk = hostile().into_bytes();
        let parts = [Ok(ExportResultsResponse { chunk })];
        self.answer(Box::pin(tokio_stream::iter(parts)))
    }

    type ExportReplaysStream = Answers<ExportReplaysResponse>;

    async fn export_replays(
        &self,
        _: Request<ExportReplaysRequest>,
    ) -> Result<Response<Self::ExportReplaysStream>, Status> {
        let chunk = hostile().into_bytes();
        let part = ExportReplaysResponse { chunk };
        self.answer(Box::pin(tokio_stream::once(Ok(part))))
    }
}
