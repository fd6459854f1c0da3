//! A server that starts goes on with the matches of the one before it.

use std::{collections::VecDeque, sync::Arc};

use bridgemaster_games::with_game;
use bridgemaster_referee::Time;
use bridgemaster_store::{OpenMatch, Store, Write, limits::MAX_PAGE_MATCHES};
use tracing::{info, warn};

use super::{LiveMatch, MatchId, Matches, StoredMatch, TicketHash, hosted_match::PlayedMatch};
use crate::journal::{Header, Journal, RecoveryError, Unreplayable, recover};

/// A match that was in play.
struct Again {
    played: Arc<dyn PlayedMatch>,
    tickets: Vec<TicketHash>,
    /// Time of its last input.
    known_until: Time,
}

impl Matches {
    /// Goes on with everything in the store of `journal`, but for the matches in play `given_up`,
    /// which are dropped from it. To be called before the clock is watched or a match made.
    ///
    /// # Errors
    /// When any match cannot go on as it was; nothing but what is given up is changed then.
    pub(crate) async fn recover(
        self: &Arc<Self>,
        journal: &Journal,
        given_up: &[String],
    ) -> Result<(), RecoveryError> {
        let store = &**journal.store();
        give_up(store, given_up).await?;
        let finished = self.last_finished(store).await?;
        let mut again = Vec::new();
        for id in store.open_match_ids().await? {
            if let Some(open) = store.open_match(&id).await? {
                let replayed = self.replay_match(&open);
                again.push(replayed.map_err(|problem| RecoveryError::Match {
                    match_id: id.to_string(),
                    problem,
                })?);
            }
        }
        // Times in journals are of one clock, which no match may see go back.
        let known_until = again.iter().map(|again| again.known_until).max();
        self.clock().go_on_from(known_until.unwrap_or_default());
        let in_play = again.len();
        for stored in finished {
            self.remember(stored);
        }
        for Again {
            played, tickets, ..
        } in again
        {
            self.go_on_with(played, tickets);
        }
        info!(in_play, "matches of the store go on");
        Ok(())
    }

    /// The finished matches that ended last, as many as are kept in memory, the last one last.
    async fn last_finished(
        &self,
        store: &dyn Store,
    ) -> Result<VecDeque<StoredMatch>, RecoveryError> {
        let mut last = VecDeque::new();
        let mut after = None;
        loop {
            let room = self.limits().ended_matches_kept - last.len();
            if room == 0 {
                return Ok(last);
            }
            let limit = u32::try_from(room).unwrap_or(MAX_PAGE_MATCHES);
            let page = store.finished(after, limit, None).await?;
            for finished in &page.matches {
                let stored =
                    StoredMatch::read(finished).map_err(|problem| RecoveryError::Finished {
                        match_id: finished.match_id.to_string(),
                        problem,
                    })?;
                last.push_front(stored);
            }
            if page.next.is_none() {
                return Ok(last);
            }
            after = page.next;
        }
    }

    fn replay_match(self: &Arc<Self>, open: &OpenMatch) -> Result<Again, Unreplayable> {
        let header = Header::read(&open.header)?;
        let again = with_game!(header.game_id.as_str(), G => {
            let recovered = recover::<G>(&header, open)?;
            let (tickets, known_until) = (recovered.tickets.clone(), recovered.known_until);
            let id = MatchId::from_store(&open.match_id);
            Again {
                played: Arc::new(LiveMatch::<G>::recovered(id, recovered, self)),
                tickets,
                known_until,
            }
        });
        again.ok_or_else(|| Unreplayable::UnknownGame {
            game_id: header.game_id.clone(),
        })
    }
}

async fn give_up(store: &dyn Store, given_up: &[String]) -> Result<(), RecoveryError> {
    let mut drops = Vec::new();
    let in_play = store.open_match_ids().await?;
    for match_id in given_up {
        let id = in_play.iter().find(|id| id.as_str() == match_id);
        let id = id.ok_or_else(|| RecoveryError::NotInPlay {
            match_id: match_id.clone(),
        })?;
        warn!(match_id, "the match is given up");
        drops.push(Write::DropMatch {
            match_id: id.clone(),
        });
    }
    if !drops.is_empty() {
        store.commit(drops).await?;
    }
    Ok(())
}
