//! Admission to a ladder's queue: its rules, and the status of each bot version.

use std::collections::HashMap;

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_ladder::{BotVersion, EntryState, LadderEntry};
use bridgemaster_proto::{
    games::game_id,
    v1::{self, RefusalReason},
};
use bridgemaster_store::KeyName;

use super::{LiveLadder, model::LadderModel};
use crate::lobby::{BotName, Lobby, QueueId, QueueRules, VersionStatus};

impl LiveLadder {
    /// Checks that no organiser excludes a bot, and that its name is not confusable with that of a
    /// removed bot.
    ///
    /// # Errors
    /// Returns an error if the bot may not attend.
    pub(super) fn check_exclusion(&self, bot: &BotVersion) -> Result<(), Refusal> {
        match self.with_model(|model| model.exclusion_reason(bot)) {
            Some(reason) => Err(Refusal::new(RefusalReason::BotBenched, reason)),
            None => Ok(()),
        }
    }
}

impl LadderModel {
    /// Describes for people why an organiser excludes a version: because of an action against it,
    /// or because its name is confusable with that of a removed bot.
    pub(super) fn exclusion_reason(&self, bot: &BotVersion) -> Option<String> {
        let actions = self.ladder.actions();
        if let Some(reason) = actions.exclusion_reason(bot) {
            return Some(format!("the bot is {reason}"));
        }
        let (name, ()) = self.removed.find(&bot.name)?;
        let reason = actions.exclusion_reason(&BotVersion::new(name, ""))?;
        Some(format!("the name is confusable with that of a bot that is {reason}"))
    }
}

/// Builds the rules for a ladder's queue; `None` if a name in the rules is invalid.
pub(super) fn queue_rules(ladder: &v1::Ladder) -> Option<QueueRules> {
    let game = ladder.config.as_ref()?.game.as_ref()?;
    let key_names = ladder.key_names.iter().map(KeyName::new);
    Some(QueueRules {
        queue_id: QueueId::new(&ladder.ladder_id)?,
        owner: None,
        game_id: Some(game_id(game)?.to_owned()),
        rules_version: Some(ladder.rules_version),
        key_names: key_names.collect::<Result<_, _>>().ok()?,
        is_ladder: true,
        default_status: VersionStatus::Validating { failed: None },
    })
}

/// Applies the admission and the exclusions of a ladder to its queue.
pub(super) fn publish_admission(lobby: &Lobby, ladder: &LiveLadder) {
    let Some(QueueRules { queue_id, key_names, .. }) = queue_rules(&ladder.to_wire()) else {
        return;
    };
    let attending = lobby.with_room(|room, _| {
        room.set_admission(&queue_id, key_names);
        room.attendances(&queue_id)
    });
    let mut statuses = HashMap::new();
    ladder.with_model(|model| {
        let entries = model.ladder.entries();
        statuses.extend(entries.map(|entry| (entry.bot.clone(), status_of(entry))));
        for attendance in attending {
            let bot = BotVersion::new(attendance.bot_name, attendance.bot_version);
            if let Some(detail) = model.exclusion_reason(&bot) {
                statuses.insert(bot, VersionStatus::Benched { detail });
            }
        }
    });
    let statuses = statuses.into_iter();
    let statuses =
        statuses.filter_map(|(bot, status)| Some((BotName::new(&bot.name)?, bot.version, status)));
    lobby.with_room(|room, _| room.replace_statuses(&queue_id, statuses));
}

/// Sets the status of a version in the ladder's queue.
pub(super) fn publish_status(lobby: &Lobby, queue_id: &QueueId, entry: &LadderEntry) {
    if let Some(bot) = BotName::new(&entry.bot.name) {
        let (version, status) = (&entry.bot.version, status_of(entry));
        lobby.with_room(|room, _| room.set_status(queue_id, &bot, version, status));
    }
}

fn status_of(entry: &LadderEntry) -> VersionStatus {
    match entry.state() {
        EntryState::Active => VersionStatus::Active,
        EntryState::Validating => {
            VersionStatus::Validating { failed: entry.failed_validation.clone() }
        }
        EntryState::Benched(detail) => VersionStatus::Benched { detail: detail.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::Arc,
        task::{Context, Waker},
    };

    use bridgemaster_edge::{limits::Limits, metrics::Metrics};
    use bridgemaster_ladder::AttendingBot;
    use bridgemaster_proto::v1::{AttendanceState, LadderBotRef, ladder_action::Action};
    use bridgemaster_store::{LadderId, MemoryStore};

    use super::*;
    use crate::{
        ladder::{capacity::ServerVersionCount, rows::LadderDescription},
        lobby::{AttendanceId, NewAttendance},
    };

    #[tokio::test]
    async fn an_action_reaches_the_queue_although_its_caller_is_dropped_until_it_is_reverted() {
        let id = LadderId::new("league").unwrap();
        let description = LadderDescription::with_two_house_bots();
        let store = Arc::new(MemoryStore::new());
        let ladder = LiveLadder::create(id, description, store, ServerVersionCount::default());
        let ladder = ladder.await.unwrap();
        let lobby = Lobby::new(&Limits::default(), None);
        let rules = queue_rules(&ladder.to_wire()).unwrap();
        let (queue_id, bot) = (rules.queue_id.clone(), BotName::new("eve").unwrap());
        lobby.with_room(|room, _| room.open_queue(rules)).unwrap();
        // This bot attends, but has not entered.
        let attendance = NewAttendance {
            queue_id: queue_id.clone(),
            bot: bot.clone(),
            version: "1".to_owned(),
            owner: String::new(),
            key: None,
            caller: None,
            slots: 1,
            node: None,
            client_stream: None,
            new_id: AttendanceId::from_client("eve"),
        };
        let _stream = lobby.attend(attendance).unwrap();
        let state =
            || lobby.with_room(|room, _| room.wire_attendance(&queue_id, &bot)).unwrap().state();
        let act = |action| {
            let action = v1::LadderAction { action: Some(action), ..v1::LadderAction::default() };
            let metrics = Arc::new(Metrics::for_node(None));
            ladder.act(Arc::clone(&lobby), metrics, action, None)
        };
        {
            let bot_name = "eve".to_owned();
            let bench = Action::Bench(LadderBotRef { bot_name, ..LadderBotRef::default() });
            let mut dropped = pin!(act(bench));
            let is_done = dropped.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(is_done.is_pending(), "the call ends before the action is applied");
        }
        ladder.change(|_| async { Ok(()) }).await.unwrap();
        assert_eq!(state(), AttendanceState::Benched);
        act(Action::RevertNumber(1)).await.unwrap().unwrap();
        assert_eq!(state(), AttendanceState::Validating);
        act(Action::RemoveBotName("eve".to_owned())).await.unwrap().unwrap();
        let confusable = AttendingBot {
            bot: BotVersion::new("Eve", "1"),
            owner: String::new(),
            slots: 1,
            free_slots: 1,
        };
        assert_eq!(ladder.enter_versions(vec![confusable]).await.unwrap(), []);
    }
}
