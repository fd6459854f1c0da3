//! Following a match to its end.

use std::{cell::Cell, time::Duration};

use bridgemaster_proto::v1::{MatchConfig, MatchInfo, MatchState, WatchMatchResponse};
use bridgemaster_sdk::{Advice, tls_hint};
use tokio::time::{Instant, sleep};
use tonic::Status;
use tonic_types::StatusExt as _;

use super::{
    failure::{refused, transport_failure},
    match_client::MatchClient,
};

/// Time between the loss of the stream and the first attempt to get another. It doubles with each
/// attempt up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// Longest time between two attempts: a person who waits for a server does not wait much longer
/// than it does.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Time for which a server that is away is tried again when nothing says otherwise, in seconds: a
/// restart takes less, and so does the way of an operator to the machine.
pub(super) const DEFAULT_PATIENCE_SECONDS: u32 = 600;

/// What is told of a match that is followed.
pub(super) enum Told<'a> {
    /// News of the match, which have its config.
    News(&'a WatchMatchResponse),
    /// The server does not answer, for this reason, and is tried again. Told once.
    Lost(&'a str),
    /// The server answers again.
    Back,
}

/// Follows a match until it has ended or was cancelled, gives `tell` all news, and returns the
/// match with its result. Whoever reads too slowly is let go by the server, and then follows it anew: `tell`
/// misses events then, never the state of the match. The same happens when the server is away,
/// for at most `patience` each time.
///
/// # Errors
/// What the server refuses for good, a server that is away for longer, and those of `tell`.
pub(super) async fn follow(
    client: &mut MatchClient,
    match_id: &str,
    patience: Duration,
    mut tell: impl FnMut(Told<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<MatchInfo> {
    let mut lost: Option<Away> = None;
    let is_answered = Cell::new(false);
    let mut tell = |told: Told<'_>| {
        is_answered.set(is_answered.get() || matches!(told, Told::News(_)));
        tell(told)
    };
    loop {
        let streamed = follow_once(client, match_id, &mut lost, &mut tell).await?;
        let (reason, failure) = match streamed {
            Ended::Match(info) => return Ok(*info),
            Ended::Stream(Some(status)) if is_slow_consumer(&status) => continue,
            Ended::Stream(Some(status)) if Advice::for_status(&status) != Advice::Retry => {
                return Err(refused(&status));
            }
            Ended::Stream(Some(status)) => {
                let reason = transport_failure(&status);
                // One that has answered speaks as the client does.
                let hint = tls_hint(&reason).filter(|_| !is_answered.get());
                let reason = match hint {
                    Some(hint) => format!("{reason} ({hint})"),
                    None => reason,
                };
                (reason, refused(&status))
            }
            Ended::Stream(None) => {
                let reason = "the server stopped telling of the match before it had ended";
                (reason.to_owned(), anyhow::anyhow!(reason))
            }
        };
        let away = lost.get_or_insert_with(|| Away::since(Instant::now()));
        if away.since.elapsed() >= patience {
            return Err(failure);
        }
        if !away.is_told {
            away.is_told = true;
            tell(Told::Lost(&reason))?;
        }
        sleep(away.pause).await;
        away.pause = (away.pause * 2).min(LONGEST_PAUSE);
    }
}

/// A server that does not answer.
struct Away {
    since: Instant,
    pause: Duration,
    is_told: bool,
}

impl Away {
    fn since(since: Instant) -> Self {
        Self {
            since,
            pause: FIRST_PAUSE,
            is_told: false,
        }
    }
}

/// What ended first.
enum Ended {
    Match(Box<MatchInfo>),
    /// The stream, with what the server said if it said something.
    Stream(Option<Status>),
}

async fn follow_once(
    client: &mut MatchClient,
    match_id: &str,
    lost: &mut Option<Away>,
    tell: &mut impl FnMut(Told<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Ended> {
    let mut news = match client.watch(match_id).await {
        Ok(news) => news,
        Err(status) => return Ok(Ended::Stream(Some(status))),
    };
    let mut config = None;
    loop {
        let mut response = match news.message().await {
            Ok(Some(response)) => response,
            Ok(None) => return Ok(Ended::Stream(None)),
            Err(status) => return Ok(Ended::Stream(Some(status))),
        };
        if lost.take().is_some_and(|away| away.is_told) {
            tell(Told::Back)?;
        }
        lend_config(&mut config, &mut response);
        tell(Told::News(&response))?;
        if let Some(info) = response.r#match {
            if info.result.is_some() || info.state() == MatchState::Cancelled {
                return Ok(Ended::Match(Box::new(info)));
            }
            config = info.config;
        }
    }
}

/// Gives news without a config the one of the news before: a server sends it in the first and the
/// last only.
fn lend_config(config: &mut Option<MatchConfig>, response: &mut WatchMatchResponse) {
    if let Some(info) = &mut response.r#match
        && info.config.is_none()
    {
        info.config = config.take();
    }
}

fn is_slow_consumer(status: &Status) -> bool {
    let details = status.get_error_details();
    details
        .error_info()
        .is_some_and(|info| info.reason == "SLOW_CONSUMER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_without_a_config_get_the_one_of_the_news_before() {
        let mut config = Some(MatchConfig {
            seats: 3,
            ..MatchConfig::default()
        });
        let mut response = WatchMatchResponse {
            r#match: Some(MatchInfo::default()),
            ..WatchMatchResponse::default()
        };
        lend_config(&mut config, &mut response);
        let lent = response.r#match.and_then(|info| info.config);
        assert_eq!(lent.map(|config| config.seats), Some(3));
    }
}
