//! Credentials: the join ticket of a seat, and the API key, which identifies a bot's owner.

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

/// A join ticket, which authorizes a client to play one seat. The ticket never appears in debug
/// output or logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Ticket(MetadataValue<Ascii>);

impl Ticket {
    /// Returns the ticket as the value for the `authorization` metadata.
    pub(crate) fn bearer(&self) -> MetadataValue<Ascii> {
        self.0.clone()
    }
}

/// Creates the metadata value for a credential. Returns `None` if the trimmed text is empty, or has
/// characters other than printable ASCII.
fn sensitive(prefix: &str, text: &str) -> Option<MetadataValue<Ascii>> {
    let text = text.trim();
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
        return None;
    }
    let mut value: MetadataValue<Ascii> = format!("{prefix}{text}").parse().ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl FromStr for ApiKey {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        sensitive("", text).map(Self).ok_or(OptionsError::InvalidKey)
    }
}

impl FromStr for Ticket {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        sensitive("Bearer ", text).map(Self).ok_or(OptionsError::InvalidTicket)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket(..)")
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
        add_key(&mut request, self.0.as_ref());
        Ok(request)
    }
}

/// Adds the API key, if any, to a call.
pub(crate) fn add_key<T>(request: &mut Request<T>, key: Option<&ApiKey>) {
    if let Some(key) = key {
        request.metadata_mut().insert(KEY_METADATA, key.metadata());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_printable_ascii_and_stays_out_of_debug_output() {
        for bad in ["", " ", "a b", "é"] {
            assert_eq!(bad.parse::<ApiKey>(), Err(OptionsError::InvalidKey));
            assert_eq!(bad.parse::<Ticket>(), Err(OptionsError::InvalidTicket));
        }
        let key: ApiKey = "bmk_k_secret-7\n".parse().unwrap();
        let ticket: Ticket = " secret-7\n".parse().unwrap();
        assert_eq!(key.metadata().to_str().unwrap(), "bmk_k_secret-7");
        assert_eq!(ticket.bearer().to_str().unwrap(), "Bearer secret-7");
        let shown = format!("{key:?} {:?} {ticket:?} {:?}", key.metadata(), ticket.bearer());
        assert!(!shown.contains("secret-7"), "{shown}");
    }
}
