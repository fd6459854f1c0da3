//! Determines when a closing round has ended.

use crate::{
    EntryState, Ladder, State,
    bots::BotNumber,
    ladder::{Bot, OpenMatch},
};

/// Time for which a closing round waits for an absent bot, in ms. It is 10 minutes, which is how
/// long bots try to reconnect.
pub const CLOSING_WAIT_MS: u64 = 600_000;

impl Ladder {
    /// Returns whether the closing round has ended: no match is in progress, and the round's rules
    /// allow no further match. If the number of matches is limited, the round waits
    /// [`CLOSING_WAIT_MS`] for an absent bot that has played in the round. Annulled matches of
    /// absent bots are not repeated. If the round ends once the order of the top ranks is certain,
    /// a fit of all results must confirm this order.
    pub fn is_round_over(&self) -> bool {
        let can_be_repeated = |open: &OpenMatch| {
            let mut seats = open.seats.iter();
            self.can_repeat(open) && seats.all(|bot| self.present.contains_key(bot))
        };
        let is_idle = self.open.is_empty() && !self.to_repeat.values().any(can_be_repeated);
        let is_played = self.bots.iter().any(|bot| bot.closing_matches > 0);
        let is_frozen = matches!(self.state, State::Frozen { .. });
        let is_settled = || self.is_fit_current() && self.is_settled();
        is_frozen && is_idle && is_played && (self.is_round_played() || is_settled())
    }

    /// Returns whether the last fit determines the order of the top ranks with the confidence that
    /// the ladder's closing rule requires. Always `false` if the rule requires no order.
    pub fn is_settled(&self) -> bool {
        let rule = self.rules.closing;
        rule.settled_top > 0 && self.table.is_settled(rule.settled_top, rule.confidence)
    }

    /// Returns whether the closing round allows the bot another match.
    pub(crate) fn has_more(&self, bot: BotNumber) -> bool {
        let max = match self.state {
            State::Frozen { .. } => self.rules.closing.max_matches_per_bot,
            State::Open | State::Closed => 0,
        };
        max == 0 || self.bots[bot.index()].closing_matches < max
    }

    /// Returns whether an annulled match may be repeated. A match is not repeated if one of its
    /// bots is benched, or has already played all its closing-round matches.
    pub(crate) fn can_repeat(&self, open: &OpenMatch) -> bool {
        let mut seats = open.seats.iter();
        seats.all(|bot| self.is_active(*bot) && self.has_more(*bot))
    }

    /// Returns whether too few bots for a match still have closing-round matches to play.
    fn is_round_played(&self) -> bool {
        let max = self.rules.closing.max_matches_per_bot;
        let is_awaited = |bot: &Bot| {
            let away_ms = bot.away_since_ms.map(|since| self.now_ms.saturating_sub(since));
            away_ms.is_none_or(|away_ms| away_ms < CLOSING_WAIT_MS)
        };
        let has_more = |bot: &&Bot| {
            let entry = bot.entry.as_ref();
            let is_active = entry.is_some_and(|kept| kept.state() == EntryState::Active);
            let has_more = bot.closing_matches > 0 && bot.closing_matches < max;
            is_active && has_more && is_awaited(bot)
        };
        max > 0 && self.bots.iter().filter(has_more).count() < self.rules.seats
    }

    /// Returns whether the match with this number belongs to the closing round.
    pub(crate) fn is_of_round(&self, number: u64) -> bool {
        matches!(self.state, State::Frozen { at_match } if number >= at_match)
    }
}
