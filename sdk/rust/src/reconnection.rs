//! Attempts to reach one of a cluster's servers, with exponential backoff in between.

use std::time::{Duration, Instant};

use tonic::Status;
use tracing::{debug, warn};

use crate::{
    PlayError, Refusal,
    error::{StreamFailure, TransportFailure, with_causes},
    servers::Route,
    tls,
};

/// The first pause. It is short, since a server that only closed the stream is available
/// immediately.
const MIN_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause. It limits the clock time that a bot loses after the server has become
/// available again.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// The route of a seat or an attendance, and its attempts to open a stream.
#[derive(Debug)]
pub(crate) struct Reconnection {
    pub(crate) route: Route,
    backoff: Backoff,
    /// True once a stream was opened.
    pub(crate) had_stream: bool,
    /// True once the probe whether the server requires TLS has started.
    has_probed: bool,
    /// The end of the pause before the next attempt; `None` after the pause.
    retry_at: Option<tokio::time::Instant>,
    /// Random identifier with which the server recognizes the streams of this client.
    client_instance_id: String,
    /// The number of the last attempt to open a stream.
    last_stream_number: u32,
}

impl Reconnection {
    /// Creates a reconnection that tries to open the first stream for `connect_for`.
    pub(crate) fn new(route: Route, connect_for: Duration) -> Self {
        Self {
            route,
            backoff: Backoff::new(connect_for),
            had_stream: false,
            has_probed: false,
            retry_at: None,
            client_instance_id: format!("{:032x}", rand::random::<u128>()),
            last_stream_number: 0,
        }
    }

    /// Returns the client instance's identifier and the number of a new stream. A request that
    /// arrives after one with a higher number does not supersede the newer stream.
    pub(crate) fn next_stream(&mut self) -> (String, u32) {
        self.last_stream_number += 1;
        (self.client_instance_id.clone(), self.last_stream_number)
    }

    /// Returns the timeout for a server's first response, which is at most `max`.
    pub(crate) fn answer_timeout(&self, max: Duration) -> Duration {
        self.route.answer_timeout(max, self.backoff.total)
    }

    /// Restarts the time limit after the loss of a stream.
    pub(crate) fn restart(&mut self, total: Duration, progressed: bool) {
        self.backoff.restart(total, progressed);
    }

    /// Records a failed attempt, and starts the pause before the next one, which uses the next
    /// server. Cancel safe: the pause has started.
    ///
    /// # Errors
    /// Returns the failure, if it is final or the time limit is reached.
    pub(crate) async fn record_failure(&mut self, failure: StreamFailure) -> Result<(), PlayError> {
        let status = match failure {
            StreamFailure::Lost(status) => status,
            StreamFailure::Fatal(error) => return Err(error),
        };
        let pause = self.backoff.next_pause();
        self.retry_at = pause.map(|pause| tokio::time::Instant::now() + pause);
        if let Some(mistake) = self.tls_mistake(&status).await {
            return Err(PlayError::Tls {
                server_url: self.route.url().to_owned(),
                mistake,
                source: TransportFailure(status),
            });
        }
        let Some(pause) = pause else {
            return Err(self.timed_out(status));
        };
        self.route.advance();
        let (code, message) = (status.code(), status.message());
        if self.had_stream {
            warn!(?code, message, ?pause, "stream lost; reconnecting");
        } else {
            debug!(?code, message, ?pause, "no stream yet; retrying");
        }
        Ok(())
    }

    /// Waits for the end of the pause after the last failure. Cancel safe: a later call waits for
    /// the rest.
    pub(crate) async fn finish_pause(&mut self) {
        if let Some(at) = self.retry_at {
            tokio::time::sleep_until(at).await;
            self.retry_at = None;
        }
    }

