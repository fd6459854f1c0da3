//! What came of a match, as the ladder takes it.

use bridgemaster_ladder::{End, SeatEnd};
use bridgemaster_proto::v1::{FaultReason, MatchInfo, MatchState, SeatResult};

/// What came of a match; `None` while it is not over.
pub(super) fn end_of(info: &MatchInfo) -> Option<End> {
    match info.state() {
        MatchState::Ended => {}
        MatchState::Cancelled => return Some(End::Cancelled { absent: Vec::new() }),
        MatchState::Unspecified | MatchState::Waiting | MatchState::Running => return None,
    }
    let result = info.result.as_ref()?;
    // What that costs is chosen for a match, and need not be a forfeit.
    let did_not_come = |seat: &SeatResult| {
        seat.bot_name.is_empty() || seat.forfeit() == FaultReason::NeverConnected
    };
    let seats = || result.seats.iter();
    if seats().any(did_not_come) {
        let absent = seats().enumerate().filter(|(_, seat)| did_not_come(seat));
        let absent = absent.map(|(number, _)| number).collect();
        return Some(End::Cancelled { absent });
    }
    let ends = seats().map(|seat| SeatEnd {
        place: seat.place,
        score: seat.score,
        forfeited: seat.forfeit() != FaultReason::Unspecified,
    });
    let ends = ends.collect();
    Some(match info.annulment {
        Some(_) => End::Annulled(ends),
        None => End::Played(ends),
    })
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{Annulment, MatchResult};

    use super::*;

    fn ended(forfeits: [FaultReason; 2]) -> MatchInfo {
        let seats = (1..).zip(forfeits).map(|(place, forfeit)| SeatResult {
            place,
            score: 10,
            forfeit: forfeit.into(),
            bot_name: "bot".to_owned(),
            ..SeatResult::default()
        });
        MatchInfo {
            state: MatchState::Ended.into(),
            result: Some(MatchResult {
                seats: seats.collect(),
                ..MatchResult::default()
            }),
            ..MatchInfo::default()
        }
    }

    #[test]
    fn a_match_counts_unless_it_was_annulled_or_a_bot_did_not_come() {
        let none = FaultReason::Unspecified;
        let end = |place, forfeited| SeatEnd {
            place,
            score: 10,
            forfeited,
        };
        let sound = ended([none, none]);
        let ends = vec![end(1, false), end(2, false)];
        assert_eq!(end_of(&sound), Some(End::Played(ends.clone())));
        let late = end_of(&ended([none, FaultReason::NeverConnected]));
        assert_eq!(late, Some(End::Cancelled { absent: vec![1] }));
        let mut substituted = sound.clone();
        if let Some(result) = &mut substituted.result {
            result.seats[0].bot_name.clear();
        }
        let late = end_of(&substituted);
        assert_eq!(late, Some(End::Cancelled { absent: vec![0] }));
        let lost = end_of(&ended([none, FaultReason::Disconnected]));
        assert_eq!(lost, Some(End::Played(vec![end(1, false), end(2, true)])));
        let spoiled = MatchInfo {
            annulment: Some(Annulment::default()),
            ..sound
        };
        assert_eq!(end_of(&spoiled), Some(End::Annulled(ends)));
        for state in [MatchState::Waiting, MatchState::Running] {
            let info = MatchInfo {
                state: state.into(),
                ..MatchInfo::default()
            };
            assert_eq!(end_of(&info), None);
        }
    }
}
