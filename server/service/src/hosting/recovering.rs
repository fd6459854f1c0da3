//! A server that starts goes on with the matches of the one before it, one by one: what cannot be
//! read of one stops no other.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::{Instant, SystemTime},
};

use bridgemaster_games::with_game;
use bridgemaster_match::{Claims, Header, MatchId, TicketHash, Unreplayable, recover};
use bridgemaster_referee::Time;
use bridgemaster_store::{
    COMMITS_FILE, DamagedValue as Value, OpenMatch, Opening, Store, StoreError, Tail, Write,
    limits::MAX_PAGE_MATCHES,
};
use tracing::{error, info, warn};

use super::{
    LiveMatch, Matches, StoredMatch,
    clock::MatchClock,
    groups::{GroupKey, maker_name},
    hosted_match::{PlayedMatch, ShownMatch as _},
    lost_groups::find_lost,
};
use crate::{
    cluster::Cluster,
    journal::{Journal, RecoveryError},
    metrics::DamagedValue,
    spans::SEATS,
};

/// A match that was in play.
struct Again {
    played: Arc<dyn PlayedMatch>,
    tickets: Vec<TicketHash>,
    /// Time of its last input.
    known_until: Time,
    /// It is played by the server that leads alone.
    is_led: bool,
    /// When its journal began to be replayed.
    begun: SystemTime,
}

/// Whether a match of this header is played by the server that leads alone.
pub(crate) fn is_led(header: &[u8]) -> bool {
    Header::read(header).is_ok_and(|header| header.spans_matches())
}

impl Matches {
    /// Goes on with everything in the store of `journal`, but for the matches `given_up`, which
    /// are dropped from it. Of those that were `taken` over, all is known. A match that cannot be read
    /// is set aside, and the others go on. To be called before the clock is watched or a match made.
    ///
    /// # Errors
    /// When the store fails, or has no match of an identifier that is to be given up; nothing but
    /// what is given up is changed then.
    pub(crate) async fn recover(
        self: &Arc<Self>,
        journal: &Journal,
        given_up: &[String],
        taken: Vec<OpenMatch>,
    ) -> Result<(), RecoveryError> {
        let store = &**journal.store();
        self.tell_opening(&store.opening());
        give_up(store, given_up).await?;
        for key in store.damaged_keys().await? {
            error!(
                key_id = %key.id,
                problem = key.detail,
                "an API key is damaged and cannot be used: `bridgemaster key revoke` removes it"
            );
            self.metrics().damaged(DamagedValue::Key);
        }
        let finished = self.last_finished(store).await?;
        let late = self.read_late(journal).await?;
        // After them: what their groups hold back is known by then.
        self.read_groups(store, self.leads()).await?;
        let mut again = Vec::new();
        let clock = MatchClock::from(self.clock());
        let taken = taken.into_iter().map(|open| (open.match_id.clone(), open));
        let mut taken: HashMap<MatchId, OpenMatch> = taken.collect();
        for id in store.open_match_ids().await? {
            let open = match taken.remove(&id) {
                Some(open) => Some(open),
                None => self.read_match(store, &id).await?,
            };
            again.extend(open.and_then(|open| self.replay_or_set_aside(&open, |_| clock.clone())));
        }
        if let Some(cluster) = self.cluster().filter(|_| !self.leads()) {
            again = leave_what_is_led(cluster, again).await?;
        }
        // Times in journals are of one clock, which no match may see go back.
        let known_until = again.iter().map(|again| again.known_until).max();
        self.clock().go_on_from(known_until.unwrap_or_default());
        let in_play = again.len();
        for stored in late.here {
            self.remember(stored, true);
        }
        for stored in finished {
            let is_shown_here = !late.elsewhere.contains(stored.id());
            self.remember(stored, is_shown_here);
        }
        for again in again {
            self.go_on_again(again);
        }
        if self.leads() {
            self.end_complete_groups(journal);
        }
        let set_aside = self.set_aside().in_play().len();
        info!(in_play, set_aside, "matches restored from the store");
        Ok(())
    }

    /// Goes on with a match that this server has taken over from another one, at the time at which
    /// it stood still.
    pub(crate) fn take_in(self: &Arc<Self>, open: &OpenMatch) {
        let clock = |time| MatchClock::going_on_from(self.clock(), time);
        if let Some(again) = self.replay_or_set_aside(open, clock) {
            self.go_on_again(again);
        }
    }

