//! Which match a ladder plays next: the one that tells most about the ratings, unless somebody has
//! waited too long.

use crate::{Ratings, ratings::WEIGHT_OF_A_MATCH};

/// A bot that is there and has room for a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number among the rated bots.
    pub bot: usize,
    /// Matches that the ladder has paired since the bot's last one, or since it came.
    pub waited_matches: u64,
    /// Whom it is kept apart from: bots with one owner share a number. `None` meets anybody.
    pub owner: Option<u64>,
}

/// How much less uncertain all ratings become in the mean by a match of two bots: the fall of the
/// sum of the variances, as squared log odds, if the two were equals.
#[must_use]
pub fn information(ratings: &Ratings, one: usize, other: usize) -> f64 {
    let column = |bot: usize| ratings.covariance(bot, one) - ratings.covariance(bot, other);
    let reach: f64 = (0..ratings.bots()).map(|bot| column(bot).powi(2)).sum();
    let variance = ratings.variance_of_difference(one, other);
    WEIGHT_OF_A_MATCH * reach / (1.0 + WEIGHT_OF_A_MATCH * variance)
}

/// Longest wait of a bot that is there, in matches of the whole ladder: twice the number of bots.
#[must_use]
pub fn longest_wait_matches(bots: usize) -> u64 {
    2 * bots as u64
}

/// The bots of the next match, or `None` when too few are there that may meet. Whoever has waited
/// for half of [`longest_wait_matches`] comes first, the longest first, so that nobody waits
/// longer than all of it; the other places are filled with whom the match tells most about.
///
/// `ratings` are those of the last fit, told of every match since by [`Ratings::expect`]. The order
/// of the seats is not chosen here: a ladder balances it over time.
#[must_use]
pub fn next_table(ratings: &Ratings, there: &[Candidate], seats: usize) -> Option<Vec<usize>> {
    let due = longest_wait_matches(there.len()) / 2;
    let longest = there
        .iter()
        .filter(|candidate| candidate.waited_matches >= due)
        .max_by_key(|candidate| (candidate.waited_matches, std::cmp::Reverse(candidate.bot)));
    if let Some(first) = longest
        && let Some(table) = filled(ratings, there, vec![*first], seats)
    {
        return Some(table);
    }
    let (one, other) = most_informative(ratings, there)?;
    filled(ratings, there, vec![one, other], seats).or_else(|| {
        // The best pair may leave too few others that may meet them: try every first bot.
        there
            .iter()
            .find_map(|first| filled(ratings, there, vec![*first], seats))
    })
}

fn may_meet(one: &Candidate, other: &Candidate) -> bool {
    one.bot != other.bot && (one.owner.is_none() || one.owner != other.owner)
}

fn most_informative(ratings: &Ratings, there: &[Candidate]) -> Option<(Candidate, Candidate)> {
    let pairs = there.iter().enumerate().flat_map(|(number, one)| {
        let others = there[number + 1..].iter();
        others
            .filter(|other| may_meet(one, other))
            .map(move |other| (*one, *other))
    });
    pairs
        .map(|(one, other)| (information(ratings, one.bot, other.bot), (one, other)))
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, pair)| pair)
}

/// Fills a table: each place goes to the bot that adds most to what the match tells, over the
/// pairs with those who sit there already.
fn filled(
    ratings: &Ratings,
    there: &[Candidate],
    mut table: Vec<Candidate>,
    seats: usize,
) -> Option<Vec<usize>> {
    while table.len() < seats {
        let fits = |candidate: &&Candidate| table.iter().all(|seated| may_meet(candidate, seated));
        let told = |candidate: &Candidate| -> f64 {
            let seated = table.iter();
            seated
                .map(|seated| information(ratings, candidate.bot, seated.bot))
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
