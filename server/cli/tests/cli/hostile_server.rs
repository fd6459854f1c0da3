//! A server that answers with texts that would take over a terminal, and what the commands that
//! talk to it print.

use std::{net::SocketAddr, pin::Pin};

use bridgemaster_proto::v1::{
    self, CreateMatchRequest, CreateMatchResponse, GetMatchRequest, GetMatchResponse,
    GetReplayRequest, GetReplayResponse, GetServerInfoRequest, GetServerInfoResponse,
    ListGamesRequest, ListGamesResponse, ListMatchesRequest, ListMatchesResponse, PlayRequest,
    PlayResponse, WatchMatchRequest, WatchMatchResponse,
    catalog_service_server::{CatalogService, CatalogServiceServer},
    ladder_service_server::LadderServiceServer,
    match_service_server::{MatchService, MatchServiceServer},
    play_response::Message,
    play_service_server::{PlayService, PlayServiceServer},
};
use tokio::net::TcpListener;
use tokio_stream::{Stream, wrappers::TcpListenerStream};
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::{
    hostile_text::{HOSTILE, assert_clean},
    program::{Ran, bridgemaster},
};

/// Behavior of a server for every call.
#[derive(Clone, Copy)]
pub(crate) enum Hostile {
    Answers,
    /// Refuses as a server of this protocol does.
    Refuses,
    /// Ends the call with a status that has no reason.
    Fails,
}

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

pub(crate) fn hostile() -> String {
    HOSTILE.to_owned()
}

pub(crate) fn result() -> v1::MatchResult {
    let seat = v1::SeatResult {
        place: 1,
        bot_name: hostile(),
        bot_version: hostile(),
        breakdown: vec![v1::ScoreLine {
            category: hostile(),
            points: 1,
        }],
        ..v1::SeatResult::default()
    };
    v1::MatchResult {
        match_id: hostile(),
        seats: vec![seat],
        ..v1::MatchResult::default()
    }
}

pub(crate) fn info(result: Option<v1::MatchResult>) -> v1::MatchInfo {
    let seat = v1::SeatInfo {
        bot_name: hostile(),
        bot_version: hostile(),
        ..v1::SeatInfo::default()
    };
    v1::MatchInfo {
        match_id: hostile(),
        seats: vec![seat],
        result,
        ..v1::MatchInfo::default()
    }
}

impl Hostile {
    pub(crate) fn answer<T>(self, answer: T) -> Result<Response<T>, Status> {
        // With this code a bot does not try again.
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
}

#[tonic::async_trait]
impl MatchService for Hostile {
    async fn create_match(
        &self,
        _: Request<CreateMatchRequest>,
    ) -> Result<Response<CreateMatchResponse>, Status> {
        let ticket = v1::SeatTicket {
            seat: 0,
            ticket: format!("{HOSTILE}; touch owned"),
        };
        self.answer(CreateMatchResponse {
            r#match: Some(info(None)),
            tickets: vec![ticket],
            existed: false,
        })
    }

    async fn get_match(
        &self,
        _: Request<GetMatchRequest>,
    ) -> Result<Response<GetMatchResponse>, Status> {
        self.answer(GetMatchResponse {
            r#match: Some(info(Some(result()))),
        })
    }

    async fn list_matches(
        &self,
        _: Request<ListMatchesRequest>,
    ) -> Result<Response<ListMatchesResponse>, Status> {
        self.answer(ListMatchesResponse {
            matches: vec![info(None), info(Some(result()))],
            next_page_token: String::new(),
            damaged_match_ids: vec![hostile()],
            incomplete: false,
        })
    }

    type WatchMatchStream = Answers<WatchMatchResponse>;

    async fn watch_match(
        &self,
        _: Request<WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        let news = [info(None), info(Some(result()))].map(|info| {
            Ok(WatchMatchResponse {
                r#match: Some(info),
                ..WatchMatchResponse::default()
            })
        });
        self.answer(Box::pin(tokio_stream::iter(news)))
    }

    type WatchMatchesStream = Answers<v1::WatchMatchesResponse>;

    async fn watch_matches(
        &self,
        _: Request<v1::WatchMatchesRequest>,
    ) -> Result<Response<Self::WatchMatchesStream>, Status> {
        self.answer(Box::pin(tokio_stream::empty()))
    }

    type WatchPositionsStream = Answers<v1::WatchPositionsResponse>;

    async fn watch_positions(
        &self,
        _: Request<v1::WatchPositionsRequest>,
    ) -> Result<Response<Self::WatchPositionsStream>, Status> {
        self.answer(Box::pin(tokio_stream::empty()))
    }

    async fn cancel_match(
        &self,
        _: Request<v1::CancelMatchRequest>,
    ) -> Result<Response<v1::CancelMatchResponse>, Status> {
        self.answer(v1::CancelMatchResponse::default())
    }

    async fn replace_tickets(
        &self,
        _: Request<v1::ReplaceTicketsRequest>,
    ) -> Result<Response<v1::ReplaceTicketsResponse>, Status> {
        self.answer(v1::ReplaceTicketsResponse::default())
    }

    async fn expire_seat(
        &self,
        _: Request<v1::ExpireSeatRequest>,
    ) -> Result<Response<v1::ExpireSeatResponse>, Status> {
        self.answer(v1::ExpireSeatResponse::default())
    }

