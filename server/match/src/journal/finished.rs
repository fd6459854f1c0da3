//! Stored form of a finished match: its summary, without the replay, and its histories.

use bridgemaster_proto::{
    games::{WireGame, Writer, field_of},
    internal::v1::{FinishedMatch, MatchHistory},
    v1::MatchInfo,
};
use bridgemaster_referee::{Histories, HistoryId};
use bridgemaster_replay::wire::write_game_config;
use prost::Message as _;

use super::FORMAT_VERSION;

/// Maximum size of a summary in bytes (64 KiB). Every store must accept values of this size.
pub const MAX_SUMMARY_BYTES: usize = 64 * 1024;

/// Encodes the summary of a finished match. `finished` is the summary without the game's `config`.
/// If the result would exceed [`MAX_SUMMARY_BYTES`], the config and, if necessary, the individual
/// faults are omitted. The replay contains all of them.
pub(crate) fn write_finished<G: WireGame>(
    mut finished: FinishedMatch,
    config: &G::Config,
) -> Vec<u8> {
    finished.format_version = FORMAT_VERSION;
    let complete = with_config::<G>(&finished, config);
    if complete.len() <= MAX_SUMMARY_BYTES {
        return complete;
    }
    if finished.encoded_len() > MAX_SUMMARY_BYTES
        && let Some(result) = finished.info.as_mut().and_then(|info| info.result.as_mut())
    {
        for seat in &mut result.seats {
            seat.faults.clear();
        }
    }
    finished.encode_to_vec()
}

/// Encodes a summary together with the game's config.
fn with_config<G: WireGame>(finished: &FinishedMatch, config: &G::Config) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.body(finished);
    // Protobuf decoders merge a message field that occurs twice.
    writer.message(const { field_of::<FinishedMatch>("info") }, |to| {
        to.message(const { field_of::<MatchInfo>("config") }, |to| {
            write_game_config::<G>(config, to);
        });
    });
    writer.into_vec()
}

/// Decodes a [`Finish::summary`](crate::Finish). The decoded summary always has `info`.
///
/// # Errors
/// Returns an error if the bytes are not a `FinishedMatch`, have another format version, or lack
/// `info`.
pub fn decode_finished(bytes: &[u8]) -> Result<FinishedMatch, String> {
    let finished = FinishedMatch::decode(bytes).map_err(|error| error.to_string())?;
    if finished.format_version != FORMAT_VERSION {
        return Err(format!(
            "format version {} is not supported (supported: {FORMAT_VERSION})",
            finished.format_version
        ));
    }
    if finished.info.is_none() {
        return Err("field info is missing".to_owned());
    }
    Ok(finished)
}

/// Encodes a match's histories, the current history last, with the last sequence number sent to
/// each seat.
pub(crate) fn write_histories(
    histories: &Histories,
    sent_so_far: impl Iterator<Item = u32>,
) -> Vec<MatchHistory> {
    let ended = histories.ended().map(|ended| MatchHistory {
        history_id: ended.history_id.as_bytes().to_vec(),
        last_sequences: ended.sent.clone(),
    });
    let running = MatchHistory {
        history_id: histories.running().as_bytes().to_vec(),
        last_sequences: sent_so_far.collect(),
    };
    ended.chain([running]).collect()
}

/// Decodes a match's histories, the current history last.
///
/// # Errors
/// Returns an error if there is no history, or a history is invalid.
pub fn read_histories(stored: Vec<MatchHistory>) -> Result<Histories, String> {
    let id = |stored: &MatchHistory| {
        let id = HistoryId::from_bytes(&stored.history_id);
        id.ok_or("the identifier of a history must have 16 bytes")
    };
    let mut stored = stored.into_iter();
    let mut before = stored.next().ok_or("the list of histories is empty")?;
    let mut histories = Histories::new(id(&before)?);
    for next in stored {
        histories.begin(id(&next)?, before.last_sequences);
        before = next;
    }
    Ok(histories)
}

#[cfg(test)]
mod tests {
    use bridgemaster_games::{SeatCount, Seed, old_london_bridge::OldLondonBridge as G};
    use bridgemaster_proto::v1::{Fault, MatchConfig, MatchResult, SeatResult};
    use bridgemaster_referee::MatchRules;

    use super::*;

    /// A summary with this number of faults and a label of this length.
    fn finished(faults: usize, label_bytes: usize) -> FinishedMatch {
        let seat = SeatResult { faults: vec![Fault::default(); faults], ..SeatResult::default() };
        let result = MatchResult { seats: vec![seat], ..MatchResult::default() };
        let info = MatchInfo {
            labels: [("label".to_owned(), "x".repeat(label_bytes))].into(),
            config: Some(MatchConfig { ask_forced: true, ..MatchConfig::default() }),
            result: Some(result),
            ..MatchInfo::default()
        };
        FinishedMatch { info: Some(info), ..FinishedMatch::default() }
    }

    /// Encodes and decodes a summary. Returns the number of its faults, and whether it has the
    /// config of the game.
    fn written(finished: FinishedMatch) -> (usize, bool) {
        let config = MatchRules::<G>::standard(SeatCount::new(2).unwrap(), Seed::from(1)).config;
        let bytes = write_finished::<G>(finished, &config);
        assert!(bytes.len() <= MAX_SUMMARY_BYTES);
        let info = decode_finished(&bytes).unwrap().info.unwrap();
        let rules = info.config.unwrap();
        assert!(rules.ask_forced);
        let game = rules.game.map(|game| G::config_from_wire(&game).unwrap());
        assert!(game.as_ref().is_none_or(|game| *game == config));
        (info.result.unwrap().seats[0].faults.len(), game.is_some())
    }

    #[test]
    fn a_summary_that_is_too_long_drops_the_config_of_the_game_and_then_the_faults() {
        assert_eq!(written(finished(10, 100)), (10, true));
        let of_all = finished(10, MAX_SUMMARY_BYTES - 100);
        assert!(of_all.encoded_len() <= MAX_SUMMARY_BYTES);
        assert_eq!(written(of_all), (10, false));
        assert_eq!(written(finished(40_000, 100)), (0, false));
    }

    #[test]
    fn histories_survive_a_round_trip() {
        let mut histories = Histories::new(HistoryId::new([1; 16]));
        histories.begin(HistoryId::new([2; 16]), vec![0, 7]);
        histories.begin(HistoryId::new([3; 16]), vec![4, 9]);
        let written = write_histories(&histories, [5, 9].into_iter());
        assert_eq!(written.last().unwrap().last_sequences, [5, 9]);
        assert_eq!(read_histories(written.clone()), Ok(histories));

        assert!(read_histories(Vec::new()).is_err());
        let mut damaged = written;
        damaged[1].history_id.pop();
        assert!(read_histories(damaged).is_err());
    }
}
