//! Lists the matches that other nodes advertise, as a viewer is allowed to see them.

use std::{collections::VecDeque, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_proto::{games::game_id, internal::v1, v1::MatchInfo};
use bridgemaster_store::{AdvertisedCursor, AdvertisedMatch, KeyName};
use prost::Message as _;

use super::{MatchQuery, Matches, Viewer, listing::MAX_READS, lookup::store_failed};
use crate::refusal::Refusal;

/// A page of advertised matches.
#[derive(Default)]
pub(super) struct RemoteMatches {
    /// The matches, newest first, each with its cursor.
    pub(super) matches: VecDeque<(Option<AdvertisedCursor>, MatchInfo)>,
    /// Matches whose advertisements cannot be read.
    pub(super) damaged: Vec<MatchId>,
    /// The cursor at which the list continues; `None` at the end of the list.
    pub(super) next: Option<AdvertisedCursor>,
}

impl Matches {
    /// Returns whether lists include matches on other nodes.
    pub(super) fn lists_remote_matches(&self) -> bool {
        self.cluster().is_some_and(|cluster| cluster.is_shared())
    }

    /// Returns at most `count` matches in play on other nodes that satisfy the query, after the
    /// cursor `after`. The page can be short although more matches follow.
    pub(super) async fn remote_matches(
        self: &Arc<Self>,
        query: &MatchQuery,
        mut after: Option<AdvertisedCursor>,
        count: usize,
        (viewer, of): (&(dyn Viewer + Sync), Option<&KeyName>),
    ) -> Result<RemoteMatches, Refusal> {
        let mut remote = RemoteMatches::default();
        let cluster = self.cluster().filter(|cluster| cluster.is_shared());
        let Some(cluster) = cluster.filter(|_| query.includes_in_play()) else {
            return Ok(remote);
        };
        for _ in 0..MAX_READS {
            let Some(cursor) = &after else {
                break;
            };
            let remaining = count - remote.matches.len();
            if remaining == 0 {
                break;
            }
            let limit = u32::try_from(remaining).unwrap_or(u32::MAX);
            let permit = self.read_limiter().acquire().await?;
            let page = cluster.nodes().remote_matches(cursor, limit, of).await;
            drop(permit);
            let page = page.map_err(store_failed)?;
            remote.damaged.extend(page.damaged);
            for advertised in page.matches {
                // A match that was just taken over is listed locally.
                if self.in_memory(&advertised.match_id).is_some() {
                    continue;
                }
                let cursor = advertised.cursor();
                match visible_info(advertised, viewer) {
                    Ok(info) if is_match(query, &info) => {
                        remote.matches.push_back((Some(cursor), info));
                    }
                    Ok(_) => {}
                    Err(match_id) => remote.damaged.push(match_id),
                }
            }
            after = page.next;
        }
        remote.next = after;
        Ok(remote)
    }
}

/// Returns a match as `viewer` sees it, or its identifier as the error if it cannot be read.
fn visible_info(
    advertised: AdvertisedMatch,
    viewer: &(dyn Viewer + Sync),
) -> Result<MatchInfo, MatchId> {
    let AdvertisedMatch {
        match_id, parties, ..
    } = &advertised;
    let read = v1::AdvertisedMatch::decode(&*advertised.summary).map_err(|_| match_id.clone())?;
    let is_delayed = read.delayed.is_some() && !viewer.sees_live_parties(parties);
    let visible = if is_delayed {
        read.delayed
    } else {
        read.at_once
    };
    visible.ok_or_else(|| match_id.clone())
}

fn is_match(query: &MatchQuery, info: &MatchInfo) -> bool {
    let game = info.config.as_ref().and_then(|config| config.game.as_ref());
    game.and_then(game_id)
        .is_some_and(|game_id| query.matches(game_id, info))
}
