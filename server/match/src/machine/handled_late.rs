//! An answer that is handled later than it was decoded.

use bridgemaster_games::{SeatCount, Seed, old_london_bridge::OldLondonBridge};
use bridgemaster_proto::v1::{Decision, decision::Choice};
use bridgemaster_wire::SeedSalt;

use super::*;
use crate::MatchId;

fn at_ms(ms: u32) -> Moment {
    Moment {
        time: Time(0).plus_ms(ms),
        lag_us: 0,
    }
}

#[test]
fn an_answer_that_was_decoded_before_the_deadline_is_in_time_after_it() {
    let mut rules =
        MatchRules::<OldLondonBridge>::standard(SeatCount::new(2).unwrap(), Seed::from(1));
    rules.clock.cap_ms = 30;
    let origin = Origin::new(
        MatchId::new("m").unwrap(),
        SeedSalt::new([1; 32]),
        Vec::new(),
    );
    let (history, key) = (HistoryId::new([2; 16]), SigningKey::new(&[3; 32]));
    let mut played = Match::new(origin, rules, at_ms(0), history, false, Arc::new(key)).unwrap();
    let seats = [0, 1].map(|number| Seat::new(number).unwrap());
    let (mut effects, mut reports) = (Vec::new(), Vec::new());
    let streams = seats.map(|seat| {
        let bot = BotIdentity::default();
        let arrived = (at_ms(1), &mut reports);
        let joined = played.join(arrived, seat, bot, None, None, &mut effects);
        joined.unwrap().stream
    });
    for (seat, stream) in seats.into_iter().zip(streams) {
        reports.push(Report {
            moment: at_ms(2),
            seat,
            stream,
            input: SeatInput::HandedOver { request_id: 1 },
        });
    }
    let answer = SeatInput::Decision(Decision {
        request_id: 1,
        choice: Some(Choice::Index(0)),
        ..Decision::default()
    });
    reports.push(Report {
        moment: at_ms(31),
        seat: seats[0],
        stream: streams[0],
        input: answer,
    });
    let next = played.tick((at_ms(60), &mut reports), &mut effects);
    let strikes = seats.map(|seat| played.referee.seat_info(seat).unwrap().strikes);
    assert_eq!(strikes, [0, 1], "only seat 1 gave no answer");
    assert!(next.is_some_and(|next| next > at_ms(60).time));
}
