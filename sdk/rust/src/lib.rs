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
//!         Choice::Index(request.legal_count as usize / 2)
//!     }
//! }
//!
//! fn main() -> ExitCode {
//!     bridgemaster_sdk::run("middle", Middle)
//! }
//! ```
//!
//! Environment variables select the match: `BRIDGEMASTER_TICKET` is the seat's join ticket,
//! `BRIDGEMASTER_SERVER` is the server's address, and `BRIDGEMASTER_KEY` is the API key if the
//! server requires one. [`play`] and [`play_blocking`] take [`Options`] instead, and return the
//! match's result.
//!
//! With [`run_each`] instead of [`run`], the same program attends a contest's or a ladder's queue
//! when `BRIDGEMASTER_QUEUE` is set, and creates a new bot for each offered match. [`attend`] takes
//! [`AttendOptions`] instead of environment variables.
//!
//! * [`Request`] holds the seat's observation, its legal decisions and its [clock](ClockView).
//! * A bot runs on its own thread, and the SDK answers Pings while the bot computes.
//! * A lost stream is resumed, and the open request is answered on the new stream.
//! * The seed revealed at the end is checked against the server's commitment to it.
//! * [`PlayError`] describes a failure, and advises whether to retry, to fix something or to stop.
//! * The feature `rules` adds the module `rules`: typed observations and decisions, and the
//!   referee's own rules for bots that search.
//!
//! The SDK implements protocol revision 1.

#![forbid(unsafe_code)]

mod address;
mod attend;
mod attend_options;
mod attendance;
mod bot;
mod conversation;
mod credentials;
mod error;
mod options;
mod play;
mod proxy;
mod reconnection;
mod request;
#[cfg(feature = "rules")]
pub mod rules;
mod run;
mod servers;
mod slots;
mod tls;
mod variables;

pub use attend::{attend, attend_blocking};
pub use attend_options::{AttendOptions, PauseSwitch};
pub use attendance::{AttendEvent, AttendanceSession};
pub use bot::{Bot, Choice};
pub use bridgemaster_proto::{self as proto, v1};
pub use conversation::seed_commitment;
pub use credentials::{ApiKey, ApiKeyInterceptor, KEY_METADATA, Ticket};
pub use error::{Advice, PlayError, Refusal, TransportFailure};
pub use options::{ATTEND_RECONNECT_FOR, Options};
pub use play::{play, play_blocking};
pub use request::{ClockView, Request, seat_clock};
pub use run::{run, run_each};
pub use servers::{Connection, Route};
pub use slots::Slot;
pub use tls::{
    CA_VARIABLE, CLIENT_CERT_VARIABLE, CLIENT_KEY_VARIABLE, TlsOptions, endpoint, tls_hint,
};
pub use variables::{
    DEFAULT_SERVER_URL, KEY_VARIABLE, MAX_NAME_CHARS, OptionsError, PROXY_VARIABLE, QUEUE_VARIABLE,
    SERVER_VARIABLE, SLOTS_VARIABLE, TICKET_VARIABLE,
};
