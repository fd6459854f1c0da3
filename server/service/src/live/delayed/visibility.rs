//! Decides who sees a match immediately and who sees it with a delay.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::RefusalReason;
use tokio::time::sleep;
use tracing::{Instrument as _, error};

use super::{
    super::{HostedMatch, MatchView, Matches, Reader, Viewer, hosted_match::SpectatorDelay},
    DelayedMatch, DelayedMatchPermit,
};
use crate::refusal::Refusal;

/// The pause before reading a replay again, after too many concurrent reads caused a refusal.
const READ_RETRY_INTERVAL: Duration = Duration::from_millis(250);

impl Matches {
    /// Returns a match as `viewer` sees it, with or without a delay.
    ///
    /// # Errors
    /// If another node serves the delayed view, or the serving node cannot be determined.
    pub(crate) async fn view_for(
        self: &Arc<Self>,
        hosted: Arc<dyn HostedMatch>,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Arc<dyn MatchView>, Refusal> {
        match self.delayed_view_for(&hosted, viewer).await? {
            None => Ok(hosted),
            Some(delayed) => {
                delayed.until_ready().await;
                Ok(delayed)
            }
        }
    }

    /// Returns the delayed view, if `viewer` sees the match with a delay.
    ///
    /// # Errors
    /// If another node serves the delayed view, or the serving node cannot be determined.
    pub(super) async fn delayed_view_for(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        viewer: &(dyn Viewer + Sync),
    ) -> Result<Option<Arc<DelayedMatch>>, Refusal> {
        if viewer.sees_live(&**hosted) {
            return Ok(None);
        }
        if let Some(delayed) = self.delayed().get(hosted.id()) {
            return Ok(Some(delayed));
        }
        self.check_view_is_local(&**hosted).await?;
        // Only a match that ended before this server started has this delay.
        let spectator_delay = hosted.spectator_delay();
        Ok(spectator_delay
            .map(|spectator_delay| self.start_delayed_view(hosted, spectator_delay, None)))
    }

    /// Starts the delayed view of a match. The view holds `permit` until the delay ends. Without
    /// `permit`, acquires a permit regardless of the limits.
    pub(in super::super) fn start_delayed_view(
        self: &Arc<Self>,
        hosted: &Arc<dyn HostedMatch>,
        spectator_delay: SpectatorDelay,
        permit: Option<DelayedMatchPermit>,
    ) -> Arc<DelayedMatch> {
        let delayed = Arc::new(DelayedMatch::new(
            Arc::clone(hosted),
            spectator_delay,
            self.context(),
        ));
        if let Err(existing) = self.delayed().add(hosted.id(), &delayed) {
            return existing;
        }
        let permit = permit.unwrap_or_else(|| self.delayed().acquire_unlimited(hosted.maker()));
        let (matches, original) = (Arc::downgrade(self), Arc::clone(hosted));
        let driven = Arc::clone(&delayed);
        let drive = async move {
            // The permit is held until this task ends, even by a panic.
            let _permit = permit;
            let replay = async { matches.upgrade()?.replay_for_view(&*original).await };
            driven.drive(replay).await;
            // If the server stops, the match stays delayed.
            if driven.is_over()
                && let Some(matches) = matches.upgrade()
            {
                matches.end_delay(original.id());
            }
        };
        tokio::spawn(drive.instrument(hosted.span()));
        delayed
    }

    /// Returns the replay of an ended match, or `None` if no replay can be read. The remaining
    /// records are revealed from the replay.
    async fn replay_for_view(&self, original: &dyn HostedMatch) -> Option<Arc<[u8]>> {
        loop {
            match self.full_replay(original, &Reader::default()).await {
                Ok(replay) => return Some(replay),
                // Too many reads are in progress.
                Err(refusal) if refusal.reason() == RefusalReason::LimitReached => {
                    sleep(READ_RETRY_INTERVAL).await;
                }
                Err(refusal) => {
                    match refusal.reason() {
                        // The match has no replay, or its replay was deleted.
                        RefusalReason::MatchCancelled | RefusalReason::ReplayForgotten => {}
                        _ => error!(
                            problem = refusal.message(),
                            "cannot read the replay of the match; its delayed view shows no \
                             positions until the delay ends"
                        ),
                    }
                    return None;
                }
            }
        }
    }
}
