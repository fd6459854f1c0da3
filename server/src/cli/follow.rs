//! Following a match to its end.

use anyhow::bail;
use bridgemaster_proto::v1::{MatchInfo, WatchMatchResponse};
use tonic::Status;
use tonic_types::StatusExt as _;

use super::{failure::refused, match_client::MatchClient};

/// Follows a match until it has ended, gives `tell` all news, and returns the match with its
/// result. Whoever reads too slowly is let go by the server, and then follows it anew: `tell`
/// misses events then, never the state of the match.
pub(super) async fn follow(
    client: &mut MatchClient,
    match_id: &str,
    mut tell: impl FnMut(&WatchMatchResponse) -> anyhow::Result<()>,
) -> anyhow::Result<MatchInfo> {
    loop {
        match follow_once(client, match_id, &mut tell).await? {
            Ok(info) => return Ok(info),
            Err(status) if is_slow_consumer(&status) => {}
            Err(status) => return Err(refused(&status)),
        }
    }
}

async fn follow_once(
    client: &mut MatchClient,
    match_id: &str,
    tell: &mut impl FnMut(&WatchMatchResponse) -> anyhow::Result<()>,
) -> anyhow::Result<Result<MatchInfo, Status>> {
    let mut news = match client.watch(match_id).await {
        Ok(news) => news,
        Err(status) => return Ok(Err(status)),
    };
    loop {
        match news.message().await {
            Ok(Some(response)) => {
                tell(&response)?;
                if let Some(info) = response.r#match.filter(|info| info.result.is_some()) {
                    return Ok(Ok(info));
                }
            }
            Ok(None) => bail!("the server stopped telling of the match before it had ended"),
            Err(status) => return Ok(Err(status)),
        }
    }
}

fn is_slow_consumer(status: &Status) -> bool {
    let details = status.get_error_details();
    details
        .error_info()
        .is_some_and(|info| info.reason == "SLOW_CONSUMER")
}
