//! By what servers of a cluster know each other.

use std::net::IpAddr;

use bridgemaster_store::{Store, StoreError};
use ring::hmac;
use subtle::ConstantTimeEq as _;
use tonic::codegen::http::{HeaderMap, HeaderValue};

use crate::{
    random::system_bytes,
    transport::{Hop, LeastRoundTrip},
};

/// The metadata of a call that a server passes on: the pass of the cluster, the address of the caller,
/// and the round trip between the two in µs, or [`UNTOLD`].
pub(crate) const PASSED_ON: &str = "bridgemaster-passed-on";
/// Instead of a round trip, where the system does not tell it.
const UNTOLD: &str = "-";
/// Name of the secret in a store.
const SECRET_NAME: &str = "node_pass";
const SECRET_BYTES: usize = 32;
/// What the pass is made of with the secret, so that the secret itself crosses no network.
const PURPOSE: &[u8] = b"calls that are passed on";

/// What a server shows with a call that it passes on, so that the other one believes what it says of
/// the caller. It follows from a secret of the store, which all servers of a cluster have.
pub(crate) struct NodePass {
    text: String,
}

impl NodePass {
    /// By the secret of a store. The first server that asks for it makes it.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn kept_in(store: &dyn Store) -> Result<Self, StoreError> {
        let secret = match store.secret(SECRET_NAME).await? {
            Some(secret) => secret,
            None => {
                let drawn: [u8; SECRET_BYTES] = system_bytes();
                store.keep_secret(SECRET_NAME, drawn.to_vec()).await?
            }
        };
        Ok(Self::of(&secret))
    }

    fn of(secret: &[u8]) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let text = hex::encode(hmac::sign(&key, PURPOSE));
        Self { text }
    }

    /// What another server of the cluster says of a call. What anybody else says is nothing.
    pub(crate) fn hop(&self, metadata: &HeaderMap) -> Option<Hop> {
        let mut values = metadata.get_all(PASSED_ON).iter();
        let (value, None) = (values.next()?, values.next()) else {
            return None;
        };
        let mut parts = value.to_str().ok()?.split(' ');
        let is_known = parts.next()?.as_bytes().ct_eq(self.text.as_bytes());
        if !bool::from(is_known) {
            return None;
        }
        let address: IpAddr = parts.next()?.parse().ok()?;
        let round_trip_us = match parts.next()? {
            UNTOLD => None,
            number => Some(number.parse().ok()?),
        };
        let is_all = parts.next().is_none();
        is_all.then_some(Hop {
            address,
            round_trip_us,
        })
    }

    /// What is said of the call of a caller at this address.
    pub(super) fn told(&self, address: IpAddr, round_trip: &LeastRoundTrip) -> Option<HeaderValue> {
        let round_trip_us = match round_trip.told_us() {
            Some(us) => us.to_string(),
            None => UNTOLD.to_owned(),
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

    fn said(value: &str) -> HeaderMap {
        let mut metadata = HeaderMap::new();
        metadata.append(PASSED_ON, value.parse().unwrap());
        metadata
    }

    #[tokio::test]
    async fn servers_of_one_store_believe_each_other_and_nobody_else() {
        let store = MemoryStore::new();
        let one = NodePass::kept_in(&store).await.unwrap();
        let two = NodePass::kept_in(&store).await.unwrap();
        let stranger = NodePass::kept_in(&MemoryStore::new()).await.unwrap();
        let address = "192.0.2.7".parse().unwrap();
        let value = one.told(address, &LeastRoundTrip::of_us(Some(40))).unwrap();
        let told = said(value.to_str().unwrap());
        let hop = Hop {
            address,
            round_trip_us: Some(40),
        };
        assert_eq!(two.hop(&told), Some(hop));
        assert_eq!(stranger.hop(&told), None);
        assert_eq!(two.hop(&HeaderMap::new()), None);
        let untold = one.told(address, &LeastRoundTrip::of_us(None)).unwrap();
        let told = two.hop(&said(untold.to_str().unwrap())).unwrap();
        assert_eq!(told.round_trip_us, None);
    }

    #[test]
    fn what_is_said_twice_or_in_other_words_is_not_believed() {
        let pass = NodePass::of(b"secret");
        let right = format!("{} 192.0.2.7 40", pass.text);
        assert!(pass.hop(&said(&right)).is_some());
        let mut twice = said(&right);
        twice.append(PASSED_ON, right.parse().unwrap());
        assert_eq!(pass.hop(&twice), None);
        for wrong in [
            String::new(),
            "192.0.2.7 40".to_owned(),
            format!("{}0 192.0.2.7 40", pass.text),
            format!("{} 192.0.2.7", pass.text),
            format!("{} nowhere 40", pass.text),
            format!("{} 192.0.2.7 -40", pass.text),
            format!("{right} 1"),
        ] {
            assert_eq!(pass.hop(&said(&wrong)), None, "{wrong}");
        }
    }
}
