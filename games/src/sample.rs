//! Observations of a state, and sampling of states that are consistent with an observation.

use std::fmt::Debug;

use crate::field_error::{check_at_table, check_seats};
use crate::{ChanceStream, FieldError, Rules, SeatCount, Viewer};

/// The hidden information of a game.
///
/// The test suite checks these laws for every game:
/// * two states that differ only in facts hidden from a viewer have equal observations;
/// * other viewers' observations change only with an event, so a decision without an event is
///   secret;
/// * a fact that the setup hides from a viewer becomes visible only with an event that reveals it;
/// * a sampled state is a valid state: every viewer's observation of it can be sampled, and a match
///   that continues from it ends;
/// * the sampler draws every hidden fact, and every fact that the setup hides depends on the seed.
pub trait Sample: Rules {
    /// Everything that one viewer may know. An observation is complete, so a bot needs no earlier
    /// observation.
    type Observation: Clone + Debug + PartialEq + Send + Sync;

    /// Returns everything that `viewer` may know of the state.
    fn observe(state: &Self::State, viewer: Viewer) -> Self::Observation;

    /// Returns the viewer for whom an observation was made.
    fn viewer(observation: &Self::Observation) -> Viewer;

    /// Draws a state, or refuses an impossible observation. Hidden facts are drawn uniformly from
    /// `chance`. Implementations need only the checks that prevent panics and endless matches.
    /// Callers use [`Game::sample_state`](crate::Game::sample_state) instead, which observes the
    /// state again and refuses an observation that differs.
    fn draw_state(
        config: &Self::Config,
        observation: &Self::Observation,
        chance: &mut ChanceStream,
    ) -> Result<Self::State, FieldError>;

    /// Redraws everything in the setup that is hidden from `viewer` when the match starts. A game
    /// whose setup hides nothing returns the setup unchanged. Implementations shuffle the existing
    /// items, so that [a single swap](ChanceStream::swapping_once) leaves the rest in place.
    fn redeal(
        config: &Self::Config,
        seats: SeatCount,
        setup: &Self::Setup,
        viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Self::Setup;
}

/// Checks that an observation has a valid number of `seats`, and that its viewer is a spectator or
/// one of the seats.
pub(crate) fn check_table<R: Rules>(seats: usize, viewer: Viewer) -> Result<SeatCount, FieldError> {
    let Some(seats) = u8::try_from(seats).ok().and_then(SeatCount::new) else {
        return FieldError::refuse("seats", "must have an entry for each seat of a match");
    };
    check_seats(seats, R::SEATS)?;
    if let Viewer::Seat(seat) = viewer {
        check_at_table(seats, seat, "viewer")?;
    }
    Ok(seats)
}

/// Creates the refusal for an observation that differs from what its sampled state shows. The
/// refusal names the first field that differs.
pub(crate) fn mismatch(given: &impl Debug, shown: &impl Debug) -> FieldError {
    let (given, shown) = (format!("{given:#?}"), format!("{shown:#?}"));
    let (given, shown): (Vec<_>, Vec<_>) = (given.lines().collect(), shown.lines().collect());
    let same = given.iter().zip(&shown).take_while(|(a, b)| a == b).count();
    let value = |lines: &[&str]| {
        let line = lines.get(same).map_or("", |line| line.trim());
        let value = line.split_once(": ").map_or(line, |(_, value)| value);
        value.trim_end_matches([',', ' ', '{', '(', '[']).to_owned()
    };
    FieldError {
        field: path(&given, same),
        problem: format!(
            "{:?} contradicts the other fields, which require {:?}",
            value(&given),
            value(&shown)
        ),
    }
}

/// Returns the path for a line of debug output: the names of the enclosing fields, and the list
/// indices.
fn path(lines: &[&str], mut at: usize) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let closes = |line: &str| line.trim_start().starts_with([')', ']', '}']);
    let mut path = String::new();
    while let Some(line) = lines.get(at) {
        let before = &lines[..at];
        if closes(line)
            && let Some(opening) = before.iter().rposition(|other| indent(other) == indent(line))
        {
            at = opening;
            continue;
        }
        let around = before.iter().rposition(|other| indent(other) < indent(line));
        let dot = match path.chars().next() {
            None | Some('[') => "",
            Some(_) => ".",
        };
        if let Some(list) = around.filter(|&around| lines[around].ends_with('[')) {
            let items = before[list..].iter();
            let is_item = |other: &&&str| indent(other) == indent(line) && !closes(other);
            path.insert_str(0, &format!("[{}]{dot}", items.filter(is_item).count()));
        } else if let Some((name, _)) = line.trim().split_once(':') {
            path.insert_str(0, &format!("{name}{dot}"));
        }
        match around {
            Some(around) => at = around,
            None => break,
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Seat {
        _hand: Vec<u8>,
        _last: Option<u8>,
    }

    #[derive(Debug)]
    struct Table {
        _seats: Vec<Seat>,
        _round: u8,
    }

    #[test]
    fn the_first_field_that_differs_is_named() {
        let table = |hand: &[u8], last, round| Table {
            _seats: [&[7][..], hand].map(|hand| Seat { _hand: hand.to_vec(), _last: last }).into(),
            _round: round,
        };
        let given = table(&[1, 2], Some(3), 4);
        let refusal = |shown| mismatch(&given, &shown).to_string();
        assert_eq!(
            refusal(table(&[1, 5], Some(3), 4)),
            "_seats[1]._hand[1]: \"2\" contradicts the other fields, which require \"5\""
        );
        assert_eq!(
            refusal(table(&[1, 2], Some(3), 5)),
            "_round: \"4\" contradicts the other fields, which require \"5\""
        );
        assert_eq!(
            refusal(table(&[1, 2], None, 4)),
            "_seats[0]._last: \"Some\" contradicts the other fields, which require \"None\""
        );
    }
}
