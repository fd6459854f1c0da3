//! The API key, which identifies a bot's owner.

use std::{fmt, str::FromStr};

use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
};

use crate::OptionsError;

/// Name of the gRPC metadata entry that contains a call's API key.
pub const KEY_METADATA: &str = "x-bridgemaster-key";

/// An API key, for servers that require one. The key never appears in debug output or logs.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(MetadataValue<Ascii>);

impl ApiKey {
    /// Returns the key as the value for the metadata entry [`KEY_METADATA`].
    pub fn metadata(&self) -> MetadataValue<Ascii> {
        self.0.clone()
    }
}

/// A tonic interceptor that adds the API key, if any, to every call. Intended for clients for
/// services that the SDK does not call itself: `MatchServiceClient::with_interceptor(channel,
/// ApiKeyInterceptor::new(Some(&key)))`.
#[derive(Clone, Debug)]
pub struct ApiKeyInterceptor(Option<ApiKey>);

impl ApiKeyInterceptor {
    /// Creates an interceptor, which leaves calls unchanged if there is no key.
    #[must_use]
    pub fn new(key: Option<&ApiKey>) -> Self {
        Self(key.cloned())
    }
}

impl Interceptor for ApiKeyInterceptor {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(key) = &self.0 {
            request.metadata_mut().insert(KEY_METADATA, key.metadata());
        }
        Ok(request)
    }
}

impl FromStr for ApiKey {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        let text = text.trim();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err(OptionsError::InvalidKey);
        }
        let mut value: MetadataValue<Ascii> = text.parse().map_err(|_| OptionsError::InvalidKey)?;
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
            assert_eq!(bad.parse::<ApiKey>(), Err(OptionsError::InvalidKey));
        }
        let key: ApiKey = "bmk_k_secret-7\n".parse().unwrap();
        assert_eq!(key.metadata().to_str().unwrap(), "bmk_k_secret-7");
        let shown = format!("{key:?} {:?}", key.metadata());
        assert!(!shown.contains("secret-7"), "{shown}");
    }
}
