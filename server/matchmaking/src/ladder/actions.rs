//! Organisers' actions: planned against the ladder, stored as records, and applied by reloading the
//! ladder, as after a restart.

use std::sync::Arc;

use bridgemaster_edge::{
    limits::MAX_LADDER_ACTIONS, metrics::Metrics, refusal::Refusal, wall_clock::now_unix_ms,
};
use bridgemaster_ladder::{Action, Actions};
use bridgemaster_live::Matches;
use bridgemaster_proto::{
    internal::v1::LadderActionRecord,
    v1::{self, LadderState, RefusalReason, ladder_action::Action as Kind},
};
use bridgemaster_store::{LadderChange, StoreError, StoredLadderMatch};
use prost::Message as _;
use tracing::info;

use super::{
    LiveLadder,
    action_records::{MAX_ACTIONS_WITH_REVERTS, decode},
    admission::publish_admission,
    model::LadderModel,
    rows::{FORMAT_VERSION, LadderDescription, MatchRow},
};
use crate::lobby::Lobby;

/// The size in bytes at which a page of actions ends.
const PAGE_BYTES: usize = 1 << 20;

/// A planned action.
enum Plan {
    /// The action with this number is in effect and does the same.
    Repeat(usize),
    /// The action to store, with the changed description of the ladder, if it changes.
    Record(Box<LadderActionRecord>, Option<LadderDescription>),
}

impl LiveLadder {
    /// Stores an organiser's action and applies it, also to the ladder's queue. Returns the action,
    /// or the earlier action in effect that does the same. `annulled` is the number of the match to
    /// annul, if any.
    ///
    /// # Errors
    /// Returns the inner error, when the action is not possible now; the outer error, when the
    /// store fails.
    pub(super) async fn act(
        self: &Arc<Self>,
        lobby: Arc<Lobby>,
        metrics: Arc<Metrics>,
        action: v1::LadderAction,
        annulled: Option<u64>,
    ) -> Result<Result<v1::LadderAction, Refusal>, StoreError> {
        self.change(move |ladder| async move {
            if ladder.needs_reload() {
                // The action is planned against all stored actions. The flag stays set, because
                // the runner has more to reload.
                ladder.reload_model(&metrics).await?;
            }
            let planned = ladder.with_model(|model| {
                let plan = plan(model, action, annulled)?;
                Ok((plan, model.ladder.actions().len() + 1))
            });
            let number = match planned {
                Err(refusal) => return Ok(Err(refusal)),
                Ok((Plan::Repeat(number), _)) => number,
                Ok((Plan::Record(record, description), number)) => {
                    let term = ladder.term;
                    let value = record.encode_to_vec();
                    let put = LadderChange::PutAction { term, number: number as u64, value };
                    let update = description.map(|description| LadderChange::Update {
                        term,
                        value: description.to_bytes(),
                    });
                    ladder.commit([put].into_iter().chain(update).collect()).await?;
                    info!(ladder = %ladder.id(), number, "an organiser changed the ladder");
                    ladder.reload_model(&metrics).await.inspect_err(|_| {
                        ladder.set_needs_reload(true);
                        ladder.notify_runner();
                    })?;
                    number
                }
            };
            publish_admission(&lobby, &ladder);
            ladder.notify_runner();
            let done = ladder.with_model(|model| model.action(number));
            Ok(done.ok_or_else(Refusal::storage_failed))
        })
        .await
    }

    /// Lists at most `count` actions of the organisers, after the first `begin` actions. Also
    /// returns the begin of the next page; `None` on the last page.
    pub fn actions(&self, begin: usize, count: usize) -> (Vec<v1::LadderAction>, Option<usize>) {
        self.with_model(|model| {
            let (mut page, mut bytes) = (Vec::new(), 0);
            while let Some(action) = model.action(begin.saturating_add(page.len() + 1)) {
                if page.len() >= count || bytes >= PAGE_BYTES {
                    let next = begin + page.len();
                    return (page, Some(next));
                }
                bytes += action.encoded_len();
                page.push(action);
            }
            (page, None)
        })
    }

