//! A server that asks one bot after another, each answer followed by the next request at once, and
//! prints for each how many round trips there were in a second. It referees nothing: what takes
//! time is the bot's client and the transport. `.ci/languages` compares with it the libraries of
//! each language with bare clients of the same gRPC library.
//!
//! `cargo run --release -p bridgemaster-sdk --example instant_server -- ROUND_TRIPS`

#![allow(
    clippy::print_stdout,
    reason = "who starts it reads address and figures there"
)]

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

/// Round trips before those that count.
const WARM_UP: u32 = 500;
const ROUND_TRIPS: u32 = 5_000;
/// Legal decisions of a request, which has about 700 bytes with them.
const LEGAL: u32 = 60;
/// The example of PROTOCOL.md: clients check it.
const SEED: &str = "london-1209";
const SALT: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const COMMITMENT: &str = "fb68e9b2871847c68a016f69b6f578dccf4bcc570460ba524a4063228775796f";

/// Asks each bot so many times.
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
            // A bot that went away has no figure.
            if let Ok(Some(a_second)) = ask(requests, &responses, round_trips).await {
                println!("{a_second:.0}");
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(outbound))))
    }
}

/// Plays one bot; its round trips in a second, unless it ends the stream before.
async fn ask(
    mut requests: Streaming<v1::PlayRequest>,
    responses: &mpsc::Sender<Result<v1::PlayResponse, Status>>,
    round_trips: u32,
) -> Result<Option<f64>, Box<dyn Error + Send + Sync>> {
    let mut sequence = 0;
    let mut send = async |message| {
        let response = v1::PlayResponse {
            sequence,
            message: Some(message),
        };
        sequence += 1;
        responses.send(Ok(response)).await
    };
    // The Hello.
    requests.message().await?;
    send(welcome()).await?;
    send(started()).await?;
    let mut begun = Instant::now();
    for request_id in 1..=WARM_UP + round_trips {
        send(asking(request_id)).await?;
        let Some(answer) = requests.message().await? else {
            return Ok(None);
        };
        let Some(play_request::Message::Decision(decision)) = answer.message else {
            return Err("an answer that is no decision".into());
        };
        if decision.request_id != request_id {
            return Err("an answer to another request".into());
        }
        if request_id == WARM_UP {
            begun = Instant::now();
        }
    }
    let a_second = f64::from(round_trips) / begun.elapsed().as_secs_f64();
    send(ended()).await?;
    // The bot leaves first, in whichever way.
    let _ = requests.message().await;
    Ok(Some(a_second))
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

fn asking(request_id: u32) -> play_response::Message {
    let place = london::Place {
        spot: london::Spot::Outer.into(),
        stack: london::Kind::Gate.into(),
        share: true,
        opening: true,
    };
    let decision = london::Decision {
        decision: Some(london::decision::Decision::Place(place)),
    };
    let request = london::Request {
        observation: Some(Default::default()),
        legal_decisions: vec![decision; LEGAL as usize],
        ..Default::default()
    };
    play_response::Message::DecisionRequest(v1::DecisionRequest {
        request_id,
        legal_count: LEGAL,
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
        result: Some(v1::MatchResult {
            match_id: "instant".to_owned(),
            ..Default::default()
        }),
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
    // As `bridgemaster serve` does: a message is not held back for the next one.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let service = PlayServiceServer::new(InstantServer { round_trips });
    let served = Server::builder().add_service(service);
    Ok(served.serve_with_incoming(incoming).await?)
}
