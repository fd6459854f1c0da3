//! Represents results as choices: a result's best bot was chosen among all of the result's bots,
//! the next bot among the remaining bots, and so on. Equal choices are counted, so a fit processes
//! each distinct choice once. The processing order does not depend on the order of the results.

use std::ops::Range;

use crate::{
    Ranking,
    matrix::{Matrix, add_scaled},
};

/// A factor in the likelihood of a result.
pub(crate) enum Choice<'a> {
    /// This bot was chosen.
    Chosen(usize),
    /// A bot was chosen among these bots. Since tied bots are equally likely in any order, each
    /// possible set of a given size has the weight 1 / `one_of`.
    Among { members: &'a [usize], one_of: u32 },
}

/// Calls `each` for every choice in a result, which is given as sorted pairs of place and bot. The
/// log-likelihood is the sum of the chosen bots' ratings, minus the sum of the logarithms of the
/// sets' total weights. A set contains the bots among which a bot was chosen.
pub(crate) fn each_choice(order: &[(u32, usize)], each: &mut impl FnMut(Choice<'_>)) {
    let mut members = Vec::with_capacity(order.len());
    let mut end = order.len();
    for tied in order.chunk_by(|one, other| one.0 == other.0).rev() {
        let behind = &order[end..];
        end -= tied.len();
        if behind.is_empty() && tied.len() == 1 {
            // A single bot in the last place was not chosen from several bots.
            continue;
        }
        for (_, bot) in tied {
            each(Choice::Chosen(*bot));
        }
        for subset in 1u32..1 << tied.len() {
            members.clear();
            let left = tied.iter().enumerate();
            let left = left.filter(|(i, _)| subset >> i & 1 == 1);
            members.extend(left.map(|(_, (_, bot))| *bot));
            let one_of = subsets(tied.len(), members.len());
            members.extend(behind.iter().map(|(_, bot)| *bot));
            let members = &members;
            each(Choice::Among { members, one_of });
        }
    }
}

/// Returns the number of subsets with `size` elements.
fn subsets(of: usize, size: usize) -> u32 {
    (1..=size).fold(1, |row, k| row * (of - size + k) as u32 / k as u32)
}

/// The choices in all results, each distinct choice with its count.
pub(crate) struct Choices {
    /// The number of times that each bot was chosen, by bot.
    chosen: Vec<u64>,
    /// The number of results with each bot, by bot.
    results: Vec<u64>,
    /// The sets of bots among which one was chosen.
    sets: Vec<ChoiceSet>,
    /// The bots of all sets, sorted within each set.
    members: Vec<usize>,
}

struct ChoiceSet {
    /// The bots of the set, as a range in [`Choices::members`].
    members: Range<usize>,
    /// The number of choices made among the set's bots; a fraction if bots tied.
    share: f64,
}

/// A set, before equal sets are counted.
struct UncountedSet {
    /// The first members, packed into an integer. They are enough to distinguish most sets quickly.
    first: u64,
    members: Range<usize>,
    one_of: u32,
}

impl UncountedSet {
    fn new(all: &[usize], members: Range<usize>, one_of: u32) -> Self {
        let first = all[members.clone()].iter().take(4);
        Self {
            first: first.fold(0, |first, bot| {
                first << 16 | u64::from(u16::try_from(*bot).unwrap_or(u16::MAX))
            }),
            members,
            one_of,
        }
    }
}

impl Choices {
    pub(crate) fn from_rankings(bots: usize, rankings: &[Ranking]) -> Self {
        let (mut chosen, mut results) = (vec![0; bots], vec![0; bots]);
        let (mut found, mut all) = (Vec::new(), Vec::new());
        let mut order = Vec::new();
        for ranking in rankings {
            ranking.order(&mut order);
            for (_, bot) in &order {
                results[*bot] += 1;
            }
            each_choice(&order, &mut |choice| match choice {
                Choice::Chosen(bot) => chosen[bot] += 1,
                Choice::Among { members, one_of } => {
                    let begin = all.len();
                    all.extend_from_slice(members);
                    all[begin..].sort_unstable();
                    found.push(UncountedSet::new(&all, begin..all.len(), one_of));
                }
            });
        }
        let (sets, members) = counted(found, &all);
        Self { chosen, results, sets, members }
    }

    /// Returns the number of results with each bot.
    pub(crate) fn results(&self) -> Vec<u64> {
        self.results.clone()
    }

    /// Returns the number of bots.
    pub(crate) fn bots(&self) -> usize {
        self.chosen.len()
    }

    /// Returns each set's bots, with the number of choices among them.
    pub(crate) fn sets(&self) -> impl ExactSizeIterator<Item = (&[usize], f64)> {
        let of_set = |set: &ChoiceSet| (&self.members[set.members.clone()], set.share);
        self.sets.iter().map(of_set)
    }

    /// Returns the first derivative and the negated second derivative of the log-likelihood minus
    /// the ridge penalty, for the observed choices and the pseudo-choices.
    pub(crate) fn derivatives(
        &self,
        added: &PseudoChoices,
        ratings: &[f64],
        ridge: f64,
    ) -> (Vec<f64>, Matrix) {
        let weights: Vec<f64> = ratings.iter().map(|rating| rating.exp()).collect();
        let of_bot = |(rating, chosen): (&f64, &u64)| *chosen as f64 - rating * ridge;
        let mut slope: Vec<f64> = ratings.iter().zip(&self.chosen).map(of_bot).collect();
        add_scaled(&mut slope, 1.0, &added.chosen);
        let mut curvature = Matrix::diagonal(ratings.len(), ridge);
        for ((members, share), added) in self.sets().zip(&added.among) {
            let all: f64 = members.iter().map(|bot| weights[*bot]).sum();
            let scale = (share + added) / all;
            for (place, &row) in members.iter().enumerate() {
                let chance = scale * weights[row];
                slope[row] -= chance;
                // The other entries follow from symmetry.
                let entries = curvature.row_mut(row);
                entries[row] += chance;
                let each = chance / all;
                for &column in &members[place..] {
                    entries[column] -= each * weights[column];
                }
            }
        }
        (slope, curvature.mirrored())
    }
}

/// Fractional pseudo-choices that are added to reduce the bias. If all bots have met and there is
/// no ridge, their sum is the number of bots minus one.
pub(crate) struct PseudoChoices {
    /// The number of times that each bot is chosen, by bot.
    pub(crate) chosen: Vec<f64>,
    /// The number of choices made among each set's bots, by set.
    pub(crate) among: Vec<f64>,
}

impl PseudoChoices {
    pub(crate) fn none(choices: &Choices) -> Self {
        Self { chosen: vec![0.0; choices.bots()], among: vec![0.0; choices.sets().len()] }
    }
}

/// Counts equal sets, and sorts the sets by their members.
fn counted(mut found: Vec<UncountedSet>, all: &[usize]) -> (Vec<ChoiceSet>, Vec<usize>) {
    let members_of = |found: &UncountedSet| &all[found.members.clone()];
    found.sort_unstable_by(|one, other| {
        let by_first = one.first.cmp(&other.first);
        by_first
            .then_with(|| members_of(one).cmp(members_of(other)))
            .then(one.one_of.cmp(&other.one_of))
    });
    let (mut sets, mut members) = (Vec::new(), Vec::new());
    let are_equal = |one: &UncountedSet, other: &UncountedSet| {
        one.first == other.first && members_of(one) == members_of(other)
    };
    for equal in found.chunk_by(are_equal) {
        let shares = equal.chunk_by(|one, other| one.one_of == other.one_of);
        let shares = shares.map(|alike| alike.len() as f64 / f64::from(alike[0].one_of));
        let begin = members.len();
        members.extend_from_slice(members_of(&equal[0]));
        sets.push(ChoiceSet { members: begin..members.len(), share: shares.sum() });
    }
    (sets, members)
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;

    use crate::{Bias, PlackettLuce, RatingMethod as _, Ratings};

    #[test]
    fn equal_choice_sets_are_merged() {
        let won = |winner, loser| Ranking::new(vec![(winner, 1), (loser, 2)], 0);
        let choices = Choices::from_rankings(3, &[won(0, 1), won(1, 0), won(1, 0), won(1, 2)]);
        let shares: Vec<f64> = choices.sets.iter().map(|set| set.share).collect();
        assert_eq!(shares, [3.0, 1.0]);
        assert_eq!(choices.members, [0, 1, 1, 2]);
        assert_eq!(choices.chosen, [1, 3, 0]);
        assert_eq!(choices.results, [3, 4, 1]);
    }

    #[test]
    fn a_tie_shares_the_remaining_choice_set() {
        let mut tied = Ranking::new(vec![(0, 1), (1, 1), (2, 3)], 0);
        let choices = Choices::from_rankings(3, std::slice::from_ref(&tied));
        let mut found_sets: Vec<(&[usize], f64)> = Vec::new();
        for set in &choices.sets {
            found_sets.push((&choices.members[set.members.clone()], set.share));
        }
        // Either of the two tied bots is chosen first, and the other one among the remaining bots.
        let expected: [(&[usize], f64); 3] = [(&[0, 2], 0.5), (&[1, 2], 0.5), (&[0, 1, 2], 1.0)];
        for one in expected {
            assert!(found_sets.contains(&one), "{found_sets:?}");
        }
        assert_eq!(found_sets.len(), 3);
        // With twelve tied bots, there are many possible sets of each size.
        let places = (0..12).map(|bot| (bot, 1)).collect();
        tied = Ranking::new(places, 0);
        let choices = Choices::from_rankings(12, &[tied]);
        let sum: f64 = choices.sets.iter().map(|set| set.share).sum();
        assert!((sum - 12.0).abs() < 1e-9, "{sum}");
    }

    /// Fits without a ridge, so that only the bias correction keeps the ratings finite.
    fn reduced(bots: usize, rankings: &[Ranking]) -> Ratings {
        let fit = PlackettLuce { ridge: 0.0, bias: Bias::Reduced };
        fit.fit(bots, rankings).unwrap()
    }

    fn in_order(bots: &[usize], number: u64) -> Ranking {
        Ranking::new(bots.iter().copied().zip(1..).collect(), number)
    }

    fn wins(winner: usize, loser: usize, count: u64) -> impl Iterator<Item = Ranking> {
        (0..count).map(move |number| in_order(&[winner, loser], number))
    }

    /// Returns some matches of six bots, one with a tie.
    fn played() -> Vec<Ranking> {
        let orders: [&[usize]; 6] = [&[0, 1, 2, 3], &[4, 5], &[3, 0], &[1, 4, 2], &[5, 0], &[4, 5]];
        let numbered = (0..).zip(orders);
        let mut rankings: Vec<_> = numbered.map(|(n, order)| in_order(order, n)).collect();
        rankings.push(Ranking::new(vec![(2, 1), (3, 1), (5, 3)], 9));
        rankings
    }

    /// Returns the negated second derivative of the log-likelihood, made positive definite, since
    /// shifting all ratings has no effect.
    fn curvature(choices: &Choices, ratings: &[f64]) -> Matrix {
        let (_, mut curvature) = choices.derivatives(&PseudoChoices::none(choices), ratings, 0.0);
        curvature.add_everywhere(1.0);
        curvature
    }

    #[test]
    fn the_slope_is_that_of_half_the_logarithm_of_the_determinant_of_the_curvature() {
        // The trace of `C dI/dθ` is the derivative of the log-determinant (H. Jeffreys' prior).
        let choices = Choices::from_rankings(6, &played());
        let none = PseudoChoices::none(&choices);
        let mut added = PseudoChoices::none(&choices);
        let half_log = |ratings: &[f64]| {
            let curvature = curvature(&choices, ratings);
            let rows = DMatrix::from_fn(6, 6, |row, column| curvature[(row, column)]);
            rows.determinant().ln() / 2.0
        };
        for ratings in [[0.0; 6], [1.5, -0.3, 0.2, 0.8, -1.9, -0.4]] {
            let covariance = curvature(&choices, &ratings).cholesky().unwrap().inverse();
            added.set_bias_correction(&choices, &ratings, &covariance);
            let (seen, _) = choices.derivatives(&none, &ratings, 0.0);
            let (both, _) = choices.derivatives(&added, &ratings, 0.0);
            for bot in 0..6 {
                let beside = |by: f64| {
                    let mut ratings = ratings;
                    ratings[bot] += by;
                    half_log(&ratings)
                };
                let slope = (beside(1e-5) - beside(-1e-5)) / 2e-5;
                let found = both[bot] - seen[bot];
                assert!((found - slope).abs() < 1e-7, "{bot}: {found} and {slope}");
            }
            let all: f64 = added.among.iter().sum();
            assert!((all - 5.0).abs() < 1e-9, "{all}");
            assert!((all - added.chosen.iter().sum::<f64>()).abs() < 1e-9);
        }
    }

    #[test]
    fn bias_correction_adds_half_a_win_to_each_of_two_bots() {
        for (won, lost) in [(7, 3), (30, 31), (5, 0), (0, 1), (400, 0)] {
            let rankings: Vec<_> = wins(0, 1, won).chain(wins(1, 0, lost)).collect();
            let ratings = reduced(2, &rankings);
            let found = ratings.log_odds()[0] - ratings.log_odds()[1];
            let expected = ((won as f64 + 0.5) / (lost as f64 + 0.5)).ln();
            assert!((found - expected).abs() < 1e-6, "{won} to {lost}: {found}");
        }
    }

    #[test]
    fn a_bot_that_won_everything_has_a_rating_without_a_ridge() {
        let mut rankings: Vec<_> = wins(0, 1, 9).chain(wins(1, 2, 4)).collect();
        rankings.extend(wins(2, 1, 3));
        rankings.push(in_order(&[0, 2, 1], 0));
        let ratings = reduced(3, &rankings).log_odds().to_vec();
        assert!(ratings[0] > ratings[1] + 1.0, "{ratings:?}");
        assert!(ratings[0] < 4.0, "{ratings:?}");
    }

    #[test]
    fn ratings_are_less_far_apart_than_those_of_the_greatest_likelihood() {
        let rankings: Vec<_> = wins(0, 1, 8).chain(wins(1, 0, 2)).collect();
        let [kept, reduced] = [PlackettLuce::default(), PlackettLuce::for_ladder()]
            .map(|fit| fit.fit(2, &rankings).unwrap().log_odds()[0]);
        assert!(0.0 < reduced && reduced < kept, "{reduced} and {kept}");
    }

    #[test]
    fn a_ridge_determines_ratings_when_few_bots_have_met() {
        // Two groups of bots that never met, each with a bot that won or lost everything, and a bot
        // without matches.
        let mut rankings: Vec<_> = wins(0, 1, 40).chain(wins(1, 2, 1)).collect();
        rankings.extend(wins(2, 1, 1).chain(wins(4, 3, 300)));
        let ratings = PlackettLuce::for_ladder().fit(6, &rankings).unwrap();
        assert!(ratings.log_odds().iter().all(|rating| rating.is_finite()));
        assert!(ratings.log_odds()[5].abs() < 1.0);
        assert!(ratings.covariance(5, 5) > 25.0);
        for count in 1..40 {
            let chain: Vec<_> = (0..20).flat_map(|bot| wins(bot, bot + 1, count)).collect();
            // From 21 matches on, the maximum likelihood exceeds the limit of ratings.
            assert_eq!(PlackettLuce::default().fit(21, &chain).is_ok(), count <= 20);
            assert!(count > 20 || PlackettLuce::for_ladder().fit(21, &chain).is_ok());
        }
        PlackettLuce::for_ladder().fit(3, &[]).unwrap();
    }
}
