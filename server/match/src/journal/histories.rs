//! The histories of a match as they are kept on disk.

use bridgemaster_proto::internal::v1::MatchHistory;
use bridgemaster_referee::{Histories, HistoryId};

/// The histories of a match, the running one last; that has sent so much to each seat.
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

/// Reads the histories of a match, the running one last.
///
/// # Errors
/// When there is none, or for the first that makes no sense: what is wrong with it.
pub fn read_histories(stored: Vec<MatchHistory>) -> Result<Histories, String> {
    let id = |stored: &MatchHistory| {
        let id = HistoryId::from_bytes(&stored.history_id);
        id.ok_or("the identifier of a history has not 16 bytes")
    };
    let mut stored = stored.into_iter();
    let mut before = stored.next().ok_or("it has no history")?;
    let mut histories = Histories::new(id(&before)?);
    for next in stored {
        histories.begin(id(&next)?, before.last_sequences);
        before = next;
    }
    Ok(histories)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
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
