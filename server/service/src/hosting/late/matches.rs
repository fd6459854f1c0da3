//! Who sees a match at once, and who sees it late: the one place that says so.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::RefusalReason;
use tokio::time::sleep;
use tracing::{Instrument as _, error};

use super::{
    super::{HostedMatch, Matches, Reader, ShownMatch, Viewer, hosted_match::Lateness},
    LateMatch, LatePlace,
};
use crate::refusal::Refusal;

/// Pause before a replay is asked for again that could not be read because many read.
const READ_AGAIN: Duration = Duration::from_millis(250);

impl Matches {
    /// A match as `viewer` sees it now: as it is, or as it was some time ago.
    ///
    /// # Errors
    /// When another server shows it late to him; or when that cannot be told.
    pub(crate) async fn shown_to(
        self: &Arc<Self>,
        hosted: Arc<dyn HostedMatch>,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Arc<dyn ShownMatch>, Refusal> {
        match self.late_for(&hosted, viewer).await? {
            None => Ok(hosted),
            Some(late) => {
                late.looked_at().await;
                Ok(late)
            }
        }
    }

    /// The match as `viewer` sees it, if that is late.
    ///
    /// # Errors
    /// When another server shows it late to him; or when that cannot be told.
    pub(super) async fn late_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Option<Arc<LateMatch>>, Refusal> {
        if viewer.sees_at_once(&**hosted) {
            return Ok(None);
        }
        if let Some(late) = self.late().get(hosted.id()) {
            return Ok(Some(late));
        }
        self.check_is_shown_here(&**hosted).await?;
        // One that had ended before this server started.
        let lateness = hosted.lateness();
        Ok(lateness.map(|lateness| self.show_late(hosted, lateness, None)))
    }

    /// Begins to show a match late. It has this place meanwhile; one that was made before takes one.
    pub(in super::super) fn show_late(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        lateness: Lateness,
        place: Option<LatePlace>,
    ) -> Arc<LateMatch> {
        let late = Arc::new(LateMatch::new(Arc::clone(hosted), lateness, self.context()));
        if let Err(there) = self.late().add(hosted.id(), &late) {
            return there;
        }
        let place = place.unwrap_or_else(|| self.late().place_beyond(hosted.maker()));
        let (matches, itself) = (Arc::downgrade(self), Arc::clone(hosted));
        let driven = Arc::clone(&late);
        let drive = async move {
            // Given back however this ends.
            let _place = place;
            let replay = async { matches.upgrade()?.replay_to_show(&*itself).await };
            driven.drive(replay).await;
            // Of a server that stops the match stays late.
            if driven.is_over()
                && let Some(matches) = matches.upgrade()
            {
                matches.late_no_more(itself.id());
            }
        };
        tokio::spawn(drive.instrument(hosted.span()));
        late
    }

    /// The replay of a match that has ended, which has what is to be shown of it; `None` if it has
    /// none, or none that can be read.
    async fn replay_to_show(&self, itself: &dyn HostedMatch) -> Option<Arc<[u8]>> {
        loop {
            match self.whole_replay(itself, &Reader::default()).await {
                Ok(replay) => return Some(replay),
                // Many read just now.
                Err(refusal) if refusal.reason() == RefusalReason::LimitReached => {
                    sleep(READ_AGAIN).await;
                }
                Err(refusal) => {
                    match refusal.reason() {
                        // It has none, or none any more.
                        RefusalReason::MatchCancelled | RefusalReason::ReplayForgotten => {}
                        _ => error!(
                            problem = refusal.message(),
                            "the replay of the match cannot be read: until spectators see its end, \
                             they are not shown how it went"
                        ),
                    }
                    return None;
                }
            }
        }
    }
}
