//! Bridges: where a building may go, what its action is worth, what a series is.

use super::components::{BRIDGE_SLOTS, Building, Coat, Kind};

/// Whether `building` goes to the first empty slot of `bridge`. Otherwise it must replace one.
///
/// The test of capacity never decides in a match: no seat has more than twelve turns.
pub(super) fn goes_to_the_end(bridge: &[Building], building: Building) -> bool {
    bridge.len() < BRIDGE_SLOTS
        && match (building.number, bridge.last().and_then(|left| left.number)) {
            (Some(number), Some(left)) => number < left,
            _ => true,
        }
}

/// Whether the house number `number` descends within its series in the place of `slot`, which
/// must be built and no park.
pub(super) fn descends_at(bridge: &[Building], slot: usize, number: u8) -> bool {
    let left = slot.checked_sub(1).and_then(|left| bridge[left].number);
    let right = bridge.get(slot + 1).and_then(|right| right.number);
    left.is_none_or(|left| left > number) && right.is_none_or(|right| number > right)
}

/// Whether every series of a bridge descends.
pub(super) fn is_descending(bridge: &[Building]) -> bool {
    bridge
        .windows(2)
        .all(|pair| match (pair[0].number, pair[1].number) {
            (Some(left), Some(right)) => left > right,
            _ => true,
        })
}

/// How often a coat of arms is on a bridge; guildhalls have each once.
pub(super) fn coats(bridge: &[Building], coat: Coat) -> u8 {
    let has_it =
        |building: &&Building| building.coat == Some(coat) || building.kind == Kind::Guildhall;
    bridge.iter().filter(has_it).count() as u8
}

/// How many buildings of a kind are on a bridge.
pub(super) fn count(bridge: &[Building], kind: Kind) -> i32 {
    let of_kind = bridge.iter().filter(|building| building.kind == kind);
    of_kind.count() as i32
}

/// Buildings in the longest series: parks end a series and do not count.
pub(super) fn longest_series(bridge: &[Building]) -> i32 {
    let series = bridge.split(|building| building.kind == Kind::Park);
    series.map(|series| series.len() as i32).max().unwrap_or(0)
}
