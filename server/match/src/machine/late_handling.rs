//! Tests with answers and other reports that are handled some time after they were made.

use bridgemaster_games::old_london_bridge::OldLondonBridge;
use bridgemaster_proto::v1::{Decision, decision::Choice};

use super::*;
use crate::two_bots::{at_ms, rules, started_match};

#[test]
fn an_answer_that_was_decoded_before_the_deadline_is_in_time_after_it() {
    let mut rules = rules::<OldLondonBridge>();
    rules.clock.cap_ms = 30;
    let (mut played, streams, mut effects) = started_match(rules, false);
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

#[test]
fn a_report_that_is_handled_late_takes_no_forwarding_lag_from_another_seat() {
    let mut rules = rules::<OldLondonBridge>();
    rules.clock.cap_ms = 1000;
    let (mut played, streams, mut effects) = started_match(rules, false);
    let seats = [0, 1].map(|number| Seat::new(number).unwrap());
    let mut reports = Vec::new();
    for ((seat, stream), ms) in seats.into_iter().zip(streams).zip([2, 3]) {
        reports.push(Report {
            moment: at_ms(ms),
            seat,
            stream,
            input: SeatInput::HandedOver { request_id: 1 },
        });
    }
    let later = reports.split_off(1);
    played.handle_reports(&mut reports, &mut effects);
    // The node of seat 0 stalls while the hand-over of seat 1 waits in the inbox.
    played.add_forwarding_lag(seats[0], 980_000, at_ms(1002).time);
    reports.extend(later);
    played.tick((at_ms(1002), &mut reports), &mut effects);
    played.tick((at_ms(1981), &mut reports), &mut effects);
    let strikes = seats.map(|seat| played.referee.seat_info(seat).unwrap().strikes);
    assert_eq!(strikes, [0, 1], "seat 0 has 980 ms more");
}
