//! A bare tonic service that answers every message of a bidirectional stream, to measure the
//! transport alone.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{sync::mpsc, task::JoinSet};
use tokio_stream::{Stream, StreamExt as _, wrappers::ReceiverStream};
use tonic::{
    Request, Response, Status, Streaming, codegen::BoxFuture, server::StreamingService,
    transport::Channel,
};

use crate::{
    bare::{self, Payload},
    turn::Turn,
};

/// Answers each message with one of `bytes` bytes.
#[derive(Clone)]
struct PingPong {
    bytes: usize,
}

impl StreamingService<Payload> for PingPong {
    type Response = Payload;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<Payload, Status>> + Send>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Streaming<Payload>>) -> Self::Future {
        let size = self.bytes;
        let answers = request.into_inner();
        let answers = answers.map(move |ping| ping.map(|_| Payload::of(size)));
        Box::pin(async move { Ok(Response::new(Box::pin(answers) as _)) })
    }
}

/// Serves ping-pong on an unused port, with answers of `bytes` bytes.
pub(crate) async fn serve(bytes: usize) -> String {
    bare::serve(PingPong { bytes }).await
}

/// Counts the round trips of `streams` streams. Their clients send messages of `bytes` bytes and
/// open a new stream after a fixed number of round trips.
pub(crate) async fn round_trips(
    channels: &[Channel],
    (bytes, a_stream): (usize, u64),
    streams: usize,
    turn: Duration,
    cpu_time: impl Fn() -> Duration,
) -> Turn {
    let count = Arc::new(AtomicU64::new(0));
    let mut players = JoinSet::new();
    for stream in 0..streams {
        let channel = channels[stream % channels.len()].clone();
        let count = Arc::clone(&count);
        players.spawn(async move {
            loop {
                play(channel.clone(), bytes, a_stream, &count).await;
            }
        });
    }
    let turn = Turn::of(turn, &count, cpu_time).await;
    players.shutdown().await;
    turn
}

/// Runs one stream of a fixed number of round trips.
async fn play(channel: Channel, bytes: usize, a_stream: u64, count: &AtomicU64) {
    let (outbound, pings) = mpsc::channel(4);
    outbound.send(Payload::of(bytes)).await.unwrap();
    let call = Request::new(ReceiverStream::new(pings));
    let mut answers = bare::open(channel, call).await;
    for _ in 0..a_stream {
        if answers.message().await.unwrap().is_none() {
            return;
        }
        count.fetch_add(1, Ordering::Relaxed);
        outbound.send(Payload::of(bytes)).await.unwrap();
    }
    // Closing the client's half ends the responses, as the end of a match ends its streams.
    drop(outbound);
    while answers.message().await.unwrap().is_some() {}
}