    /// Finds the number of a finished match that can be annulled.
    ///
    /// # Errors
    /// Returns an error if the ladder has no such match, or the match has no result; or when the
    /// store fails.
    pub async fn annullable_match(&self, matches: &Matches, id: &str) -> Result<u64, Refusal> {
        let mut from = Some(0);
        while let Some(number) = from {
            let rows = self.read_rows(matches, number, super::listing::ROWS_PER_READ).await?;
            from = rows.next;
            let found = |stored: &StoredLadderMatch| {
                let over = MatchRow::read(stored).ok()?.over?;
                (over.match_id == id).then_some((stored.number, over.end))
            };
            match rows.intact.iter().find_map(found) {
                Some((_, bridgemaster_ladder::End::Cancelled { .. })) => {
                    let detail = "was cancelled, so it has no result to annul";
                    return Err(Refusal::field("action.annul_match_id", detail));
                }
                Some((number, _)) => return Ok(number),
                None => {}
            }
        }
        let detail = "is not a finished match of the ladder; `ladder show` lists a bot's matches";
        Err(Refusal::field("action.annul_match_id", detail))
    }
}

impl LadderModel {
    /// Returns the message of the action with this number.
    fn action(&self, number: usize) -> Option<v1::LadderAction> {
        let action = self.actions.get(number.checked_sub(1)?)?.clone();
        let reverted_by = self.ladder.actions().reverted_by(number).unwrap_or_default();
        Some(v1::LadderAction {
            number: u32::try_from(number).unwrap_or(u32::MAX),
            reverted_by: u32::try_from(reverted_by).unwrap_or(u32::MAX),
            ..action
        })
    }
}

/// Plans an action against the ladder's current state.
fn plan(
    model: &LadderModel,
    message: v1::LadderAction,
    annulled: Option<u64>,
) -> Result<Plan, Refusal> {
    let description = &model.description;
    let state = description.ladder.state();
    let actions = model.ladder.actions();
    let mut record = LadderActionRecord {
        format_version: FORMAT_VERSION,
        match_number: annulled.unwrap_or_default(),
        ..LadderActionRecord::default()
    };
    match &message.action {
        Some(Kind::AnnulResults(_)) => record.match_number = model.ladder.counts().paired,
        Some(Kind::Reopen(_)) => {
            record.match_number = description.frozen_at_match;
            record.frozen_unix_ms = description.ladder.frozen_unix_ms;
        }
        _ => {}
    }
    let now = now_unix_ms().unsigned_abs();
    record.action = Some(v1::LadderAction { at_unix_ms: now, ..message });
    let action = decode(&record).map_err(|problem| Refusal::field("action", problem))?.action;
    if matches!(action, Action::Reopen { .. }) && state == LadderState::Open {
        let mut in_effect = actions.in_effect().rev();
        let last = in_effect.find(|(_, one)| matches!(one.action, Action::Reopen { .. }));
        let refused = || Refusal::field("action.reopen", "is not possible: the ladder is open");
        return last.map(|(number, _)| Plan::Repeat(number)).ok_or_else(refused);
    }
    let repeated = actions.check(&action);
    let repeated = repeated.map_err(|error| Refusal::field("action", error.to_string()))?;
    if let Some(number) = repeated {
        return Ok(Plan::Repeat(number));
    }
    // At the limit, organisers can still revert.
    let limit = match action {
        Action::Revert { .. } => MAX_ACTIONS_WITH_REVERTS,
        _ => MAX_LADDER_ACTIONS,
    };
    if actions.len() >= limit {
        return Err(Refusal::server_limit("ladder_actions", limit));
    }
    let description = change_state(model.description.clone(), &action, actions)?;
    Ok(Plan::Record(Box::new(record), description))
}

/// Returns the description with the state after an action; `None` if the action does not change the
/// state.
fn change_state(
    mut description: LadderDescription,
    action: &Action,
    actions: &Actions,
) -> Result<Option<LadderDescription>, Refusal> {
    let state = description.ladder.state();
    let reverted = match action {
        Action::Revert { number } => actions.get(*number).map(|one| &one.action),
        _ => None,
    };
    let (from, to, at_match, frozen_ms) = match (action, reverted) {
        (Action::Reopen { .. }, _) => (LadderState::Frozen, LadderState::Open, 0, 0),
        (_, Some(Action::Reopen { at_match, frozen_ms })) => {
            (LadderState::Open, LadderState::Frozen, *at_match, *frozen_ms)
        }
        _ => return Ok(None),
    };
    if state != from {
        let (state, from) = (state.as_str_name(), from.as_str_name());
        let message =
            format!("the ladder is {state}; the action is possible only while it is {from}");
        return Err(Refusal::new(RefusalReason::LadderClosed, message));
    }
    description.ladder.state = to.into();
    description.ladder.frozen_unix_ms = frozen_ms;
    description.frozen_at_match = at_match;
    Ok(Some(description))
}

