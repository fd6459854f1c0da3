//! Recovers a ladder from its stored rows, after a restart or a failed commit.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use bridgemaster_edge::metrics::{DamagedValue, Metrics};
use bridgemaster_ladder::{Actions, BotVersion, Ladder, LadderEntry, Purpose};
use bridgemaster_live::Matches;
use bridgemaster_store::{
    DamagedValue as StoredValue, LadderChange, LadderId, Store, StoreError, StoredLadder, Write,
    limits::MAX_PAGE_LADDER_MATCHES,
};
use tracing::{error, info};

use super::{
    LiveLadder, MatchesInPlay,
    action_records::read_actions,
    capacity::ServerVersionCount,
    fitting::fitted_ratings,
    model::{LadderModel, OpenMatch},
    rows::{LadderDescription, MatchRow, VersionRow},
};

impl LiveLadder {
    /// Loads a stored ladder in a new term, so that this server leads it. Unreadable rows are
    /// logged and skipped. Returns `None` if the ladder's description is unreadable.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn recover(
        stored: StoredLadder,
        store: Arc<dyn Store>,
        metrics: &Metrics,
        version_count: ServerVersionCount,
    ) -> Result<Option<Arc<Self>>, StoreError> {
        let id = stored.ladder_id;
        let description = match LadderDescription::read(&stored.value) {
            Ok(description) => description,
            Err(problem) => {
                unreadable(&id, "its rules", &problem, metrics);
                return Ok(None);
            }
        };
        let term = stored.term + 1;
        let lead =
            Write::ChangeLadder { ladder_id: id.clone(), change: LadderChange::StartTerm { term } };
        store.commit(vec![lead]).await?;
        let model = LadderModel::read(&id, description, &*store, metrics).await?;
        Ok(Some(Self::from_model(id, term, store, model, version_count)))
    }

    /// Reloads the ladder from the store after a failed commit. Matches that were created but not
    /// recorded are found by their numbers.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn reload(self: &Arc<Self>, matches: &Arc<Matches>) -> Result<(), StoreError> {
        let matches = Arc::clone(matches);
        self.change(|ladder| async move {
            ladder.reload_model(matches.metrics()).await?;
            ladder.with_model(|model| {
                model.open.values_mut().for_each(|open| open.match_id = None);
                ladder.with_in_play(|in_play| *in_play = MatchesInPlay::default());
            });
            ladder.set_needs_reload(false);
            Ok(())
        })
        .await
    }

    /// Replaces the model by one that is read from the store, as part of a change. Matches in play
    /// keep their identifiers.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn reload_model(&self, metrics: &Metrics) -> Result<(), StoreError> {
        let all = self.store.ladders().await?;
        let mut ladders = all.intact.into_iter();
        let stored = ladders.find(|stored| stored.ladder_id == self.id);
        let description = stored.and_then(|stored| LadderDescription::read(&stored.value).ok());
        // If the stored description is unreadable, the loaded one stays in force.
        let description =
            description.unwrap_or_else(|| self.with_model(|model| model.description.clone()));
        let read = LadderModel::read(&self.id, description, &*self.store, metrics).await?;
        let (after, before) = self.with_model(|model| {
            let before = std::mem::replace(model, read);
            for (number, open) in &mut model.open {
                open.match_id = before.open.get(number).and_then(|open| open.match_id.clone());
            }
            (model.versions.len(), before.versions.len())
        });
        self.version_count.add(after);
        self.version_count.release(before);
        // A fit in progress is based on the previous model, so another one is needed.
        self.notify_fitting();
        self.notify_watchers();
        Ok(())
    }
}

