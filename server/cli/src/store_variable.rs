//! The environment variable that contains the PostgreSQL database's address.

use std::env::{self, VarError};

use super::failure::misuse;

/// The PostgreSQL database's address. It is used if no flag names a store. Other users can read a
/// password in arguments, but not in the environment.
const STORE_VARIABLE: &str = "BRIDGEMASTER_STORE";

/// Returns the address; `None` if the variable is unset or empty.
///
/// # Errors
/// Misuse if the value is not UTF-8.
pub(super) fn read() -> anyhow::Result<Option<String>> {
    match env::var(STORE_VARIABLE) {
        Ok(url) => Ok(Some(url).filter(|url| !url.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(misuse(format!("{STORE_VARIABLE} is not valid UTF-8"))),
    }
}
