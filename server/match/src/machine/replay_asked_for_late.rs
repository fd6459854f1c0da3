//! A replay that is made when somebody asks for it, some time after the end.

use bridgemaster_games::{SeatCount, Seed, old_london_bridge::OldLondonBridge};
use bridgemaster_wire::SeedSalt;

use super::*;
use crate::MatchId;

fn at_ms(ms: u32) -> Moment {
    Moment {
        time: Time(0).plus_ms(ms),
        lag_us: 0,
    }
}

/// A match whose bots have come and resigned, and what it has done.
fn played(is_stored: bool) -> (Match<OldLondonBridge>, [StreamNumber; 2], Vec<Effect>) {
    let rules = MatchRules::standard(SeatCount::new(2).unwrap(), Seed::from(1));
    let origin = Origin::new(
        MatchId::new("m").unwrap(),
        SeedSalt::new([1; 32]),
        Vec::new(),
    );
    let (history, key) = (HistoryId::new([2; 16]), SigningKey::new(&[3; 32]));
    let key = Arc::new(key);
    let mut played = Match::new(origin, rules, at_ms(0), history, is_stored, key).unwrap();
    let (mut effects, mut reports) = (Vec::new(), Vec::new());
    let streams = [0, 1].map(|number| {
        let arrived = (at_ms(1), &mut reports);
        let (seat, bot) = (Seat::new(number).unwrap(), BotIdentity::default());
        let joined = played.join(arrived, seat, bot, None, None, &mut effects);
        joined.unwrap().stream
    });
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
