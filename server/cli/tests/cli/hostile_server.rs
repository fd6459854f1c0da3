//! A server whose responses contain escape sequences for terminals, and the output of commands that
//! call it.

use std::pin::Pin;

use bridgemaster_proto::v1::{
    self,
    catalog_service_server::{CatalogService, CatalogServiceServer},
    ladder_service_server::{LadderService, LadderServiceServer},
    match_service_server::{MatchService, MatchServiceServer},
    play_response::Message,
    play_service_server::{PlayService, PlayServiceServer},
};
use bridgemaster_replay::encode_unsigned;
use tokio::net::TcpListener;
use tokio_stream::{Stream, wrappers::TcpListenerStream};
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::{
    hostile_text::{HOSTILE, assert_clean},
    kit::program::{Ran, assert_has, bridgemaster},
};

/// The behaviour of a server for every call.
#[derive(Clone, Copy)]
enum Hostile {
    Answers,
    /// Refuses calls as a server of this protocol does.
    Refuses,
    /// Fails calls with a status that has no reason.
    Fails,
}

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Hostile {
    fn answer<T>(self, answer: T) -> Result<Response<T>, Status> {
        // After this code, bots do not retry.
        let code = Code::Unauthenticated;
        match self {
            Self::Answers => Ok(Response::new(answer)),
            Self::Fails => Err(Status::new(code, HOSTILE)),
            Self::Refuses => {
                let mut details = ErrorDetails::new();
                details.set_error_info(HOSTILE, "bridgemaster", []);
                Err(Status::with_error_details(code, HOSTILE, details))
            }
        }
    }

    fn stream<T: Send + 'static>(
        self,
        answers: impl IntoIterator<Item = T>,
    ) -> Result<Response<Answers<T>>, Status> {
        let answers: Vec<_> = answers.into_iter().map(Ok).collect();
        self.answer(Box::pin(tokio_stream::iter(answers)) as Answers<T>)
    }
}

/// Implements a service from a table of its calls, each with its request type, response type, and
/// one or more responses.
macro_rules! hostile_service {
    ($service:ident {
        $($call:ident($request:ident) -> $response:ident = $answer:expr;)*
    } {
        $($stream:ident: $watch:ident($watched:ident) -> $item:ident = $answers:expr;)*
    }) => {
        #[tonic::async_trait]
        impl $service for Hostile {
            $(async fn $call(
                &self,
                _: Request<v1::$request>,
            ) -> Result<Response<v1::$response>, Status> {
                self.answer($answer)
            })*
            $(type $stream = Answers<v1::$item>;

            async fn $watch(
                &self,
                _: Request<v1::$watched>,
            ) -> Result<Response<Self::$stream>, Status> {
                self.stream($answers)
            })*
        }
    };
}

fn hostile() -> String {
    HOSTILE.to_owned()
}

fn result() -> v1::MatchResult {
    let seat = v1::SeatResult {
        place: 1,
        bot_name: hostile(),
        bot_version: hostile(),
        breakdown: vec![v1::ScoreLine { category: hostile(), points: 1 }],
        ..v1::SeatResult::default()
    };
    v1::MatchResult { match_id: hostile(), seats: vec![seat], ..v1::MatchResult::default() }
}

fn info(result: Option<v1::MatchResult>) -> v1::MatchInfo {
    let seat =
        v1::SeatInfo { bot_name: hostile(), bot_version: hostile(), ..v1::SeatInfo::default() };
    v1::MatchInfo { match_id: hostile(), seats: vec![seat], result, ..v1::MatchInfo::default() }
}

/// Returns a match before and after its end.
fn infos() -> Vec<v1::MatchInfo> {
    vec![info(None), info(Some(result()))]
}

