//! What a viewer may know of a state, and the way back: a state that it could be.

use std::fmt::Debug;

use crate::field_error::{check_at_table, check_seats};
use crate::{ChanceStream, FieldError, Rules, SeatCount, Viewer};

/// Hidden information.
///
/// Laws, which the test suite holds every game to:
/// * two states that differ only in what a viewer may not know give equal observations;
/// * what others see changes only with an event: a decision without one is secret;
/// * what the setup hides from a viewer shows only with an event that tells it.
pub trait Sample: Rules {
    /// Everything that one viewer may know. Complete: a bot needs no memory of earlier ones.
    type Observation: Clone + Debug + PartialEq + Send + Sync;

    /// What `viewer` may know.
    fn observe(state: &Self::State, viewer: Viewer) -> Self::Observation;

    /// Whose view an observation is.
    fn viewer(observation: &Self::Observation) -> Viewer;

    /// Draws a state, the hidden facts uniformly from `chance`, or refuses an observation that
    /// cannot be one. It checks what keeps [`Sample::observe`] and play from panics and from
    /// endless matches, and no more: [`Game::sample_state`](crate::Game::sample_state), which
    /// callers take, observes the state again and refuses one that shows something else.
    fn draw_state(
        config: &Self::Config,
        observation: &Self::Observation,
        chance: &mut ChanceStream,
    ) -> Result<Self::State, FieldError>;

    /// The setup with everything drawn anew that it hides from `viewer` when the match starts.
    /// A game whose setup hides nothing gives it back as it is.
    fn redeal(
        config: &Self::Config,
        seats: SeatCount,
        setup: &Self::Setup,
        viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Self::Setup;
}

/// Checks who is at the table of an observation: `seats` views of seats, and the viewer.
pub(crate) fn check_table<R: Rules>(seats: usize, viewer: Viewer) -> Result<SeatCount, FieldError> {
    let Some(seats) = u8::try_from(seats).ok().and_then(SeatCount::new) else {
        return FieldError::refuse("seats", "is empty, or longer than any table");
    };
    check_seats(seats, R::SEATS)?;
    if let Viewer::Seat(seat) = viewer {
        check_at_table(seats, seat, "viewer")?;
    }
    Ok(seats)
}

/// The refusal of an observation that the state drawn from it does not show: names the first field
/// that differs.
pub(crate) fn not_shown(given: &impl Debug, shown: &impl Debug) -> FieldError {
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
            "{:?} is not what follows from the other fields: {:?}",
            value(&given),
            value(&shown)
        ),
    }
}

/// The path of a line of debug output: the names of the fields around it, and places in lists.
fn path(lines: &[&str], mut at: usize) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let closes = |line: &str| line.trim_start().starts_with([')', ']', '}']);
    let mut path = String::new();
    while let Some(line) = lines.get(at) {
        let before = &lines[..at];
        if closes(line)
            && let Some(opening) = before
                .iter()
                .rposition(|other| indent(other) == indent(line))
        {
            at = opening;
            continue;
        }
        let around = before
            .iter()
            .rposition(|other| indent(other) < indent(line));
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
            _seats: [&[7][..], hand]
                .map(|hand| Seat {
                    _hand: hand.to_vec(),
                    _last: last,
                })
                .into(),
            _round: round,
        };
        let given = table(&[1, 2], Some(3), 4);
        let refusal = |shown| not_shown(&given, &shown).to_string();
        assert_eq!(
            refusal(table(&[1, 5], Some(3), 4)),
            "_seats[1]._hand[1]: \"2\" is not what follows from the other fields: \"5\""
        );
        assert_eq!(
            refusal(table(&[1, 2], Some(3), 5)),
            "_round: \"4\" is not what follows from the other fields: \"5\""
        );
        assert_eq!(
            refusal(table(&[1, 2], None, 4)),
            "_seats[0]._last: \"Some\" is not what follows from the other fields: \"None\""
        );
    }
}