    /// Reads which groups are not over, and `keeps` them from now on or leaves them to another server.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn read_groups(
        &self,
        store: &dyn Store,
        keeps: bool,
    ) -> Result<(), RecoveryError> {
        let groups = &self.context().groups;
        if !keeps {
            let begun = Instant::now();
            groups.read_again(store.notes("").await?, begun);
            return Ok(());
        }
        if groups.keep_all(store.notes("").await?) {
            return Ok(());
        }
        let found = find_lost(store, groups).await?.len();
        warn!(
            found,
            "notes are damaged: groups that are not over are looked for among the finished matches"
        );
        Ok(())
    }

    /// Ends the groups that need nothing more, once all their matches go on.
    pub(crate) fn end_complete_groups(&self, journal: &Journal) {
        let groups = &self.context().groups;
        for group in groups.complete() {
            groups.close(&group, |notes| Some(journal.note(notes)));
        }
    }

    fn go_on_again(self: &Arc<Self>, again: Again) {
        let Again {
            played,
            tickets,
            begun,
            ..
        } = again;
        self.traces().ended(|| {
            let span = played.of_match().span(begun, "recover match");
            span.with(SEATS, u32::from(played.seats().get()))
        });
        if let (Some(key), Some(group)) = (group_of(&*played), played.group()) {
            self.context().groups.goes_on(&key, group);
        }
        self.go_on_with(played, tickets);
    }

    /// Tells what was found when the store was opened, but for what is told match by match.
    fn tell_opening(&self, opening: &Opening) {
        match &opening.tail {
            Tail::Whole => {}
            Tail::Lost(lost) => {
                self.metrics().lost_commits(lost.lost());
                warn!(
                    found = lost.found,
                    expected = lost.expected,
                    "the end of what was stored is gone: {lost}; matches go on from what is left, \
                     ended ones may be in play again, and keys may be missing or no longer revoked"
                );
            }
            Tail::Unknown { detail } => warn!(
                "whether the end of what was stored is there cannot be told: \
                 {COMMITS_FILE} in the data folder: {detail}"
            ),
        }
        if opening.indexes_rebuilt {
            warn!("damaged indexes of the database were rebuilt");
        }
        for damage in &opening.damages {
            if let Value::Batch(_) = damage.value {
                warn!(%damage, "the journal is damaged");
            }
        }
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
            for damage in &page.damaged {
                self.set_aside().finished(damage);
            }
            for finished in &page.matches {
                if let Ok(stored) = self.read_finished(finished) {
                    last.push_front(stored);
                }
            }
            if page.next.is_none() {
                return Ok(last);
            }
            after = page.next;
        }
    }

    /// A match in play, from the store; `None` for one that cannot be read.
    async fn read_match(
        &self,
        store: &dyn Store,
        id: &MatchId,
    ) -> Result<Option<OpenMatch>, RecoveryError> {
        match store.open_match(id).await {
            Err(StoreError::Damaged { damage, .. }) => {
                let header = store.open_match_header(id).await;
                let claims = header.ok().flatten().map(|header| Claims::read(&header));
                self.set_aside()
                    .match_in_play(id.clone(), claims.unwrap_or_default(), &damage);
                Ok(None)
            }
            read => Ok(read?),
        }
    }

    /// A match in play up to where it stands; `None` for one that cannot go on.
    fn replay_or_set_aside(
        self: &Arc<Self>,
        open: &OpenMatch,
        clock: impl Fn(Time) -> MatchClock,
    ) -> Option<Again> {
        let replayed = self.replay_match(open, clock);
        let set_aside = |problem| {
            let claims = Claims::read(&open.header);
            self.set_aside()
                .match_in_play(open.match_id.clone(), claims, &problem);
        };
        replayed.map_err(set_aside).ok()
    }

    fn replay_match(
        self: &Arc<Self>,
        open: &OpenMatch,
        clock: impl Fn(Time) -> MatchClock,
    ) -> Result<Again, Unreplayable> {
        let begun = SystemTime::now();
        let header = Header::read(&open.header)?;
        let again = with_game!(header.game_id(), G => {
            let recovered = recover::<G>(open.match_id.clone(), &header, &open.journal)?;
            let tickets = recovered.origin.tickets.clone();
            let known_until = recovered.known_until;
            Again {
                played: Arc::new(LiveMatch::<G>::recovered(recovered, clock(known_until), self.context())?),
                tickets,
                known_until,
                is_led: header.spans_matches(),
                begun,
            }
        });
        again.ok_or_else(|| Unreplayable::UnknownGame {
            game_id: header.game_id().to_owned(),
        })
    }
}

/// Leaves the matches that belong to the lead to the server that has taken it while this one was away.
/// It does not wait until it could take this one's over, which starts of this one could put off for
/// ever.
async fn leave_what_is_led(
    cluster: &Cluster,
    again: Vec<Again>,
) -> Result<Vec<Again>, RecoveryError> {
    let (led, own): (Vec<_>, Vec<_>) = again.into_iter().partition(|again| again.is_led);
    if !led.is_empty() {
        let ids: Vec<MatchId> = led.iter().map(|again| again.played.id().clone()).collect();
        cluster.nodes().release(&ids).await?;
        let matches = ids.len();
        warn!(
            matches,
            "another server leads by now: matches of this one that belong to the lead go there"
        );
    }
    Ok(own)
}

/// The group of a match whose chance is held back.
fn group_of(played: &dyn PlayedMatch) -> Option<GroupKey> {
    GroupKey::of(played.group(), maker_name(played.maker()))
}

/// Drops matches, all of them or none.
async fn give_up(store: &dyn Store, given_up: &[String]) -> Result<(), RecoveryError> {
    let not_there = |match_id: &str| RecoveryError::NotThere {
        match_id: match_id.to_owned(),
    };
    let mut ids: Vec<MatchId> = Vec::new();
    for match_id in given_up {
        let id = MatchId::new(match_id.as_str()).map_err(|_| not_there(match_id))?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let drops = ids.iter().cloned();
    let drops = drops.map(|match_id| Write::DropMatch { match_id });
    let dropped = store.commit(drops.collect()).await;
    dropped.map_err(|error| match error {
        StoreError::WriteRefused { index, .. } => {
            not_there(ids.get(index).map_or("", MatchId::as_str))
        }
        failure => failure.into(),
    })?;
    for match_id in ids {
        warn!(%match_id, "match dropped");
    }
    Ok(())
}