hostile_service! {
    MatchService {
        create_match(CreateMatchRequest) -> CreateMatchResponse = v1::CreateMatchResponse {
            r#match: Some(info(None)),
            tickets: vec![v1::SeatTicket {
                seat: 0,
                ticket: format!("{HOSTILE}; touch owned"),
            }],
            existed: false,
        };
        get_match(GetMatchRequest) -> GetMatchResponse = v1::GetMatchResponse {
            r#match: Some(info(Some(result()))),
        };
        list_matches(ListMatchesRequest) -> ListMatchesResponse = v1::ListMatchesResponse {
            matches: infos(),
            damaged_match_ids: vec![hostile()],
            ..v1::ListMatchesResponse::default()
        };
        cancel_match(CancelMatchRequest) -> CancelMatchResponse = Default::default();
        replace_tickets(ReplaceTicketsRequest) -> ReplaceTicketsResponse = Default::default();
        expire_seat(ExpireSeatRequest) -> ExpireSeatResponse = Default::default();
        close_group(CloseGroupRequest) -> CloseGroupResponse = Default::default();
        get_replay(GetReplayRequest) -> GetReplayResponse = v1::GetReplayResponse {
            replay: None,
            file: encode_unsigned(&v1::Replay {
                match_id: hostile(),
                ..v1::Replay::default()
            }),
        };
    } {
        WatchMatchStream: watch_match(WatchMatchRequest) -> WatchMatchResponse =
            infos().into_iter().map(|info| v1::WatchMatchResponse {
                r#match: Some(info),
                ..v1::WatchMatchResponse::default()
            });
        WatchMatchesStream: watch_matches(WatchMatchesRequest) -> WatchMatchesResponse = [];
        WatchPositionsStream:
            watch_positions(WatchPositionsRequest) -> WatchPositionsResponse = [];
    }
}

hostile_service! {
    CatalogService {
        list_games(ListGamesRequest) -> ListGamesResponse = Default::default();
        get_server_info(GetServerInfoRequest) -> GetServerInfoResponse =
            v1::GetServerInfoResponse {
                server_version: hostile(),
                signing_key: HOSTILE.into(),
                signing_key_id: HOSTILE.into(),
                ..v1::GetServerInfoResponse::default()
            };
    } {}
}

