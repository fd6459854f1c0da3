//! A bot whose process is killed while its match runs.

#![cfg(unix)]

use std::process::Stdio;

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{
        Decision, FaultReason, GetMatchRequest, Hello, MatchResult, PlayRequest, PlayResponse,
        SeatState, SeatStatus, decision::Choice, match_service_client::MatchServiceClient,
        play_request, play_response::Message, play_service_client::PlayServiceClient,
    },
};
use bridgemaster_sdk::TICKET_VARIABLE;
use serde_json::Value;
use tokio::{runtime::Runtime, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Streaming,
    transport::{Channel, Endpoint},
};

use crate::{
    program::{bridgemaster, succeed},
    served_match::Served,
};

async fn connected(url: &str) -> Channel {
    let endpoint = Endpoint::from_shared(url.to_owned()).unwrap();
    endpoint.connect().await.unwrap()
}

/// A bot that answers only until it is told of a fault, and so keeps its match from ending.
struct Witness {
    outbound: mpsc::Sender<PlayRequest>,
    inbound: Streaming<PlayResponse>,
}

impl Witness {
    async fn join(url: &str, ticket: &str) -> Self {
        let mut client = PlayServiceClient::new(connected(url).await);
        let (outbound, requests) = mpsc::channel(1);
        let hello = Hello {
            protocol_revision: PROTOCOL_REVISION,
            bot_name: "witness".to_owned(),
            ..Hello::default()
        };
        let hello = PlayRequest {
            message: Some(play_request::Message::Hello(hello)),
        };
        outbound.send(hello).await.unwrap();
        let mut request = Request::new(ReceiverStream::new(requests));
        let bearer = format!("Bearer {ticket}").parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
        Self {
            outbound,
            inbound: client.play(request).await.unwrap().into_inner(),
        }
    }

    async fn next(&mut self) -> Message {
        loop {
            let response = self.inbound.message().await.unwrap().unwrap();
            if let Some(message) = response.message {
                return message;
            }
        }
    }

    /// Waits until it is asked, and returns the number of the request.
    async fn is_asked(&mut self) -> u32 {
        loop {
            if let Message::DecisionRequest(request) = self.next().await {
                return request.request_id;
            }
        }
    }

    /// Gives the first legal decision.
    async fn answers(&self, request_id: u32) {
        let decision = Decision {
            request_id,
            choice: Some(Choice::Index(0)),
            ..Decision::default()
        };
        let message = Some(play_request::Message::Decision(decision));
        self.outbound.send(PlayRequest { message }).await.unwrap();
    }

    /// Decides until it is told of a fault: while it is secret who has decided, a fault is told with
    /// the next event.
    async fn is_told_of_a_fault(&mut self) -> SeatStatus {
        loop {
            match self.next().await {
                Message::DecisionRequest(request) => self.answers(request.request_id).await,
                Message::SeatStatus(status) if status.reason() != FaultReason::Unspecified => {
                    return status;
                }
                _ => {}
            }
        }
    }
}

#[test]
fn a_bot_process_that_is_killed_forfeits_as_disconnected_and_the_match_goes_on() {
    let server = Served::start(&[]);
    for game in GAME_IDS {
        let result = killed_in_seat_1(&server, game);
        let [witness, killed] = &result.seats[..] else {
            panic!("{game}: {result:?}");
        };
        assert_eq!(
            (witness.fault_count, witness.house_decisions, witness.place),
            (0, 0, 1),
            "{game}: {witness:?}"
        );
        assert_eq!(killed.forfeit(), FaultReason::Disconnected, "{game}");
        assert_eq!(
            (killed.bot_name.as_str(), killed.place),
            ("random", 2),
            "{game}"
        );
        assert!(killed.house_decisions > 0, "{game}: {killed:?}");
    }
}

/// The result of a match in which the bot of seat 1 is killed while seat 0 is asked.
fn killed_in_seat_1(server: &Served, game: &str) -> MatchResult {
    let flags = ["--seats", "2", "--reconnect-ms", "50", "--json"];
    // The witness owes its decision until another bot has started in its place.
    let unhurried = ["--bank-ms", "3600000", "--cap-ms", "600000"];
    let made = succeed(
        ["match", "create", "--game", game, "--server", &server.url]
            .into_iter()
            .chain(flags)
            .chain(unhurried),
    );
    let made: Value = serde_json::from_str(&made).unwrap();
    let match_id = made["match"]["matchId"].as_str().unwrap();
    let ticket = |seat: usize| made["tickets"][seat]["ticket"].as_str().unwrap();
    let runtime = Runtime::new().unwrap();
    let witness = runtime.block_on(async {
        let mut witness = Witness::join(&server.url, ticket(0)).await;
        let mut process = bridgemaster(["bot", "random", "--server", &server.url])
            .env(TICKET_VARIABLE, ticket(1))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The match runs once both are there, and cannot end while the witness says nothing.
        let asked = witness.is_asked().await;
        process.kill().unwrap();
        process.wait().unwrap();
        witness.answers(asked).await;
        let told = witness.is_told_of_a_fault().await;
        assert_eq!(told.reason(), FaultReason::Disconnected, "{game}");
        assert_eq!(told.seat.unwrap().state(), SeatState::Forfeited, "{game}");
        witness
    });
    for bot in server.bots(&made, &["greedy"]) {
        assert!(bot.wait_with_output().unwrap().status.success(), "{game}");
    }
    // It kept the seat until the next bot was there, however long that took to start.
    drop(witness);
    runtime.block_on(async {
        let mut matches = MatchServiceClient::new(connected(&server.url).await);
        let match_id = match_id.to_owned();
        let found = matches
            .get_match(GetMatchRequest {
                match_id,
                ..GetMatchRequest::default()
            })
            .await;
        let info = found.unwrap().into_inner().r#match.unwrap();
        info.result.unwrap()
    })
}
