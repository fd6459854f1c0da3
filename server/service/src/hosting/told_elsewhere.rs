//! What other nodes tell of their matches in play, as somebody sees it.

use std::{collections::VecDeque, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_proto::{games::game_id, internal::v1, v1::MatchInfo};
use bridgemaster_store::{KeyName, ToldCursor, ToldMatch};
use prost::Message as _;

use super::{MatchQuery, Matches, Viewer, listing::MAX_READS, lookup::store_failed};
use crate::refusal::Refusal;

/// A part of what other nodes tell.
#[derive(Default)]
pub(super) struct ToldElsewhere {
    /// The newest first, each with its place.
    pub(super) matches: VecDeque<(Option<ToldCursor>, MatchInfo)>,
    /// Matches of which what is told cannot be read.
    pub(super) damaged: Vec<MatchId>,
    /// Where it goes on; `None` at its end.
    pub(super) next: Option<ToldCursor>,
}

impl Matches {
    /// Whether lists have matches that other nodes tell.
    pub(super) fn lists_elsewhere(&self) -> bool {
        self.cluster().is_some_and(|cluster| cluster.is_shared())
    }

    /// At most `count` of the `wanted` matches in play at other nodes, of all or of one name, after
    /// this place. There may be fewer and still more to come.
    pub(super) async fn told_elsewhere(
        self: &Arc<Self>,
        wanted: &MatchQuery,
        mut after: Option<ToldCursor>,
        count: usize,
        (viewer, of): (&(dyn Viewer + Sync), Option<&KeyName>),
    ) -> Result<ToldElsewhere, Refusal> {
        let mut elsewhere = ToldElsewhere::default();
        let cluster = self.cluster().filter(|cluster| cluster.is_shared());
        let Some(cluster) = cluster.filter(|_| wanted.wants_in_play()) else {
            return Ok(elsewhere);
        };
        for _ in 0..MAX_READS {
            let Some(place) = &after else {
                break;
            };
            let room = count - elsewhere.matches.len();
            if room == 0 {
                break;
            }
            let limit = u32::try_from(room).unwrap_or(u32::MAX);
            let turn = self.reading().turn().await?;
            let page = cluster.nodes().told_elsewhere(place, limit, of).await;
            drop(turn);
            let page = page.map_err(store_failed)?;
            elsewhere.damaged.extend(page.damaged);
            for told in page.matches {
                // One that was just taken over is here.
                if self.held(&told.match_id).is_some() {
                    continue;
                }
                let place = told.place();
                match shown(told, viewer) {
                    Ok(info) if is_wanted(wanted, &info) => {
                        elsewhere.matches.push_back((Some(place), info));
                    }
                    Ok(_) => {}
                    Err(unreadable) => elsewhere.damaged.push(unreadable),
                }
            }
            after = page.next;
        }
        elsewhere.next = after;
        Ok(elsewhere)
    }
}

/// What `viewer` is shown of a match; or its identifier, if that cannot be read.
fn shown(told: ToldMatch, viewer: &(dyn Viewer + Sync)) -> Result<MatchInfo, MatchId> {
    let ToldMatch {
        match_id, parties, ..
    } = &told;
    let read = v1::ToldMatch::decode(&*told.shown).map_err(|_| match_id.clone())?;
    let is_late = read.late.is_some() && !viewer.sees_at_once_what_is_of(parties);
    let shown = if is_late { read.late } else { read.at_once };
    shown.ok_or_else(|| match_id.clone())
}

fn is_wanted(wanted: &MatchQuery, info: &MatchInfo) -> bool {
    let game = info.config.as_ref().and_then(|config| config.game.as_ref());
    game.and_then(game_id)
        .is_some_and(|game_id| wanted.wants(game_id, info))
}
