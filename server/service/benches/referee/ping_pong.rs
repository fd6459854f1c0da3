//! A bare tonic service that answers every message of a bidirectional stream: what the transport
//! alone can do.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};
use tokio_stream::{Stream, StreamExt as _, wrappers::ReceiverStream};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codegen::{BoxFuture, Service, http},
    server::{NamedService, StreamingService},
    transport::{Channel, Server, server::TcpIncoming},
};
use tonic_prost::ProstCodec;

use crate::turn::Turn;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Payload {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) bytes: Vec<u8>,
}

/// Answers each message with one of `bytes` bytes.
#[derive(Clone)]
struct PingPong {
    bytes: usize,
}

impl NamedService for PingPong {
    const NAME: &'static str = "bench.PingPong";
}

impl Service<http::Request<Body>> for PingPong {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let mut grpc = tonic::server::Grpc::new(ProstCodec::<Payload, Payload>::default());
            Ok(grpc.streaming(service, request).await)
        })
    }
}

impl StreamingService<Payload> for PingPong {
    type Response = Payload;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<Payload, Status>> + Send>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Streaming<Payload>>) -> Self::Future {
        let size = self.bytes;
        let answers = request.into_inner().map(move |ping| {
            ping.map(|_| Payload {
                bytes: vec![7; size],
            })
        });
        Box::pin(async move { Ok(Response::new(Box::pin(answers) as _)) })
    }
}

/// Serves ping-pong on a free port, with answers of `bytes` bytes.
pub(crate) async fn serve(bytes: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let router = Server::builder().add_service(PingPong { bytes });
    tokio::spawn(router.serve_with_incoming(incoming));
    url
}

/// Counts the round trips of `streams` streams, whose clients send messages of `bytes` bytes and open
/// a new stream after so many round trips.
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

/// One stream of so many round trips.
async fn play(channel: Channel, bytes: usize, a_stream: u64, count: &AtomicU64) {
    let (outbound, pings) = mpsc::channel(4);
    let ping = || Payload {
        bytes: vec![7; bytes],
    };
    outbound.send(ping()).await.unwrap();
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let path = "/bench.PingPong/Play".parse().unwrap();
    let codec = ProstCodec::<Payload, Payload>::default();
    let call = Request::new(ReceiverStream::new(pings));
    let mut answers = client
        .streaming(call, path, codec)
        .await
        .unwrap()
        .into_inner();
    for _ in 0..a_stream {
        if answers.message().await.unwrap().is_none() {
            return;
        }
        count.fetch_add(1, Ordering::Relaxed);
        outbound.send(ping()).await.unwrap();
    }
    // The end of the client's half ends the answers, as a match ends its streams.
    drop(outbound);
    while answers.message().await.unwrap().is_some() {}
}
