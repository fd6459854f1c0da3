//! The stream of a seat, used message by message.

use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{
        Decision, Hello, PlayRequest, PlayResponse, Pong, decision::Choice, play_request,
        play_response::Message, play_service_client::PlayServiceClient,
    },
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming, transport::Channel};

use super::calls::showing;

/// An open stream, which ends when this value is dropped.
pub(crate) struct SeatStream {
    /// `None` once the bot has closed its half.
    outbound: Option<mpsc::Sender<PlayRequest>>,
    inbound: Streaming<PlayResponse>,
}

/// Returns the Hello of a bot that starts over.
pub(crate) fn hello(name: &str) -> Hello {
    Hello {
        protocol_revision: PROTOCOL_REVISION,
        bot_name: name.to_owned(),
        bot_version: "1".to_owned(),
        ..Hello::default()
    }
}

impl SeatStream {
    pub(crate) async fn open(
        channel: Channel,
        ticket: &str,
        key: &str,
        hello: Hello,
    ) -> Result<Self, Status> {
        let (outbound, messages) = mpsc::channel(8);
        let first = PlayRequest { message: Some(play_request::Message::Hello(hello)) };
        // The channel is never full here.
        let _ = outbound.send(first).await;
        let call = showing(ReceiverStream::new(messages), ticket, key);
        let opened = PlayServiceClient::new(channel).play(call).await?;
        Ok(Self { outbound: Some(outbound), inbound: opened.into_inner() })
    }

    /// Returns the next message other than a Ping, which is answered; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<PlayResponse>, Status> {
        loop {
            let response = self.inbound.message().await?;
            let message = response.as_ref().and_then(|response| response.message.as_ref());
            let Some(Message::Ping(ping)) = message else {
                return Ok(response);
            };
            let nonce = ping.nonce;
            self.send(play_request::Message::Pong(Pong { nonce })).await?;
        }
    }

    /// Returns the next message, which must exist.
    pub(crate) async fn message(&mut self) -> Message {
        let response = self.next().await.unwrap().expect("the stream continues");
        response.message.unwrap()
    }

    /// Answers a request with a decision from its list.
    pub(crate) async fn decide(&self, request_id: u32, index: u32) -> Result<(), Status> {
        let decision =
            Decision { request_id, choice: Some(Choice::Index(index)), ..Decision::default() };
        self.send(play_request::Message::Decision(decision)).await
    }

    /// Closes the bot's half of the stream.
    pub(crate) fn close(&mut self) {
        self.outbound = None;
    }

    async fn send(&self, message: play_request::Message) -> Result<(), Status> {
        let message = Some(message);
        let is_sent = match &self.outbound {
            Some(outbound) => outbound.send(PlayRequest { message }).await.is_ok(),
            None => false,
        };
        is_sent.then_some(()).ok_or_else(|| Status::unavailable("the stream has ended"))
    }
}
