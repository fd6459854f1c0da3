//! Bots' failures: failures in a row, annulled matches, and changes of strength.

use std::collections::BTreeMap;

use bridgemaster_contest::beat_fraction;
use statrs::statistics::Statistics as _;

use crate::{
    End, Purpose, SeatEnd, Span,
    suspicion::{AnnulmentStats, FinishedMatchSpan, MatchTotals},
};

/// The number of failed matches in a row after which a bot is benched. Network problems can cause
/// one or two failures.
pub const BENCH_AFTER_FAILURES: usize = 3;

/// The number of a version's latest results that are compared with its earlier results.
pub const CHANGE_WINDOW_MATCHES: usize = 100;

/// The number of standard errors above which a deviation counts as significant. A normally
/// distributed value exceeds this number with a probability of 0.001.
const IMPROBABLE_ERRORS: f64 = 3.290_527;

/// The number of recent matches that are stored per bot. A bot plays fewer matches at once, so
/// matches that end out of order can still be sorted by number.
const MAX_RECENT: usize = 256;

/// A finished match from one of its bots' point of view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinishedMatch<'a> {
    pub(crate) number: u64,
    pub(crate) purpose: Purpose,
    pub(crate) end: &'a End,
    /// The bot's seats; several if the bot is validated against itself.
    pub(crate) seats: &'a [usize],
    pub(crate) span: Span,
    /// Matches with a lower number are ignored.
    pub(crate) forgiven_before: u64,
    /// The lowest number among the bot's matches in progress.
    pub(crate) first_open: Option<u64>,
}

/// The recent failures of a version, and its annulled matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailureRecord {
    /// States whether the bot failed, for each recent match by number.
    recent: BTreeMap<u64, bool>,
    /// Statistics of played and annulled matches since the bot was last reinstated.
    pub(crate) annulments: AnnulmentStats,
    /// The total number of the bot's annulled matches.
    pub(crate) annulled: u32,
}

impl FailureRecord {
    /// Records a finished match. Requested matches, and matches with a number below
    /// `forgiven_before`, affect only the number of annulled matches.
    pub(crate) fn record(&mut self, finished: &FinishedMatch<'_>, all: MatchTotals) {
        let FinishedMatch { number, purpose, end, seats, span, forgiven_before, first_open } =
            *finished;
        if let End::Annulled(_) | End::Voided = end {
            self.annulled += 1;
        }
        if number < forgiven_before || purpose == Purpose::Requested {
            return;
        }
        let failures = seats.iter().filter_map(|seat| failed(end, *seat));
        if let Some(failed) = failures.reduce(|one, other| one | other) {
            self.recent.insert(number, failed);
            if self.recent.len() > MAX_RECENT {
                self.recent.pop_first();
            }
        }
        let (ends, is_annulled) = match end {
            End::Played(ends) => (ends, false),
            End::Annulled(ends) => (ends, true),
            End::Voided | End::Cancelled { .. } => return,
        };
        let over = FinishedMatchSpan {
            span,
            is_annulled,
            // In a match in which all seats are its own, a bot is neither ahead nor behind.
            is_behind: matches!(seats, [seat] if is_behind(ends, *seat)),
        };
        self.annulments.record(number, over, first_open, all);
    }

    /// Clears recorded failures and suspicions.
    pub(crate) fn forgive(&mut self) {
        self.recent.clear();
        self.annulments = AnnulmentStats::default();
    }

    /// Returns the number of failed matches since the last successful one.
    pub(crate) fn failures_in_a_row(&self) -> usize {
        let late = self.recent.values().rev();
        late.take_while(|failed| **failed).count()
    }
}

/// Returns whether a seat's bot failed. Returns `None` if the outcome does not show it.
pub(crate) fn failed(end: &End, seat: usize) -> Option<bool> {
    match end {
        End::Played(seats) => Some(seats.get(seat)?.forfeited),
        End::Cancelled { absent } => absent.contains(&seat).then_some(true),
        End::Annulled(_) | End::Voided => None,
    }
}

/// Returns whether a seat finished behind more than half of the other seats.
fn is_behind(seats: &[SeatEnd], seat: usize) -> bool {
    let places: Vec<u32> = seats.iter().map(|end| end.place).collect();
    beat_fraction(&places, seat).is_some_and(|beaten| beaten < 0.5)
}

/// A bot's result in a match, compared with the ratings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surprise {
    /// The beat fraction minus its expected value.
    excess: f64,
    /// The variance that the ratings imply; a lower bound with more than two seats.
    variance: f64,
}

impl Surprise {
    /// Compares a seat's result with its rating; `weights` are the exponentials of the ratings.
    pub(crate) fn new(places: &[u32], weights: &[f64], seat: usize) -> Self {
        let beaten = beat_fraction(places, seat).unwrap_or(0.5);
        let expected = expected(weights, seat);
        let others = weights.len().saturating_sub(1).max(1) as f64;
        Self { excess: beaten - expected, variance: expected * (1.0 - expected) / others }
    }
}

/// Returns whether the latest results of a bot, oldest first, deviate significantly from its
/// earlier results.
pub(crate) fn has_changed(surprises: &[Surprise]) -> bool {
    if surprises.len() < 2 * CHANGE_WINDOW_MATCHES {
        return false;
    }
    let (earlier, late) = surprises.split_at(surprises.len() - CHANGE_WINDOW_MATCHES);
    // The mean, and its squared standard error. A bot that always loses has almost equal surprises,
    // so their own variance would make rounding errors significant.
    let moments = |results: &[Surprise]| {
        let variance = results.iter().map(|result| result.excess).variance();
        let implied = results.iter().map(|result| result.variance).mean();
        let mean = results.iter().map(|result| result.excess).mean();
        (mean, variance.max(implied) / results.len() as f64)
    };
    let ((before, error_before), (now, error_now)) = (moments(earlier), moments(late));
    let error = (error_before + error_now).sqrt();
    error > 0.0 && ((now - before) / error).abs() > IMPROBABLE_ERRORS
}

