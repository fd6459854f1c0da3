//! The result of one match.

use crate::ContestError;

/// The maximum number of bots that can share one place. It is limited because a fit sums over their
/// subsets.
const MAX_TIED: usize = 12;

/// The result of one match, given as each bot's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    places: Vec<(usize, u32)>,
    number: u64,
}

impl Ranking {
    /// Creates a ranking from pairs of bot number and place. 1 is the best place, and equal places
    /// are ties. `number` is the match's number in the order of play.
    pub fn new(places: Vec<(usize, u32)>, number: u64) -> Self {
        Self { places, number }
    }

    /// Checks the rankings of `bots` bots, and returns the error of the first invalid one.
    pub(crate) fn check_all(bots: usize, rankings: &[Self]) -> Result<(), ContestError> {
        let mut seen = vec![None; bots];
        for (ranking, checked) in rankings.iter().enumerate() {
            if let Some(problem) = checked.problem(ranking, &mut seen) {
                return Err(ContestError::Ranking { ranking, problem });
            }
        }
        Ok(())
    }

    /// Replaces the content of `order` with the sorted pairs of place and bot.
    pub(crate) fn order(&self, order: &mut Vec<(u32, usize)>) {
        order.clear();
        order.extend(self.places.iter().map(|(bot, place)| (*place, *bot)));
        order.sort_unstable();
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Validates the ranking, and returns the problem if it is invalid. For each bot, `seen`
    /// contains the number of the last validated ranking with this bot.
    fn problem(&self, number: usize, seen: &mut [Option<usize>]) -> Option<&'static str> {
        if self.places.len() < 2 {
            return Some("has fewer than two bots");
        }
        for (bot, _) in &self.places {
            match seen.get_mut(*bot) {
                None => return Some("names a bot that is not rated"),
                Some(last) if *last == Some(number) => return Some("names a bot twice"),
                Some(last) => *last = Some(number),
            }
        }
        if self.places.len() > MAX_TIED {
            let mut order = Vec::new();
            self.order(&mut order);
            let mut places = order.chunk_by(|one, other| one.0 == other.0);
            if places.any(|tied| tied.len() > MAX_TIED) {
                return Some("has more than 12 bots in one place");
            }
        }
        None
    }
}
