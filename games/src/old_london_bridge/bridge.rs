//! Bridge rules: the slot for a new building, the strength of its action, and series.

use super::components::{BRIDGE_SLOTS, Building, Coat, Kind};

/// Returns `true` if `building` is added in the first empty slot of `bridge`, and `false` if it
/// must replace a building.
///
/// The capacity is never reached in a match, because no seat has more than twelve turns.
pub(super) fn is_appended(bridge: &[Building], building: Building) -> bool {
    bridge.len() < BRIDGE_SLOTS
        && match (building.number, bridge.last().and_then(|left| left.number)) {
            (Some(number), Some(left)) => number < left,
            _ => true,
        }
}

/// Returns `true` if the house number `number` descends within its series at `slot`. The slot must
/// have a building that is not a park.
pub(super) fn descends_at(bridge: &[Building], slot: usize, number: u8) -> bool {
    let left = slot.checked_sub(1).and_then(|left| bridge[left].number);
    let right = bridge.get(slot + 1).and_then(|right| right.number);
    left.is_none_or(|left| left > number) && right.is_none_or(|right| number > right)
}

/// Returns `true` if every series of a bridge descends.
pub(super) fn is_descending(bridge: &[Building]) -> bool {
    bridge
        .windows(2)
        .all(|pair| match (pair[0].number, pair[1].number) {
            (Some(left), Some(right)) => left > right,
            _ => true,
        })
}

/// Returns the number of buildings with a coat of arms; guildhalls have each coat once.
pub(super) fn count_coats(bridge: &[Building], coat: Coat) -> u8 {
    let has_it =
        |building: &&Building| building.coat == Some(coat) || building.kind == Kind::Guildhall;
    bridge.iter().filter(has_it).count() as u8
}

/// Returns the number of buildings of one kind on a bridge.
pub(super) fn count(bridge: &[Building], kind: Kind) -> i32 {
    let of_kind = bridge.iter().filter(|building| building.kind == kind);
    of_kind.count() as i32
}

/// Returns the number of buildings in the longest series. Parks end a series and do not count.
pub(super) fn longest_series(bridge: &[Building]) -> i32 {
    let series = bridge.split(|building| building.kind == Kind::Park);
    series.map(|series| series.len() as i32).max().unwrap_or(0)
}
