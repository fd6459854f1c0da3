//! The web page, which has a separate listener. The listener serves static files, gRPC-Web calls
//! from browsers, and uploads of replay files, all from one origin. Requests from other origins are
//! refused.

mod context;
mod entry;
mod guard;
mod local;
mod reply;
mod service;
mod upload;

pub(crate) use context::PageContext;
pub(crate) use guard::OriginGuard;
pub use local::{LocalPage, LocalPages, LocalServer, PageError};
pub(crate) use service::Page;
