//! What a replay tells of its match, in the form of a server's.

use bridgemaster_proto::v1::{
    Annulment, AnnulmentReason, FaultReason, MatchInfo, MatchState, Replay, SeatInfo, SeatState,
    record,
};

/// The match of a replay, as the replay tells it. What a replay does not have, such as when it was
/// made and by whom, is left empty.
pub fn match_info(replay: &Replay) -> MatchInfo {
    let result = replay.result.as_ref();
    let annulment = result.filter(|result| result.spoiled_by_referee);
    let annulment = annulment.map(|result| Annulment {
        reason: AnnulmentReason::RefereeLag.into(),
        detail: format!(
            "a request had {} ms of the server's own lag, more than the rules of the match allow",
            result.longest_referee_lag_us / 1000
        ),
        replaced_by_match_id: String::new(),
    });
    MatchInfo {
        match_id: replay.match_id.clone(),
        state: MatchState::Ended.into(),
        config: replay.config.clone(),
        seats: seats(replay),
        decisions: result.map_or(0, |result| result.decisions),
        result: replay.result.clone(),
        seed_commitment: replay.seed_commitment.clone(),
        seed_salt: replay.seed_salt.clone(),
        rules_version: replay.rules_version,
        labels: replay.labels.clone(),
        annulment,
        fork: replay.fork.clone(),
        ..MatchInfo::default()
    }
}

/// The seats as they were last.
fn seats(replay: &Replay) -> Vec<SeatInfo> {
    let results = replay.result.iter().flat_map(|result| &result.seats);
    let seats = results.map(|result| {
        let records = replay.records.iter().rev();
        let mut seen = records.filter_map(|record| match &record.record {
            Some(record::Record::Seat(seat)) => seat.seat.as_ref(),
            _ => None,
        });
        let mut info = seen
            .find(|info| info.seat == result.seat)
            .cloned()
            .unwrap_or_else(|| SeatInfo {
                seat: result.seat,
                state: SeatState::Vacant.into(),
                ..SeatInfo::default()
            });
        if result.forfeit() != FaultReason::Unspecified {
            info.set_state(SeatState::Forfeited);
        }
        info
    });
    seats.collect()
}
