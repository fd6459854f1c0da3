//! Spectator streams, which send encoded messages that many clients share. The generated service
//! would encode each message again for each client. All other calls go to the generated service.

use std::{
    convert::Infallible,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use async_stream::try_stream;
use bridgemaster_edge::{identity::ReadAccess, refusal::Refusal, transport::Call};
use bridgemaster_live::journal::NotStored;
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
use tower::service_fn;

use super::{
    check_replay,
    match_rpc::{MatchRpc, reader},
    positions::{PositionStream, PositionWatcher, check_viewers},
    until_access_ends,
};

const WATCH_MATCH_PATH: &str = "/bridgemaster.v1.MatchService/WatchMatch";
const WATCH_POSITIONS_PATH: &str = "/bridgemaster.v1.MatchService/WatchPositions";

/// Encoded updates of a match; an error ends the stream.
type UpdateStream = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;

/// `MatchService`, which sends the messages of spectator streams as encoded bytes.
#[derive(Clone)]
pub(crate) struct EncodedStreams {
    rpc: Arc<MatchRpc>,
    others: MatchServiceServer<MatchRpc>,
    max_request_bytes: usize,
}

impl EncodedStreams {
    /// Wraps `rpc`, with requests of at most `max_request_bytes` bytes.
    pub(crate) fn new(rpc: MatchRpc, max_request_bytes: usize) -> Self {
        let rpc = Arc::new(rpc);
        let others = MatchServiceServer::from_arc(Arc::clone(&rpc));
        Self { rpc, others: others.max_decoding_message_size(max_request_bytes), max_request_bytes }
    }

    /// Handles a call to a method that streams bytes.
    async fn stream<R, M>(self, method: M, request: http::Request<Body>) -> http::Response<Body>
    where
        R: Message + Default + Send + 'static,
        M: ServerStreamingService<R, Response = Bytes>,
        M::ResponseStream: Send + 'static,
    {
        let grpc = Grpc::new(BytesCodec::<R>::default());
        let mut grpc = grpc.max_decoding_message_size(self.max_request_bytes);
        grpc.server_streaming(method, request).await
    }
}

impl NamedService for EncodedStreams {
    const NAME: &'static str = SERVICE_NAME;
}

impl Service<http::Request<Body>> for EncodedStreams {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // The generated service is always ready, so this one is too.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let this = self.clone();
        let rpc = Arc::clone(&self.rpc);
        match request.uri().path() {
            WATCH_MATCH_PATH => Box::pin(async move {
                let updates = service_fn(move |request| {
                    let rpc = Arc::clone(&rpc);
                    async move { Ok::<_, Status>(Response::new(rpc.updates(request).await?)) }
                });
                Ok(this.stream::<WatchMatchRequest, _>(updates, request).await)
            }),
            WATCH_POSITIONS_PATH => Box::pin(async move {
                let positions = service_fn(move |request| {
                    let rpc = Arc::clone(&rpc);
                    async move { Ok::<_, Status>(Response::new(rpc.positions(request).await?)) }
                });
                Ok(this.stream::<WatchPositionsRequest, _>(positions, request).await)
            }),
            _ => self.others.call(request),
        }
    }
}

impl MatchRpc {
    /// Streams the updates of a match.
    async fn updates(&self, request: Request<WatchMatchRequest>) -> Result<UpdateStream, Refusal> {
        let match_id = &request.get_ref().match_id;
        let (hosted, caller) = self.readable_match(&request, match_id, ReadAccess::Matches).await?;
        let mut updates = hosted.watch(Call::current().map(|call| call.watcher()))?;
        let matches = Arc::clone(&self.matches);
        let counted = self.matches.metrics().watch_stream();
        Ok(Box::pin(try_stream! {
            let _counted = counted;
            let mut ended = pin!(until_access_ends(&matches, &caller));
            loop {
                let message = select! {
                    biased;
                    message = updates.recv() => Ok(message),
                    refusal = &mut ended => Err(refusal),
                };
                let Some(message) = message? else { return };
                let update = message.committed().await;
                let update = update.map_err(|NotStored| Refusal::storage_failed())?;
                yield update?.into_bytes();
            }
        }))
    }

    /// Streams the positions in a match or a replay file.
    async fn positions(
        &self,
        request: Request<WatchPositionsRequest>,
    ) -> Result<PositionStream, Refusal> {
        let match_id = match &request.get_ref().source {
            Some(Source::MatchId(match_id)) => match_id,
            // An empty identifier is refused later, as an unknown match.
            None => "",
            Some(Source::ReplayFile(_)) => {
                self.authenticator.caller(request.metadata()).await?;
                return self.file_positions(request.into_inner()).await;
            }
        };
        let (hosted, caller) = self.readable_match(&request, match_id, ReadAccess::Matches).await?;
        if hosted.is_over() {
            // The positions of a finished match are computed from its replay.
            check_replay(&self.ladders, &hosted, &caller).await?;
        }
        let reader = reader(&request, &caller);
        let request = request.into_inner();
        let viewers = check_viewers(&request.viewers, hosted.facts().seats)?;
        let server = (&self.matches, &self.ladders);
        let who = (caller, reader);
        let watcher = PositionWatcher::new(server, hosted, who, viewers, request.from_decision);
        watcher.check_access()?;
        Ok(watcher.positions())
    }
}
