//! The matches in play of a filter, all of them on one stream: for an overview.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use async_stream::try_stream;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{MatchState, WatchMatchesRequest, WatchMatchesResponse};
use tokio::{select, time::sleep};
use tokio_stream::Stream;
use tonic::Status;

use super::wishes::query;
use crate::{
    hosting::{MatchQuery, Matches, Reader, ShownMatch},
    identity::Caller,
    journal::NotStored,
    limits::{
        DEFAULT_OVERVIEW_INTERVAL_MS, DEFAULT_OVERVIEW_MATCHES, MAX_OVERVIEW_MATCHES,
        OVERVIEW_INTERVAL_MS,
    },
    refusal::Refusal,
};

/// News of matches, and why there are no more.
pub(super) type OverviewStream =
    Pin<Box<dyn Stream<Item = Result<WatchMatchesResponse, Status>> + Send>>;

/// Somebody who looks at the matches in play.
pub(super) struct Overview {
    matches: Arc<Matches>,
    caller: Caller,
    reader: Reader,
    wanted: MatchQuery,
    most: usize,
    interval: Duration,
    /// The matches that were told of, with the count of their changes then.
    told: BTreeMap<MatchId, u64>,
}

impl Overview {
    /// What a request asks for.
    pub(super) fn new(
        matches: Arc<Matches>,
        caller: Caller,
        reader: Reader,
        request: WatchMatchesRequest,
    ) -> Result<Self, Refusal> {
        let wanted = query(request.filter.unwrap_or_default())?;
        if matches!(wanted.state, MatchState::Ended | MatchState::Cancelled) {
            let detail = "matches that are over have no news: ListMatches lists them";
            return Err(Refusal::field("filter.state", detail));
        }
        let most = match request.max_matches {
            0 => DEFAULT_OVERVIEW_MATCHES,
            most @ 1..=MAX_OVERVIEW_MATCHES => most,
            other => {
                let detail = format!("0 to {MAX_OVERVIEW_MATCHES}, not {other}");
                return Err(Refusal::field("max_matches", detail));
            }
        };
        let interval_ms = match request.interval_ms {
            0 => DEFAULT_OVERVIEW_INTERVAL_MS,
            ms if OVERVIEW_INTERVAL_MS.contains(&ms) => ms,
            other => {
                let (least, longest) = OVERVIEW_INTERVAL_MS.into_inner();
                let detail = format!("0, or {least} to {longest}, not {other}");
                return Err(Refusal::field("interval_ms", detail));
            }
        };
        Ok(Self {
            matches,
            caller,
            reader,
            wanted,
            most: most as usize,
            interval: Duration::from_millis(interval_ms.into()),
            told: BTreeMap::new(),
        })
    }

    /// The news, look by look.
    pub(super) fn news(mut self) -> OverviewStream {
        let counted = self.matches.metrics().watch_stream();
        Box::pin(try_stream! {
            let _counted = counted;
            loop {
                let seen = self.matches.newest_in_play(&self.wanted, self.most, &self.caller).await;
                let meant: BTreeSet<MatchId> = seen.iter().map(|one| one.id().clone()).collect();
                for hosted in seen {
                    if let Some(news) = self.news_of(&*hosted).await? {
                        yield news;
                    }
                }
                let is_left = |id: &&MatchId| !meant.contains(*id);
                let left: Vec<MatchId> = self.told.keys().filter(is_left).cloned().collect();
                for id in left {
                    self.told.remove(&id);
                    if let Some(last) = self.last_of(&id).await? {
                        yield last;
                    }
                }
                self.wait().await?;
            }
        })
    }

    /// What came of a match since it was told of, if anything did.
    async fn news_of(
        &mut self,
        hosted: &dyn ShownMatch,
    ) -> Result<Option<WatchMatchesResponse>, Refusal> {
        let id = hosted.id();
        let Some((changes, news)) = hosted.glance(self.told.get(id).copied()) else {
            return Ok(None);
        };
        let news = news.shown().await.map_err(not_stored)?;
        let is_first = self.told.insert(id.clone(), changes).is_none();
        let mut info = news.r#match;
        if let Some(info) = info.as_mut().filter(|_| !is_first) {
            // They stay as they are, and with edition data the config is most of a message.
            info.config = None;
            info.seed_commitment.clear();
        }
        Ok(Some(WatchMatchesResponse {
            r#match: info,
            observation: news.observation,
        }))
    }

    /// How a match stands that is none of them any more, unless it is that newer ones came.
    async fn last_of(&self, id: &MatchId) -> Result<Option<WatchMatchesResponse>, Refusal> {
        let found = self.matches.find(id, &self.caller, &self.reader).await?;
        let Some(hosted) = found else {
            return Ok(None);
        };
        if !hosted.is_over() && hosted.info_if(&self.wanted).is_some() {
            return Ok(None);
        }
        let info = hosted.info().shown().await.map_err(not_stored)?;
        Ok(Some(WatchMatchesResponse {
            r#match: Some(info),
            observation: None,
        }))
    }

    /// Waits until it is time for the next look.
    async fn wait(&self) -> Result<(), Refusal> {
        select! {
            biased;
            refusal = self.matches.interrupted() => Err(refusal),
            refusal = self.caller.refused() => Err(refusal),
            () = sleep(self.interval) => Ok(()),
        }
    }
}

fn not_stored(_: NotStored) -> Refusal {
    Refusal::storage_failed()
}
