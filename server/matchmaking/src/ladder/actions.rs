//! Organisers' actions: planned against the ladder, stored as records, and applied by reloading the
//! ladder, as after a restart.

use std::sync::Arc;

use bridgemaster_edge::{
    identity::ConfusableNames, limits::MAX_LADDER_ACTIONS, metrics::Metrics, refusal::Refusal,
    wall_clock::now_unix_ms,
};
use bridgemaster_ladder::{
    Action, Actions, BotSelector, BotVersion, OrganiserAction, SettingsChange,
};
use bridgemaster_live::Matches;
use bridgemaster_proto::{
    internal::v1::LadderActionRecord,
    v1::{
        self, LadderBotRef, LadderSettings, LadderState, RefusalReason,
        ladder_action::Action as Kind,
    },
};
use bridgemaster_store::{
    LadderChange, LadderId, Store, StoreError, StoredLadderMatch, ladder_action_prefix,
};
use prost::Message as _;
use tracing::info;

use super::{
    LiveLadder,
    model::LadderModel,
    rows::{FORMAT_VERSION, LadderDescription, MatchRow, closing_of},
};

/// A planned action.
enum Plan {
    /// The action with this number is in effect and does the same.
    Repeat(usize),
    /// The action to store, with the changed description of the ladder, if it changes.
    Record(Box<LadderActionRecord>, Option<LadderDescription>),
}

impl LiveLadder {
    /// Stores an organiser's action and applies it. Returns the action, or the earlier action in
    /// effect that does the same. `annulled` is the number of the match to annul, if any.
    ///
    /// # Errors
    /// Returns the inner error, when the action is not possible now; the outer error, when the
    /// store fails.
    pub(super) async fn act(
        self: &Arc<Self>,
        metrics: Arc<Metrics>,
        action: v1::LadderAction,
        annulled: Option<u64>,
    ) -> Result<Result<v1::LadderAction, Refusal>, StoreError> {
        self.change(move |ladder| async move {
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
            let done = ladder.with_model(|model| model.action(number));
            Ok(done.ok_or_else(Refusal::storage_failed))
        })
        .await
    }

    /// Returns the organisers' actions, the oldest first.
    pub fn actions(&self) -> Vec<v1::LadderAction> {
        self.with_model(|model| {
            (1..=model.actions.len()).filter_map(|number| model.action(number)).collect()
        })
    }

