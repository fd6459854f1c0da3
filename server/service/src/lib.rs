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

mod inspection;
mod page;
mod play;
mod rules;
mod rules_server;
mod server;
mod services;

pub use bridgemaster_cluster::forwarding::NodeConnector;
pub use bridgemaster_edge::{
    VERSION,
    limits::{Limits, Rate},
    line_limit::LineLimit,
    refusal::{ERROR_DOMAIN, Refusal, name_problem, reason_name},
    transport::{Tls, TlsError, TlsFiles, Validity},
};
pub use bridgemaster_live::replays::{KeepReplays, withheld_replays};
pub use bridgemaster_live::{RecordRepair, RecoveryError, WithheldReplays, repair_records};
pub use bridgemaster_match::Unreplayable;
pub use bridgemaster_traces as traces;
pub use inspection::{inspect_finished_match, inspect_match_in_play};
pub use page::{LocalPage, LocalPages, LocalServer, PageError};
pub use rules_server::{RulesServer, RulesServerError};
pub use server::{BindError, ServeError, Server, ServerOptions, SharedStore, Storage};

/// API keys, access without a key, and the access control of a command's private server.
pub mod identity {
    pub use bridgemaster_edge::identity::{
        ApiKey, CallingBot, ConfusableNames, InvalidApiKey, KEY_METADATA, KeyScope,
        OneTimePageLink, PageLinks, PrivateAccess, PublicRead, RefusedCalls, UnknownScope,
    };
}
