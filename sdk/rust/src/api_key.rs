//! The key that says whose bot it is.

use std::{fmt, str::FromStr};

use tonic::metadata::{Ascii, MetadataValue};

use crate::OptionsError;

/// Name of the metadata entry that carries the API key of a call.
pub const KEY_METADATA: &str = "x-bridgemaster-key";

/// An API key, for servers that require one. Never appears in debug output or logs.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(MetadataValue<Ascii>);

impl ApiKey {
    /// The value of the metadata [`KEY_METADATA`].
    pub fn metadata(&self) -> MetadataValue<Ascii> {
        self.0.clone()
    }
}

impl FromStr for ApiKey {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        let text = text.trim();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err(OptionsError::Key);
        }
        let mut value: MetadataValue<Ascii> = text.parse().map_err(|_| OptionsError::Key)?;
        value.set_sensitive(true);
        Ok(Self(value))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_printable_ascii_and_stays_out_of_debug_output() {
        for bad in ["", " ", "a b", "é"] {
            assert_eq!(bad.parse::<ApiKey>(), Err(OptionsError::Key));
        }
        let key: ApiKey = "bmk_k_secret-7\n".parse().unwrap();
        assert_eq!(key.metadata().to_str().unwrap(), "bmk_k_secret-7");
        let shown = format!("{key:?} {:?}", key.metadata());
        assert!(!shown.contains("secret-7"), "{shown}");
    }
}
