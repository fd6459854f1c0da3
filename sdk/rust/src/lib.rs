//! Write a Bridgemaster bot in Rust: implement one method, and the SDK does the rest.
//!
//! A complete bot:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use bridgemaster_sdk::{Bot, Choice, Request};
//!
//! /// Takes the legal decision in the middle of the list.
//! struct Middle;
//!
//! impl Bot for Middle {
//!     fn decide(&mut self, request: &Request) -> Choice {
//!         Choice::Index(request.legal_decisions.len() / 2)
//!     }
//! }
//!
//! fn main() -> ExitCode {
//!     bridgemaster_sdk::run("middle", Middle)
//! }
//! ```
//!
//! It plays the seat whose join ticket is in `BRIDGEMASTER_TICKET`, on the server whose address is
//! in `BRIDGEMASTER_SERVER`, with the API key in `BRIDGEMASTER_KEY` if the server asks for one. [`play`] and [`play_blocking`] take [`Options`] instead, and give the
//! result of the match.
//!
//! * [`Request`] holds what the seat knows, its legal decisions and its [clock](ClockView).
//! * A bot thinks on a thread of its own; Pings are answered meanwhile.
//! * A lost stream is resumed; a request that was open is answered on the new stream.
//! * The seed that is revealed at the end is checked against the server's commitment to it.
//! * [`PlayError`] says what went wrong and whether to retry, to fix something or to stop.
//! * With the feature `rules`, `rules` gives typed observations and decisions, and the referee's
//!   own rules to search with.

#![forbid(unsafe_code)]

mod api_key;
mod backoff;
mod bot;
mod bot_thread;
mod conversation;
mod error;
mod options;
mod play;
mod request;
#[cfg(feature = "rules")]
pub mod rules;
mod seed_commitment;
mod tls;

pub use api_key::{ApiKey, KEY_METADATA};
pub use bot::{Bot, Choice};
pub use bridgemaster_proto::{self as proto, v1};
pub use error::{Advice, PlayError, Refusal, TransportFailure};
pub use options::{
    DEFAULT_SERVER_URL, KEY_VARIABLE, MAX_NAME_CHARS, Options, OptionsError, SERVER_VARIABLE,
    TICKET_VARIABLE, Ticket,
};
pub use play::{Connection, play, play_blocking, run};
pub use request::{ClockView, Request};
pub use seed_commitment::seed_commitment;
pub use tls::{CA_VARIABLE, CLIENT_CERT_VARIABLE, CLIENT_KEY_VARIABLE, TlsOptions, endpoint};
