//! Sends the bot messages from the server and from the script.

use bridgemaster_proto::v1::{Ping, Welcome, play_response::Message as FromServer};

use super::Session;
use crate::wire;

impl Session {
    /// Sends one of the server's messages to the bot.
    pub(crate) async fn deliver(&mut self, sequence: u32, message: FromServer) {
        self.deliver_encoded(sequence, message, wire::encode).await;
    }

    /// Sends one of the server's messages to the bot, in the given encoding.
    pub(crate) async fn deliver_encoded(
        &mut self,
        sequence: u32,
        message: FromServer,
        encode: impl FnOnce(u32, FromServer) -> Vec<u8>,
    ) {
        let sequence = self.numbering.number_for_bot(sequence);
        self.transcript.record_from_server(sequence, &message);
        self.send_raw(encode(sequence, message)).await;
    }

    /// Inserts a message between the server's messages. `encode` receives the new message's
    /// sequence number.
    pub(crate) async fn insert(&mut self, encode: impl FnOnce(u32) -> Vec<u8>) {
        let sequence = self.numbering.insert();
        self.transcript.record_sequence(sequence);
        self.send_raw(encode(sequence)).await;
    }

    /// Sends the bot a Ping that does not come from the server.
    pub(crate) async fn send_ping(&mut self, nonce: u64) {
        self.transcript.record_script_ping(nonce);
        self.send_raw(wire::encode(0, FromServer::Ping(Ping { nonce })))
            .await;
    }

    /// Sends the bot a Welcome with the script's own history id. The server does not know this
    /// Welcome.
    pub(crate) async fn welcome_to(&mut self, history_id: &str, resumed: bool) {
        let welcome = Welcome {
            history_id: history_id.to_owned(),
            resumed,
            ..self.welcome.clone()
        };
        if !resumed {
            self.transcript.start_over();
        }
        self.deliver(0, FromServer::Welcome(welcome)).await;
    }

    /// Sends MatchStarted to the bot again.
    pub(crate) async fn resend_started(&mut self) {
        let (sequence, started) = self.started.clone();
        self.deliver(sequence, FromServer::MatchStarted(started))
            .await;
    }

    /// Sends an encoded message to the bot.
    pub(crate) async fn send_raw(&self, message: Vec<u8>) {
        if let Some(bot) = &self.bot {
            bot.send(message).await;
        }
    }
}
