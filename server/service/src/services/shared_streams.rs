//! The streams of spectators, by hand: their responses are sent as bytes that many of them share. The
//! generated service would take messages, and encode each of them for each spectator. All other calls
//! are the generated service's.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use async_stream::stream;
use bridgemaster_proto::{
    BytesCodec,
    v1::{
        WatchMatchRequest, WatchPositionsRequest,
        match_service_server::{MatchServiceServer, SERVICE_NAME},
        watch_positions_request::Source,
    },
};
use prost::Message;
use tokio::select;
use tokio_stream::Stream;
use tonic::{
    Request, Response, Status,
    body::Body,
    codegen::{BoxFuture, Bytes, Service, http},
    server::{Grpc, NamedService, ServerStreamingService},
};

use super::{
    match_desk::{MatchDesk, reader},
    positions::{Onlooker, PositionStream, viewers},
    replay_sight::check_replay,
};
use crate::{
    hosting::SharedNews, identity::Sight, journal::NotStored, refusal::Refusal, transport::Call,
};

/// The paths of these streams.
const WATCH_MATCH: &str = "/bridgemaster.v1.MatchService/WatchMatch";
const WATCH_POSITIONS: &str = "/bridgemaster.v1.MatchService/WatchPositions";

/// Encoded news of a match, and why there are no more.
type NewsStream = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;

/// `MatchService`.
#[derive(Clone)]
pub(crate) struct SharedStreams {
    desk: Arc<MatchDesk>,
    others: MatchServiceServer<MatchDesk>,
    request_bytes: usize,
}

impl SharedStreams {
    /// The service of a desk, with requests of so many bytes at most.
    pub(crate) fn new(desk: MatchDesk, request_bytes: usize) -> Self {
        let desk = Arc::new(desk);
        let others = MatchServiceServer::from_arc(Arc::clone(&desk));
        Self {
            desk,
            others: others.max_decoding_message_size(request_bytes),
            request_bytes,
        }
    }

    /// Answers a call of `method`, which sends bytes.
    async fn stream<R, M>(self, method: M, request: http::Request<Body>) -> http::Response<Body>
    where
        R: Message + Default + Send + 'static,
        M: ServerStreamingService<R, Response = Bytes>,
        M::ResponseStream: Send + 'static,
    {
        let grpc = Grpc::new(BytesCodec::<R>::default());
        let mut grpc = grpc.max_decoding_message_size(self.request_bytes);
        grpc.server_streaming(method, request).await
    }
}

impl NamedService for SharedStreams {
    const NAME: &'static str = SERVICE_NAME;
}

impl Service<http::Request<Body>> for SharedStreams {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // The generated service always is.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let this = self.clone();
        let desk = Arc::clone(&self.desk);
        match request.uri().path() {
            WATCH_MATCH => Box::pin(async { Ok(this.stream(WatchMatch(desk), request).await) }),
            WATCH_POSITIONS => {
                Box::pin(async { Ok(this.stream(WatchPositions(desk), request).await) })
            }
            _ => self.others.call(request),
        }
    }
}

struct WatchMatch(Arc<MatchDesk>);

impl ServerStreamingService<WatchMatchRequest> for WatchMatch {
    type Response = Bytes;
    type ResponseStream = NewsStream;
    type Future = BoxFuture<Response<NewsStream>, Status>;

    fn call(&mut self, request: Request<WatchMatchRequest>) -> Self::Future {
        let desk = Arc::clone(&self.0);
        Box::pin(async move { Ok(Response::new(desk.news(request).await?)) })
    }
}

struct WatchPositions(Arc<MatchDesk>);

impl ServerStreamingService<WatchPositionsRequest> for WatchPositions {
    type Response = Bytes;
    type ResponseStream = PositionStream;
    type Future = BoxFuture<Response<PositionStream>, Status>;

    fn call(&mut self, request: Request<WatchPositionsRequest>) -> Self::Future {
        let desk = Arc::clone(&self.0);
        Box::pin(async move { Ok(Response::new(desk.positions(request).await?)) })
    }
}

impl MatchDesk {
    /// The news of a match.
    async fn news(&self, request: Request<WatchMatchRequest>) -> Result<NewsStream, Refusal> {
        let match_id = &request.get_ref().match_id;
        let (hosted, caller) = self.seen(&request, match_id, Sight::Matches).await?;
        let mut news = hosted.watch(Call::current().map(|call| call.watcher()))?;
        let matches = Arc::clone(&self.matches);
        let counted = self.matches.metrics().watch_stream();
        Ok(Box::pin(stream! {
            let _counted = counted;
            let (refused, interrupted) = (caller.refused(), matches.interrupted());
            tokio::pin!(refused, interrupted);
            loop {
                select! {
                    biased;
                    message = news.recv() => match message {
                        Some(message) => match message.shown().await {
                            Ok(news) => yield news.map(SharedNews::into_bytes),
                            Err(NotStored) => {
                                yield Err(Refusal::storage_failed().into());
                                return;
                            }
                        },
                        None => return,
                    },
                    refusal = &mut interrupted => {
                        yield Err(refusal.into());
                        return;
                    }
                    refusal = &mut refused => {
                        yield Err(refusal.into());
                        return;
                    }
                }
            }
        }))
    }

    /// The positions of a match or of a replay file.
    async fn positions(
        &self,
        request: Request<WatchPositionsRequest>,
    ) -> Result<PositionStream, Refusal> {
        let match_id = match &request.get_ref().source {
            Some(Source::MatchId(match_id)) => match_id,
            // As for every other match that there is not.
            None => "",
            Some(Source::ReplayFile(_)) => {
                self.authenticator.caller(request.metadata()).await?;
                return self.opened(request.into_inner()).await;
            }
        };
        let (hosted, caller) = self.seen(&request, match_id, Sight::Matches).await?;
        if hosted.is_over() {
            // Its positions are made of its replay.
            check_replay(&self.ladders, &*hosted, &caller).await?;
        }
        let reader = reader(&request, &caller);
        let request = request.into_inner();
        let viewers = viewers(&request.viewers, hosted.seats())?;
        let server = (&self.matches, &self.ladders);
        let who = (caller, reader);
        let onlooker = Onlooker::new(server, hosted, who, viewers, request.from_decision);
        onlooker.check()?;
        Ok(onlooker.positions())
    }
}
