//! What a script tells the bot: messages of the server, and such as only the script knows.

use bridgemaster_proto::v1::{Ping, Welcome, play_response::Message as FromServer};

use super::Session;
use crate::wire;

impl Session {
    /// Sends the bot a message of the server.
    pub(crate) async fn deliver(&mut self, sequence: u32, message: FromServer) {
        self.deliver_as(sequence, message, wire::encode).await;
    }

    /// Sends the bot a message of the server in another encoding.
    pub(crate) async fn deliver_as(
        &mut self,
        sequence: u32,
        message: FromServer,
        encode: impl FnOnce(u32, FromServer) -> Vec<u8>,
    ) {
        let sequence = self.numbering.number_for_bot(sequence);
        self.told.tell(sequence, &message);
        self.say(encode(sequence, message)).await;
    }

    /// Puts a message among the server's: a counted one has the sequence that `encode` gets.
    pub(crate) async fn put_in(&mut self, encode: impl FnOnce(u32) -> Vec<u8>) {
        let sequence = self.numbering.put_in();
        self.told.tell_sequence(sequence);
        self.say(encode(sequence)).await;
    }

    /// Sends the bot a Ping of the script's own.
    pub(crate) async fn ping(&mut self, nonce: u64) {
        self.told.tell_own_ping(nonce);
        self.say(wire::encode(0, FromServer::Ping(Ping { nonce })))
            .await;
    }

    /// Welcomes the bot to a history of the script's own, while the server goes on as if nothing
    /// had been.
    pub(crate) async fn welcome_to(&mut self, history_id: &str, resumed: bool) {
        let welcome = Welcome {
            history_id: history_id.to_owned(),
            resumed,
            ..self.welcome.clone()
        };
        if !resumed {
            self.told.begin_anew();
        }
        self.deliver(0, FromServer::Welcome(welcome)).await;
    }

    /// Sends the bot MatchStarted once more.
    pub(crate) async fn start_again(&mut self) {
        let (sequence, started) = self.started.clone();
        self.deliver(sequence, FromServer::MatchStarted(started))
            .await;
    }

    /// Sends the bot encoded bytes.
    pub(crate) async fn say(&self, message: Vec<u8>) {
        if let Some(bot) = &self.bot {
            bot.send(message).await;
        }
    }
}
