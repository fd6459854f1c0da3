//! Reconstructs the visible state of seats from the due records of a delayed match.

use bridgemaster_proto::v1::{
    FaultAction, MatchInfo, MatchState, Record, SeatInfo, SeatState, record,
};

/// Returns the state of a match right after its creation, before any bot joined.
pub(super) fn initial_info(info: MatchInfo) -> MatchInfo {
    let seats = info.seats.into_iter().map(|seat| SeatInfo {
        seat: seat.seat,
        state: SeatState::Vacant.into(),
        reserved_for: seat.reserved_for,
        ..SeatInfo::default()
    });
    MatchInfo {
        match_id: info.match_id,
        state: MatchState::Waiting.into(),
        config: info.config.map(|mut config| {
            config.seed = None;
            config
        }),
        seats: seats.collect(),
        seed_commitment: info.seed_commitment,
        rules_version: info.rules_version,
        labels: info.labels,
        maker: info.maker,
        created_unix_ms: info.created_unix_ms,
        fork: info.fork,
        decisions: 0,
        result: None,
        seed_salt: String::new(),
        started_unix_ms: 0,
        ended_unix_ms: 0,
        cancellation: None,
        annulment: None,
    }
}

/// Applies a record to the seats.
pub(super) fn apply_record(info: &mut MatchInfo, record: &Record) {
    match &record.record {
        Some(record::Record::Seat(change)) => {
            let Some(recorded) = &change.seat else { return };
            if let Some(seat) = seat_of(info, recorded.seat) {
                seat.state = recorded.state;
                seat.bot_name.clone_from(&recorded.bot_name);
                seat.bot_version.clone_from(&recorded.bot_version);
            }
        }
        Some(record::Record::Fault(fault)) => {
            let Some(seat) = seat_of(info, fault.seat) else {
                return;
            };
            let action = fault.fault.as_ref().map(|fault| fault.action());
            match action {
                Some(FaultAction::Strike) => seat.strikes += 1,
                Some(FaultAction::Forfeit) => seat.set_state(SeatState::Forfeited),
                _ => {}
            }
        }
        Some(record::Record::Decision(_) | record::Record::Chance(_)) | None => {}
    }
}

fn seat_of(info: &mut MatchInfo, number: u32) -> Option<&mut SeatInfo> {
    info.seats.iter_mut().find(|seat| seat.seat == number)
}
