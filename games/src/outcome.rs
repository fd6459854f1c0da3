//! The result of a match, which has the same form for every game.

/// The result of a finished match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Each seat's result, in seat order.
    pub seats: Vec<SeatOutcome>,
}

impl Outcome {
    /// Creates the outcome from each seat's key and breakdown, in seat order. The seat with the
    /// highest key is first, and equal keys share a place.
    pub(crate) fn ranked<K: PartialOrd>(
        seats: impl IntoIterator<Item = (K, Vec<ScoreLine>)>,
    ) -> Self {
        let (keys, breakdowns): (Vec<K>, Vec<_>) = seats.into_iter().unzip();
        let result = |(own, breakdown): (&K, Vec<ScoreLine>)| SeatOutcome {
            place: 1 + keys.iter().filter(|other| *other > own).count() as u8,
            score: total(&breakdown),
            breakdown,
        };
        Self { seats: keys.iter().zip(breakdowns).map(result).collect() }
    }
}

/// Sums the points in a breakdown.
pub(crate) fn total(breakdown: &[ScoreLine]) -> i32 {
    breakdown.iter().map(|line| line.points).sum()
}

/// The result of one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatOutcome {
    /// The place, where 1 is best. Tied seats share a place, and the places that follow are
    /// skipped.
    pub place: u8,
    /// The score by the game's own measure. Can be negative.
    pub score: i32,
    /// The parts of the score; their points add up to `score`.
    pub breakdown: Vec<ScoreLine>,
}

/// One category of a score breakdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreLine {
    /// The stable name, in lower snake case. All seats of a match have the same categories in the
    /// same order.
    pub category: &'static str,
    /// The points in this category. Can be negative.
    pub points: i32,
}

impl ScoreLine {
    pub(crate) fn new(category: &'static str, points: impl Into<i32>) -> Self {
        let points = points.into();
        Self { category, points }
    }
}
