//! Authentication between the servers of a cluster.

use std::net::IpAddr;

use bridgemaster_edge::{
    random::{SecretError, load_or_create_secret},
    transport::{ForwardedOrigin, ForwardingNodeId},
};
use bridgemaster_store::Store;
use ring::hmac;
use subtle::ConstantTimeEq as _;
use tonic::codegen::http::{HeaderMap, HeaderValue};

/// Metadata key of a forwarded call. The value has the credential of the cluster, the caller's
/// address, and the round trip to the caller in µs or [`UNKNOWN_ROUND_TRIP`].
pub(crate) const FORWARDED_HEADER: &str = "bridgemaster-passed-on";
/// Metadata key of a forwarded call from a server that sends beats. The value is the identifier of
/// that server's process; it is valid only together with [`FORWARDED_HEADER`].
pub(super) const FORWARDING_NODE_HEADER: &str = "bridgemaster-forwarding-node";
/// Placeholder for a round trip that the system does not report.
const UNKNOWN_ROUND_TRIP: &str = "-";
/// The name of the secret in the store.
const SECRET_NAME: &str = "node_pass";
const SECRET_BYTES: usize = 32;
/// The context string from which the credential is derived with the secret, so that the secret
/// itself is never sent.
const CREDENTIAL_PURPOSE: &[u8] = b"calls that are passed on";

/// The credential that a server attaches to forwarded calls, so that the receiver trusts the
/// metadata about the caller. It is derived from a secret in the store, which all servers of a
/// cluster share.
pub struct NodeCredential {
    text: String,
}

impl NodeCredential {
    /// Reads the secret from the store and derives the credential from it. The first server of a
    /// cluster creates the secret.
    ///
    /// # Errors
    /// Returns an error if the store fails, or the stored value is damaged.
    pub async fn load_or_create(store: &dyn Store) -> Result<Self, SecretError> {
        let purpose = "the secret that servers of the cluster share";
        let secret: [u8; SECRET_BYTES] = load_or_create_secret(store, SECRET_NAME, purpose).await?;
        Ok(Self::from_secret(&secret))
    }

    fn from_secret(secret: &[u8]) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let text = hex::encode(hmac::sign(&key, CREDENTIAL_PURPOSE));
        Self { text }
    }

    /// Returns the metadata about the caller of a forwarded call. Returns `None` if the credential
    /// is missing or invalid.
    pub fn forwarded_origin(&self, metadata: &HeaderMap) -> Option<ForwardedOrigin> {
        let mut values = metadata.get_all(FORWARDED_HEADER).iter();
        let (value, None) = (values.next()?, values.next()) else {
            return None;
        };
        let mut parts = value.to_str().ok()?.split(' ');
        let is_valid = parts.next()?.as_bytes().ct_eq(self.text.as_bytes());
        if !bool::from(is_valid) {
            return None;
        }
        let address: IpAddr = parts.next()?.parse().ok()?;
        let round_trip_us = match parts.next()? {
            UNKNOWN_ROUND_TRIP => None,
            number => Some(number.parse().ok()?),
        };
        let is_all = parts.next().is_none();
        is_all.then_some(ForwardedOrigin { address, round_trip_us })
    }

    /// Returns the server that forwarded a call, if it sends beats. The caller must have checked
    /// the credential.
    pub fn forwarding_node(metadata: &HeaderMap) -> Option<ForwardingNodeId> {
        let value = metadata.get(FORWARDING_NODE_HEADER)?.to_str().ok()?;
        value.parse().ok().map(ForwardingNodeId)
    }

    /// Returns the metadata value for a call from this address, or `None` if it is not a valid
    /// header value.
    pub(super) fn header_value(
        &self,
        address: IpAddr,
        round_trip_us: Option<u32>,
    ) -> Option<HeaderValue> {
        let round_trip_us = match round_trip_us {
            Some(us) => us.to_string(),
            None => UNKNOWN_ROUND_TRIP.to_owned(),
        };
        let text = format!("{} {address} {round_trip_us}", self.text);
        let mut value = HeaderValue::try_from(text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::MemoryStore;

    use super::*;

    fn metadata(value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.append(FORWARDED_HEADER, value.parse().unwrap());
        headers
    }

    #[tokio::test]
    async fn nodes_of_one_store_accept_only_each_other() {
        let store = MemoryStore::new();
        let one = NodeCredential::load_or_create(&store).await.unwrap();
        let two = NodeCredential::load_or_create(&store).await.unwrap();
        let stranger = NodeCredential::load_or_create(&MemoryStore::new()).await.unwrap();
        let address = "192.0.2.7".parse().unwrap();
        let value = one.header_value(address, Some(40)).unwrap();
        let value = metadata(value.to_str().unwrap());
        let forwarded_origin = ForwardedOrigin { address, round_trip_us: Some(40) };
        assert_eq!(two.forwarded_origin(&value), Some(forwarded_origin));
        assert_eq!(stranger.forwarded_origin(&value), None);
        assert_eq!(two.forwarded_origin(&HeaderMap::new()), None);
        let unknown = one.header_value(address, None).unwrap();
        let value = two.forwarded_origin(&metadata(unknown.to_str().unwrap())).unwrap();
        assert_eq!(value.round_trip_us, None);
    }

    #[test]
    fn duplicate_or_malformed_metadata_is_rejected() {
        let credential = NodeCredential::from_secret(b"secret");
        let right = format!("{} 192.0.2.7 40", credential.text);
        assert!(credential.forwarded_origin(&metadata(&right)).is_some());
        let mut twice = metadata(&right);
        twice.append(FORWARDED_HEADER, right.parse().unwrap());
        assert_eq!(credential.forwarded_origin(&twice), None);
        for wrong in [
            String::new(),
            "192.0.2.7 40".to_owned(),
            format!("{}0 192.0.2.7 40", credential.text),
            format!("{} 192.0.2.7", credential.text),
            format!("{} nowhere 40", credential.text),
            format!("{} 192.0.2.7 -40", credential.text),
            format!("{right} 1"),
        ] {
            assert_eq!(credential.forwarded_origin(&metadata(&wrong)), None, "{wrong}");
        }
    }
}