    async fn close_group(
        &self,
        _: Request<v1::CloseGroupRequest>,
    ) -> Result<Response<v1::CloseGroupResponse>, Status> {
        self.answer(v1::CloseGroupResponse::default())
    }

    async fn get_replay(
        &self,
        _: Request<GetReplayRequest>,
    ) -> Result<Response<GetReplayResponse>, Status> {
        let replay = v1::Replay {
            match_id: hostile(),
            ..v1::Replay::default()
        };
        self.answer(GetReplayResponse {
            replay: None,
            file: bridgemaster_replay::encode_unsigned(&replay),
        })
    }
}

#[tonic::async_trait]
impl CatalogService for Hostile {
    async fn list_games(
        &self,
        _: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        self.answer(ListGamesResponse::default())
    }

    async fn get_server_info(
        &self,
        _: Request<GetServerInfoRequest>,
    ) -> Result<Response<GetServerInfoResponse>, Status> {
        self.answer(GetServerInfoResponse {
            server_version: hostile(),
            signing_key: HOSTILE.into(),
            signing_key_id: HOSTILE.into(),
            ..GetServerInfoResponse::default()
        })
    }
}

#[tonic::async_trait]
impl PlayService for Hostile {
    type PlayStream = Answers<PlayResponse>;

    async fn play(
        &self,
        _: Request<Streaming<PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let welcome = v1::Welcome {
            protocol_revision: 1,
            server_version: hostile(),
            match_id: hostile(),
            ..v1::Welcome::default()
        };
        let ended = v1::MatchEnded {
            result: Some(result()),
            ..v1::MatchEnded::default()
        };
        let messages = [
            (0, Message::Welcome(welcome)),
            (1, Message::MatchEnded(ended)),
        ];
        let messages = messages.map(|(sequence, message)| {
            Ok(PlayResponse {
                sequence,
                message: Some(message),
            })
        });
        self.answer(Box::pin(tokio_stream::iter(messages)))
    }
}

async fn serve(hostile: Hostile) -> String {
    let free: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let listener = TcpListener::bind(free).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = tonic::transport::Server::builder()
        .add_service(MatchServiceServer::new(hostile))
        .add_service(CatalogServiceServer::new(hostile))
        .add_service(LadderServiceServer::new(hostile))
        .add_service(PlayServiceServer::new(hostile));
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    url
}

/// Runs a command against a server of this kind.
async fn talk(server: &str, command: &[&str]) -> Ran {
    let mut command = bridgemaster(command);
    command
        .env("BRIDGEMASTER_SERVER", server)
        .env("BRIDGEMASTER_TICKET", "0123456789abcdef0123456789abcdef");
    tokio::task::spawn_blocking(move || command.output().unwrap().into())
        .await
        .unwrap()
}

const COMMANDS: &[&[&str]] = &[
    &["match", "create", "--seats", "2"],
    &["match", "create", "--seats", "2", "--json"],
    &["match", "watch", "m"],
    &["match", "watch", "m", "--plain"],
    &["match", "list"],
    &["match", "list", "--json"],
    &["match", "result", "m"],
    &["match", "result", "m", "--json"],
    &["replay", "fetch", "m"],
    &["bot", "random"],
    &["ladder", "create", "l", "--seats", "2"],
    &["ladder", "list"],
    &["ladder", "list", "--json"],
    &["ladder", "freeze", "l"],
    &["ladder", "standings", "l"],
    &["ladder", "standings", "l", "--json"],
    &["ladder", "show", "l", "b"],
    &["ladder", "watch", "l"],
    &["ladder", "request", "l", "a", "b"],
    &["ladder", "unbench", "l", "b"],
];

#[tokio::test]
async fn nothing_that_a_server_answers_gets_through() {
    let server = serve(Hostile::Answers).await;
    for &command in COMMANDS {
        let ran = talk(&server, command).await;
        assert_clean(&format!("{command:?}"), &ran);
        assert!(
            format!("{}{}", ran.out, ran.err).contains("FORGED"),
            "{command:?} printed nothing of it: {}{}",
            ran.out,
            ran.err
        );
        // What is to be pasted into a shell is one word of it.
        let is_loose = |line: &str| line.contains("TICKET=") && !line.contains("TICKET='");
        assert!(!ran.out.lines().any(is_loose), "{}", ran.out);
    }
}

#[tokio::test]
async fn results_of_a_ladder_that_are_none_are_not_written() {
    let server = serve(Hostile::Answers).await;
    let ran = talk(&server, &["ladder", "results", "l"]).await;
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("has no column"), "{}", ran.err);
    assert_clean("ladder results", &ran);
}

#[tokio::test]
async fn replays_of_a_ladder_that_are_no_archive_are_not_written() {
    let server = serve(Hostile::Answers).await;
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("b.tar");
    let command = ["ladder", "replays", "l", "b", "--output"];
    let output = output.to_str().unwrap();
    let ran = talk(&server, &[&command[..], &[output]].concat()).await;
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("sent an invalid archive"), "{}", ran.err);
    assert_clean("ladder replays", &ran);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn nothing_that_a_server_refuses_with_gets_through() {
    for manner in [Hostile::Refuses, Hostile::Fails] {
        let server = serve(manner).await;
        for &command in COMMANDS {
            let ran = talk(&server, command).await;
            assert_eq!(ran.code, Some(1), "{command:?}: {}", ran.out);
            assert!(ran.err.contains("FORGED"), "{command:?}: {}", ran.err);
            assert_clean(&format!("{command:?}"), &ran);
        }
    }
}
