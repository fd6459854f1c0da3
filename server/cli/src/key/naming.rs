//! Validates keys' names and owners.

use bridgemaster_proto::escape::is_printable;
use bridgemaster_server::identity::are_confusable;
use bridgemaster_store::{DamagedKey, Key, KeyName, OwnerName};

/// Rejects a name with characters that are not printable.
pub(super) fn check_name(name: &KeyName) -> Result<(), String> {
    match name.as_str().chars().find(|&c| !is_printable(c)) {
        None => Ok(()),
        Some(unprintable) => Err(format!(
            "the name of a key must be printable; {unprintable:?} is not"
        )),
    }
}

/// Rejects an owner with characters that are not printable.
pub(super) fn check_owner(owner: &OwnerName) -> Result<(), String> {
    match owner.as_str().chars().find(|&c| !is_printable(c)) {
        None => Ok(()),
        Some(unprintable) => Err(format!(
            "an owner must be printable; {unprintable:?} is not"
        )),
    }
}

/// Rejects an owner whose name is confusable with another owner's. Both are probably the same
/// person, but ladders would treat them as different owners.
pub(super) fn check_owner_confusable<'a>(
    owner: &str,
    other_owners: impl Iterator<Item = &'a str>,
    all: &'a [Key],
) -> Result<(), String> {
    let in_force = all.iter().filter(|key| key.is_in_force());
    let mut others = in_force.map(Key::owner).chain(other_owners);
    match others.find(|other| *other != owner && are_confusable(other, owner)) {
        None => Ok(()),
        Some(other) => Err(format!(
            "the owner {} is confusable with {}, the owner of another key; spell the same owner in \
             the same way, and give another owner a distinct name",
            spelled(owner),
            spelled(other),
        )),
    }
}

/// Rejects a name that is confusable with another key's name. Revoked and damaged keys count, since
/// their bots' results remain. Keys that are added concurrently are not compared. For them, the
/// store rejects only identical names.
pub(super) fn check_name_confusable(
    name: &KeyName,
    all: &[Key],
    damaged: &[DamagedKey],
) -> Result<(), String> {
    let valid = all.iter().map(|key| {
        let status = if key.is_in_force() { "" } else { ", revoked" };
        (&key.name, &key.id, status)
    });
    let damaged = damaged.iter();
    let damaged = damaged.filter_map(|key| Some((key.name.as_ref()?, &key.id, ", damaged")));
    for (other, id, status) in valid.chain(damaged) {
        if other != name && are_confusable(other.as_str(), name.as_str()) {
            return Err(format!(
                "the name {} is confusable with {}, the name of key {id}{status}; choose a distinct \
                 name",
                spelled(name.as_str()),
                spelled(other.as_str()),
            ));
        }
    }
    Ok(())
}

/// Formats a name, with the code points of its non-ASCII characters.
fn spelled(name: &str) -> String {
    if name.is_ascii() {
        format!("{name:?}")
    } else {
        format!("{name:?} ({})", name.escape_default())
    }
}
