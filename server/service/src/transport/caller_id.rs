//! The caller to whom a call is attributed.

use bridgemaster_store::KeyId;

use super::origin::Origin;

/// Identifies a caller for quotas and rates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CallerId {
    /// A caller at this address without a known key.
    Address(Origin),
    /// The holder of this key, at any address.
    Key(KeyId),
}