#[cfg(test)]
mod tests {
    use bridgemaster_edge::limits::Limits;
    use bridgemaster_ladder::{AttendingBot, BotVersion, End, LadderEntry, SeatEnd};
    use bridgemaster_proto::v1::{FaultReason, LadderBotRef, LadderSettings};
    use bridgemaster_store::{
        LadderId, LadderStore as _, MemoryStore, RecordStore as _, Store, Write,
        ladder_action_prefix,
    };

    use super::*;
    use crate::ladder::{
        Attendances, capacity::ServerVersionCount, outcome::Outcome, rows::SeatConduct,
    };

    fn metrics() -> Arc<Metrics> {
        Arc::new(Metrics::for_node(None))
    }

    fn lobby() -> Arc<Lobby> {
        Lobby::new(&Limits::default(), None)
    }

    fn annul() -> Kind {
        Kind::AnnulMatchId("m".to_owned())
    }

    /// Everything that a ladder derives from its rows.
    fn state(ladder: &LiveLadder) -> impl PartialEq + std::fmt::Debug {
        let standings = ladder.standings(&Attendances::new(), true);
        (standings, ladder.to_wire(), entries(ladder), ladder.actions(0, 500))
    }

    async fn recovered(store: &Arc<MemoryStore>) -> Arc<LiveLadder> {
        let stored = store.ladders().await.unwrap().intact.remove(0);
        let store: Arc<MemoryStore> = Arc::clone(store);
        let count = ServerVersionCount::default();
        LiveLadder::recover(stored, store, &metrics(), count).await.unwrap().unwrap()
    }

    /// A ladder of `ada`, a house bot, and `cyd`, which has passed a validation, match 0, and has
    /// forfeited the matches 1 to 3 with this conduct.
    async fn with_benched_bot(store: &Arc<MemoryStore>, late: SeatConduct) -> Arc<LiveLadder> {
        let id = LadderId::new("league").unwrap();
        let description = LadderDescription::with_two_house_bots();
        let store: Arc<MemoryStore> = Arc::clone(store);
        let created = LiveLadder::create(id, description, store, ServerVersionCount::default());
        let ladder = created.await.unwrap();
        let present = ["ada", "cyd"].map(|name| AttendingBot {
            bot: BotVersion::new(name, "1"),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        });
        ladder.enter_versions(present.to_vec()).await.unwrap();
        ladder.set_present(&present);
        let sound = SeatConduct::default();
        for number in 0..4 {
            let (paired, row) = ladder.pair_next_match().await.unwrap().expect("both are free");
            assert_eq!(paired, number);
            let end = |bot: &BotVersion| SeatEnd {
                place: if bot.name == "ada" { 1 } else { 2 },
                score: 0,
                forfeited: number > 0 && bot.name == "cyd",
            };
            let ends = row.pairing.seats.iter().map(end).collect();
            let has_forfeited = |bot: &BotVersion| number > 0 && bot.name == "cyd";
            let conduct = row.pairing.seats.iter();
            let conduct = conduct.map(|bot| if has_forfeited(bot) { late } else { sound });
            let mut outcome = Outcome::without_faults(End::Played(ends));
            outcome.conduct = conduct.collect();
            ladder.end_match(number, outcome).await.unwrap();
        }
        ladder
    }

    async fn act(ladder: &Arc<LiveLadder>, action: Kind, annulled: Option<u64>) -> u32 {
        let (reason, action) = ("a test".to_owned(), Some(action));
        let action = v1::LadderAction { reason, action, ..v1::LadderAction::default() };
        let done = ladder.act(lobby(), metrics(), action, annulled).await.unwrap();
        done.unwrap().number
    }

    fn entries(ladder: &LiveLadder) -> Vec<LadderEntry> {
        ladder.with_model(|model| model.ladder.entries().cloned().collect())
    }

    fn entry(ladder: &LiveLadder) -> LadderEntry {
        entries(ladder).into_iter().find(|entry| entry.bot.name == "cyd").unwrap()
    }

