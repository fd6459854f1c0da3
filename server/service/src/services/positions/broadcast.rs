//! Broadcasts a match in play to all of its spectators.

use std::{pin::pin, sync::Arc};

use bridgemaster_proto::v1::MatchInfo;
use tokio_stream::StreamExt as _;

use super::view::{PositionView, StreamProgress, encoded, response};
use crate::{
    live::{Broadcast, BroadcastMessage, BroadcastState},
    refusal::Refusal,
};

/// Broadcasts a match to all followers, from its current state `now` until the match has ended or
/// there are no followers. Each follower computes earlier positions itself.
pub(super) async fn broadcast(view: Arc<PositionView>, feed: Arc<Broadcast>, now: MatchInfo) {
    let mut progress = StreamProgress::following(now);
    let abandoned = async {
        feed.until_unfollowed().await;
        // This refusal only ends the stream below; no client receives it.
        Refusal::stopping()
    };
    let mut is_broken = false;
    {
        let mut live = pin!(view.live_positions(&mut progress, abandoned));
        while let Some(message) = live.next().await {
            let Ok(message) = message else {
                is_broken = true;
                break;
            };
            let info = message.r#match.clone();
            let info = info.filter(|_| message.position.is_some());
            feed.send(BroadcastMessage {
                position: message.position.as_ref().map(|position| position.number),
                message: encoded(&message),
                info: info.map(|info| encoded(&response(None, Some(info)))),
            });
        }
    }
    feed.close(if is_broken {
        BroadcastState::Failed
    } else {
        BroadcastState::Ended(progress.next())
    });
}
