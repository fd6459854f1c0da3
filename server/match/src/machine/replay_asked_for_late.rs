//! A replay that is made when somebody asks for it, some time after the end.

use bridgemaster_games::old_london_bridge::OldLondonBridge;

use super::*;
use crate::two_bots::{at_ms, begun, rules};

/// A match whose bots have come and resigned, and what it has done.
fn played(is_stored: bool) -> (Match<OldLondonBridge>, [StreamNumber; 2], Vec<Effect>) {
    let (mut played, streams, mut effects) = begun(rules(), is_stored);
    report(&mut played, streams, || SeatInput::Resign, &mut effects);
    assert_eq!(played.referee.phase(), MatchPhase::Ended);
    (played, streams, effects)
}

/// Both streams report the same.
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
fn a_replay_that_is_asked_for_late_is_the_one_that_is_stored_at_the_end() {
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
    assert!(Arc::ptr_eq(&first, again), "it is made once");
}
