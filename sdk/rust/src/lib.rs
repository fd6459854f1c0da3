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
//! The environment says what to play: `BRIDGEMASTER_TICKET` has the join ticket of the seat,
//! `BRIDGEMASTER_SERVER` the address of the server, and `BRIDGEMASTER_KEY` the API key if the
//! server asks for one. [`play`] and [`play_blocking`] take [`Options`] instead, and return the
//! result of the match.
//!
//! With [`run_each`] instead of [`run`] the same program attends a queue of a contest or a ladder
//! when `BRIDGEMASTER_QUEUE` names one, and plays each match that it is offered there with a bot of
//! its own; [`attend`] takes [`AttendOptions`].
//!
//! * [`Request`] holds what the seat knows, its legal decisions and its [clock](ClockView).
//! * A bot thinks on a thread of its own; Pings are answered meanwhile.
//! * A lost stream is resumed; the open request is answered on the new stream.
//! * The seed revealed at the end is checked against the server's commitment to it.
//! * [`PlayError`] says what went wrong and whether to retry, to fix something or to stop.
//! * With the feature `rules`, `rules` gives typed observations and decisions, and the referee's
//!   own rules to search with.
//!
//! The SDK speaks protocol revision 1.

#![forbid(unsafe_code)]

mod api_key;
mod attend;
mod attend_options;
mod attending;
mod backoff;
mod bot;
mod bot_thread;
mod conversation;
mod error;
mod options;
mod options_error;
mod pause_switch;
mod play;
mod request;
#[cfg(feature = "rules")]
pub mod rules;
mod run;
mod seat_clock;
mod seed_commitment;
mod servers;
mod tls;
mod variables;
mod wire_log;

pub use api_key::{ApiKey, KEY_METADATA};
pub use attend::{attend, attend_blocking};
pub use attend_options::AttendOptions;
pub use attending::{Attending, Told};
pub use bot::{Bot, Choice};
pub use bridgemaster_proto::{self as proto, v1};
pub use error::{Advice, PlayError, Refusal, TransportFailure};
pub use options::{ATTENDING_RECONNECT_FOR, Options, Ticket};
pub use options_error::{MAX_NAME_CHARS, OptionsError};
pub use pause_switch::PauseSwitch;
pub use play::{Connection, play, play_blocking};
pub use request::{ClockView, Request};
pub use run::{run, run_each};
pub use seat_clock::seat_clock;
pub use seed_commitment::seed_commitment;
pub use servers::Route;
pub use tls::{
    CA_VARIABLE, CLIENT_CERT_VARIABLE, CLIENT_KEY_VARIABLE, TlsOptions, endpoint, tls_hint,
};
pub use variables::{
    DEFAULT_SERVER_URL, KEY_VARIABLE, QUEUE_VARIABLE, SERVER_VARIABLE, SLOTS_VARIABLE,
    TICKET_VARIABLE,
};
