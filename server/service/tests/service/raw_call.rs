//! Calls below the level of the clients: encoded messages, frames and bytes on connections.

use std::net::SocketAddr;

use h2::{RecvStream, client::SendRequest};
use prost::Message;
use tokio::{
    io::AsyncReadExt as _,
    net::{TcpSocket, TcpStream},
    select,
    sync::mpsc,
    time::timeout,
};
use tokio_stream::Stream;
use tokio_util::task::AbortOnDropHandle;
use tonic::{
    Request, Status, Streaming,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::{Bytes, http},
    metadata::MetadataMap,
};

use crate::{caller::Caller, streams::PATIENCE};

pub(crate) const PLAY: &str = "/bridgemaster.v1.PlayService/Play";
pub(crate) const LIST_MATCHES: &str = "/bridgemaster.v1.MatchService/ListMatches";
pub(crate) const LIST_GAMES: &str = "/bridgemaster.v1.CatalogService/ListGames";
pub(crate) const CREATE_MATCH: &str = "/bridgemaster.v1.MatchService/CreateMatch";
/// The first bytes of an HTTP/2 client: the preface, and an empty SETTINGS frame.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// A codec for encoded messages.
#[derive(Clone, Copy, Default)]
pub(crate) struct BytesCodec;

impl Codec for BytesCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost::bytes::BufMut::put(buffer, item);
        Ok(())
    }
}

impl Decoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        let length = prost::bytes::Buf::remaining(buffer);
        Ok(Some(prost::bytes::Buf::copy_to_bytes(buffer, length)))
    }
}

/// Returns metadata with these values.
pub(crate) fn metadata(values: &[(&'static str, &str)]) -> MetadataMap {
    let mut metadata = MetadataMap::new();
    for (name, value) in values {
        metadata.append(*name, value.parse().unwrap());
    }
    metadata
}

/// Starts a call with encoded messages.
pub(crate) async fn start(
    caller: &Caller,
    path: &str,
    metadata: MetadataMap,
    messages: impl Stream<Item = Bytes> + Send + 'static,
) -> Result<Streaming<Bytes>, Status> {
    let mut client = tonic::client::Grpc::new(caller.channel.clone());
    client.ready().await.unwrap();
    let mut request = Request::new(messages);
    *request.metadata_mut() = metadata;
    let called = client.streaming(request, path.parse().unwrap(), BytesCodec);
    let called = timeout(PATIENCE, called).await.expect(path)?;
    Ok(called.into_inner())
}

/// Calls a method with an empty message, and reads the first message of the response.
pub(crate) async fn call(
    caller: &Caller,
    path: &str,
    values: &[(&'static str, &str)],
) -> Result<(), Status> {
    let empty = tokio_stream::once(Bytes::new());
    let mut called = start(caller, path, metadata(values), empty).await?;
    let message = timeout(PATIENCE, called.message()).await;
    message.expect(path).map(drop)
}

/// Opens a TCP connection to a server from a loopback address.
pub(crate) async fn connect_from(address: &str, caller: &Caller) -> TcpStream {
    let to = caller.url.split_once("://").unwrap().1;
    let socket = TcpSocket::new_v4().unwrap();
    let from = SocketAddr::new(address.parse().unwrap(), 0);
    socket.bind(from).unwrap();
    socket.connect(to.parse().unwrap()).await.unwrap()
}

/// Waits until the server closes a connection.
pub(crate) async fn assert_closed(mut connection: TcpStream) {
    let mut heard = Vec::new();
    let end = timeout(PATIENCE, connection.read_to_end(&mut heard)).await;
    // Closing a connection with unread bytes resets it.
    let _closed_or_reset = end.expect("the server closes the connection");
}

/// A client with a connection that has a small window: the server may send only this number of
/// bytes of each response.
pub(crate) struct NarrowClient {
    sender: SendRequest<Bytes>,
    url: String,
    pub(crate) windows: mpsc::UnboundedSender<u32>,
    _connection: AbortOnDropHandle<()>,
}

impl NarrowClient {
    pub(crate) async fn connect(caller: &Caller, window: u32) -> Self {
        let socket = connect_from("127.0.0.1", caller).await;
        let (sender, mut connection) = h2::client::Builder::new()
            .initial_window_size(window)
            // An unread stream must not block the others.
            .initial_connection_window_size(16 * 1024 * 1024)
            .handshake(socket)
            .await
            .unwrap();
        let (windows, mut opened) = mpsc::unbounded_channel();
        let connection = tokio::spawn(async move {
            loop {
                select! {
                    _ = &mut connection => return,
                    Some(window) = opened.recv() => {
                        connection.set_initial_window_size(window).unwrap();
                    }
                }
            }
        });
        Self {
            sender,
            url: caller.url.clone(),
            windows,
            _connection: AbortOnDropHandle::new(connection),
        }
    }

    /// Starts a call with these bytes and headers, without ending the request.
    pub(crate) async fn start(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        bytes: Vec<u8>,
    ) -> (h2::SendStream<Bytes>, PendingResponse) {
        let mut call = http::Request::post(format!("{}{path}", self.url))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        for (name, value) in headers {
            call = call.header(*name, *value);
        }
        self.sender = self.sender.clone().ready().await.unwrap();
        let call = call.body(()).unwrap();
        let (response, mut body) = self.sender.send_request(call, false).unwrap();
        body.send_data(bytes.into(), false).unwrap();
        (body, PendingResponse(response))
    }
}

/// Returns the start of a message whose header announces this length.
pub(crate) fn framed(length: u32, sent: &[u8]) -> Vec<u8> {
    [&[0][..], &length.to_be_bytes(), sent].concat()
}

/// Frames a whole message.
pub(crate) fn framed_message(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    framed(bytes.len() as u32, &bytes)
}

pub(crate) struct PendingResponse(h2::client::ResponseFuture);

impl PendingResponse {
    /// Waits for the headers, and returns them with the body.
    pub(crate) async fn head(self) -> (http::response::Parts, RecvStream) {
        let response = timeout(PATIENCE, self.0).await.unwrap();
        response.unwrap().into_parts()
    }

    /// Reads the whole response and returns its status.
    pub(crate) async fn read(self) -> Status {
        let (head, mut body) = self.head().await;
        if let Some(status) = Status::from_header_map(&head.headers) {
            return status;
        }
        read_on(&mut body).await.unwrap()
    }
}

/// Reads the rest of a response, and returns its status.
pub(crate) async fn read_on(body: &mut RecvStream) -> Result<Status, h2::Error> {
    while let Some(data) = timeout(PATIENCE, body.data()).await.unwrap() {
        body.flow_control().release_capacity(data?.len()).unwrap();
    }
    let trailers = timeout(PATIENCE, body.trailers()).await.unwrap()?;
    Ok(Status::from_header_map(&trailers.unwrap()).unwrap())
}
