//! A finished match as it is kept on disk: what is known of it without its replay.

use bridgemaster_proto::internal::v1::FinishedMatch;
use prost::Message as _;

use super::FORMAT_VERSION;

/// Most bytes of a finished match without its replay: 64 KiB. A store must take as many.
pub const MAX_SUMMARY_BYTES: usize = 64 * 1024;

/// The bytes of a finished match, at most [`MAX_SUMMARY_BYTES`]. What is left out when there would
/// be more is in the replay: the options of the game, then the faults one by one.
pub(crate) fn write_finished(mut finished: FinishedMatch) -> Vec<u8> {
    finished.format_version = FORMAT_VERSION;
    if finished.encoded_len() > MAX_SUMMARY_BYTES
        && let Some(config) = finished.info.as_mut().and_then(|info| info.config.as_mut())
    {
        config.game = None;
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
