//! The server that the bot connects to: a `PlayService` that passes every stream to a check's
//! script.

mod listener;
mod service;

use std::{convert::Infallible, io};

use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;
use tower::service_fn;

use self::listener::Listener;
pub(super) use self::{
    listener::Relay,
    service::{Arrival, BotStream},
};

/// Capacity of the script's stream queue. When the queue is full, streams wait in the transport.
const MAX_PENDING_STREAMS: usize = 16;

/// A listening `PlayService` that a script controls.
pub(super) struct ScriptedProxy {
    pub(super) listener: Listener,
    arrivals: mpsc::Receiver<Arrival>,
    _serving: AbortOnDropHandle<()>,
}

impl ScriptedProxy {
    /// Listens on a free loopback port.
    pub(super) async fn open() -> io::Result<Self> {
        let (sender, arrivals) = mpsc::channel(MAX_PENDING_STREAMS);
        let (listener, connections) = Listener::open().await?;
        let play = service_fn(move |request| {
            let answer = service::answer(request, sender.clone());
            async { Ok::<_, Infallible>(answer.await) }
        });
        let serving = tonic::transport::Server::builder().serve_with_incoming(play, connections);
        Ok(Self {
            listener,
            arrivals,
            _serving: AbortOnDropHandle::new(tokio::spawn(async move {
                // If serving fails, no streams arrive, and the check times out.
                let _ = serving.await;
            })),
        })
    }

    /// Waits for the next stream that the bot opens. Never completes if the transport failed.
    pub(super) async fn arrival(&mut self) -> Arrival {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            None => std::future::pending().await,
        }
    }

    /// Resets all TCP connections and refuses new ones, as if the server process had ended.
    pub(super) async fn stop_listening(&mut self) -> io::Result<()> {
        self.listener.stop_listening().await?;
        // Discard streams that the script has not accepted.
        while self.arrivals.try_recv().is_ok() {}
        Ok(())
    }
}