impl LadderModel {
    /// Reads a ladder's rows. Unreadable rows are logged and skipped.
    async fn read(
        id: &LadderId,
        description: LadderDescription,
        store: &dyn Store,
        metrics: &Metrics,
    ) -> Result<Self, StoreError> {
        let log = |problem: &str| unreadable(id, "an organiser's action", problem, metrics);
        let (actions, messages) = read_actions(id, store, log).await?;
        let judged = JudgedVersions::read(id, store, &actions).await?;
        let ladder = Ladder::new(description.rules(actions.settings()), description.state());
        let mut model = Self::new(description, ladder.with_actions(actions));
        model.actions = messages;
        model.read_versions(id, store, metrics, &judged).await?;
        model.read_matches(id, store, metrics, &judged).await?;
        for bot in judged.0.keys() {
            let version = model.versions.get_mut(bot);
            if let (Some(version), Some(entry)) = (version, model.ladder.entry(bot)) {
                version.standing = entry.clone();
            }
        }
        if let Some(fitted) = fitted_ratings(model.ladder.fit_job()).await {
            model.ladder.apply_fit(fitted);
        }
        let counts = model.ladder.counts();
        model.fitted_results = counts.counted;
        info!(
            ladder = %id,
            matches = counts.counted,
            open = counts.open,
            bots = model.versions.len(),
            "loaded a ladder"
        );
        Ok(model)
    }

    /// Applies the versions of bots, in the order in which they entered.
    async fn read_versions(
        &mut self,
        id: &LadderId,
        store: &dyn Store,
        metrics: &Metrics,
        judged: &JudgedVersions,
    ) -> Result<(), StoreError> {
        let rows = store.ladder_versions(id).await?;
        for damage in rows.damaged {
            unreadable(id, "a version", &damage.to_string(), metrics);
        }
        let mut versions = Vec::new();
        for stored in rows.intact {
            match VersionRow::read(stored) {
                Ok(version) => versions.push(version),
                Err(problem) => unreadable(id, "a version", &problem, metrics),
            }
        }
        versions.sort_by_key(|version| version.place);
        for mut version in versions {
            let house_bots = &self.ladder.rules().house_bots;
            let is_house = house_bots.contains(&version.standing.bot.name);
            judged.reset(&mut version.standing, is_house);
            self.apply_version(version);
        }
        Ok(())
    }

    /// Applies the pairings and the ends of matches in the order of their times, as the running
    /// ladder did. Otherwise, bots could be benched for other failures in a row.
    async fn read_matches(
        &mut self,
        id: &LadderId,
        store: &dyn Store,
        metrics: &Metrics,
        judged: &JudgedVersions,
    ) -> Result<(), StoreError> {
        let mut ends = PendingEnds::new();
        let mut from = Some(0);
        while let Some(number) = from {
            let rows = store.ladder_matches(id, number, MAX_PAGE_LADDER_MATCHES);
            let rows = rows.await?;
            from = rows.next;
            for stored in rows.intact {
                match MatchRow::read(&stored) {
                    Ok(row) => self.apply_stored_match(stored.number, row, &mut ends, judged),
                    Err(problem) => {
                        unreadable(id, "a match", &problem, metrics);
                        self.ladder.skip_to(stored.number + 1);
                    }
                }
            }
            for damage in rows.damaged {
                unreadable(id, "a match", &damage.to_string(), metrics);
                if let StoredValue::LadderMatch { number, .. } = damage.value {
                    // An unreadable match still occupies its number.
                    self.ladder.skip_to(number + 1);
                }
            }
        }
        while let Some(((_, number), row)) = ends.pop_first() {
            self.apply_stored_end(number, &row, judged);
        }
        Ok(())
    }

    /// Applies the ends that precede a pairing, and the pairing. If the match has ended, adds its
    /// end to `ends`.
    fn apply_stored_match(
        &mut self,
        number: u64,
        row: MatchRow,
        ends: &mut PendingEnds,
        judged: &JudgedVersions,
    ) {
        // If the clock was set back, a rematch can seem to precede the end of the annulled match.
        let mut annulled = ends.keys().filter(|(_, ended)| row.pairing.replaces == Some(*ended));
        let before = annulled.next().map_or(0, |(at, _)| *at).max(row.paired_unix_ms);
        while let Some(first) = ends.first_entry().filter(|first| first.key().0 <= before) {
            let ((_, ended), over) = first.remove_entry();
            self.apply_stored_end(ended, &over, judged);
        }
        self.ladder.skip_to(number);
        self.apply_pairing(number, &row);
        match &row.over {
            Some(over) => {
                ends.insert((over.ended_unix_ms, number), row);
            }
            None => {
                self.open.insert(number, OpenMatch { row, match_id: None });
            }
        }
    }

