//! Logs every message in a match at the `trace` level, for debugging the protocol.

use std::fmt;

use bridgemaster_proto::v1::{PlayRequest, PlayResponse};
use prost::Message;
use tracing::trace;

/// Logs a message received from a server.
pub(crate) fn received(server_url: &str, response: &PlayResponse) {
    trace!(server_url, bytes = %Hex(response), "received");
}

/// Logs a message sent to a server. Tickets and keys are sent as metadata, so they are not logged.
pub(crate) fn sent(server_url: &str, request: &PlayRequest) {
    trace!(server_url, bytes = %Hex(request), "sent");
}

/// Formats a message as lowercase hex. The message is encoded only if the line is logged.
struct Hex<'a, M>(&'a M);

impl<M: Message> fmt::Display for Hex<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.encode_to_vec() {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{Ping, play_response};

    use super::*;

    #[test]
    fn a_message_is_written_as_its_bytes() {
        let ping = PlayResponse {
            sequence: 0,
            message: Some(play_response::Message::Ping(Ping { nonce: 300 })),
        };
        assert_eq!(Hex(&ping).to_string(), "420308ac02");
    }
}