fn ladder() -> Option<v1::Ladder> {
    Some(v1::Ladder { ladder_id: hostile(), ..v1::Ladder::default() })
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

fn ladder_action() -> v1::LadderAction {
    v1::LadderAction {
        number: 1,
        key_name: hostile(),
        reason: hostile(),
        action: Some(v1::ladder_action::Action::DisqualifyBotName(hostile())),
        ..v1::LadderAction::default()
    }
}

fn ladder_match() -> v1::LadderMatch {
    let info = v1::MatchInfo { state: v1::MatchState::Ended.into(), ..info(Some(result())) };
    v1::LadderMatch { r#match: Some(info), ..v1::LadderMatch::default() }
}

fn head_to_head() -> v1::LadderHeadToHead {
    v1::LadderHeadToHead {
        against: Some(v1::LadderBotRef { bot_name: hostile(), bot_version: hostile() }),
        head_to_head: Some(v1::HeadToHead {
            // These are more than exist. Commands must not panic because of this.
            first_ahead: 7,
            ..v1::HeadToHead::default()
        }),
    }
}

hostile_service! {
    LadderService {
        create_ladder(CreateLadderRequest) -> CreateLadderResponse =
            v1::CreateLadderResponse { ladder: ladder() };
        advance_ladder(AdvanceLadderRequest) -> AdvanceLadderResponse =
            v1::AdvanceLadderResponse { ladder: ladder() };
        list_ladders(ListLaddersRequest) -> ListLaddersResponse = v1::ListLaddersResponse {
            ladders: ladder().into_iter().collect(),
            next_page_token: String::new(),
        };
        get_ladder(GetLadderRequest) -> GetLadderResponse =
            v1::GetLadderResponse { ladder: ladder() };
        list_standings(ListStandingsRequest) -> ListStandingsResponse =
            v1::ListStandingsResponse {
                standings: vec![standing()],
                next_page_token: String::new(),
            };
        get_ladder_bot(GetLadderBotRequest) -> GetLadderBotResponse = v1::GetLadderBotResponse {
            versions: vec![v1::LadderVersion {
                standing: Some(standing()),
                ..v1::LadderVersion::default()
            }],
        };
        list_head_to_heads(ListHeadToHeadsRequest) -> ListHeadToHeadsResponse =
            v1::ListHeadToHeadsResponse {
                entries: vec![head_to_head()],
                next_page_token: String::new(),
            };
        list_ladder_matches(ListLadderMatchesRequest) -> ListLadderMatchesResponse =
            v1::ListLadderMatchesResponse {
                matches: vec![ladder_match()],
                next_page_token: String::new(),
            };
        request_match(RequestMatchRequest) -> RequestMatchResponse =
            v1::RequestMatchResponse { match_id: hostile() };
        act_on_ladder(ActOnLadderRequest) -> ActOnLadderResponse = v1::ActOnLadderResponse {
            action: Some(ladder_action()),
            ladder: ladder(),
        };
        list_ladder_actions(ListLadderActionsRequest) -> ListLadderActionsResponse =
            v1::ListLadderActionsResponse {
                actions: vec![ladder_action()],
                next_page_token: String::new(),
            };
        unbench_bot(UnbenchBotRequest) -> UnbenchBotResponse =
            v1::UnbenchBotResponse { standing: Some(standing()) };
    } {
        WatchLadderStream: watch_ladder(WatchLadderRequest) -> WatchLadderResponse = [
            v1::WatchLadderResponse {
                ladder: ladder(),
                standings: vec![standing()],
                r#match: None,
            },
            v1::WatchLadderResponse {
                r#match: Some(ladder_match()),
                ..v1::WatchLadderResponse::default()
            },
        ];
        ExportResultsStream: export_results(ExportResultsRequest) -> ExportResultsResponse =
            [v1::ExportResultsResponse { chunk: HOSTILE.into() }];
        ExportReplaysStream: export_replays(ExportReplaysRequest) -> ExportReplaysResponse =
            [v1::ExportReplaysResponse { chunk: HOSTILE.into() }];
    }
}

#[tonic::async_trait]
impl PlayService for Hostile {
    type PlayStream = Answers<v1::PlayResponse>;

    async fn play(
        &self,
        _: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let welcome = v1::Welcome {
            protocol_revision: 1,
            server_version: hostile(),
            match_id: hostile(),
            ..v1::Welcome::default()
        };
        let ended = v1::MatchEnded { result: Some(result()), ..v1::MatchEnded::default() };
        let messages = [Message::Welcome(welcome), Message::MatchEnded(ended)];
        self.stream(
            (0..)
                .zip(messages)
                .map(|(sequence, message)| v1::PlayResponse { sequence, message: Some(message) }),
        )
    }
}

async fn serve(hostile: Hostile) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = tonic::transport::Server::builder()
        .add_service(MatchServiceServer::new(hostile))
        .add_service(CatalogServiceServer::new(hostile))
        .add_service(LadderServiceServer::new(hostile))
        .add_service(PlayServiceServer::new(hostile));
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    url
}

/// Runs a command against a server of this kind, and checks that its output is clean.
async fn talk(server: &str, line: &str) -> Ran {
    let mut command = bridgemaster(line);
    command
        .env("BRIDGEMASTER_SERVER", server)
        .env("BRIDGEMASTER_TICKET", "0123456789abcdef0123456789abcdef");
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let ran = Ran::from(output.await.unwrap());
    assert_clean(line, &ran);
    ran
}

const COMMANDS: [&str; 22] = [
    "match create --seats 2",
    "match create --seats 2 --json",
    "match watch m",
    "match watch m --plain",
    "match list",
    "match list --json",
    "match result m",
    "match result m --json",
    "replay fetch m",
    "bot random",
    "ladder create l --seats 2",
    "ladder list",
    "ladder list --json",
    "ladder freeze l",
    "ladder standings l",
    "ladder standings l --json",
    "ladder show l b",
    "ladder watch l --reconnect-for 0",
    "ladder request l a b",
    "ladder unbench l b",
    "ladder bench l b --reason r",
    "ladder actions l",
];

#[tokio::test]
async fn every_text_of_a_response_is_escaped() {
    let server = serve(Hostile::Answers).await;
    for line in COMMANDS {
        let ran = talk(&server, line).await;
        assert_has(&ran.all(), &["FORGED"]);
        // Text for copying into a shell must be quoted as one word.
        let is_loose = |line: &str| line.contains("TICKET=") && !line.contains("TICKET='");
        assert!(!ran.out.lines().any(is_loose), "{}", ran.out);
    }
}

#[tokio::test]
async fn invalid_results_and_replays_of_a_ladder_are_not_written() {
    let server = serve(Hostile::Answers).await;
    let ran = talk(&server, "ladder results l").await;
    ran.fails(1, &["has no column"]);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("b.tar");
    let line = format!("ladder replays l b --output {}", output.display());
    talk(&server, &line).await.fails(1, &["sent an invalid archive"]);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn every_text_of_a_refusal_is_escaped() {
    for manner in [Hostile::Refuses, Hostile::Fails] {
        let server = serve(manner).await;
        for line in COMMANDS {
            talk(&server, line).await.fails(1, &["FORGED"]);
        }
    }
}
