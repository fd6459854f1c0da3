//! Following a match to its end.

use anyhow::bail;
use bridgemaster_proto::v1::{MatchConfig, MatchInfo, WatchMatchResponse};
use tonic::Status;
use tonic_types::StatusExt as _;

use super::{failure::refused, match_client::MatchClient};

/// Follows a match until it has ended, gives `tell` all news, and returns the match with its
/// result. The match in all news has its config. Whoever reads too slowly is let go by the server,
/// and then follows it anew: `tell` misses events then, never the state of the match.
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
    let mut config = None;
    loop {
        match news.message().await {
            Ok(Some(mut response)) => {
                lend_config(&mut config, &mut response);
                tell(&response)?;
                if let Some(info) = response.r#match {
                    if info.result.is_some() {
                        return Ok(Ok(info));
                    }
                    config = info.config;
                }
            }
            Ok(None) => bail!("the server stopped telling of the match before it had ended"),
            Err(status) => return Ok(Err(status)),
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
