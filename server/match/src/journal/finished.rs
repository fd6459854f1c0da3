//! A finished match as it is kept on disk: what is known of it without its replay.

use bridgemaster_proto::{
    games::{WireGame, Writer, field_of},
    internal::v1::FinishedMatch,
    v1::MatchInfo,
};
use bridgemaster_wire::write_game_config;
use prost::Message as _;

use super::FORMAT_VERSION;

/// Most bytes of a finished match without its replay: 64 KiB. A store must take as many.
pub const MAX_SUMMARY_BYTES: usize = 64 * 1024;

/// The bytes of a finished match, of which `finished` has all but the `config` of its game: at most
/// [`MAX_SUMMARY_BYTES`]. What is left out when there would be more is in the replay: that config, then
/// the faults one by one.
pub(crate) fn write_finished<G: WireGame>(
    mut finished: FinishedMatch,
    config: &G::Config,
) -> Vec<u8> {
    finished.format_version = FORMAT_VERSION;
    let whole = with_config::<G>(&finished, config);
    if whole.len() <= MAX_SUMMARY_BYTES {
        return whole;
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

/// The bytes of a finished match with the config of its game.
fn with_config<G: WireGame>(finished: &FinishedMatch, config: &G::Config) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.body(finished);
    // Decoders of Protobuf merge a message field that occurs twice.
    writer.message(const { field_of::<FinishedMatch>("info") }, |to| {
        to.message(const { field_of::<MatchInfo>("config") }, |to| {
            write_game_config::<G>(config, to);
        });
    });
    writer.into_vec()
}

/// Reads what [`Finish::summary`](crate::Finish) holds; the match that it gives has its `info`.
///
/// # Errors
/// When the bytes are no `FinishedMatch`, one of another format version, or one without `info`.
pub fn read_finished(bytes: &[u8]) -> Result<FinishedMatch, String> {
    let finished = FinishedMatch::decode(bytes).map_err(|error| error.to_string())?;
    if finished.format_version != FORMAT_VERSION {
        return Err(format!(
            "it has format version {}, and this program reads {FORMAT_VERSION}",
            finished.format_version
        ));
    }
    if finished.info.is_none() {
        return Err("the match itself is missing".to_owned());
    }
    Ok(finished)
}

#[cfg(test)]
mod tests {
    use bridgemaster_games::{SeatCount, Seed, old_london_bridge::OldLondonBridge as G};
    use bridgemaster_proto::v1::{Fault, MatchConfig, MatchResult, SeatResult};
    use bridgemaster_referee::MatchRules;

    use super::*;

    /// One with so many faults and a label of so many bytes.
    fn finished(faults: usize, label_bytes: usize) -> FinishedMatch {
        let seat = SeatResult {
            faults: vec![Fault::default(); faults],
            ..SeatResult::default()
        };
        let result = MatchResult {
            seats: vec![seat],
            ..MatchResult::default()
        };
        let info = MatchInfo {
            labels: [("label".to_owned(), "x".repeat(label_bytes))].into(),
            config: Some(MatchConfig {
                ask_forced: true,
                ..MatchConfig::default()
            }),
            result: Some(result),
            ..MatchInfo::default()
        };
        FinishedMatch {
            info: Some(info),
            ..FinishedMatch::default()
        }
    }

    /// How many faults are left of it, and whether the config of its game is.
    fn written(finished: FinishedMatch) -> (usize, bool) {
        let config = MatchRules::<G>::standard(SeatCount::new(2).unwrap(), Seed::from(1)).config;
        let bytes = write_finished::<G>(finished, &config);
        assert!(bytes.len() <= MAX_SUMMARY_BYTES);
        let info = read_finished(&bytes).unwrap().info.unwrap();
        let rules = info.config.unwrap();
        assert!(rules.ask_forced);
        let game = rules.game.map(|game| G::config_from_wire(&game).unwrap());
        assert!(game.as_ref().is_none_or(|game| *game == config));
        (info.result.unwrap().seats[0].faults.len(), game.is_some())
    }

    #[test]
    fn where_there_is_no_room_the_config_of_the_game_goes_and_then_the_faults() {
        assert_eq!(written(finished(10, 100)), (10, true));
        let of_all = finished(10, MAX_SUMMARY_BYTES - 100);
        assert!(of_all.encoded_len() <= MAX_SUMMARY_BYTES);
        assert_eq!(written(of_all), (10, false));
        assert_eq!(written(finished(40_000, 100)), (0, false));
    }
}
