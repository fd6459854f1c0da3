//! Follows a match until it has ended, and reconnects to servers.

use std::time::Duration;

use bridgemaster_proto::v1::{
    MatchConfig, MatchInfo, MatchState, WatchMatchRequest, WatchMatchResponse,
};
use bridgemaster_sdk::{Advice, Refusal, tls_hint};
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use super::{
    failure::{refused, transport_failure},
    match_client::MatchClient,
};

/// Delay before the first attempt to reconnect. The delay doubles with each attempt, up to
/// [`MAX_DELAY`].
const MIN_DELAY: Duration = Duration::from_millis(200);
/// Maximum delay between two attempts. It is short because a user waits.
const MAX_DELAY: Duration = Duration::from_secs(5);

/// Default time for which a server that does not answer is retried, in seconds. Restarts are
/// shorter.
pub(super) const DEFAULT_RETRY_SECONDS: u32 = 600;

/// An event while a match is followed.
pub(super) enum FollowEvent<'a> {
    /// An update of the match. The match always has its config.
    Update(&'a WatchMatchResponse),
    /// The server does not answer, for this reason. The call is retried. Emitted once per outage.
    Lost(&'a str),
    /// The server answers again after [`Lost`](Self::Lost).
    Reconnected,
}

/// Follows a match until it has ended or is cancelled, passes each event to `handle`, and returns
/// the match with its result.
///
/// If the server is unavailable or closes the stream of a slow client, this function reconnects. It
/// retries for at most `retry_timeout` per outage. `handle` can miss game events during an outage,
/// but never the state of the match.
///
/// # Errors
/// Returns a refusal that a retry cannot change, an outage longer than `retry_timeout`, or an error
/// that `handle` returned.
pub(super) async fn follow(
    client: &mut MatchClient,
    match_id: &str,
    retry_timeout: Duration,
    mut handle: impl FnMut(FollowEvent<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<MatchInfo> {
    let mut connection = Reconnection::new(retry_timeout);
    loop {
        match follow_once(client, match_id, &mut connection, &mut handle).await? {
            Ended::Match(info) => return Ok(*info),
            Ended::Stream(status) => {
                let closed = "the server closed the stream before the match had ended";
                let report = |reason: &str| handle(FollowEvent::Lost(reason));
                connection.retry(status, closed, report).await?;
            }
        }
    }
}

/// Reconnects to a server that is unavailable, restarts, or closes the stream of a slow client.
pub(super) struct Reconnection {
    timeout: Duration,
    outage: Option<Outage>,
    has_answered: bool,
}

impl Reconnection {
    /// Creates a reconnection that gives up when an outage is longer than `timeout`.
    pub(super) fn new(timeout: Duration) -> Self {
        Self { timeout, outage: None, has_answered: false }
    }

    /// Records that the server answers. Returns whether a reported outage is over.
    pub(super) fn mark_answered(&mut self) -> bool {
        self.has_answered = true;
        self.outage.take().is_some_and(|outage| outage.is_reported)
    }

    /// Waits until the next attempt, after a stream has ended with this status, or without one for
    /// the reason `closed`. Calls `report` with the reason once per outage.
    ///
    /// # Errors
    /// Returns a refusal that a retry cannot change, an outage longer than the timeout, or an error
    /// of `report`.
    pub(super) async fn retry(
        &mut self,
        status: Option<Status>,
        closed: &str,
        report: impl FnOnce(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (reason, failure) = match status {
            Some(status) if is_slow_consumer(&status) => return Ok(()),
            Some(status) if is_final(&status, self.has_answered) => return Err(refused(&status)),
            Some(status) => {
                let reason = transport_failure(&status);
                // An answer shows that the scheme of the address, `http` or `https`, is correct.
                let hint = tls_hint(&reason).filter(|_| !self.has_answered);
                let reason = match hint {
                    Some(hint) => format!("{reason} ({hint})"),
                    None => reason,
                };
                (reason, refused(&status))
            }
            None => (closed.to_owned(), anyhow::anyhow!("{closed}")),
        };
        let outage = self.outage.get_or_insert_with(|| Outage::since(Instant::now()));
        if outage.since.elapsed() >= self.timeout {
            return Err(failure);
        }
        if !outage.is_reported {
            outage.is_reported = true;
            report(&reason)?;
        }
        sleep(outage.delay).await;
        outage.delay = (outage.delay * 2).min(MAX_DELAY);
        Ok(())
    }
}

/// Returns whether a retry cannot change a status. A status of an intermediary may be temporary,
/// but before the first answer it more likely shows that the address is wrong.
fn is_final(status: &Status, has_answered: bool) -> bool {
    let is_temporary = matches!(
        status.code(),
        Code::Unavailable
            | Code::Unknown
            | Code::Internal
            | Code::Cancelled
            | Code::Aborted
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
    );
    let is_wrong_server = !has_answered && !is_temporary && Refusal::from_status(status).is_none();
    Advice::for_status(status) != Advice::Retry || is_wrong_server
}

/// A period in which the server does not answer.
struct Outage {
    since: Instant,
    /// Delay before the next attempt.
    delay: Duration,
    is_reported: bool,
}

impl Outage {
    fn since(since: Instant) -> Self {
        Self { since, delay: MIN_DELAY, is_reported: false }
    }
}

/// The reason why following stopped: the end of the match, or of its stream of updates.
enum Ended {
    Match(Box<MatchInfo>),
    /// The stream ended. The status is `None` if the server closed the stream without an error.
    Stream(Option<Status>),
}

async fn follow_once(
    client: &mut MatchClient,
    match_id: &str,
    connection: &mut Reconnection,
    handle: &mut impl FnMut(FollowEvent<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Ended> {
    let request = WatchMatchRequest { match_id: match_id.to_owned() };
    let mut updates = match client.watch_match(request).await {
        Ok(updates) => updates.into_inner(),
        Err(status) => return Ok(Ended::Stream(Some(status))),
    };
    let mut config = None;
    loop {
        let mut response = match updates.message().await {
            Ok(Some(response)) => response,
            Ok(None) => return Ok(Ended::Stream(None)),
            Err(status) => return Ok(Ended::Stream(Some(status))),
        };
        if connection.mark_answered() {
            handle(FollowEvent::Reconnected)?;
        }
        fill_in_config(&mut config, &mut response);
        handle(FollowEvent::Update(&response))?;
        if let Some(info) = response.r#match {
            if info.result.is_some() || info.state() == MatchState::Cancelled {
                return Ok(Ended::Match(Box::new(info)));
            }
            config = info.config;
        }
    }
}

/// Fills in the config from an earlier update, since servers send it only in the first and last
/// update.
fn fill_in_config(config: &mut Option<MatchConfig>, response: &mut WatchMatchResponse) {
    if let Some(info) = &mut response.r#match
        && info.config.is_none()
    {
        info.config = config.take();
    }
}

fn is_slow_consumer(status: &Status) -> bool {
    let details = status.get_error_details();
    details.error_info().is_some_and(|info| info.reason == "SLOW_CONSUMER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_without_a_config_gets_the_previous_one() {
        let mut config = Some(MatchConfig { seats: 3, ..MatchConfig::default() });
        let mut response = WatchMatchResponse {
            r#match: Some(MatchInfo::default()),
            ..WatchMatchResponse::default()
        };
        fill_in_config(&mut config, &mut response);
        let filled_in = response.r#match.and_then(|info| info.config);
        assert_eq!(filled_in.map(|config| config.seats), Some(3));
    }
}