/// Returns a seat's expected beat fraction; `weights` are the exponentials of the ratings.
fn expected(weights: &[f64], seat: usize) -> f64 {
    let own = weights[seat];
    let others = weights.iter().enumerate().filter(|(other, _)| *other != seat);
    let sum: f64 = others.map(|(_, other)| own / (own + other)).sum();
    match weights.len() {
        0 | 1 => 0.5,
        seats => sum / (seats - 1) as f64,
    }
}

/// Returns whether a match validates a version: the version finished the match in all of its seats.
pub(crate) fn validates(purpose: Purpose, end: &End, seats: &[usize]) -> bool {
    let is_successful = |seat: &usize| failed(end, *seat) == Some(false);
    purpose == Purpose::Validation && !seats.is_empty() && seats.iter().all(is_successful)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(own: u32, other: u32) -> Vec<SeatEnd> {
        let seat = |place| SeatEnd { place, score: 0, forfeited: false };
        vec![seat(own), seat(other)]
    }

    /// A rated match of the bot, in the first seat.
    fn rated(number: u64, end: &End) -> FinishedMatch<'_> {
        FinishedMatch {
            number,
            purpose: Purpose::Rated,
            end,
            seats: &[0],
            span: Span { started_ms: number, ended_ms: number + 1 },
            forgiven_before: 0,
            first_open: None,
        }
    }

    #[test]
    fn failures_in_a_row_are_those_since_the_last_success() {
        let off = End::Cancelled { absent: vec![0] };
        let played = End::Played(seats(1, 2));
        let other_off = End::Cancelled { absent: vec![1] };
        let forgiven = FinishedMatch { forgiven_before: 6, ..rated(5, &off) };
        let requested = FinishedMatch { purpose: Purpose::Requested, ..rated(6, &off) };
        let mut failure_record = FailureRecord::default();
        for (finished, in_a_row) in [
            (rated(0, &off), 1),
            // This match ended before a match with a lower number.
            (rated(3, &off), 2),
            (rated(1, &played), 1),
            (rated(4, &other_off), 1),
            (forgiven, 1),
            // The match was requested by others.
            (requested, 1),
        ] {
            failure_record.record(&finished, MatchTotals::default());
            let number = finished.number;
            assert_eq!(failure_record.failures_in_a_row(), in_a_row, "{number}");
        }
    }

    #[test]
    fn a_match_of_a_version_against_itself_is_one_match() {
        let mut failure_record = FailureRecord::default();
        let mut record = |number, end: End| {
            let finished = FinishedMatch {
                purpose: Purpose::Validation,
                seats: &[0, 1],
                ..rated(number, &end)
            };
            failure_record.record(&finished, MatchTotals::default());
            (failure_record.annulled, failure_record.failures_in_a_row())
        };
        assert_eq!(record(0, End::Annulled(seats(1, 2))).0, 1);
        let mut half = seats(1, 2);
        half[1].forfeited = true;
        assert_eq!(record(1, End::Played(half)).1, 1, "in one of its seats");
    }

    #[test]
    fn a_version_that_plays_differently_is_detected() {
        let surprise = |excess| Surprise { excess, variance: 0.25 };
        let mut same = Vec::new();
        for number in 0..400 {
            same.push(surprise(if number % 2 == 0 { 0.5 } else { -0.5 }));
        }
        assert!(!has_changed(&same));
        let mut changed = same.clone();
        changed[320..].fill(surprise(0.5));
        assert!(has_changed(&changed));
        assert!(!has_changed(&changed[250..]), "too few to compare");
    }

    #[test]
    fn rounding_errors_of_equal_results_are_not_a_change() {
        // 906 of 906 matches lost; the last ones to a slightly weaker opponent.
        let lost = |number: u32| {
            let opponent = if number < 806 { 1.0 } else { 0.999 };
            Surprise::new(&[2, 1], &[1e-4, opponent + 1e-15 * f64::from(number % 2)], 0)
        };
        let lost: Vec<Surprise> = (0..906).map(lost).collect();
        assert!(!has_changed(&lost));
    }

    #[test]
    fn a_tie_counts_half_and_a_seat_is_behind_below_half_of_the_others() {
        let places = |places: &[u32]| -> Vec<SeatEnd> {
            places.iter().flat_map(|place| seats(*place, 0).into_iter().take(1)).collect()
        };
        let cases: [(&[u32], bool); 6] = [
            (&[1, 2], false),
            (&[2, 1], true),
            (&[1, 1], false),
            (&[2, 1, 3], false),
            (&[2, 1, 2], true),
            (&[2, 1, 2, 2, 5], false),
        ];
        for (ends, behind) in cases {
            let ends = places(ends);
            assert_eq!(is_behind(&ends, 0), behind, "{ends:?}");
        }
        assert!(!is_behind(&places(&[1]), 0));
    }

    #[test]
    fn the_expected_beat_fraction_is_the_mean_over_the_others() {
        assert_eq!(expected(&[1.0, 1.0], 0), 0.5);
        assert_eq!(expected(&[3.0, 1.0], 0), 0.75);
        assert_eq!(expected(&[3.0, 1.0], 1), 0.25);
        assert_eq!(expected(&[1.0, 3.0, 1.0], 0), (0.25 + 0.5) / 2.0);
        assert_eq!(expected(&[2.0], 0), 0.5);
    }
}