    /// Applies the end of a stored match.
    fn apply_stored_end(&mut self, number: u64, row: &MatchRow, judged: &JudgedVersions) {
        let mut seats = row.pairing.seats.iter();
        if let Some(over) = &row.over
            && seats.any(|bot| judged.0.contains_key(bot))
        {
            let faults = row.fault_messages();
            let entries = self.ladder.entries_after(number, &over.end, row.span(), &faults);
            for entry in entries.into_iter().filter(|entry| judged.0.contains_key(&entry.bot)) {
                self.ladder.store_entry(entry);
            }
        }
        self.apply_end(number, row);
    }
}

/// The matches whose ends are not applied yet, by the time of the end, in ms since the Unix epoch,
/// and the number of the match.
type PendingEnds = BTreeMap<(u64, u64), MatchRow>;

/// The versions that played in a match that an organiser annuls or once annulled. Whether they are
/// validated or benched is derived again from their matches, as if annulled matches had not been
/// played. The value states whether the version has played a validation match.
struct JudgedVersions(HashMap<BotVersion, bool>);

impl JudgedVersions {
    async fn read(id: &LadderId, store: &dyn Store, actions: &Actions) -> Result<Self, StoreError> {
        let mut judged = HashMap::new();
        let mut validations = HashSet::new();
        let mut from = actions.has_annulments().then_some(0);
        while let Some(number) = from {
            let rows = store.ladder_matches(id, number, MAX_PAGE_LADDER_MATCHES).await?;
            from = rows.next;
            for stored in rows.intact {
                // Unreadable rows are logged when the matches are applied.
                let Ok(MatchRow { pairing, .. }) = MatchRow::read(&stored) else {
                    continue;
                };
                if actions.has_annulled(stored.number, &pairing.seats) {
                    judged.extend(pairing.seats.iter().map(|bot| (bot.clone(), false)));
                }
                if pairing.purpose == Purpose::Validation {
                    validations.extend(pairing.seats);
                }
            }
        }
        for (bot, has_validation) in &mut judged {
            *has_validation = validations.contains(bot);
        }
        Ok(Self(judged))
    }

    /// Resets what is derived again from matches. A house bot stays validated, and so does a
    /// version without a validation match, which entered as a house bot.
    fn reset(&self, standing: &mut LadderEntry, is_house: bool) {
        if let Some(has_validation) = self.0.get(&standing.bot) {
            standing.is_validated &= is_house || !has_validation;
            standing.failed_validation = None;
            standing.benched = None;
        }
    }
}

fn unreadable(id: &LadderId, what: &str, problem: &str, metrics: &Metrics) {
    error!(ladder = %id, what, problem, "cannot read a stored part of the ladder");
    metrics.count_damaged(DamagedValue::Ladder);
}

#[cfg(test)]
mod tests {
    use bridgemaster_ladder::{AttendingBot, End, Pairing, SeatEnd};
    use bridgemaster_proto::{
        internal::v1::LadderActionRecord,
        v1::{self, AnnulmentReason},
    };
    use bridgemaster_store::{LadderStore as _, MemoryStore};
    use prost::Message as _;

    use super::*;
    use crate::ladder::rows::{EndedMatchRow, FORMAT_VERSION};

