//! How a match stands, as far as its records tell.

use bridgemaster_proto::v1::{
    FaultAction, MatchInfo, MatchState, Record, SeatInfo, SeatState, record,
};

/// A match as it was made: without what happened in it.
pub(super) fn concealed(info: MatchInfo) -> MatchInfo {
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

/// Takes in what a record tells of the seats.
pub(super) fn heard(info: &mut MatchInfo, record: &Record) {
    match &record.record {
        Some(record::Record::Seat(told)) => {
            let Some(told) = &told.seat else { return };
            if let Some(seat) = seat_of(info, told.seat) {
                seat.state = told.state;
                seat.bot_name.clone_from(&told.bot_name);
                seat.bot_version.clone_from(&told.bot_version);
            }
        }
        Some(record::Record::Fault(told)) => {
            let Some(seat) = seat_of(info, told.seat) else {
                return;
            };
            let action = told.fault.as_ref().map(|fault| fault.action());
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
