//! The server that a contest is played on: its own, or a running one.

use std::net::{Ipv4Addr, SocketAddr};

use bridgemaster_bots::TlsArgs;
use bridgemaster_runner::{ContestSpec, ServerAddress};
use bridgemaster_sdk::{ApiKey, KEY_VARIABLE, TlsOptions};
use bridgemaster_server::{Limits, ServeError, Server, ServerOptions};
use clap::Args;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::failure::misuse;

/// Largest request to a contest's own server, in bytes: a replay file that is played on. Nobody else
/// makes matches there.
const OWN_REQUEST_BYTES: usize = 4 * 1024 * 1024;

#[derive(Args)]
#[command(next_help_heading = "Server")]
pub(super) struct ServerChoice {
    /// Play on the server at this address, or on those of a cluster with commas between their
    /// addresses [default: one of its own, on this machine]
    #[arg(long = "server", value_name = "URL")]
    url: Option<String>,
    /// API key with which matches are made and bots play, if the server requires one
    #[arg(long, value_name = "KEY", env = KEY_VARIABLE, hide_env_values = true)]
    key: Option<ApiKey>,
    #[command(flatten)]
    tls: TlsArgs,
}

/// A server that can be played on.
pub(super) struct Serving {
    address: ServerAddress,
    own: Option<(CancellationToken, JoinHandle<Result<(), ServeError>>)>,
}

impl ServerChoice {
    /// Makes sure that there is a server to attend, if bots attend.
    pub(super) fn check(&self, spec: &ContestSpec) -> anyhow::Result<()> {
        match spec.has_attending_bots() && self.url.is_none() {
            true => Err(misuse(
                "bots that attend need a running server: add --server URL",
            )),
            false => Ok(()),
        }
    }

    /// Starts a server, unless one was named.
    pub(super) async fn serve(self) -> anyhow::Result<Serving> {
        if let Some(url) = self.url {
            return Ok(Serving {
                address: ServerAddress {
                    url,
                    key: self.key,
                    tls: self.tls.into(),
                    is_own: false,
                },
                own: None,
            });
        }
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let options = ServerOptions {
            limits: Limits {
                request_bytes: OWN_REQUEST_BYTES,
                ..Limits::default()
            },
            ..ServerOptions::default()
        };
        let server = Server::bind(loopback, options).await?;
        let url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        let serving = tokio::spawn(server.run(stop.clone()));
        Ok(Serving {
            address: ServerAddress {
                url,
                key: None,
                tls: TlsOptions::default(),
                is_own: true,
            },
            own: Some((stop, serving)),
        })
    }
}

impl Serving {
    pub(super) fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// Stops the server, if it is the contest's own.
    pub(super) async fn stop(self) -> anyhow::Result<()> {
        if let Some((stop, serving)) = self.own {
            stop.cancel();
            serving.await??;
        }
        Ok(())
    }
}
