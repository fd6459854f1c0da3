//! The closing round of a ladder: when it is over.

use crate::{
    Ladder, StandingState, State,
    bots::BotNumber,
    ladder::{Bot, Open},
};

/// How long a closing round waits for a bot that went away, in ms: 10 minutes, for as long as bots
/// look for a server that is lost. One that comes back later finds the season over rather than keep
/// all others from its end.
pub const CLOSING_WAIT_MS: u64 = 600_000;

impl Ladder {
    /// Whether the closing round is over: nothing is in play, and by its rule nothing more is
    /// paired. A bot that played in the round and is away keeps it from ending by the number of
    /// matches for [`CLOSING_WAIT_MS`]. An annulled match of bots that are away is not waited for.
    /// It is not over by the order before there is a fit of all results.
    #[must_use]
    pub fn is_round_over(&self) -> bool {
        let comes_again = |open: &Open| {
            let mut seats = open.seats.iter();
            self.is_played_again(open) && seats.all(|bot| self.there.contains_key(bot))
        };
        let is_idle = self.open.is_empty() && !self.again.values().any(comes_again);
        let is_played = self.bots.iter().any(|bot| bot.closing_matches > 0);
        let is_frozen = matches!(self.state, State::Frozen { .. });
        let is_settled = || self.is_fit_of_all() && self.is_round_settled();
        is_frozen && is_idle && is_played && (self.is_round_played() || is_settled())
    }

    /// Whether the order of the best is settled by the rule of the closing round, by the last fit.
    pub(crate) fn is_round_settled(&self) -> bool {
        let rule = self.rules.closing;
        rule.settled_top > 0 && self.table.is_settled(rule.settled_top, rule.confidence)
    }

    /// Whether a bot may have another match, by the rule of the closing round.
    pub(crate) fn has_more(&self, bot: BotNumber) -> bool {
        let most = match self.state {
            State::Frozen { .. } => self.rules.closing.max_matches_per_bot,
            State::Open | State::Closed => 0,
        };
        most == 0 || self.bots[bot.place()].closing_matches < most
    }

    /// Whether an annulled match is played again once its bots are free: they are not benched, and
    /// a closing round leaves them matches.
    pub(crate) fn is_played_again(&self, open: &Open) -> bool {
        let mut seats = open.seats.iter();
        seats.all(|bot| self.is_active(*bot) && self.has_more(*bot))
    }

    /// Whether too few bots have matches of the round left for another one.
    fn is_round_played(&self) -> bool {
        let most = self.rules.closing.max_matches_per_bot;
        let is_waited_for = |bot: &Bot| {
            let away_ms = bot
                .away_since_ms
                .map(|since| self.now_ms.saturating_sub(since));
            away_ms.is_none_or(|away_ms| away_ms < CLOSING_WAIT_MS)
        };
        let has_more = |bot: &&Bot| {
            let standing = bot.standing.as_ref();
            let is_active = standing.is_some_and(|kept| kept.state() == StandingState::Active);
            let has_more = bot.closing_matches > 0 && bot.closing_matches < most;
            is_active && has_more && is_waited_for(bot)
        };
        most > 0 && self.bots.iter().filter(has_more).count() < self.rules.seats
    }

    /// Whether the match of this number is one of the round.
    pub(crate) fn is_of_round(&self, number: u64) -> bool {
        matches!(self.state, State::Frozen { at_match } if number >= at_match)
    }
}
