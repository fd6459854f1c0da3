//! Whom a call counts for.

use bridgemaster_store::KeyId;

use super::origin::Origin;

/// Who a call is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CallerId {
    /// Somebody at this address, as long as no key is known.
    Address(Origin),
    /// The holder of this key, wherever.
    Key(KeyId),
}
