//! A queue: its rules, its bots, and the status of each bot version.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{
    BotName, QueueId, VersionStatus,
    attendance::{QueueEntry, state},
};

/// A queue's rules, as set by its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRules {
    /// The name of the queue.
    pub queue_id: QueueId,
    /// The key that opened the queue; `None` on a server without keys, and for queues of the server
    /// itself.
    pub owner: Option<KeyName>,
    /// The game of the matches; `None` for any game.
    pub game_id: Option<String>,
    /// The version of the game's rules; `None` for any version.
    pub rules_version: Option<u32>,
    /// The keys whose bots may attend; empty for all keys.
    pub key_names: BTreeSet<KeyName>,
    /// Whether the queue belongs to a ladder, so that the server itself manages it.
    pub is_ladder: bool,
    /// The status of versions for which no status is set.
    pub default_status: VersionStatus,
}

impl QueueRules {
    /// Returns whether the bot of this key may attend.
    pub fn admits(&self, key: Option<&KeyName>) -> bool {
        self.key_names.is_empty() || key.is_some_and(|key| self.key_names.contains(key))
    }
}

/// A queue and its bots.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) rules: QueueRules,
    /// Whether the queue is closing: it is removed once its last match has ended.
    pub(super) is_closing: bool,
    pub(super) entries: BTreeMap<BotName, QueueEntry>,
    pub(super) statuses: HashMap<(BotName, String), VersionStatus>,
    /// The revision of the waiting room at the last change that watchers see.
    pub(super) revision: u64,
}

impl Queue {
    pub(super) fn new(rules: QueueRules, is_closing: bool, revision: u64) -> Self {
        Self { rules, is_closing, entries: BTreeMap::new(), statuses: HashMap::new(), revision }
    }

    /// Returns the status of a bot's version.
    pub(super) fn status(&self, bot: &BotName, version: &str) -> &VersionStatus {
        let status = self.statuses.get(&(bot.clone(), version.to_owned()));
        status.unwrap_or(&self.rules.default_status)
    }

    /// Converts the attendance of a bot to its message; `None` if the bot does not attend.
    pub(super) fn attendance(&self, bot: &BotName) -> Option<v1::Attendance> {
        let entry = self.entries.get(bot)?;
        let attendance = entry.attendance.as_ref()?;
        let (state, detail) = state(attendance, self.status(bot, &attendance.version));
        Some(v1::Attendance {
            attendance_id: attendance.id.as_str().to_owned(),
            queue_id: self.rules.queue_id.to_string(),
            bot_name: bot.to_string(),
            bot_version: attendance.version.clone(),
            owner: attendance.owner.clone(),
            slots: attendance.slots,
            slots_used: entry.slots_used(),
            busy_slots: attendance.busy_slots,
            state: state.into(),
            detail,
        })
    }

    /// Converts the queue to its message.
    pub(super) fn to_wire(&self) -> v1::Queue {
        let attending = self.entries.values();
        let attending = attending.filter(|entry| entry.attendance.is_some());
        v1::Queue {
            attendances: u32::try_from(attending.count()).unwrap_or(u32::MAX),
            ..self.rules.to_wire()
        }
    }
}

impl QueueRules {
    /// Converts the rules to the message of an empty queue.
    pub fn to_wire(&self) -> v1::Queue {
        v1::Queue {
            queue_id: self.queue_id.to_string(),
            game_id: self.game_id.clone().unwrap_or_default(),
            rules_version: self.rules_version,
            key_names: self.key_names.iter().map(ToString::to_string).collect(),
            attendances: 0,
            is_ladder: self.is_ladder,
        }
    }
}
