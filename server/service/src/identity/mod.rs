//! Who calls: API keys, what each allows, and how a call shows one.
//!
//! A server that is given no keys serves anyone. With keys, `Authenticator` finds the
//! `Caller` of every call, and the services ask it for the scope that they need.

mod api_key;
mod authenticator;
mod caller;
mod key_refusals;
mod key_ring;
mod key_scope;
mod key_uses;
mod likeness;
mod public_read;
mod sight;

pub use api_key::{ApiKey, KEY_METADATA, NoApiKey};
pub use key_scope::{KeyScope, UnknownScope};
pub use likeness::look_alike;
pub use public_read::PublicRead;

pub(crate) use authenticator::Authenticator;
pub(crate) use caller::Caller;
pub(crate) use sight::Sight;
