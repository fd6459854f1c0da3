//! Which match a ladder plays next: the one that tells most about the order of the bots, unless one
//! has waited too long.

mod uncertainty;

pub use uncertainty::Uncertainty;

/// A bot that is available for a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number among the rated bots.
    pub bot: usize,
    /// Matches that the ladder has paired since the bot's last one, or since it came.
    pub waited_matches: u64,
    /// Bots with the same owner are never paired. `None` is paired with anybody.
    pub owner: Option<u64>,
}

/// Longest wait of an available bot, in matches of the whole ladder: twice the number of bots.
#[must_use]
pub fn longest_wait_matches(bots: usize) -> u64 {
    2 * bots as u64
}

/// The bots of the next match, or `None` when too few bots are available that may meet. Bots that
/// have waited for half of [`longest_wait_matches`] come first, in the order of their waits, so
/// that none waits longer than that. The remaining places go to the bots about whose order the match
/// tells most.
///
/// `uncertainty` is that of the last fit, less what every later match tells
/// ([`Uncertainty::expect`]). The order of the seats is not chosen here: a ladder balances it over
/// time.
#[must_use]
pub fn next_table(
    uncertainty: &Uncertainty,
    there: &[Candidate],
    seats: usize,
) -> Option<Vec<usize>> {
    let due = longest_wait_matches(there.len()) / 2;
    let longest = there
        .iter()
        .filter(|candidate| candidate.waited_matches >= due)
        .max_by_key(|candidate| (candidate.waited_matches, std::cmp::Reverse(candidate.bot)));
    if let Some(first) = longest
        && let Some(table) = filled(uncertainty, there, vec![*first], seats)
    {
        return Some(table);
    }
    let (one, other) = most_informative(uncertainty, there, seats)?;
    filled(uncertainty, there, vec![one, other], seats).or_else(|| {
        // The best pair may leave too few others that may meet them: try every first bot.
        there
            .iter()
            .find_map(|first| filled(uncertainty, there, vec![*first], seats))
    })
}

fn may_meet(one: &Candidate, other: &Candidate) -> bool {
    one.bot != other.bot && (one.owner.is_none() || one.owner != other.owner)
}

fn most_informative(
    uncertainty: &Uncertainty,
    there: &[Candidate],
    seats: usize,
) -> Option<(Candidate, Candidate)> {
    let pairs = there.iter().enumerate().flat_map(|(number, one)| {
        let others = there[number + 1..].iter();
        others
            .filter(|other| may_meet(one, other))
            .map(move |other| (*one, *other))
    });
    pairs
        .map(|(one, other)| {
            let told = uncertainty.information(one.bot, other.bot, seats);
            (told, (one, other))
        })
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, pair)| pair)
}

/// Fills a table: each place goes to the bot that adds most information, summed over its pairs with
/// the bots that already sit there.
fn filled(
    uncertainty: &Uncertainty,
    there: &[Candidate],
    mut table: Vec<Candidate>,
    seats: usize,
) -> Option<Vec<usize>> {
    while table.len() < seats {
        let fits = |candidate: &&Candidate| table.iter().all(|seated| may_meet(candidate, seated));
        let told = |candidate: &Candidate| -> f64 {
            let seated = table.iter();
            seated
                .map(|seated| uncertainty.information(candidate.bot, seated.bot, seats))
                .sum()
        };
        let next = there
            .iter()
            .filter(fits)
            .map(|candidate| (told(candidate), *candidate))
            .max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        table.push(next.1);
    }
    Some(table.iter().map(|candidate| candidate.bot).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlackettLuce, Ranking};

    #[test]
    fn a_bot_that_wins_everything_is_not_paired_alone() {
        let (best, matches) = (0, 90);
        let there = [0, 1, 2].map(|bot| Candidate {
            bot,
            waited_matches: 0,
            owner: None,
        });
        let mut rankings: Vec<Ranking> = Vec::new();
        let mut without_best = 0;
        for number in 0..matches {
            let ratings = PlackettLuce::default().fit(3, &rankings).unwrap();
            let table = next_table(&Uncertainty::of(&ratings), &there, 2).unwrap();
            let winner = match table.contains(&best) {
                true => best,
                // The other two win in turn.
                false => 1 + without_best % 2,
            };
            without_best += usize::from(!table.contains(&best));
            let places = table.iter().map(|&bot| (bot, 1 + u32::from(bot != winner)));
            rankings.push(Ranking::new(places.collect(), number));
        }
        assert!(without_best > 9, "{without_best} of {matches} without it");
    }
}
