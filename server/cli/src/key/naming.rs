//! Which names a key may have.

use bridgemaster_proto::outside::is_printable;
use bridgemaster_server::identity::look_alike;
use bridgemaster_store::{DamagedKey, Key, KeyName, OwnerName};

/// Refuses a name that is not shown as it is.
pub(super) fn check_name(name: &KeyName) -> Result<(), String> {
    match name.as_str().chars().find(|&c| !is_printable(c)) {
        None => Ok(()),
        Some(unprintable) => Err(format!(
            "the name of a key has printable characters only, not {unprintable:?}"
        )),
    }
}

/// Refuses an owner that is not shown as it is.
pub(super) fn check_owner(owner: &OwnerName) -> Result<(), String> {
    match owner.as_str().chars().find(|&c| !is_printable(c)) {
        None => Ok(()),
        Some(unprintable) => Err(format!(
            "an owner has printable characters only, not {unprintable:?}"
        )),
    }
}

/// Refuses an owner that people would take for another one, which is likely to be the same and
/// spelled otherwise: a ladder that keeps the bots of one owner apart would not know.
pub(super) fn check_owner_likeness<'a>(
    owner: &str,
    beside: impl Iterator<Item = &'a str>,
    all: &'a [Key],
) -> Result<(), String> {
    let in_force = all.iter().filter(|key| key.is_in_force());
    let mut others = in_force.map(Key::owner).chain(beside);
    match others.find(|other| *other != owner && look_alike(other, owner)) {
        None => Ok(()),
        Some(other) => Err(format!(
            "the owner {} looks like {}, the owner of another key: spell the same owner the same, \
             and let two owners differ to the eye",
            spelled(owner),
            spelled(other),
        )),
    }
}

/// Refuses a name that people would take for the one of another bot, whose key may be revoked or
/// damaged: its results stay. Here and not in the store, which compares bytes and knows no bots; two
/// names that are added at the same moment are not compared.
pub(super) fn check_likeness(
    name: &KeyName,
    all: &[Key],
    damaged: &[DamagedKey],
) -> Result<(), String> {
    let of_sound = all.iter().map(|key| {
        let standing = if key.is_in_force() { "" } else { ", revoked" };
        (&key.name, &key.id, standing)
    });
    let of_damaged = damaged.iter();
    let of_damaged = of_damaged.filter_map(|key| Some((key.name.as_ref()?, &key.id, ", damaged")));
    for (other, id, standing) in of_sound.chain(of_damaged) {
        if other != name && look_alike(other.as_str(), name.as_str()) {
            return Err(format!(
                "the name {} looks like {}, the name of the key {id}{standing}: take one that \
                 nobody takes for it",
                spelled(name.as_str()),
                spelled(other.as_str()),
            ));
        }
    }
    Ok(())
}

/// A name, with the numbers of its characters beyond ASCII, which may look like others.
fn spelled(name: &str) -> String {
    match name.is_ascii() {
        true => format!("{name:?}"),
        false => format!("{name:?} ({})", name.escape_default()),
    }
}
