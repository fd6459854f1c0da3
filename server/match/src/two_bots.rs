//! Test helpers that build a match with two connected bots.

use std::sync::Arc;

use bridgemaster_games::{Seat, SeatCount, Seed};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{BotIdentity, HistoryId, MatchRules, Time};
use bridgemaster_replay::SigningKey;
use bridgemaster_wire::SeedSalt;

use crate::{Effect, Match, MatchId, Origin, ServerTime, StreamNumber};

pub(crate) fn at_ms(ms: u32) -> ServerTime {
    ServerTime {
        time: Time(0).plus_ms(ms),
        lag_us: 0,
    }
}

/// Standard rules for two seats.
pub(crate) fn rules<G: WireGame>() -> MatchRules<G> {
    MatchRules::standard(SeatCount::new(2).unwrap(), Seed::from(1))
}

/// A match whose bots have joined at 1 ms, with their streams and the effects so far.
pub(crate) fn started_match<G: WireGame>(
    rules: MatchRules<G>,
    is_stored: bool,
) -> (Match<G>, [StreamNumber; 2], Vec<Effect>) {
    let origin = Origin::new(
        MatchId::new("m").unwrap(),
        SeedSalt::new([1; 32]),
        Vec::new(),
    );
    let (history, key) = (HistoryId::new([2; 16]), SigningKey::new(&[3; 32]));
    let created = Match::new(origin, rules, at_ms(0), history, is_stored, Arc::new(key));
    let (mut started_match, mut effects) = (created.unwrap(), Vec::new());
    let streams = [0, 1].map(|number| {
        let arrived = (at_ms(1), &mut Vec::new());
        let (seat, bot) = (Seat::new(number).unwrap(), BotIdentity::default());
        let joined = started_match.join(arrived, seat, bot, None, None, &mut effects);
        joined.unwrap().stream
    });
    (started_match, streams, effects)
}
