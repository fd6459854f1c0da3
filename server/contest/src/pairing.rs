//! Pairing on a ladder: picks the match whose result gives the most information about the bots'
//! order. A bot that has waited too long has priority.

mod uncertainty;

pub use uncertainty::Uncertainty;

/// A bot that is available for a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The bot's number in [`Uncertainty`].
    pub bot: usize,
    /// The number of matches paired since the bot's last match, or since its arrival if it has not
    /// played.
    pub waited_matches: u64,
    /// The bot's owner. Bots with the same owner are never paired with each other. A bot without an
    /// owner can be paired with any bot.
    pub owner: Option<u64>,
}

/// Returns the maximum wait of an available bot, in matches paired on the ladder: twice the number
/// of bots.
pub fn max_wait_matches(bots: usize) -> u64 {
    2 * bots as u64
}

/// Returns the bots for the next match. Returns `None` if too few bots that may play against each
/// other are available. Bots that have waited for half of [`max_wait_matches`] have priority, the
/// longest wait first, so that no bot waits longer than [`max_wait_matches`]. The remaining places
/// are filled to maximize the information about the order.
///
/// `uncertainty` must be the last fit's uncertainty, updated with every match paired since
/// ([`Uncertainty::add_table`]). The caller assigns the seats. A ladder balances the seats over
/// time.
pub fn next_table(
    uncertainty: &Uncertainty,
    available: &[Candidate],
    seats: usize,
) -> Option<Vec<usize>> {
    let due = max_wait_matches(available.len()) / 2;
    let longest = available
        .iter()
        .filter(|candidate| candidate.waited_matches >= due)
        .max_by_key(|candidate| (candidate.waited_matches, std::cmp::Reverse(candidate.bot)));
    if let Some(first) = longest
        && let Some(table) = fill_table(uncertainty, available, vec![*first], seats)
    {
        return Some(table);
    }
    let (one, other) = most_informative(uncertainty, available, seats)?;
    fill_table(uncertainty, available, vec![one, other], seats).or_else(|| {
        // Too few bots might be allowed to play against the best pair, so every bot is tried as the
        // first.
        available.iter().find_map(|first| fill_table(uncertainty, available, vec![*first], seats))
    })
}

fn may_meet(one: &Candidate, other: &Candidate) -> bool {
    one.bot != other.bot && (one.owner.is_none() || one.owner != other.owner)
}

fn most_informative(
    uncertainty: &Uncertainty,
    available: &[Candidate],
    seats: usize,
) -> Option<(Candidate, Candidate)> {
    let pairs = available.iter().enumerate().flat_map(|(number, one)| {
        let others = available[number + 1..].iter();
        others.filter(|other| may_meet(one, other)).map(move |other| (*one, *other))
    });
    pairs
        .map(|(one, other)| {
            let information = uncertainty.information(one.bot, other.bot, seats);
            (information, (one, other))
        })
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, pair)| pair)
}

/// Fills a table. Each place goes to the bot that adds the most information, summed over its pairs
/// with the bots already at the table.
fn fill_table(
    uncertainty: &Uncertainty,
    available: &[Candidate],
    mut table: Vec<Candidate>,
    seats: usize,
) -> Option<Vec<usize>> {
    while table.len() < seats {
        let fits = |candidate: &&Candidate| table.iter().all(|seated| may_meet(candidate, seated));
        let information = |candidate: &Candidate| -> f64 {
            let seated = table.iter();
            seated.map(|seated| uncertainty.information(candidate.bot, seated.bot, seats)).sum()
        };
        let next = available
            .iter()
            .filter(fits)
            .map(|candidate| (information(candidate), *candidate))
            .max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        table.push(next.1);
    }
    Some(table.iter().map(|candidate| candidate.bot).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlackettLuce, Ranking, RatingMethod as _};

    #[test]
    fn a_bot_that_wins_everything_does_not_play_all_matches() {
        let (best, matches) = (0, 90);
        let available = [0, 1, 2].map(|bot| Candidate { bot, waited_matches: 0, owner: None });
        let mut rankings: Vec<Ranking> = Vec::new();
        let mut without_best = 0;
        for number in 0..matches {
            let ratings = PlackettLuce::default().fit(3, &rankings).unwrap();
            let table = next_table(&Uncertainty::from_ratings(&ratings), &available, 2).unwrap();
            let winner = if table.contains(&best) {
                best
            } else {
                // The other two bots win alternately.
                1 + without_best % 2
            };
            without_best += usize::from(!table.contains(&best));
            let places = table.iter().map(|&bot| (bot, 1 + u32::from(bot != winner)));
            rankings.push(Ranking::new(places.collect(), number));
        }
        assert!(without_best > 9, "{without_best} of {matches} without it");
    }
}
