//! Which names a key may have.

use bridgemaster_proto::outside::is_printable;
use bridgemaster_server::identity::look_alike;
use bridgemaster_store::{Key, KeyName};

/// Refuses a name that is not shown as it is.
pub(super) fn check_name(name: &KeyName) -> Result<(), String> {
    match name.as_str().chars().find(|&c| !is_printable(c)) {
        None => Ok(()),
        Some(unprintable) => Err(format!(
            "the name of a key has printable characters only, not {unprintable:?}"
        )),
    }
}

/// Refuses a name that people would take for the one of another bot, whose key may be revoked: its
/// results stay. Here and not in the store, which compares bytes and knows no bots; two names that
/// are added at the same moment are not compared.
pub(super) fn check_likeness<'a>(
    name: &KeyName,
    all: impl IntoIterator<Item = &'a Key>,
) -> Result<(), String> {
    let is_taken_for_it =
        |other: &&Key| other.name != *name && look_alike(other.name.as_str(), name.as_str());
    let Some(other) = all.into_iter().find(is_taken_for_it) else {
        return Ok(());
    };
    let revoked = if other.is_in_force() { "" } else { ", revoked" };
    Err(format!(
        "the name {} looks like {}, the name of the key {}{revoked}: take one that nobody takes \
         for it",
        spelled(name),
        spelled(&other.name),
        other.id
    ))
}

/// A name, with the numbers of its characters beyond ASCII, which may look like others.
fn spelled(name: &KeyName) -> String {
    match name.as_str().is_ascii() {
        true => format!("{:?}", name.as_str()),
        false => format!("{:?} ({})", name.as_str(), name.as_str().escape_default()),
    }
}
