//! An HTTP/2 client without the usual restrictions.

use std::{net::SocketAddr, time::Duration};

use bridgemaster_sdk::KEY_METADATA;
use h2::{
    RecvStream, SendStream,
    client::{Builder, ResponseFuture, SendRequest},
};
use prost::Message;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use tonic::codegen::{
    Bytes,
    http::{Request, Response},
};

use super::target::Target;

/// Longest wait for the permission to open a stream.
const PATIENCE: Duration = Duration::from_secs(2);

/// The reason for a failure, which attackers ignore.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A connection.
pub(crate) struct RawClient {
    sender: SendRequest<Bytes>,
    server: SocketAddr,
    key: String,
    _driving: AbortOnDropHandle<()>,
}

/// A call whose response is not read while this value exists.
pub(crate) struct HeldCall {
    pub(crate) response: ResponseFuture,
    pub(crate) body: SendStream<Bytes>,
}

/// A call whose response has started, and is not read while this value exists.
pub(crate) struct AnsweredCall {
    _answer: Response<RecvStream>,
    _body: SendStream<Bytes>,
}

impl RawClient {
    /// Connects with TLS from a loopback address, and allows the server to send this number of
    /// bytes on a stream.
    pub(crate) async fn connect(
        target: &Target,
        from: u8,
        key: &str,
        window: u32,
    ) -> Result<Self, Failure> {
        let (sender, connection) = Builder::new()
            .initial_window_size(window)
            .initial_connection_window_size(0x7fff_ffff)
            .initial_max_send_streams(100)
            .handshake(target.tls(from).await?)
            .await?;
        let driving = tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Self {
            sender,
            server: target.server,
            key: key.to_owned(),
            _driving: AbortOnDropHandle::new(driving),
        })
    }

    /// Starts a call and sends these bytes.
    pub(crate) async fn begin(
        &mut self,
        path: &str,
        ticket: Option<&str>,
        bytes: Bytes,
        is_all: bool,
    ) -> Result<HeldCall, Failure> {
        let ready = timeout(PATIENCE, self.sender.clone().ready()).await;
        self.sender = ready??;
        let mut call = Request::post(format!("https://{}{path}", self.server))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header(KEY_METADATA, &self.key);
        if let Some(ticket) = ticket {
            call = call.header("authorization", format!("Bearer {ticket}"));
        }
        let (response, mut body) = self.sender.send_request(call.body(()).unwrap(), false)?;
        body.send_data(bytes, is_all)?;
        Ok(HeldCall { response, body })
    }

    /// Begins a call with this message.
    pub(crate) async fn call(
        &mut self,
        path: &str,
        message: &impl Message,
    ) -> Result<HeldCall, Failure> {
        self.begin(path, None, framed(message), true).await
    }
}

impl HeldCall {
    /// Returns the head of the response, if it arrives in time.
    pub(crate) async fn head(self, time: Duration) -> Option<Response<RecvStream>> {
        timeout(time, self.response).await.ok()?.ok()
    }

    /// Waits until the response has started; `None` if the call is reset instead.
    pub(crate) async fn answered(self) -> Option<AnsweredCall> {
        Some(AnsweredCall { _answer: self.response.await.ok()?, _body: self.body })
    }
}

/// Returns a message with its gRPC prefix.
pub(crate) fn framed(message: &impl Message) -> Bytes {
    let bytes = message.encode_to_vec();
    part_of(bytes.len(), &bytes)
}

/// Returns the start of a message whose prefix announces `whole` bytes.
pub(crate) fn part_of(whole: usize, part: &[u8]) -> Bytes {
    let mut framed = vec![0];
    framed.extend(u32::try_from(whole).unwrap().to_be_bytes());
    framed.extend_from_slice(part);
    framed.into()
}
