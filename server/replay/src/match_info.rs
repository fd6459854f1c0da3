//! Conversion of a replay to its match's `MatchInfo`.

use bridgemaster_proto::v1::{
    Annulment, AnnulmentReason, FaultReason, MatchInfo, MatchState, Replay, SeatInfo, SeatState,
    record,
};

/// Returns the info of a replayed match. Fields that the replay does not contain, such as the
/// creation time and the creator, are empty.
pub fn match_info(replay: &Replay) -> MatchInfo {
    let result = replay.result.as_ref();
    let annulment = result.filter(|result| result.spoiled_by_referee);
    let annulment = annulment.map(|result| lag_annulment(result.longest_referee_lag_us));
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

/// Returns the annulment of a result that was distorted by lag of the server.
pub fn lag_annulment(longest_lag_us: u64) -> Annulment {
    Annulment {
        reason: AnnulmentReason::RefereeLag.into(),
        detail: format!(
            "one request had {} ms of server lag, which exceeds the limit of the match rules",
            longest_lag_us / 1000
        ),
        replaced_by_match_id: String::new(),
    }
}

/// The seats' final states.
fn seats(replay: &Replay) -> Vec<SeatInfo> {
    let results = replay.result.iter().flat_map(|result| &result.seats);
    let seats = results.map(|result| {
        let records = replay.records.iter().rev();
        let mut infos = records.filter_map(|record| match &record.record {
            Some(record::Record::Seat(seat)) => seat.seat.as_ref(),
            _ => None,
        });
        let last = infos.find(|info| info.seat == result.seat);
        let mut info = last.cloned().unwrap_or_else(|| SeatInfo {
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
