//! What all spectators of a match in play are shown, made once for them.

use std::{pin::pin, sync::Arc};

use bridgemaster_proto::v1::MatchInfo;
use tokio_stream::StreamExt as _;

use super::look::{Look, Progress, encoded, response};
use crate::{
    hosting::{Relayed, Showing, Stand},
    refusal::Refusal,
};

/// Shows a match to all who follow, from how it stands `now` on, until it is over or nobody follows.
/// What came before, each of them makes for himself.
pub(super) async fn show(look: Arc<Look>, showing: Arc<Showing>, now: MatchInfo) {
    let mut progress = Progress::after(now);
    let nobody = async {
        showing.left().await;
        // Told to nobody.
        Refusal::stopping()
    };
    let mut is_broken = false;
    {
        let mut live = pin!(look.live(&mut progress, nobody));
        while let Some(told) = live.next().await {
            let Ok(told) = told else {
                is_broken = true;
                break;
            };
            let info = told.r#match.clone();
            let info = info.filter(|_| told.position.is_some());
            showing.show(Relayed {
                position: told.position.as_ref().map(|position| position.number),
                message: encoded(&told),
                info: info.map(|info| encoded(&response(None, Some(info)))),
            });
        }
    }
    showing.end(match is_broken {
        true => Stand::Broken,
        false => Stand::Over(progress.next()),
    });
}
