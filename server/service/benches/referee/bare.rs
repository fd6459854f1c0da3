//! Parts that the benchmark's bare tonic services share: messages, serving, and opening streams.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use tokio::net::TcpListener;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Streaming,
    body::Body,
    codegen::{BoxFuture, Service, http},
    server::{NamedService, StreamingService},
    transport::{Channel, Server, server::TcpIncoming},
};
use tonic_prost::ProstCodec;

/// One path suffices, because each service has a separate port.
const PATH: &str = "/bench.Bare/Play";

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Payload {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) bytes: Vec<u8>,
}

impl Payload {
    pub(crate) fn of(bytes: usize) -> Self {
        Self { bytes: vec![7; bytes] }
    }
}

/// A service with one method.
#[derive(Clone)]
struct Bare<S>(S);

impl<S> NamedService for Bare<S> {
    const NAME: &'static str = "bench.Bare";
}

impl<S> Service<http::Request<Body>> for Bare<S>
where
    S: StreamingService<Payload, Response = Payload> + Clone + Send + 'static,
    S::ResponseStream: Send + 'static,
    S::Future: Send,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.0.clone();
        Box::pin(async move {
            let mut grpc = tonic::server::Grpc::new(ProstCodec::<Payload, Payload>::default());
            Ok(grpc.streaming(service, request).await)
        })
    }
}

/// Serves the service on an unused port.
pub(crate) async fn serve<S>(service: S) -> String
where
    S: StreamingService<Payload, Response = Payload> + Clone + Send + Sync + 'static,
    S::ResponseStream: Send + 'static,
    S::Future: Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let router = Server::builder().add_service(Bare(service));
    tokio::spawn(router.serve_with_incoming(incoming));
    url
}

/// Opens a stream, and returns the answers on it.
pub(crate) async fn open(
    channel: Channel,
    call: Request<ReceiverStream<Payload>>,
) -> Streaming<Payload> {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let codec = ProstCodec::<Payload, Payload>::default();
    let streaming = client.streaming(call, PATH.parse().unwrap(), codec);
    streaming.await.unwrap().into_inner()
}
