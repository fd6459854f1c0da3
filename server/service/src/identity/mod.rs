//! Identity and permissions of callers: API keys, their scopes, and how calls present them.
//!
//! A server without keys serves any caller. With keys, `Authenticator` determines the `Caller` of
//! every call, and the services check the scopes that they need. A private server has the keys of a
//! [`PrivateAccess`] instead.

mod api_key;
mod authenticator;
mod caller;
mod calling_bot;
mod confusable;
mod key_refusals;
mod key_ring;
mod key_scope;
mod key_uses;
mod page_links;
mod private_access;
mod public_read;
mod read_access;

pub use api_key::{ApiKey, InvalidApiKey, KEY_METADATA};
pub use calling_bot::CallingBot;
pub use confusable::are_confusable;
pub use key_scope::{KeyScope, UnknownScope};
pub use page_links::{OneTimePageLink, PageLinks};
pub use private_access::{PrivateAccess, RefusedCalls};
pub use public_read::PublicRead;

pub(crate) use authenticator::Authenticator;
pub(crate) use caller::Caller;
pub(crate) use calling_bot::ConnectionBot;
pub(crate) use page_links::OpenedLink;
pub(crate) use private_access::ForbiddenForBot;
pub(crate) use read_access::ReadAccess;
