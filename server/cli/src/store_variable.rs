//! The environment variable that names the database of a server.

use std::env::{self, VarError};

use super::failure::misuse;

/// Names a PostgreSQL database where no flag names a store. The environment does not show its
/// password to other users, as arguments do.
const STORE_VARIABLE: &str = "BRIDGEMASTER_STORE";

/// The address in the variable; an empty one is none.
///
/// # Errors
/// A misuse if it is no text.
pub(super) fn read() -> anyhow::Result<Option<String>> {
    match env::var(STORE_VARIABLE) {
        Ok(url) => Ok(Some(url).filter(|url| !url.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(misuse(format!("{STORE_VARIABLE} is not UTF-8"))),
    }
}
