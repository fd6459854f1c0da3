//! The Bridgemaster server: referees matches for bots that connect over gRPC.

#![forbid(unsafe_code)]

mod hosting;
mod limits;
mod play;
mod refusal;
pub mod replay;
mod server;
mod services;
mod wire;

pub use limits::Limits;
pub use refusal::{ERROR_DOMAIN, reason_name};
pub use server::{BindError, ServeError, Server, ServerOptions};

/// Version of this server.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
