//! Which names a key may have.

use bridgemaster_proto::outside::is_printable;
use bridgemaster_server::identity::look_alike;
use bridgemaster_store::{DamagedKey, Key, KeyName};

/// Refuses a name that is not shown as it is.
pub(super) fn check_name(name: &KeyName) -> Result<(), String> {
    match name.as_str().chars().find(|&c| !is_printable(c)) {
        None => Ok(()),
        Some(unprintable) => Err(format!(
            "the name of a key has printable characters only, not {unprintable:?}"
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
                spelled(name),
                spelled(other),
            ));
        }
    }
    Ok(())
}

/// A name, with the numbers of its characters beyond ASCII, which may look like others.
fn spelled(name: &KeyName) -> String {
    match name.as_str().is_ascii() {
        true => format!("{:?}", name.as_str()),
        false => format!("{:?} ({})", name.as_str(), name.as_str().escape_default()),
    }
}
