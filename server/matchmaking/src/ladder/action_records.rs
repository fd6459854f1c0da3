//! The stored records of organisers' actions.

use bridgemaster_edge::limits::MAX_LADDER_ACTIONS;
use bridgemaster_ladder::{Action, Actions, BotSelector, OrganiserAction, SettingsChange};
use bridgemaster_proto::{
    internal::v1::LadderActionRecord,
    v1::{self, LadderBotRef, LadderSettings, ladder_action::Action as Kind},
};
use bridgemaster_store::{DamagedValue, LadderId, Store, StoreError, ladder_action_prefix};
use prost::Message as _;

use super::rows::{FORMAT_VERSION, closing_of};

/// The maximum number of actions including reverts.
pub(super) const MAX_ACTIONS_WITH_REVERTS: usize = 2 * MAX_LADDER_ACTIONS;

/// Reads a ladder's actions: the actions, and their messages. `unreadable` receives problems; an
/// action that cannot be read has no effect, but keeps its number.
pub(super) async fn read_actions(
    id: &LadderId,
    store: &dyn Store,
    mut unreadable: impl FnMut(&str),
) -> Result<(Actions, Vec<v1::LadderAction>), StoreError> {
    let prefix = ladder_action_prefix(id);
    let records = store.records(&prefix).await?;
    let damaged = records.damaged.into_iter().map(|damage| {
        let problem = damage.to_string();
        match damage.value {
            DamagedValue::Record(name) => (name, Err(problem)),
            _ => (String::new(), Err(problem)),
        }
    });
    let read = |value: Vec<u8>| {
        let record = LadderActionRecord::decode(&*value).map_err(|error| error.to_string())?;
        Ok((decode(&record)?, record.action.unwrap_or_default()))
    };
    let intact = records.intact.into_iter().map(|(name, value)| (name, read(value)));
    let mut rows: Vec<(String, Result<_, String>)> = intact.chain(damaged).collect();
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    let (mut actions, mut messages) = (Actions::default(), Vec::new());
    for (name, row) in rows {
        let number = name.strip_prefix(&prefix);
        let number = number.and_then(|number| usize::from_str_radix(number, 16).ok());
        let next = actions.len() + 1;
        let number = number.filter(|number| (next..=MAX_ACTIONS_WITH_REVERTS).contains(number));
        let row = row.inspect_err(|problem| unreadable(problem));
        let Some(number) = number else {
            unreadable(&format!("the action {name} has no valid number"));
            continue;
        };
        for _ in next..number {
            actions.push(unknown_action());
            messages.push(v1::LadderAction::default());
        }
        let (action, message) = row.unwrap_or_else(|_| (unknown_action(), Default::default()));
        actions.push(action);
        messages.push(message);
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
pub(super) fn decode(record: &LadderActionRecord) -> Result<OrganiserAction, String> {
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