    #[tokio::test]
    async fn a_ladder_whose_newest_match_is_unreadable_continues_after_it() {
        let id = LadderId::new("league").unwrap();
        let description = LadderDescription::with_two_house_bots();
        let store = Arc::new(MemoryStore::new());
        let changes = [
            LadderChange::Open { value: description.to_bytes() },
            LadderChange::StartTerm { term: 1 },
            LadderChange::Pair { term: 1, number: 0, value: vec![0xff] },
        ];
        let writes = changes.map(|change| Write::ChangeLadder { ladder_id: id.clone(), change });
        store.commit(writes.to_vec()).await.unwrap();
        let mut stored = store.ladders().await.unwrap().intact;
        let metrics = Metrics::for_node(None);
        let recovered =
            LiveLadder::recover(stored.remove(0), store, &metrics, ServerVersionCount::default());
        let recovered = recovered.await;
        let ladder = recovered.unwrap().expect("readable rules");
        let present = ["ada", "bob"].map(|name| AttendingBot {
            bot: BotVersion::new(name, "1"),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        });
        ladder.enter_versions(present.to_vec()).await.unwrap();
        ladder.set_present(&present);
        let (number, _) = ladder.pair_next_match().await.unwrap().expect("both are present");
        assert_eq!(number, 1);
    }

    #[tokio::test]
    async fn after_an_annulment_failures_in_a_row_are_counted_in_the_order_of_the_ends() {
        let id = LadderId::new("league").unwrap();
        let store = Arc::new(MemoryStore::new());
        let bots = ["ada", "cyd"].map(|name| BotVersion::new(name, "1"));
        let value = LadderDescription::with_two_house_bots().to_bytes();
        let mut changes = vec![LadderChange::Open { value }, LadderChange::StartTerm { term: 1 }];
        changes.extend((0..).zip(&bots).map(|(place, bot)| {
            let standing = LadderEntry {
                bot: bot.clone(),
                owner: String::new(),
                is_validated: true,
                failed_validation: None,
                benched: None,
                forgiven_before: 0,
                excluded: None,
            };
            let version = VersionRow { standing, entered_unix_ms: 0, place, history: Vec::new() };
            LadderChange::PutVersion {
                term: 1,
                bot_name: bot.name.clone(),
                bot_version: bot.version.clone(),
                value: version.to_bytes(),
            }
        }));
        // All matches are paired at once. The bot forfeits three, and only then wins match 3.
        for (number, ended_unix_ms, forfeited) in
            [(0, 1, false), (1, 2, true), (2, 3, true), (3, 5, false), (4, 4, true)]
        {
            let seat = |forfeited| SeatEnd { place: 1, score: 0, forfeited };
            let pairing = Pairing { purpose: Purpose::Rated, seats: bots.to_vec(), replaces: None };
            let over = EndedMatchRow {
                end: End::Played(vec![seat(false), seat(forfeited)]),
                annulled_for: AnnulmentReason::Unspecified,
                match_id: String::new(),
                ended_unix_ms,
                conduct: Vec::new(),
            };
            let row = MatchRow { pairing, paired_unix_ms: 0, over: None };
            changes.push(LadderChange::Pair { term: 1, number, value: row.to_bytes() });
            let value = MatchRow { over: Some(over), ..row }.to_bytes();
            changes.push(LadderChange::End { term: 1, number, value });
        }
        let annul = v1::LadderAction {
            action: Some(v1::ladder_action::Action::AnnulMatchId("m".to_owned())),
            ..v1::LadderAction::default()
        };
        let record = LadderActionRecord {
            format_version: FORMAT_VERSION,
            action: Some(annul),
            ..LadderActionRecord::default()
        };
        changes.push(LadderChange::PutAction { term: 1, number: 1, value: record.encode_to_vec() });
        let writes =
            changes.into_iter().map(|change| Write::ChangeLadder { ladder_id: id.clone(), change });
        store.commit(writes.collect()).await.unwrap();
        let stored = store.ladders().await.unwrap().intact.remove(0);
        let metrics = Metrics::for_node(None);
        let count = ServerVersionCount::default();
        let ladder = LiveLadder::recover(stored, store, &metrics, count).await.unwrap().unwrap();
        ladder.with_model(|model| {
            assert_eq!(model.ladder.counts().annulled, 1);
            assert!(model.ladder.entry(&bots[1]).unwrap().benched.is_some());
        });
    }
}
