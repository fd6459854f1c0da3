//! Validation of organisers' actions on ladders.

use bridgemaster_edge::{
    identity::{Authenticator, Caller},
    limits::{MAX_BOT_SLOTS, MAX_LADDER_MATCHES},
    refusal::Refusal,
};
use bridgemaster_proto::v1::{
    LadderAction, LadderBotRef, LadderSettings, NameList, ladder_action::Action as Kind,
};
use bridgemaster_store::limits::MAX_LADDER_ACTION_BYTES;
use prost::Message as _;

use super::{
    ladder_validation::{bot_ref, check_house_bots, closing_rule},
    validation::{self, check_range, quoted},
};

/// The maximum length of an action's reason, in characters.
const MAX_REASON_CHARS: usize = 256;

/// The maximum size of an action, in bytes. The rest is for the fields that the ladder adds.
const MAX_ACTION_BYTES: usize = MAX_LADDER_ACTION_BYTES - 256;

/// Validates an action, and adds the caller's name. `is_known` returns whether a bot with this name
/// has entered the ladder.
pub(super) fn action(
    requested: LadderAction,
    caller: &Caller,
    authenticator: &Authenticator,
    is_known: impl Fn(&str) -> bool,
) -> Result<LadderAction, Refusal> {
    let LadderAction { reason, action, .. } = requested;
    let chars = reason.chars().count();
    if chars == 0 || chars > MAX_REASON_CHARS || reason.contains(char::is_control) {
        let detail = format!("must have 1 to {MAX_REASON_CHARS} printable characters");
        return Err(Refusal::field("action.reason", detail));
    }
    let known = |field: &str, bot: LadderBotRef| {
        let bot = bot_ref(field, Some(bot))?;
        if is_known(&bot.bot_name) {
            return Ok(bot);
        }
        let detail = format!("the ladder has no bot named {}", quoted(&bot.bot_name));
        Err(Refusal::field(field, detail))
    };
    let named = |field: &str, bot_name: String| {
        let bot = LadderBotRef { bot_name, bot_version: String::new() };
        known(field, bot).map(|bot| bot.bot_name)
    };
    let action = match action {
        None => return Err(Refusal::field("action.action", "is required")),
        Some(Kind::Bench(bot)) => Kind::Bench(known("action.bench", bot)?),
        Some(Kind::AnnulResults(bot)) => Kind::AnnulResults(known("action.annul_results", bot)?),
        Some(Kind::DisqualifyBotName(name)) => {
            Kind::DisqualifyBotName(named("action.disqualify_bot_name", name)?)
        }
        Some(Kind::RemoveBotName(name)) => {
            Kind::RemoveBotName(named("action.remove_bot_name", name)?)
        }
        Some(Kind::Edit(edit)) => Kind::Edit(settings(edit, authenticator.uses_keys())?),
        Some(action @ (Kind::AnnulMatchId(_) | Kind::Reopen(_) | Kind::RevertNumber(_))) => action,
    };
    let key_name = caller.key_name().map(ToString::to_string).unwrap_or_default();
    let action = LadderAction { key_name, reason, action: Some(action), ..LadderAction::default() };
    let bytes = action.encoded_len();
    if bytes > MAX_ACTION_BYTES {
        let detail = format!("has {bytes} bytes; at most {MAX_ACTION_BYTES}: name fewer keys");
        return Err(Refusal::field("action", detail));
    }
    Ok(action)
}

fn settings(edit: LadderSettings, uses_keys: bool) -> Result<LadderSettings, Refusal> {
    if edit == LadderSettings::default() {
        return Err(Refusal::field("action.edit", "must set at least one setting"));
    }
    if let Some(NameList { names }) = &edit.key_names {
        validation::key_names("action.edit.key_names", names, uses_keys)?;
    }
    if let Some(NameList { names }) = &edit.house_bots {
        check_house_bots("action.edit.house_bots", names)?;
    }
    if let Some(max_matches) = edit.max_matches {
        check_range("action.edit.max_matches", max_matches, 1..=MAX_LADDER_MATCHES)?;
    }
    if let Some(max_slots) = edit.max_slots {
        check_range("action.edit.max_slots", max_slots, 1..=MAX_BOT_SLOTS)?;
    }
    let closing = edit.closing.map(|rule| closing_rule(Some(rule))).transpose()?;
    Ok(LadderSettings { closing, ..edit })
}
