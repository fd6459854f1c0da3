//! A server that sends the next request immediately after each answer, and prints each bot's round
//! trips per second. The server does not referee, so the result measures the bot's client and the
//! transport. `.ci/languages` uses this server to compare each language's library with a bare
//! client of the same gRPC library.
//!
//! `cargo run --release -p bridgemaster-sdk --example instant_server -- ROUND_TRIPS`

#![allow(clippy::print_stdout, reason = "address and results are the output of the program")]

use std::{env, error::Error, net::SocketAddr, pin::Pin, time::Instant};

use bridgemaster_sdk::{
    proto::games::old_london_bridge::v1 as london,
    v1::{
        self, play_request, play_response,
        play_service_server::{PlayService, PlayServiceServer},
    },
};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Server, server::TcpIncoming},
};

/// The number of round trips before the measurement starts.
const WARM_UP: u32 = 500;
const ROUND_TRIPS: u32 = 5_000;
/// The number of legal decisions in a request, chosen so that a request has about 700 bytes.
const LEGAL_DECISIONS: u32 = 60;
/// The seed, salt and commitment from the book's example match, since clients check the
/// commitment.
const SEED: &str = "london-1209";
const SALT: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const COMMITMENT: &str = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";

/// A server that sends each bot `round_trips` requests, after a warm-up.
struct InstantServer {
    round_trips: u32,
}

#[tonic::async_trait]
impl PlayService for InstantServer {
    type PlayStream = Pin<Box<dyn Stream<Item = Result<v1::PlayResponse, Status>> + Send>>;

    async fn play(
        &self,
        request: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let (responses, outbound) = mpsc::channel(4);
        let (requests, round_trips) = (request.into_inner(), self.round_trips);
        tokio::spawn(async move {
            // Nothing is printed for a bot that closed its stream early.
            if let Ok(Some(rate)) = measure(requests, &responses, round_trips).await {
                println!("{rate:.0}");
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(outbound))))
    }
}

/// Plays with one bot, and returns its round trips per second. Returns `None` if the bot closes the
/// stream early.
async fn measure(
    mut requests: Streaming<v1::PlayRequest>,
    responses: &mpsc::Sender<Result<v1::PlayResponse, Status>>,
    round_trips: u32,
) -> Result<Option<f64>, Box<dyn Error + Send + Sync>> {
    let mut sequence = 0;
    let mut send = async |message| {
        let response = v1::PlayResponse { sequence, message: Some(message) };
        sequence += 1;
        responses.send(Ok(response)).await
    };
    // The first message is the Hello.
    requests.message().await?;
    send(welcome()).await?;
    send(started()).await?;
    let mut start = Instant::now();
    for request_id in 1..=WARM_UP + round_trips {
        send(decision_request(request_id)).await?;
        let Some(answer) = requests.message().await? else {
            return Ok(None);
        };
        let Some(play_request::Message::Decision(decision)) = answer.message else {
            return Err("the answer is not a decision".into());
        };
        if decision.request_id != request_id {
            return Err("the answer is for another request".into());
        }
        if request_id == WARM_UP {
            start = Instant::now();
        }
    }
    let rate = f64::from(round_trips) / start.elapsed().as_secs_f64();
    send(ended()).await?;
    // The bot closes the stream first, with or without an error.
    let _ = requests.message().await;
    Ok(Some(rate))
}

fn welcome() -> play_response::Message {
    play_response::Message::Welcome(v1::Welcome {
        protocol_revision: 1,
        match_id: "instant".to_owned(),
        history_id: "00112233445566778899aabbccddeeff".to_owned(),
        ..Default::default()
    })
}

fn started() -> play_response::Message {
    play_response::Message::MatchStarted(v1::MatchStarted {
        match_id: "instant".to_owned(),
        seed_commitment: COMMITMENT.to_owned(),
        ..Default::default()
    })
}

fn decision_request(request_id: u32) -> play_response::Message {
    let place = london::Place {
        spot: london::Spot::Outer.into(),
        stack: london::Kind::Gate.into(),
        share: true,
        opening: true,
    };
    let decision = london::Decision { decision: Some(london::decision::Decision::Place(place)) };
    let request = london::Request {
        observation: Some(Default::default()),
        legal_decisions: vec![decision; LEGAL_DECISIONS as usize],
        ..Default::default()
    };
    play_response::Message::DecisionRequest(v1::DecisionRequest {
        request_id,
        legal_count: LEGAL_DECISIONS,
        clock: Some(v1::Clock {
            bank_left_ms: 60_000,
            decision_left_ms: 10_000,
            last_charge: None,
        }),
        game: Some(v1::GameRequest {
            game: Some(v1::game_request::Game::OldLondonBridge(Box::new(request))),
        }),
        ..Default::default()
    })
}

fn ended() -> play_response::Message {
    play_response::Message::MatchEnded(v1::MatchEnded {
        result: Some(v1::MatchResult { match_id: "instant".to_owned(), ..Default::default() }),
        seed: SEED.to_owned(),
        seed_salt: SALT.to_owned(),
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let round_trips = match env::args().nth(1) {
        Some(number) => number.parse()?,
        None => ROUND_TRIPS,
    };
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    println!("listening on http://{}", listener.local_addr()?);
    // As in `bridgemaster serve`, messages are sent at once instead of being held back and combined
    // with the next (TCP_NODELAY).
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let service = PlayServiceServer::new(InstantServer { round_trips });
    let served = Server::builder().add_service(service);
    Ok(served.serve_with_incoming(incoming).await?)
}
