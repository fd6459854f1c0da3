//! How bots behave: whether they come and finish, and whether the matches that they spoil are more
//! than chance.

use std::collections::BTreeMap;

use bridgemaster_contest::Elo;
use statrs::distribution::{Binomial, DiscreteCDF as _};

use crate::{End, Purpose, SeatEnd};

/// Matches in a row that a bot fails before it is benched: one or two may be a lost network.
pub const BENCH_AFTER_FAILURES: usize = 3;

/// Results at the end of a version's that are held against its earlier ones.
pub const CHANGE_WINDOW_MATCHES: usize = 100;

/// Chance below which something is not taken for chance. With a thousand bots one is suspected
/// wrongly, and whoever runs the ladder looks at it.
pub const IMPROBABLE: f64 = 0.001;

/// As many standard errors as [`IMPROBABLE`] leaves outside of both ends of a normal distribution.
const IMPROBABLE_ERRORS: f64 = 3.290_527;

/// Annulled matches below which nobody is suspected: two of them are soon together.
const LEAST_ANNULLED: u64 = 5;

/// Matches of a bot by which it is told how it fared of late. More than a bot plays at once, so
/// that the order in which matches end is the same as that of their numbers.
const KEPT: usize = 256;

/// Why a bot's annulled matches are suspected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suspicion {
    /// A larger share of them is annulled than of those of others.
    MoreThanOthers {
        /// Its annulled matches.
        annulled: u64,
        /// Of so many.
        matches: u64,
    },
    /// It was behind in more of them than in those that counted.
    WhenBehind {
        /// Annulled matches in which it was behind.
        behind: u64,
        /// Its annulled matches.
        annulled: u64,
    },
}

impl std::fmt::Display for Suspicion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MoreThanOthers { annulled, matches } => write!(
                f,
                "{annulled} of its {matches} matches were annulled, far more than of others"
            ),
            Self::WhenBehind { behind, annulled } => write!(
                f,
                "it was behind in {behind} of its {annulled} annulled matches, far more often \
                 than in those that counted"
            ),
        }
    }
}

/// Played and annulled matches, and how often a bot was behind in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spoiled {
    pub(crate) played: u64,
    pub(crate) played_behind: u64,
    pub(crate) annulled: u64,
    pub(crate) annulled_behind: u64,
}

impl Spoiled {
    fn matches(self) -> u64 {
        self.played + self.annulled
    }

    /// The sum of all, in which `before` of one bot has become `now`.
    pub(crate) fn with(self, now: Self, before: Self) -> Self {
        Self {
            played: self.played + now.played - before.played,
            played_behind: self.played_behind + now.played_behind - before.played_behind,
            annulled: self.annulled + now.annulled - before.annulled,
            annulled_behind: self.annulled_behind + now.annulled_behind - before.annulled_behind,
        }
    }

    /// What is suspicious of it, beside all bots together.
    pub(crate) fn suspicion(self, all: Self) -> Option<Suspicion> {
        if self.annulled < LEAST_ANNULLED {
            return None;
        }
        let others_annulled = all.annulled.saturating_sub(self.annulled);
        let others = all.matches().saturating_sub(self.matches());
        if is_improbable(
            self.annulled,
            self.matches(),
            usual(others_annulled, others),
        ) {
            return Some(Suspicion::MoreThanOthers {
                annulled: self.annulled,
                matches: self.matches(),
            });
        }
        if is_improbable(
            self.annulled_behind,
            self.annulled,
            usual(self.played_behind, self.played),
        ) {
            return Some(Suspicion::WhenBehind {
                behind: self.annulled_behind,
                annulled: self.annulled,
            });
        }
        None
    }
}

/// A share that is never 0 or 1, however few there are.
fn usual(some: u64, of: u64) -> f64 {
    (some as f64 + 1.0) / (of as f64 + 2.0)
}

/// Whether so many of so many, or more, are improbable by chance.
fn is_improbable(some: u64, of: u64, share: f64) -> bool {
    // At least 1 is always probable.
    let Some(fewer) = some.checked_sub(1) else {
        return false;
    };
    let chance = Binomial::new(share, of).map(|chance| chance.sf(fewer));
    chance.is_ok_and(|chance| chance < IMPROBABLE)
}

