//! An answer that is handled later than it was decoded.

use bridgemaster_games::old_london_bridge::OldLondonBridge;
use bridgemaster_proto::v1::{Decision, decision::Choice};

use super::*;
use crate::two_bots::{at_ms, begun, rules};

#[test]
fn an_answer_that_was_decoded_before_the_deadline_is_in_time_after_it() {
    let mut rules = rules::<OldLondonBridge>();
    rules.clock.cap_ms = 30;
    let (mut played, streams, mut effects) = begun(rules, false);
    let seats = [0, 1].map(|number| Seat::new(number).unwrap());
    let mut reports = Vec::new();
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
