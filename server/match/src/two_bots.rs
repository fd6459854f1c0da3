//! For tests: a match whose two bots have come.

use std::sync::Arc;

use bridgemaster_games::{Seat, SeatCount, Seed};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{BotIdentity, HistoryId, MatchRules, Time};
use bridgemaster_replay::SigningKey;
use bridgemaster_wire::SeedSalt;

use crate::{Effect, Match, MatchId, Moment, Origin, StreamNumber};

pub(crate) fn at_ms(ms: u32) -> Moment {
    Moment {
        time: Time(0).plus_ms(ms),
        lag_us: 0,
    }
}

/// The usual rules for two seats.
pub(crate) fn rules<G: WireGame>() -> MatchRules<G> {
    MatchRules::standard(SeatCount::new(2).unwrap(), Seed::from(1))
}

/// A match with these rules whose bots came after 1 ms, their streams, and what it has done.
pub(crate) fn begun<G: WireGame>(
    rules: MatchRules<G>,
    is_stored: bool,
) -> (Match<G>, [StreamNumber; 2], Vec<Effect>) {
    let origin = Origin::new(
        MatchId::new("m").unwrap(),
        SeedSalt::new([1; 32]),
        Vec::new(),
    );
    let (history, key) = (HistoryId::new([2; 16]), SigningKey::new(&[3; 32]));
    let made = Match::new(origin, rules, at_ms(0), history, is_stored, Arc::new(key));
    let (mut begun, mut effects) = (made.unwrap(), Vec::new());
    let streams = [0, 1].map(|number| {
        let arrived = (at_ms(1), &mut Vec::new());
        let (seat, bot) = (Seat::new(number).unwrap(), BotIdentity::default());
        let joined = begun.join(arrived, seat, bot, None, None, &mut effects);
        joined.unwrap().stream
    });
    (begun, streams, effects)
}
