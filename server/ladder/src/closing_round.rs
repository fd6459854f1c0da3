//! The closing round of a ladder: when it is over.

use std::collections::BTreeSet;

use crate::{Ladder, StandingState, State, ladder::Bot, ratings::Fit};

impl Ladder {
    /// Whether the order of the best `count` holds with this confidence.
    #[must_use]
    pub fn is_settled(&self, count: usize, confidence: f64) -> bool {
        let fit = Fit::of(&self.results, &BTreeSet::new());
        fit.is_ok_and(|fit| fit.bots.len() > 1 && fit.ratings.is_settled(count, confidence))
    }

    /// Whether the closing round is over: nothing is in play, and by its rule nothing more is
    /// paired. A bot that played in the round and is away keeps it from ending by the number of
    /// matches, until whoever runs the ladder closes it.
    #[must_use]
    pub fn is_round_over(&self) -> bool {
        let is_idle = self.open.is_empty() && self.again.is_empty();
        let is_played = self.bots.iter().any(|bot| bot.closing_matches > 0);
        let rule = self.rules.closing;
        let is_settled =
            || rule.settled_top > 0 && self.is_settled(rule.settled_top, rule.confidence);
        let is_frozen = matches!(self.state, State::Frozen { .. });
        is_frozen && is_idle && is_played && (self.is_round_played() || is_settled())
    }

    /// Whether too few bots have matches of the round left for another one.
    fn is_round_played(&self) -> bool {
        let most = self.rules.closing.max_matches_per_bot;
        let has_more = |bot: &&Bot| {
            let standing = bot.standing.as_ref();
            let is_active = standing.is_some_and(|kept| kept.state() == StandingState::Active);
            is_active && bot.closing_matches > 0 && bot.closing_matches < most
        };
        most > 0 && self.bots.iter().filter(has_more).count() < self.rules.seats
    }

    /// Whether the match of this number is one of the round.
    pub(crate) fn is_of_round(&self, number: u64) -> bool {
        matches!(self.state, State::Frozen { at_match } if number >= at_match)
    }
}
