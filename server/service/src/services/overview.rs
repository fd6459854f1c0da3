//! An overview of matches in play: one stream with updates of all matches that pass a filter.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use async_stream::try_stream;
use bridgemaster_edge::{
    identity::Caller,
    limits::{
        DEFAULT_OVERVIEW_INTERVAL_MS, DEFAULT_OVERVIEW_MATCHES, MAX_OVERVIEW_MATCHES,
        OVERVIEW_INTERVAL_MS,
    },
    refusal::Refusal,
};
use bridgemaster_live::{MatchQuery, MatchView, Matches, Reader};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{MatchState, WatchMatchesRequest, WatchMatchesResponse};
use tokio::{select, time::sleep};
use tokio_stream::Stream;
use tonic::Status;

use super::{match_validation::match_query, until_access_ends, validation::or_default};

/// Updates of matches; an error ends the stream.
pub(super) type OverviewStream =
    Pin<Box<dyn Stream<Item = Result<WatchMatchesResponse, Status>> + Send>>;

/// A client that watches the matches in play.
pub(super) struct Overview {
    matches: Arc<Matches>,
    caller: Caller,
    reader: Reader,
    query: MatchQuery,
    max_matches: usize,
    interval: Duration,
    /// The matches that were sent, each with the change count that was sent.
    sent: BTreeMap<MatchId, u64>,
}

impl Overview {
    pub(super) fn new(
        matches: Arc<Matches>,
        caller: Caller,
        reader: Reader,
        request: WatchMatchesRequest,
    ) -> Result<Self, Refusal> {
        let query = match_query(request.filter.unwrap_or_default())?;
        if matches!(query.state, MatchState::Ended | MatchState::Cancelled) {
            let detail = "finished matches have no updates: use ListMatches";
            return Err(Refusal::field("filter.state", detail));
        }
        let max_matches = or_default(
            "max_matches",
            request.max_matches,
            DEFAULT_OVERVIEW_MATCHES,
            MAX_OVERVIEW_MATCHES,
        )?;
        let interval_ms = match request.interval_ms {
            0 => DEFAULT_OVERVIEW_INTERVAL_MS,
            valid if OVERVIEW_INTERVAL_MS.contains(&valid) => valid,
            other => {
                let (min, max) = OVERVIEW_INTERVAL_MS.into_inner();
                let detail = format!("{other} is out of range (0, or {min} to {max})");
                return Err(Refusal::field("interval_ms", detail));
            }
        };
        Ok(Self {
            matches,
            caller,
            reader,
            query,
            max_matches: max_matches as usize,
            interval: Duration::from_millis(interval_ms.into()),
            sent: BTreeMap::new(),
        })
    }

    /// Streams updates, by polling the matches once per interval.
    pub(super) fn updates(mut self) -> OverviewStream {
        let counted = self.matches.metrics().watch_stream();
        Box::pin(try_stream! {
            let _counted = counted;
            loop {
                let visible = self.matches.newest_in_play(&self.query, self.max_matches, &self.caller).await;
                let current: BTreeSet<MatchId> = visible.iter().map(|one| one.id().clone()).collect();
                for hosted in visible {
                    if let Some(update) = self.match_update(&hosted).await? {
                        yield update;
                    }
                }
                let is_left = |id: &&MatchId| !current.contains(*id);
                let left: Vec<MatchId> = self.sent.keys().filter(is_left).cloned().collect();
                for id in left {
                    self.sent.remove(&id);
                    if let Some(last) = self.final_update(&id).await? {
                        yield last;
                    }
                }
                self.wait_for_poll().await?;
            }
        })
    }

    /// Returns an update of a match if the match has changed since the last update.
    async fn match_update(
        &mut self,
        hosted: &MatchView,
    ) -> Result<Option<WatchMatchesResponse>, Refusal> {
        let id = hosted.id();
        let Some((changes, update)) = hosted.snapshot_since(self.sent.get(id).copied()) else {
            return Ok(None);
        };
        let update = update.committed().await?;
        let is_first = self.sent.insert(id.clone(), changes).is_none();
        let mut info = update.r#match;
        if let Some(info) = info.as_mut().filter(|_| !is_first) {
            // These fields never change, so only the first update contains them. A config with
            // edition data is the largest part of an update.
            info.config = None;
            info.seed_commitment.clear();
        }
        Ok(Some(WatchMatchesResponse { r#match: info, observation: update.observation }))
    }

    /// Returns the final state of a match that left the overview; `None` if newer matches displaced
    /// it.
    async fn final_update(&self, id: &MatchId) -> Result<Option<WatchMatchesResponse>, Refusal> {
        let found = self.matches.find(id, &self.caller, &self.reader).await?;
        let Some(hosted) = found else {
            return Ok(None);
        };
        if !hosted.is_over() && hosted.info_if_matching(&self.query).is_some() {
            return Ok(None);
        }
        let info = hosted.info().committed().await?;
        Ok(Some(WatchMatchesResponse { r#match: Some(info), observation: None }))
    }

    /// Waits for the next poll.
    async fn wait_for_poll(&self) -> Result<(), Refusal> {
        select! {
            biased;
            refusal = until_access_ends(&self.matches, &self.caller) => Err(refusal),
            () = sleep(self.interval) => Ok(()),
        }
    }
}