/// What is known of a version's conduct.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conduct {
    /// The last of its matches that are over, by number: whether it failed.
    late: BTreeMap<u64, bool>,
    /// Since it was let play again.
    pub(crate) spoiled: Spoiled,
    /// All of its annulled matches.
    pub(crate) annulled: u32,
}

impl Conduct {
    /// Takes in a match in which it had these seats: several, if it is validated against itself.
    /// Before `forgiven` nothing is held against the bot, and nothing of a match that somebody
    /// else asked for.
    pub(crate) fn note(
        &mut self,
        number: u64,
        purpose: Purpose,
        end: &End,
        seats: &[usize],
        forgiven: u64,
    ) {
        if let End::Annulled(_) = end {
            self.annulled += 1;
        }
        if number < forgiven || purpose == Purpose::Requested {
            return;
        }
        let told = seats.iter().filter_map(|seat| failed(end, *seat));
        if let Some(failed) = told.reduce(|one, other| one | other) {
            self.late.insert(number, failed);
            if self.late.len() > KEPT {
                self.late.pop_first();
            }
        }
        let is_behind = |ends: &[SeatEnd]| match seats {
            [seat] => u64::from(is_behind(ends, *seat)),
            _ => 0,
        };
        match end {
            End::Played(ends) => {
                self.spoiled.played += 1;
                self.spoiled.played_behind += is_behind(ends);
            }
            End::Annulled(ends) => {
                self.spoiled.annulled += 1;
                self.spoiled.annulled_behind += is_behind(ends);
            }
            End::CalledOff { .. } => {}
        }
    }

    /// What was before is forgiven.
    pub(crate) fn forgive(&mut self) {
        self.late.clear();
        self.spoiled = Spoiled::default();
    }

    /// Matches that it failed since the last one that it did not fail.
    pub(crate) fn failures_in_a_row(&self) -> usize {
        let late = self.late.values().rev();
        late.take_while(|failed| **failed).count()
    }
}

/// Whether a bot failed in a match; `None` if the match says nothing of it.
pub(crate) fn failed(end: &End, seat: usize) -> Option<bool> {
    match end {
        End::Played(seats) => Some(seats.get(seat)?.forfeited),
        End::CalledOff { absent } => absent.contains(&seat).then_some(true),
        End::Annulled(_) => None,
    }
}

/// Whether a seat ended behind more of the others than before.
fn is_behind(seats: &[SeatEnd], seat: usize) -> bool {
    beat_fraction(seats, seat) < 0.5
}

/// The share of the others that ended behind a seat, a tie counting half.
pub(crate) fn beat_fraction(seats: &[SeatEnd], seat: usize) -> f64 {
    let Some(own) = seats.get(seat) else {
        return 0.5;
    };
    let others = seats.iter().enumerate().filter(|(other, _)| *other != seat);
    let (mut beaten, mut all) = (0.0, 0.0);
    for (_, other) in others {
        all += 1.0;
        beaten += match own.place.cmp(&other.place) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        };
    }
    if all == 0.0 { 0.5 } else { beaten / all }
}

/// Whether a bot's last results do not fit its earlier ones. Each is how much better it did than
/// its rating had it, as a beat fraction, the oldest first.
pub(crate) fn has_changed(surprises: &[f64]) -> bool {
    let Some(earlier) = surprises.len().checked_sub(CHANGE_WINDOW_MATCHES) else {
        return false;
    };
    if earlier < CHANGE_WINDOW_MATCHES {
        return false;
    }
    let (earlier, late) = surprises.split_at(earlier);
    let moments = |values: &[f64]| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / (count - 1.0) / count)
    };
    let ((before, error_before), (now, error_now)) = (moments(earlier), moments(late));
    let error = (error_before + error_now).sqrt();
    error > 0.0 && ((now - before) / error).abs() > IMPROBABLE_ERRORS
}

