//! The server finds out late that it caused the loss of a stream.

use bridgemaster_games::old_london_bridge::OldLondonBridge;

use super::*;
use crate::two_bots::{at_ms, rules, started_match};

#[test]
fn a_late_loss_does_not_pause_the_clock_of_a_seat_that_closed_a_newer_stream() {
    let mut rules = rules::<OldLondonBridge>();
    rules.clock.reconnect_ms = 100;
    let (mut machine, [first, _], mut effects) = started_match(rules, false);
    let seat = Seat::new(0).unwrap();
    let left = |stream, ms| {
        vec![Report {
            moment: at_ms(ms),
            seat,
            stream,
            input: SeatInput::Left,
        }]
    };
    machine.handle_reports(&mut left(first, 10), &mut effects);
    let (arrived, bot) = ((at_ms(20), &mut Vec::new()), BotIdentity::default());
    let joined = machine.join(arrived, seat, bot, None, None, &mut effects);
    let second = joined.unwrap().stream;
    machine.handle_reports(&mut left(second, 30), &mut effects);
    let deadline = machine.referee().deadline();
    let arrived = (at_ms(40), &mut Vec::new());
    assert!(!machine.connection_refused(arrived, seat, Some(first), &mut effects));
    assert_eq!(machine.referee().deadline(), deadline);
    let arrived = (at_ms(40), &mut Vec::new());
    assert!(machine.connection_refused(arrived, seat, Some(second), &mut effects));
    assert!(machine.referee().deadline() > deadline);
}
