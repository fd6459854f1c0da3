//! Results of a match, the same shape for every game.

/// The result of a finished match, one entry a seat in seat order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Results in seat order.
    pub seats: Vec<SeatOutcome>,
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
