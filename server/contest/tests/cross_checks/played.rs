//! Matches between bots of different strengths, some of them with ties.

use bridgemaster_contest::Ranking;

use crate::luck::Luck;

/// The number of matches of a case: enough that every bot has won and lost against others.
const MATCHES: usize = 90;

/// A multiple of every number of orders that tied bots of a match can have.
const COPIES: u32 = 6;

/// The results of matches: for each match, the bots by place, best first.
pub(crate) struct Played {
    results: Vec<Vec<Vec<usize>>>,
}

impl Played {
    /// Creates matches at random tables. With ties, every third match has one; every fourth of
    /// those is of three bots, if there are enough.
    pub(crate) fn new(bots: usize, seats: usize, ties: bool) -> Self {
        let mut luck = Luck::of(u64::from(ties), seats as u64);
        let result = |number: usize| {
            let table = luck.draw((0..bots).collect(), seats);
            let mut shown: Vec<(f64, usize)> =
                table.into_iter().map(|bot| (0.3 * bot as f64 + luck.gumbel(), bot)).collect();
            shown.sort_by(|one, other| other.0.total_cmp(&one.0));
            let mut places: Vec<Vec<usize>> = shown.into_iter().map(|(_, bot)| vec![bot]).collect();
            if ties && number.is_multiple_of(3) {
                let tied = if number.is_multiple_of(12) { 3 } else { 2 }.min(seats);
                let first = luck.below(seats - tied + 1);
                let together = places.drain(first..first + tied).flatten().collect();
                places.insert(first, together);
            }
            places
        };
        Self { results: (0..MATCHES).map(result).collect() }
    }

    /// Converts the matches to rankings of this library.
    pub(crate) fn rankings(&self) -> Vec<Ranking> {
        let ranking = |(cluster, places): (usize, &Vec<Vec<usize>>)| {
            let by_bot = places.iter().zip(1u32..);
            let places = by_bot.flat_map(|(tied, place)| tied.iter().map(move |bot| (*bot, place)));
            Ranking::new(places.collect(), cluster as u64)
        };
        self.results.iter().enumerate().map(ranking).collect()
    }

    /// Resolves ties: returns each match in every possible order of the tied bots, repeated so that
    /// each match appears equally often, and the number of appearances.
    pub(crate) fn in_every_order(&self) -> (Vec<Vec<usize>>, u32) {
        let copies = match self.results.iter().flatten().any(|tied| tied.len() > 1) {
            true => COPIES,
            false => 1,
        };
        let mut rankings = Vec::new();
        for places in &self.results {
            let orders = orders_of(places);
            for _ in 0..copies as usize / orders.len() {
                rankings.extend(orders.iter().cloned());
            }
        }
        (rankings, copies)
    }
}

/// Returns every order of the bots that is consistent with the places.
fn orders_of(places: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let Some((first, behind)) = places.split_first() else {
        return vec![Vec::new()];
    };
    if first.is_empty() {
        return orders_of(behind);
    }
    let mut orders = Vec::new();
    for (number, bot) in first.iter().enumerate() {
        let mut rest = places.to_vec();
        rest[0].remove(number);
        for order in orders_of(&rest) {
            orders.push([vec![*bot], order].concat());
        }
    }
    orders
}