/// The beat fraction that ratings, as log odds, have a seat expect.
pub(crate) fn expected(own: f64, others: &[f64]) -> f64 {
    let of = |other: &f64| {
        let difference = (own - other) * 400.0 / std::f64::consts::LN_10;
        Elo(difference).expected_score()
    };
    let sum: f64 = others.iter().map(of).sum();
    if others.is_empty() {
        0.5
    } else {
        sum / others.len() as f64
    }
}

/// Whether a match tells that a version works, which it does if the version ended it in every one
/// of its seats.
pub(crate) fn validates(purpose: Purpose, end: &End, seats: &[usize]) -> bool {
    let is_sound = |seat: &usize| failed(end, *seat) == Some(false);
    purpose == Purpose::Validation && !seats.is_empty() && seats.iter().all(is_sound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(own: u32, other: u32) -> Vec<SeatEnd> {
        let seat = |place| SeatEnd {
            place,
            score: 0,
            forfeited: false,
        };
        vec![seat(own), seat(other)]
    }

    #[test]
    fn failures_in_a_row_are_those_after_the_last_that_was_none() {
        let mut conduct = Conduct::default();
        let off = End::CalledOff { absent: vec![0] };
        let played = End::Played(seats(1, 2));
        let rated = Purpose::Rated;
        conduct.note(0, rated, &off, &[0], 0);
        // It ended before the match of a lower number.
        conduct.note(3, rated, &off, &[0], 0);
        conduct.note(1, rated, &played, &[0], 0);
        assert_eq!(conduct.failures_in_a_row(), 1);
        conduct.note(4, rated, &End::CalledOff { absent: vec![1] }, &[0], 0);
        assert_eq!(conduct.failures_in_a_row(), 1, "another was absent");
        conduct.note(5, rated, &off, &[0], 6);
        assert_eq!(conduct.failures_in_a_row(), 1, "forgiven");
        conduct.note(6, Purpose::Requested, &off, &[0], 0);
        assert_eq!(conduct.failures_in_a_row(), 1, "others asked for it");
    }

    #[test]
    fn a_match_of_a_version_against_itself_is_one_match() {
        let mut conduct = Conduct::default();
        let annulled = End::Annulled(seats(1, 2));
        conduct.note(0, Purpose::Validation, &annulled, &[0, 1], 0);
        assert_eq!((conduct.annulled, conduct.spoiled.annulled), (1, 1));
        let mut half = seats(1, 2);
        half[1].forfeited = true;
        conduct.note(1, Purpose::Validation, &End::Played(half), &[0, 1], 0);
        assert_eq!(conduct.failures_in_a_row(), 1, "in one of its seats");
    }

    #[test]
    fn annulled_matches_are_suspected_when_chance_does_not_explain_them() {
        let of = |played, annulled, behind| Spoiled {
            played,
            played_behind: played / 2,
            annulled,
            annulled_behind: behind,
        };
        let all = of(10_000, 100, 50);
        assert_eq!(of(495, 5, 2).suspicion(all), None, "as others");
        assert_eq!(of(0, 4, 4).suspicion(all), None, "too few");
        assert!(matches!(
            of(480, 20, 10).suspicion(all),
            Some(Suspicion::MoreThanOthers {
                annulled: 20,
                matches: 500
            })
        ));
        let all = of(1_000, 100, 50);
        assert!(matches!(
            of(110, 11, 11).suspicion(all),
            Some(Suspicion::WhenBehind {
                behind: 11,
                annulled: 11
            })
        ));
        assert_eq!(of(110, 11, 7).suspicion(all), None);
    }

    #[test]
    fn a_version_that_plays_otherwise_than_before_is_seen() {
        let mut same = Vec::new();
        for number in 0..400 {
            same.push(if number % 2 == 0 { 0.5 } else { -0.5 });
        }
        assert!(!has_changed(&same));
        let mut changed = same.clone();
        for late in &mut changed[320..] {
            *late = 0.5;
        }
        assert!(has_changed(&changed));
        assert!(!has_changed(&changed[250..]), "too few to hold it against");
    }
}
