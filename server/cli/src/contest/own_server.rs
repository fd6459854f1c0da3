//! A contest's server: a private server, or a running server.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use bridgemaster_bots::TlsArgs;
use bridgemaster_runner::{ContestSpec, OwnServer, RefusedCalls, ServerAddress, SpecError};
use bridgemaster_sdk::{ApiKey, KEY_VARIABLE, TlsOptions};
use bridgemaster_server::{
    ServeError, Server, ServerOptions,
    identity::{self, CallingBot, PrivateAccess},
};
use clap::Args;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::failure::misuse;

/// Maximum size of a request to a contest's own server, in bytes. It is large enough for the replay
/// file of a fork; only the contest creates matches on this server.
const OWN_REQUEST_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of queues on a contest's own server, where each bot process has its own queue. It
/// is twice the maximum number of seats in play, because a reused process may be replaced during a
/// match.
const MAX_OWN_QUEUES: usize = 4096;

/// Limit on attendances at a contest's own server. All bots may belong to one caller, whose limit
/// is an eighth of this number, that is, one bot for each queue.
const MAX_OWN_ATTENDANCES: usize = 8 * MAX_OWN_QUEUES;

/// Environment variable with the API key for bots that a contest starts.
const BOT_KEY_VARIABLE: &str = "BRIDGEMASTER_BOT_KEY";

#[derive(Args)]
#[command(next_help_heading = "Server")]
pub(super) struct ServerChoice {
    /// Server to play on [default: a private server on this machine]
    ///
    /// For a cluster, give the addresses of its nodes, separated by commas.
    #[arg(long = "server", value_name = "URL")]
    url: Option<String>,
    /// API key of the contest; never passed to bots
    #[arg(long, value_name = "KEY", env = KEY_VARIABLE, hide_env_values = true)]
    key: Option<ApiKey>,
    /// API key for the bots that the contest starts, if the server requires one
    ///
    /// The key should have only the play scope, and also the rules scope if bots call RulesService.
    #[arg(long, value_name = "KEY", env = BOT_KEY_VARIABLE, hide_env_values = true,
        requires = "url")]
    bot_key: Option<ApiKey>,
    #[command(flatten)]
    tls: TlsArgs,
}

/// The server to play on. A private server also has the task that runs it.
pub(super) struct ContestServer {
    address: ServerAddress,
    own: Option<(CancellationToken, JoinHandle<Result<(), ServeError>>)>,
}

impl ServerChoice {
    /// Checks that the server flags suit the contest.
    pub(super) fn check(&self, spec: &ContestSpec) -> anyhow::Result<()> {
        if spec.has_attending_bots() && self.url.is_none() {
            return Err(misuse("bots given as NAME=@KEY need a running server; add --server URL"));
        }
        if spec.reuse && self.url.is_some() {
            return Err(misuse(SpecError::reuse_elsewhere().to_string()));
        }
        if self.bot_key.is_some() && self.bot_key == self.key {
            return Err(misuse(
                "--bot-key and --key are the same key, which lets a bot cancel matches and replace \
                 tickets; use a bot key that has only the play scope",
            ));
        }
        Ok(())
    }

    /// Starts a private server for this number of concurrent seats, unless `--server` names a
    /// server.
    pub(super) async fn serve(self, seats: usize) -> anyhow::Result<ContestServer> {
        if let Some(url) = self.url {
            return Ok(ContestServer {
                address: ServerAddress {
                    url,
                    key: self.key,
                    bot_key: self.bot_key,
                    tls: self.tls.into(),
                    own: None,
                },
                own: None,
            });
        }
        let access = PrivateAccess::generate();
        let key = access.organiser_key().reveal().parse()?;
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut options = ServerOptions::private(access.clone(), seats, false);
        options.limits.request_bytes = OWN_REQUEST_BYTES;
        options.limits.queues = MAX_OWN_QUEUES;
        options.limits.attendances = MAX_OWN_ATTENDANCES;
        let server = Server::bind(loopback, options).await?;
        let url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        let serving = tokio::spawn(server.run(stop.clone()));
        Ok(ContestServer {
            address: ServerAddress {
                url,
                key: Some(key),
                bot_key: None,
                tls: TlsOptions::default(),
                own: Some(Arc::new(Private(access))),
            },
            own: Some((stop, serving)),
        })
    }
}

/// The contest's access to its private server.
#[derive(Debug)]
struct Private(PrivateAccess);

impl OwnServer for Private {
    fn take_refused_calls(&self, match_id: &str) -> Vec<RefusedCalls> {
        let may_belong = |bot: &CallingBot| match bot {
            CallingBot::Seat { match_id: of, .. } => of == match_id,
            CallingBot::Key(_) | CallingBot::Unknown => true,
        };
        let refused = self.0.take_refused_calls(may_belong).into_iter();
        refused.map(|calls| with_match(calls).1).collect()
    }

    fn take_all_refused(&self) -> Vec<(Option<String>, RefusedCalls)> {
        let refused = self.0.take_refused_calls(|_| true);
        refused.into_iter().map(with_match).collect()
    }

    fn issue_bot_key(&self, queue_id: &str, name: &str) -> Result<ApiKey, String> {
        let key = self.0.issue_bot_key(queue_id, name);
        let key = key.map_err(|error| error.to_string())?;
        key.reveal().parse().map_err(|error| format!("{error}"))
    }
}

/// Returns the calls that the server refused, each with the match of the caller's ticket.
fn with_match(calls: identity::RefusedCalls) -> (Option<String>, RefusedCalls) {
    let (match_id, seat, key_name) = match calls.bot {
        CallingBot::Seat { match_id, seat } => (Some(match_id), Some(seat), None),
        CallingBot::Key(name) => (None, None, Some(name)),
        CallingBot::Unknown => (None, None, None),
    };
    let method = calls.method.strip_prefix("/bridgemaster.v1.");
    let calls = RefusedCalls {
        seat,
        key_name,
        method: method.unwrap_or(calls.method).to_owned(),
        count: calls.count,
    };
    (match_id, calls)
}

impl ContestServer {
    pub(super) fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// Stops a private server.
    pub(super) async fn stop(self) -> anyhow::Result<()> {
        if let Some((stop, serving)) = self.own {
            stop.cancel();
            serving.await??;
        }
        Ok(())
    }
}
