//! Results of a match, the same shape for every game.

/// The result of a finished match, one entry a seat in seat order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Results in seat order.
    pub seats: Vec<SeatOutcome>,
}

impl Outcome {
    /// The result of seats that are ranked by a key, the highest first; equal keys share a place.
    /// Takes the key and the breakdown of each seat, in seat order.
    pub(crate) fn ranked<K: PartialOrd>(
        seats: impl IntoIterator<Item = (K, Vec<ScoreLine>)>,
    ) -> Self {
        let (keys, breakdowns): (Vec<K>, Vec<_>) = seats.into_iter().unzip();
        let result = |(own, breakdown): (&K, Vec<ScoreLine>)| SeatOutcome {
            place: 1 + keys.iter().filter(|other| *other > own).count() as u8,
            score: total(&breakdown),
            breakdown,
        };
        Self {
            seats: keys.iter().zip(breakdowns).map(result).collect(),
        }
    }
}

/// What the points of a breakdown add up to.
pub(crate) fn total(breakdown: &[ScoreLine]) -> i32 {
    breakdown.iter().map(|line| line.points).sum()
}

/// The result of one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatOutcome {
    /// 1 is the best; seats that share a place have the same number, and the next is skipped.
    pub place: u8,
    /// The score by the game's own measure; may be negative.
    pub score: i32,
    /// What the score is made of; the points add up to `score`.
    pub breakdown: Vec<ScoreLine>,
}

/// One line of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreLine {
    /// Stable name, lower snake case, the same for all seats of a match and in the same order.
    pub category: &'static str,
    /// Points of this category.
    pub points: i32,
}

impl ScoreLine {
    pub(crate) fn new(category: &'static str, points: impl Into<i32>) -> Self {
        let points = points.into();
        Self { category, points }
    }
}
