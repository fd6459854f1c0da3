//! Versions that play otherwise than before.

use crate::{
    BotVersion, CHANGE_WINDOW_MATCHES, Ladder, SeatEnd,
    conduct::{beat_fraction, expected, has_changed},
    results::Counted,
};

impl Ladder {
    /// Whether a version's last results do not fit its earlier ones, by the last fit.
    #[must_use]
    pub fn has_changed(&self, bot: &BotVersion) -> bool {
        let (Some(fit), Some(bot)) = (&self.fit, self.numbers().find(bot)) else {
            return false;
        };
        if self.results.matches_of(bot) < 2 * CHANGE_WINDOW_MATCHES {
            return false;
        }
        let mut matches: Vec<_> = self.results.of(bot).collect();
        matches.sort_by_key(|counted| counted.number);
        let surprise = |counted: &&Counted| {
            let ends: Vec<SeatEnd> = counted.seats.iter().map(|(_, end)| *end).collect();
            let seat = counted
                .seats
                .iter()
                .position(|(seated, _)| *seated == bot)?;
            let others = counted.seats.iter().filter(|(seated, _)| *seated != bot);
            let others: Vec<f64> = others.map(|(other, _)| fit.log_odds(*other)).collect();
            Some(beat_fraction(&ends, seat) - expected(fit.log_odds(bot), &others))
        };
        let surprises: Vec<f64> = matches.iter().filter_map(surprise).collect();
        has_changed(&surprises)
    }
}