    #[tokio::test]
    async fn annulling_a_match_derives_benching_and_validation_again() {
        let store = Arc::new(MemoryStore::new());
        let late = SeatConduct {
            forfeit: FaultReason::Late,
            forfeit_request: 31,
            faults: 2,
            thinking_ms: Some(60_000),
        };
        let ladder = with_benched_bot(&store, late).await;
        let at_first = entry(&ladder);
        assert!(at_first.is_validated && at_first.benched.is_some(), "{at_first:?}");
        let third = act(&ladder, annul(), Some(3)).await;
        assert_eq!((entry(&ladder).benched, ladder.to_wire().matches), (None, 2));
        let standings = ladder.standings(&Attendances::new(), true);
        let cyd = standings.into_iter().find(|standing| standing.bot_name == "cyd").unwrap();
        let forfeits = vec![v1::ForfeitCount { reason: FaultReason::Late.into(), count: 2 }];
        let expected =
            v1::LadderConduct { faults: 4, forfeits, timed_matches: 2, thinking_ms: 120_000 };
        assert_eq!(cyd.conduct, Some(expected));
        assert_eq!(act(&ladder, annul(), Some(3)).await, third, "it has no further effect");
        let validation = act(&ladder, annul(), Some(0)).await;
        assert!(!entry(&ladder).is_validated);
        let before = ladder;
        let ladder = recovered(&store).await;
        assert_eq!(state(&ladder), state(&before), "after a restart");
        let revert = act(&ladder, Kind::RevertNumber(validation), None).await;
        assert!(entry(&ladder).is_validated);
        assert_eq!(act(&ladder, Kind::RevertNumber(validation), None).await, revert);
        act(&ladder, Kind::RevertNumber(third), None).await;
        let benched = entry(&ladder).benched.unwrap();
        assert!(benched.contains("3 times in a row"), "{benched}");
        assert!(benched.contains("no decision in time at decision 31"), "{benched}");
        assert_eq!(ladder.to_wire().matches, 3);
    }

    #[tokio::test]
    async fn every_action_and_its_revert_survive_a_restart() {
        let bot = || LadderBotRef { bot_name: "cyd".to_owned(), ..LadderBotRef::default() };
        let store = Arc::new(MemoryStore::new());
        with_benched_bot(&store, SeatConduct::default()).await;
        let mut ladder = recovered(&store).await;
        let edit = LadderSettings {
            max_matches: Some(1),
            key_names: Some(v1::NameList { names: vec!["ada".to_owned()] }),
            ..LadderSettings::default()
        };
        ladder.advance_state(LadderState::Frozen).await.unwrap().unwrap();
        for (action, annulled) in [
            (Kind::Bench(bot()), None),
            (Kind::DisqualifyBotName("cyd".to_owned()), None),
            (Kind::RemoveBotName("cyd".to_owned()), None),
            (annul(), Some(1)),
            (Kind::AnnulResults(bot()), None),
            (Kind::Edit(edit), None),
            (Kind::Reopen(v1::ReopenLadder {}), None),
        ] {
            let before = (ladder.to_wire(), ladder.standings(&Attendances::new(), true));
            let number = act(&ladder, action.clone(), annulled).await;
            let after = (ladder.to_wire(), ladder.standings(&Attendances::new(), true));
            assert_ne!(after, before, "{action:?}");
            assert_eq!(state(&*recovered(&store).await), state(&ladder), "{action:?}");
            // The restarted ladder leads from now on.
            ladder = recovered(&store).await;
            act(&ladder, Kind::RevertNumber(number), None).await;
            let reverted = (ladder.to_wire(), ladder.standings(&Attendances::new(), true));
            assert_eq!(reverted, before, "{action:?}");
        }
    }

    #[tokio::test]
    async fn no_action_overwrites_a_stored_one() {
        let store = Arc::new(MemoryStore::new());
        let ladder = with_benched_bot(&store, SeatConduct::default()).await;
        // An action of a newer server, whose commit seemed to fail.
        let put = LadderChange::PutAction { term: ladder.term, number: 1, value: vec![0xff] };
        let ladder_id = ladder.id().clone();
        store.commit(vec![Write::ChangeLadder { ladder_id, change: put }]).await.unwrap();
        ladder.set_needs_reload(true);
        let disqualify = Kind::DisqualifyBotName("cyd".to_owned());
        assert_eq!(act(&ladder, disqualify, None).await, 2);
        let ladder = recovered(&store).await;
        assert!(entry(&ladder).excluded.is_some());
        assert_eq!(act(&ladder, Kind::RevertNumber(2), None).await, 3);
        let records = store.records(&ladder_action_prefix(ladder.id())).await.unwrap();
        assert_eq!(records.intact.values().next(), Some(&vec![0xff]));
    }
}