    /// Returns the TLS mistake that made an attempt fail. With several servers, the next one is
    /// tried instead.
    async fn tls_mistake(&mut self, status: &Status) -> Option<&'static str> {
        if self.route.has_others() || Refusal::from_status(status).is_some() {
            return None;
        }
        if let Some(mistake) = tls::tls_mistake(&with_causes(status)) {
            return Some(mistake);
        }
        if self.had_stream || self.route.is_proxied() || self.has_probed {
            return None;
        }
        // Set before the probe: a caller that cancels each probe must still get the error when the
        // time limit is reached.
        self.has_probed = true;
        tls::required_tls(self.route.url()).await
    }

    /// Creates the error after the last attempt.
    pub(crate) fn timed_out(&self, status: Box<Status>) -> PlayError {
        let (server_url, waited) = (self.route.url().to_owned(), self.backoff.total);
        let refusal = Refusal::from_status(&status);
        let source = TransportFailure(status);
        match refusal {
            Some(refusal) => PlayError::Refused(Box::new(refusal)),
            None if self.had_stream => PlayError::Lost { server_url, waited, source },
            None => PlayError::Unreachable { server_url, waited, source },
        }
    }
}

/// Exponential backoff with a total time limit. Jitter prevents all of a server's bots from
/// reconnecting at the same time.
#[derive(Debug)]
struct Backoff {
    total: Duration,
    deadline: Instant,
    pause: Duration,
}

impl Backoff {
    /// Creates a backoff that ends after `total`, counted from now.
    fn new(total: Duration) -> Self {
        Self { total, deadline: Instant::now() + total, pause: MIN_PAUSE }
    }

    /// Restarts the time limit. Pauses become short again only if `progressed` is true for the last
    /// connection. So a server that repeatedly accepts a bot and immediately drops it is not
    /// flooded with connections.
    fn restart(&mut self, total: Duration, progressed: bool) {
        let pause = if progressed { MIN_PAUSE } else { self.pause };
        *self = Self { pause, ..Self::new(total) };
    }

    /// Returns the next pause, with jitter between 50 and 100 %; `None` once the time limit is
    /// reached.
    fn next_pause(&mut self) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        let pause = self.pause.mul_f64(rand::random_range(0.5..=1.0));
        self.pause = (self.pause * 2).min(MAX_PAUSE);
        Some(pause.min(left))
    }
}

#[cfg(test)]
mod tests {
    use std::{future::ready, net::TcpListener};

    use super::*;
    use crate::Connection;

    #[tokio::test]
    async fn the_time_limit_is_reported_after_a_cancelled_probe() {
        // This server never answers the probe.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", silent.local_addr().unwrap());
        let route = Connection::new(&url).unwrap().route();
        let mut reconnection = Reconnection::new(route, Duration::ZERO);
        let lost = || StreamFailure::Lost(Box::new(Status::unavailable("no server")));
        tokio::select! {
            biased;
            ended = reconnection.record_failure(lost()) => panic!("there is no probe: {ended:?}"),
            () = ready(()) => {}
        }
        tokio::select! {
            biased;
            ended = reconnection.record_failure(lost()) => {
                assert!(matches!(ended, Err(PlayError::Unreachable { .. })), "{ended:?}");
            }
            () = ready(()) => panic!("the probe is repeated"),
        }
    }

    #[test]
    fn pauses_grow_to_a_limit_and_vary() {
        let mut backoff = Backoff::new(Duration::from_secs(3600));
        let pauses: Vec<Duration> = (0..20).map(|_| backoff.next_pause().unwrap()).collect();
        assert!(pauses[0] <= MIN_PAUSE && pauses[0] >= MIN_PAUSE / 2);
        assert!(pauses[10..].iter().all(|p| *p <= MAX_PAUSE && *p >= MAX_PAUSE / 2));
        assert!(pauses[10..].windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn pauses_start_over_only_after_progress() {
        let mut backoff = Backoff::new(Duration::from_secs(3600));
        while backoff.pause < MAX_PAUSE {
            backoff.next_pause().unwrap();
        }
        backoff.restart(Duration::from_secs(1), false);
        assert_eq!((backoff.pause, backoff.total), (MAX_PAUSE, Duration::from_secs(1)));
        backoff.restart(Duration::from_secs(1), true);
        assert_eq!(backoff.pause, MIN_PAUSE);
    }

    #[test]
    fn there_is_no_pause_after_the_deadline() {
        assert_eq!(Backoff::new(Duration::ZERO).next_pause(), None);
    }
}
