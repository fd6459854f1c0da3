//! Stored form of a match's histories.

use bridgemaster_proto::internal::v1::MatchHistory;
use bridgemaster_referee::{Histories, HistoryId};

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
    use super::*;

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
