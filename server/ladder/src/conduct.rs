//! How bots behave: whether they come and finish, and whether they play as before.

use std::collections::BTreeMap;

use crate::{
    End, Purpose, SeatEnd, Span,
    suspicion::{Over, Spoiled, Watched},
};

/// Matches in a row that a bot fails before it is benched: one or two may be a lost network.
pub const BENCH_AFTER_FAILURES: usize = 3;

/// Results at the end of a version's that are held against its earlier ones.
pub const CHANGE_WINDOW_MATCHES: usize = 100;

/// As many standard errors as leave 0.001 outside of both ends of a normal distribution: what is not
/// taken for chance.
const IMPROBABLE_ERRORS: f64 = 3.290_527;

/// Matches of a bot by which it is told how it fared of late. More than a bot plays at once, so
/// that the order in which matches end is the same as that of their numbers.
const KEPT: usize = 256;

/// A match that is over, for one of its bots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted<'a> {
    pub(crate) number: u64,
    pub(crate) purpose: Purpose,
    pub(crate) end: &'a End,
    /// Its seats: several, if it is validated against itself.
    pub(crate) seats: &'a [usize],
    pub(crate) span: Span,
    /// Matches before this number are not held against it.
    pub(crate) forgiven_before: u64,
    /// The lowest number of its matches that are still in play.
    pub(crate) first_open: Option<u64>,
}

/// What is known of a version's conduct.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conduct {
    /// The last of its matches that are over, by number: whether it failed.
    late: BTreeMap<u64, bool>,
    /// Its played and annulled matches since it was let play again.
    pub(crate) watched: Watched,
    /// All of its annulled matches.
    pub(crate) annulled: u32,
}

impl Conduct {
    /// Takes in a match that it played in. Before it is forgiven nothing is held against the bot,
    /// and nothing of a match that somebody else asked for.
    pub(crate) fn note(&mut self, noted: &Noted<'_>, all: Spoiled) {
        let Noted {
            number,
            purpose,
            end,
            seats,
            span,
            forgiven_before,
            first_open,
        } = *noted;
        if let End::Annulled(_) = end {
            self.annulled += 1;
        }
        if number < forgiven_before || purpose == Purpose::Requested {
            return;
        }
        let told = seats.iter().filter_map(|seat| failed(end, *seat));
        if let Some(failed) = told.reduce(|one, other| one | other) {
            self.late.insert(number, failed);
            if self.late.len() > KEPT {
                self.late.pop_first();
            }
        }
        let (ends, is_annulled) = match end {
            End::Played(ends) => (ends, false),
            End::Annulled(ends) => (ends, true),
            End::Cancelled { .. } => return,
        };
        let over = Over {
            span,
            is_annulled,
            // Against itself it is neither ahead nor behind.
            is_behind: matches!(seats, [seat] if is_behind(ends, *seat)),
        };
        self.watched.note(number, over, first_open, all);
    }

    /// What was before is forgiven.
    pub(crate) fn forgive(&mut self) {
        self.late.clear();
        self.watched = Watched::default();
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
        End::Cancelled { absent } => absent.contains(&seat).then_some(true),
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

/// The beat fraction that ratings have a seat expect; of each seat the exponential of its rating.
pub(crate) fn expected(weights: &[f64], seat: usize) -> f64 {
    let own = weights[seat];
    let others = weights
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != seat);
    let sum: f64 = others.map(|(_, other)| own / (own + other)).sum();
    match weights.len() {
        0 | 1 => 0.5,
        seats => sum / (seats - 1) as f64,
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

    /// A match in which it had these seats is over.
    fn note(
        conduct: &mut Conduct,
        number: u64,
        purpose: Purpose,
        end: &End,
        seats: &[usize],
        forgiven_before: u64,
    ) {
        let noted = Noted {
            number,
            purpose,
            end,
            seats,
            span: Span {
                began_ms: number,
                over_ms: number + 1,
            },
            forgiven_before,
            first_open: None,
        };
        conduct.note(&noted, Spoiled::default());
    }

    #[test]
    fn failures_in_a_row_are_those_after_the_last_that_was_none() {
        let mut conduct = Conduct::default();
        let off = End::Cancelled { absent: vec![0] };
        let played = End::Played(seats(1, 2));
        let rated = Purpose::Rated;
        note(&mut conduct, 0, rated, &off, &[0], 0);
        // It ended before the match of a lower number.
        note(&mut conduct, 3, rated, &off, &[0], 0);
        note(&mut conduct, 1, rated, &played, &[0], 0);
        assert_eq!(conduct.failures_in_a_row(), 1);
        let other = End::Cancelled { absent: vec![1] };
        note(&mut conduct, 4, rated, &other, &[0], 0);
        assert_eq!(conduct.failures_in_a_row(), 1, "another was absent");
        note(&mut conduct, 5, rated, &off, &[0], 6);
        assert_eq!(conduct.failures_in_a_row(), 1, "forgiven");
        note(&mut conduct, 6, Purpose::Requested, &off, &[0], 0);
        assert_eq!(conduct.failures_in_a_row(), 1, "others asked for it");
    }

    #[test]
    fn a_match_of_a_version_against_itself_is_one_match() {
        let mut conduct = Conduct::default();
        let annulled = End::Annulled(seats(1, 2));
        note(&mut conduct, 0, Purpose::Validation, &annulled, &[0, 1], 0);
        assert_eq!(conduct.annulled, 1);
        let mut half = seats(1, 2);
        half[1].forfeited = true;
        note(
            &mut conduct,
            1,
            Purpose::Validation,
            &End::Played(half),
            &[0, 1],
            0,
        );
        assert_eq!(conduct.failures_in_a_row(), 1, "in one of its seats");
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
