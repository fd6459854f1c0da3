//! The edge of a Bridgemaster server: everything between a listening socket and an authenticated
//! call.
//!
//! [`transport`] accepts connections, with TLS and within [`limits`]. [`identity`] determines the
//! caller of each call. The other modules are for all crates of the server: [`refusal`] for errors
//! that callers see, [`metrics`] and [`spans`] for operators, and the server's clock.

#![forbid(unsafe_code)]

pub mod cpu_time;
pub mod identity;
pub mod lifecycle;
pub mod limiter;
pub mod limits;
pub mod line_limit;
mod memory_bound;
pub mod metrics;
mod open_files;
pub mod random;
#[cfg(test)]
mod reference_pages;
pub mod refusal;
pub mod refusal_details;
pub mod server_clock;
pub mod spans;
pub mod transport;
pub mod wall_clock;

/// The version of this server.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
