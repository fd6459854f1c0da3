//! Tests with replays that are requested some time after the end of the match.

use bridgemaster_games::old_london_bridge::OldLondonBridge;
use bridgemaster_referee::MatchPhase;

use super::*;
use crate::two_bots::{at_ms, rules, started_match};

/// A match whose bots have joined and resigned, with its effects.
fn played(is_stored: bool) -> (Match<OldLondonBridge>, [StreamNumber; 2], Vec<Effect>) {
    let (mut played, streams, mut effects) = started_match(rules(), is_stored);
    report(&mut played, streams, || SeatInput::Resign, &mut effects);
    assert_eq!(played.referee.phase(), MatchPhase::Ended);
    (played, streams, effects)
}

/// Reports the same input from the streams of both seats.
fn report(
    to: &mut Match<OldLondonBridge>,
    streams: [StreamNumber; 2],
    input: impl Fn() -> SeatInput,
    effects: &mut Vec<Effect>,
) {
    let reports = streams.into_iter().zip(0..).map(|(stream, number)| Report {
        moment: at_ms(2),
        seat: Seat::new(number).unwrap(),
        stream,
        input: input(),
    });
    to.handle_reports(&mut reports.collect(), effects);
}

#[test]
fn a_replay_requested_late_equals_the_one_stored_at_the_end() {
    let (_, _, effects) = played(true);
    let stored = effects.into_iter().find_map(|effect| match effect {
        Effect::Store(entry) => entry.finish,
        _ => None,
    });
    let (mut unstored, streams, mut effects) = played(false);
    report(&mut unstored, streams, || SeatInput::Left, &mut effects);
    let first = unstored.replay().map(Arc::clone).unwrap();
    assert_eq!(first, stored.unwrap().replay);
    let again = unstored.replay().unwrap();
    assert!(Arc::ptr_eq(&first, again), "the replay is built only once");
}
