//! The summary of a finished match: what is known of it without its replay.

use bridgemaster_proto::v1::MatchInfo;
use bridgemaster_store::{KeyName, limits::MAX_SUMMARY_BYTES};
use prost::Message as _;

use super::FORMAT_VERSION;

/// A finished match. Kept as protobuf: fields are added, never changed.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FinishedSummary {
    /// As in the header of a match in play.
    #[prost(uint32, tag = "1")]
    format_version: u32,
    /// What services tell of it.
    #[prost(message, optional, tag = "2")]
    pub(crate) info: Option<MatchInfo>,
    /// Identifier of its game.
    #[prost(string, tag = "3")]
    pub(crate) game_id: String,
    /// Version of the game's rules.
    #[prost(uint32, tag = "4")]
    pub(crate) rules_version: u32,
    /// What a bot that comes back too late has to be told, in seat order.
    #[prost(message, repeated, tag = "5")]
    pub(crate) seats: Vec<FinishedSeat>,
    /// Name of the API key that made it; not set on a server that asks for none.
    #[prost(string, optional, tag = "6")]
    pub(crate) maker: Option<String>,
}

/// How the conversation with a seat ends.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FinishedSeat {
    /// SHA-256 of its ticket.
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) ticket_sha256: Vec<u8>,
    /// Sequence of its MatchStarted; not set when it was not told of the start.
    #[prost(uint32, optional, tag = "2")]
    pub(crate) started_sequence: Option<u32>,
    /// Sequence of its MatchEnded.
    #[prost(uint32, tag = "3")]
    pub(crate) ended_sequence: u32,
    /// Name of the fault that it forfeited for; empty when it did not.
    #[prost(string, tag = "4")]
    pub(crate) forfeited_for: String,
}

impl FinishedSummary {
    /// The summary of a match of this game.
    pub(crate) fn new(
        info: MatchInfo,
        game_id: &str,
        rules_version: u32,
        seats: Vec<FinishedSeat>,
        maker: Option<&KeyName>,
    ) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            info: Some(info),
            game_id: game_id.to_owned(),
            rules_version,
            seats,
            maker: maker.map(ToString::to_string),
        }
    }

    /// Its bytes, at most [`MAX_SUMMARY_BYTES`]. What a summary leaves out when it would be longer
    /// is in the replay: the options of the game, then the faults one by one.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        if self.encoded_len() > MAX_SUMMARY_BYTES
            && let Some(config) = self.info.as_mut().and_then(|info| info.config.as_mut())
        {
            config.game = None;
        }
        if self.encoded_len() > MAX_SUMMARY_BYTES
            && let Some(result) = self.info.as_mut().and_then(|info| info.result.as_mut())
        {
            for seat in &mut result.seats {
                seat.faults.clear();
            }
        }
        self.encode_to_vec()
    }

    /// Reads a summary, or tells what is wrong with it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let summary = Self::decode(bytes).map_err(|error| error.to_string())?;
        if summary.format_version != FORMAT_VERSION {
            return Err(format!(
                "it has format version {}, and this program reads {FORMAT_VERSION}",
                summary.format_version
            ));
        }
        if summary.info.is_none() {
            return Err("the match itself is missing".to_owned());
        }
        Ok(summary)
    }
}
