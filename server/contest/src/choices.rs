//! What results are made of: choices. Whoever has the best place of a result was chosen among all
//! of its bots, the next one among the others, and so on. Equal choices are counted, so that a fit
//! goes through each once, and in an order that is not that of the results.

use std::ops::Range;

use crate::{
    Ranking,
    matrix::{Matrix, add_scaled},
};

/// A part of what the likelihood of a result has.
pub(crate) enum Choice<'a> {
    /// This bot was chosen.
    Chosen(usize),
    /// It was chosen among these bots. Where bots tie, all their orders have an equal share: then
    /// any subset of a size is as likely as another to be what is left, one of so many.
    Among { members: &'a [usize], one_of: u32 },
}

/// Goes through the choices of a result: its places and bots, sorted. The log-likelihood is the sum
/// of the ratings of those that were chosen, less the sum of the logarithms of the weights of what
/// they were chosen among.
pub(crate) fn each_choice(order: &[(u32, usize)], each: &mut impl FnMut(Choice<'_>)) {
    let mut members = Vec::with_capacity(order.len());
    let mut end = order.len();
    for tied in order.chunk_by(|one, other| one.0 == other.0).rev() {
        let behind = &order[end..];
        end -= tied.len();
        if behind.is_empty() && tied.len() == 1 {
            // Whoever is last alone was not chosen among anybody.
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

/// How many subsets of one size a set has.
fn subsets(of: usize, size: usize) -> u32 {
    (1..=size).fold(1, |row, k| row * (of - size + k) as u32 / k as u32)
}

/// Equal choices counted.
pub(crate) struct Choices {
    /// By bot: how often it was chosen.
    chosen: Vec<u64>,
    /// By bot: its results.
    results: Vec<u64>,
    /// What was chosen among.
    sets: Vec<Set>,
    /// The bots of all sets, those of one in their order.
    members: Vec<usize>,
}

struct Set {
    /// Its part of `members`.
    members: Range<usize>,
    /// How often it was chosen among.
    share: f64,
}

/// A set as it is found.
struct Found {
    /// As much of the members as fits, so that most sets are told apart at once.
    first: u64,
    members: Range<usize>,
    one_of: u32,
}

impl Found {
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
    pub(crate) fn of(bots: usize, rankings: &[Ranking]) -> Self {
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
                    found.push(Found::new(&all, begin..all.len(), one_of));
                }
            });
        }
        let (sets, members) = counted(found, &all);
        Self {
            chosen,
            results,
            sets,
            members,
        }
    }

    /// Results of each bot.
    pub(crate) fn results(&self) -> Vec<u64> {
        self.results.clone()
    }

    /// How many bots there are.
    pub(crate) fn bots(&self) -> usize {
        self.chosen.len()
    }

    /// The bots of each set, and how often it was chosen among.
    pub(crate) fn sets(&self) -> impl ExactSizeIterator<Item = (&[usize], f64)> {
        let of_set = |set: &Set| (&self.members[set.members.clone()], set.share);
        self.sets.iter().map(of_set)
    }

    /// The slope of the log-likelihood less the ridge, and its curvature with the sign that makes
    /// it positive: of what was seen and what is added.
    pub(crate) fn derivatives(
        &self,
        added: &Added,
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
                // What is left of it follows from symmetry.
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

/// Choices that nobody saw, in shares of one. Where all bots have met and nothing else holds their
/// ratings together, they are one less than there are bots.
pub(crate) struct Added {
    /// By bot: how often it was chosen.
    pub(crate) chosen: Vec<f64>,
    /// By set: how often it was chosen among.
    pub(crate) among: Vec<f64>,
}

impl Added {
    pub(crate) fn none(choices: &Choices) -> Self {
        Self {
            chosen: vec![0.0; choices.bots()],
            among: vec![0.0; choices.sets().len()],
        }
    }
}

/// What is found of equal sets, counted.
fn counted(mut found: Vec<Found>, all: &[usize]) -> (Vec<Set>, Vec<usize>) {
    let members_of = |found: &Found| &all[found.members.clone()];
    found.sort_unstable_by(|one, other| {
        let by_first = one.first.cmp(&other.first);
        by_first
            .then_with(|| members_of(one).cmp(members_of(other)))
            .then(one.one_of.cmp(&other.one_of))
    });
    let (mut sets, mut members) = (Vec::new(), Vec::new());
    let are_equal = |one: &Found, other: &Found| {
        one.first == other.first && members_of(one) == members_of(other)
    };
    for equal in found.chunk_by(are_equal) {
        let shares = equal.chunk_by(|one, other| one.one_of == other.one_of);
        let shares = shares.map(|alike| alike.len() as f64 / f64::from(alike[0].one_of));
        let begin = members.len();
        members.extend_from_slice(members_of(&equal[0]));
        sets.push(Set {
            members: begin..members.len(),
            share: shares.sum(),
        });
    }
    (sets, members)
}

/// The sum over clusters of the outer product of their slopes, with the usual correction for few
/// clusters.
pub(crate) fn spread_of_clusters(rankings: &[Ranking], ratings: &[f64]) -> Matrix {
    let bots = ratings.len();
    let weights: Vec<f64> = ratings.iter().map(|rating| rating.exp()).collect();
    let in_cluster = |ranking: &Ranking| {
        let mut order = Vec::new();
        ranking.order(&mut order);
        (ranking.cluster(), order)
    };
    let mut results: Vec<_> = rankings.iter().map(in_cluster).collect();
    // Not in the order in which they came.
    results.sort_unstable();
    let clusters = || results.chunk_by(|one, other| one.0 == other.0);
    let count = clusters().count() as f64;
    let correction = if count > 1.0 {
        count / (count - 1.0)
    } else {
        1.0
    };
    let mut spread = Matrix::zero(bots);
    for cluster in clusters() {
        let mut slope = vec![0.0; bots];
        for (_, order) in cluster {
            add_scaled(&mut slope, 1.0, &slope_of(order, &weights));
        }
        spread.add_outer_product(correction, &slope);
    }
    spread
}

/// The slope of the log-likelihood of one result.
fn slope_of(order: &[(u32, usize)], weights: &[f64]) -> Vec<f64> {
    let mut slope = vec![0.0; weights.len()];
    each_choice(order, &mut |choice| match choice {
        Choice::Chosen(bot) => slope[bot] += 1.0,
        Choice::Among { members, one_of } => {
            let all: f64 = members.iter().map(|bot| weights[*bot]).sum();
            for &bot in members {
                slope[bot] -= weights[bot] / (all * f64::from(one_of));
            }
        }
    });
    slope
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_choices_are_counted_once_whoever_was_chosen() {
        let won = |winner, loser| Ranking::new(vec![(winner, 1), (loser, 2)], 0);
        let choices = Choices::of(3, &[won(0, 1), won(1, 0), won(1, 0), won(1, 2)]);
        let shares: Vec<f64> = choices.sets.iter().map(|set| set.share).collect();
        assert_eq!(shares, [3.0, 1.0]);
        assert_eq!(choices.members, [0, 1, 1, 2]);
        assert_eq!(choices.chosen, [1, 3, 0]);
        assert_eq!(choices.results, [3, 4, 1]);
    }

    #[test]
    fn a_set_that_is_left_by_a_tie_has_its_share() {
        let mut tied = Ranking::new(vec![(0, 1), (1, 1), (2, 3)], 0);
        let choices = Choices::of(3, std::slice::from_ref(&tied));
        let mut told: Vec<(&[usize], f64)> = Vec::new();
        for set in &choices.sets {
            told.push((&choices.members[set.members.clone()], set.share));
        }
        // Either of the two is chosen first, and the other among what is left.
        let expected: [(&[usize], f64); 3] = [(&[0, 2], 0.5), (&[1, 2], 0.5), (&[0, 1, 2], 1.0)];
        for one in expected {
            assert!(told.contains(&one), "{told:?}");
        }
        assert_eq!(told.len(), 3);
        // A tie of two bots in one of many places is one of as many subsets.
        let places = (0..12).map(|bot| (bot, 1)).collect();
        tied = Ranking::new(places, 0);
        let choices = Choices::of(12, &[tied]);
        let sum: f64 = choices.sets.iter().map(|set| set.share).sum();
        assert!((sum - 12.0).abs() < 1e-9, "{sum}");
    }
}