    /// Finds the number of an ended match that can be annulled.
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
        let detail = "is not an ended match of the ladder; `ladder show` lists a bot's matches";
        Err(Refusal::field("action.annul_match_id", detail))
    }

    /// Checks that no organiser has excluded a bot, and that its name is not confusable with that
    /// of a removed bot.
    ///
    /// # Errors
    /// Returns an error if the bot may not attend.
    pub(super) fn check_exclusion(&self, bot: &BotVersion) -> Result<(), Refusal> {
        let reason = self.with_model(|model| {
            let actions = model.ladder.actions();
            let own = actions.exclusion_reason(bot).map(|reason| format!("the bot is {reason}"));
            own.or_else(|| {
                let mut removed = ConfusableNames::default();
                actions.removed().for_each(|name| removed.insert(name, ()));
                let (name, ()) = removed.find(&bot.name)?;
                let reason = actions.exclusion_reason(&BotVersion::new(name, ""))?;
                Some(format!("the name is confusable with that of a bot that is {reason}"))
            })
        });
        match reason {
            Some(reason) => Err(Refusal::new(RefusalReason::BotBenched, reason)),
            None => Ok(()),
        }
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
    let mut description = model.description.clone();
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
    if actions.len() >= MAX_LADDER_ACTIONS {
        return Err(Refusal::server_limit("ladder_actions", MAX_LADDER_ACTIONS));
    }
    let reverted = match action {
        Action::Revert { number } => actions.get(number).map(|one| &one.action),
        _ => None,
    };
    let (from, to, at_match, frozen_ms) = match (&action, reverted) {
        (Action::Reopen { .. }, _) => (LadderState::Frozen, LadderState::Open, 0, 0),
        (_, Some(Action::Reopen { at_match, frozen_ms })) => {
            (LadderState::Open, LadderState::Frozen, *at_match, *frozen_ms)
        }
        _ => return Ok(Plan::Record(Box::new(record), None)),
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
    Ok(Plan::Record(Box::new(record), Some(description)))
}

/// Reads a ladder's actions: the actions, and their messages. `unreadable` receives problems; an
/// action that cannot be read has no effect, but keeps its number.
pub(super) async fn read_actions(
    id: &LadderId,
    store: &dyn Store,
    mut unreadable: impl FnMut(&str),
) -> Result<(Actions, Vec<v1::LadderAction>), StoreError> {
    let records = store.records(&ladder_action_prefix(id)).await?;
    for damage in records.damaged {
        unreadable(&damage.to_string());
    }
    let (mut actions, mut messages) = (Actions::default(), Vec::new());
    for (name, value) in records.intact {
        let read = LadderActionRecord::decode(&*value).map_err(|error| error.to_string());
        let decoded = read.and_then(|record| Ok((decode(&record)?, record)));
        let number =
            name.rsplit('/').next().and_then(|number| usize::from_str_radix(number, 16).ok());
        match (decoded, number) {
            (Ok((action, record)), Some(number)) if number <= MAX_LADDER_ACTIONS => {
                while actions.len() + 1 < number {
                    actions.push(unknown_action());
                    messages.push(v1::LadderAction::default());
                }
                actions.push(action);
                messages.push(record.action.unwrap_or_default());
            }
            (Err(problem), _) => unreadable(&problem),
            (Ok(_), _) => unreadable("its number is not valid"),
        }
    }
    Ok((actions, messages))
}

/// Returns an action without effects, in the place of an unreadable one.
fn unknown_action() -> OrganiserAction {
    OrganiserAction {
        key_name: String::new(),
        reason: String::new(),
        action: Action::Edit(SettingsChange::default()),
    }
}

/// Converts a record to its action.
fn decode(record: &LadderActionRecord) -> Result<OrganiserAction, String> {
    if record.format_version != FORMAT_VERSION {
        return Err(format!("the format version {} is not supported", record.format_version));
    }
    let message = record.action.clone().unwrap_or_default();
    let action = match message.action.ok_or("must contain an action that this server knows")? {
        Kind::Bench(bot) => Action::Bench(selector(bot)),
        Kind::DisqualifyBotName(name) => Action::Disqualify(name),
        Kind::RemoveBotName(name) => Action::Remove(name),
        Kind::AnnulMatchId(_) => Action::AnnulMatch { number: record.match_number },
        Kind::AnnulResults(bot) => {
            Action::AnnulResults { bot: selector(bot), before: record.match_number }
        }
        Kind::Edit(settings) => Action::Edit(settings_of(settings)),
        Kind::Reopen(_) => {
            Action::Reopen { at_match: record.match_number, frozen_ms: record.frozen_unix_ms }
        }
        Kind::RevertNumber(number) => {
            Action::Revert { number: usize::try_from(number).unwrap_or(usize::MAX) }
        }
    };
    Ok(OrganiserAction { key_name: message.key_name, reason: message.reason, action })
}

fn selector(bot: LadderBotRef) -> BotSelector {
    let LadderBotRef { bot_name: name, bot_version } = bot;
    BotSelector { name, version: Some(bot_version).filter(|version| !version.is_empty()) }
}

fn settings_of(settings: LadderSettings) -> SettingsChange {
    let LadderSettings { key_names, house_bots, max_matches, max_slots, closing } = settings;
    SettingsChange {
        key_names: key_names.map(|list| list.names),
        house_bots: house_bots.map(|list| list.names),
        max_matches,
        max_slots,
        closing: closing.map(closing_of),
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_ladder::{AttendingBot, End, LadderEntry, SeatEnd};
    use bridgemaster_proto::v1::FaultReason;
    use bridgemaster_store::{LadderStore as _, MemoryStore};

    use super::*;
    use crate::ladder::{
        Attendances, capacity::ServerVersionCount, outcome::Outcome, rows::SeatConduct,
    };

    fn metrics() -> Arc<Metrics> {
        Arc::new(Metrics::for_node(None))
    }

    fn annul() -> Kind {
        Kind::AnnulMatchId("m".to_owned())
    }

    /// Everything that a ladder derives from its rows.
    fn state(ladder: &LiveLadder) -> impl PartialEq + std::fmt::Debug {
        let standings = ladder.standings(&Attendances::new(), true);
        (standings, ladder.to_wire(), ladder.all_standings(), ladder.actions())
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
        let done = ladder.act(metrics(), action, annulled).await.unwrap();
        done.unwrap().number
    }

    fn entry(ladder: &LiveLadder) -> LadderEntry {
        let standings = ladder.all_standings();
        standings.into_iter().find(|entry| entry.bot.name == "cyd").unwrap()
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
}
