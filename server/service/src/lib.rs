//! The Bridgemaster server: referees matches for bots that connect over gRPC.
//!
//! The binary `bridgemaster` is the usual way to run it. Programs can also embed a server, for
//! example a test that referees a bot:
//!
//! ```
//! use bridgemaster_server::{Server, ServerOptions};
//! use tokio_util::sync::CancellationToken;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::bind("127.0.0.1:0".parse()?, ServerOptions::default()).await?;
//! let url = format!("http://{}", server.local_addr());
//! let stop = CancellationToken::new();
//! let running = tokio::spawn(server.run(stop.clone()));
//!
//! // Bots and `MatchService` clients connect to `url` now.
//! assert!(url.starts_with("http://127.0.0.1:"));
//!
//! stop.cancel();
//! running.await??;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod cluster;
#[cfg(test)]
mod counting_waker;
mod forwarding;
pub mod identity;
mod inspection;
mod journal;
mod ladder;
mod limiter;
mod limits;
mod line_limit;
mod live;
mod lobby;
mod memory_bound;
mod metrics;
mod open_files;
#[cfg(test)]
mod operators_page;
mod page;
mod play;
mod random;
mod refusal;
mod replays;
mod rules;
mod rules_server;
mod server;
mod services;
mod spans;
mod transport;
mod wall_clock;

pub use bridgemaster_match::Unreplayable;
pub use bridgemaster_traces as traces;
pub use forwarding::NodeConnector;
pub use inspection::{inspect_finished_match, inspect_match_in_play};
pub use limits::{FIXED_LIMITS, Limits, Rate};
pub use line_limit::LineLimit;
pub use live::{RecordRepair, RecoveryError, WithheldReplays, repair_records};
pub use page::{LocalPage, LocalPages, LocalServer, PageError};
pub use refusal::{ERROR_DOMAIN, Refusal, reason_name};
pub use replays::{KeepReplays, withheld_replays};
pub use rules_server::{RulesServer, RulesServerError};
pub use server::{BindError, ServeError, Server, ServerOptions, SharedStore, Storage};
pub use transport::{Tls, TlsError, TlsFiles};

/// The version of this server.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
