//! What the bot connects to: a `PlayService` whose every stream is handed to the script of a check.

mod line;
mod relay;
mod service;

use std::{io, net::SocketAddr};

use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use self::{line::Line, service::ScriptedPlay};
pub(super) use self::{
    relay::Relay,
    service::{Arrival, BotStream},
};

/// Streams that wait for the script: a bot that opens more at once waits in its transport.
const ARRIVALS: usize = 16;

/// A listening `PlayService` that does nothing by itself.
pub(super) struct Front {
    line: Line,
    arrivals: mpsc::Receiver<Arrival>,
    _serving: AbortOnDropHandle<()>,
}

impl Front {
    /// Listens on a free loopback port.
    pub(super) async fn open() -> io::Result<Self> {
        let (sender, arrivals) = mpsc::channel(ARRIVALS);
        let (line, connections) = Line::open().await?;
        let serving = tonic::transport::Server::builder()
            .add_service(ScriptedPlay::new(sender))
            .serve_with_incoming(connections);
        Ok(Self {
            line,
            arrivals,
            _serving: AbortOnDropHandle::new(tokio::spawn(async move {
                // A front that fails hears nothing more, which is how its check notices.
                let _ = serving.await;
            })),
        })
    }

    /// The address for the bot.
    pub(super) fn local_addr(&self) -> SocketAddr {
        self.line.local_addr()
    }

    /// The next stream that the bot opens. Pending for ever when the transport failed.
    pub(super) async fn arrival(&mut self) -> Arrival {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            None => std::future::pending().await,
        }
    }

    /// Resets every TCP connection; the bot may connect again.
    pub(super) async fn reset_connections(&self) {
        self.line.reset_connections().await;
    }

    /// Resets every TCP connection and refuses new ones, as if the server's process were gone.
    pub(super) async fn go_away(&mut self) -> io::Result<()> {
        self.line.go_away().await?;
        // A stream that had come but was not heard is gone too.
        while self.arrivals.try_recv().is_ok() {}
        Ok(())
    }

    /// Listens again, on the same address.
    pub(super) async fn come_back(&mut self) -> io::Result<()> {
        self.line.come_back().await
    }
}
