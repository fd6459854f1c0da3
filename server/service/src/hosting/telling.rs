//! Tells other nodes of the matches in play here, for their lists.
//!
//! What is told is in the database, since that is all that nodes are sure to reach of each other. A
//! match is told again when something changed that lists show, and in each round only so many are:
//! so what is told costs the database the same however fast bots play.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_proto::{internal::v1, v1::MatchInfo};
use bridgemaster_store::{KeyName, Nodes, StoreError, ToldMatch};
use prost::Message as _;
use tokio::task::yield_now;

use super::{HostedMatch, Matches, ShownMatch as _, late::LateMatch};
use crate::journal::Gated;

/// Matches that are told in one round: a thousand rows of a KiB or so, each time that a lease is
/// renewed. Of more than that, those that were told longest ago.
const TOLD_AT_ONCE: usize = 1_000;
/// Matches that one statement tells.
const TOLD_BY_ONE: usize = 100;
/// Matches that are looked at before others go on.
const AT_ONCE: usize = 64;

/// What was told of the matches in play here.
#[derive(Default)]
pub(crate) struct Telling {
    told: HashMap<MatchId, Told>,
    round: u64,
}

/// What was told of a match.
#[derive(Clone, Copy)]
struct Told {
    changes: Changes,
    /// In which round.
    round: u64,
}

/// Counts what changed of a match, as it is and as some see it late.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Changes {
    itself: u64,
    late: Option<u64>,
}

/// A match of which there is something to tell.
struct News {
    hosted: Arc<dyn HostedMatch>,
    late: Option<Arc<LateMatch>>,
    changes: Changes,
    /// In which round it was told before.
    told_in: Option<u64>,
}

impl Telling {
    /// Tells what changed since it was told.
    ///
    /// # Errors
    /// When the store fails: what was not told is told the next time.
    pub(crate) async fn round(
        &mut self,
        matches: &Arc<Matches>,
        nodes: &dyn Nodes,
    ) -> Result<(), StoreError> {
        self.round += 1;
        let (mut news, mut in_play) = (Vec::new(), HashMap::new());
        let mut age = u64::MAX;
        loop {
            let older = matches.roster().before(age, None, AT_ONCE);
            let Some((last, _)) = older.last() else {
                break;
            };
            age = *last;
            for (_, hosted) in older {
                if hosted.is_over() {
                    continue;
                }
                let told = self.told.get(hosted.id()).copied();
                in_play.extend(told.map(|told| (hosted.id().clone(), told)));
                news.extend(news_of(matches, hosted, told));
            }
            // Neither the lock nor the thread is kept for longer.
            yield_now().await;
        }
        self.told = in_play;
        // New ones first, and then those that were told longest ago.
        news.sort_by_key(|one| one.told_in);
        news.truncate(TOLD_AT_ONCE);
        for some in news.chunks(TOLD_BY_ONE) {
            self.tell(some, nodes).await?;
        }
        Ok(())
    }

    async fn tell(&mut self, some: &[News], nodes: &dyn Nodes) -> Result<(), StoreError> {
        // All before the first is waited for, so that most wait for the same commit.
        let standings: Vec<Standing> = some.iter().map(Standing::of).collect();
        let mut rows = Vec::with_capacity(some.len());
        for standing in standings {
            rows.extend(standing.told().await);
        }
        nodes.tell(&rows).await?;
        for news in some {
            let told = Told {
                changes: news.changes,
                round: self.round,
            };
            self.told.insert(news.hosted.id().clone(), told);
        }
        Ok(())
    }
}

/// What there is to tell of a match in play, if there is anything.
fn news_of(matches: &Matches, hosted: Arc<dyn HostedMatch>, told: Option<Told>) -> Option<News> {
    let is_late = hosted.lateness().is_some();
    let late = is_late.then(|| matches.late().get(hosted.id())).flatten();
    let changes = Changes {
        itself: hosted.change_count(),
        late: late.as_ref().map(|late| late.change_count()),
    };
    // One that is not played yet up to where it is shown is told the next time.
    let is_ready = late.is_some() == is_late && changes.late != Some(0);
    let is_news = told.is_none_or(|told| told.changes != changes);
    (is_ready && is_news).then_some(News {
        hosted,
        late,
        changes,
        told_in: told.map(|told| told.round),
    })
}

/// How a match stands, to be told once it is stored.
struct Standing {
    match_id: MatchId,
    parties: Vec<KeyName>,
    at_once: Gated<MatchInfo>,
    late: Option<Gated<MatchInfo>>,
}

impl Standing {
    fn of(news: &News) -> Self {
        Self {
            match_id: news.hosted.id().clone(),
            parties: news.hosted.parties(),
            at_once: news.hosted.info(),
            late: news.late.as_ref().map(|late| late.info()),
        }
    }

    /// It, once it is stored; nothing, if it never is.
    async fn told(self) -> Option<ToldMatch> {
        let at_once = self.at_once.shown().await.ok()?;
        let late = match self.late {
            Some(late) => Some(late.shown().await.ok()?),
            None => None,
        };
        let created_at_unix_ms = i64::try_from(at_once.created_unix_ms).unwrap_or(i64::MAX);
        let shown = v1::ToldMatch {
            at_once: Some(at_once),
            late,
        };
        Some(ToldMatch {
            match_id: self.match_id,
            created_at_unix_ms,
            parties: self.parties,
            shown: shown.encode_to_vec(),
        })
    }
}
