//! A queue, and who stands how in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{
    BotName, QueueId, Standing,
    attendance::{Place, state},
};

/// What a queue is, as who opened it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueRules {
    pub(crate) queue_id: QueueId,
    /// The key that opened it; `None` where there are no keys, and for those of the server itself.
    pub(crate) owner: Option<KeyName>,
    /// The game that is played; `None` for several.
    pub(crate) game_id: Option<String>,
    pub(crate) rules_version: Option<u32>,
    /// The keys whose bots may attend; none for all.
    pub(crate) key_names: BTreeSet<KeyName>,
    /// Whether the server itself runs it, as that of a ladder.
    pub(crate) is_ladder: bool,
    /// How a version stands of which nothing else was said.
    pub(crate) newcomers: Standing,
}

impl QueueRules {
    /// Whether the bot of this key may attend.
    pub(crate) fn admits(&self, key: Option<&KeyName>) -> bool {
        self.key_names.is_empty() || key.is_some_and(|key| self.key_names.contains(key))
    }
}

/// A queue and its bots.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) rules: QueueRules,
    /// It ends with the last of its matches.
    pub(super) is_closing: bool,
    pub(super) places: BTreeMap<BotName, Place>,
    pub(super) standings: HashMap<(BotName, String), Standing>,
    /// When something last changed that its watchers are told.
    pub(super) revision: u64,
}

impl Queue {
    pub(super) fn new(rules: QueueRules, is_closing: bool, revision: u64) -> Self {
        Self {
            rules,
            is_closing,
            places: BTreeMap::new(),
            standings: HashMap::new(),
            revision,
        }
    }

    /// How a version of a bot stands.
    pub(super) fn standing(&self, bot: &BotName, version: &str) -> &Standing {
        let said = self.standings.get(&(bot.clone(), version.to_owned()));
        said.unwrap_or(&self.rules.newcomers)
    }

    /// The attendance of a bot on the wire; `None` for one that does not attend.
    pub(super) fn attendance(&self, bot: &BotName) -> Option<v1::Attendance> {
        let place = self.places.get(bot)?;
        let attendance = place.attendance.as_ref()?;
        let (state, detail) = state(attendance, self.standing(bot, &attendance.version));
        Some(v1::Attendance {
            attendance_id: attendance.id.as_str().to_owned(),
            queue_id: self.rules.queue_id.to_string(),
            bot_name: bot.to_string(),
            bot_version: attendance.version.clone(),
            owner: attendance.owner.clone(),
            slots: attendance.slots,
            slots_used: place.slots_used(),
            state: state.into(),
            detail,
        })
    }

    /// Itself on the wire.
    pub(super) fn to_wire(&self) -> v1::Queue {
        let attending = self.places.values();
        let attending = attending.filter(|place| place.attendance.is_some());
        v1::Queue {
            attendances: u32::try_from(attending.count()).unwrap_or(u32::MAX),
            ..self.rules.to_wire()
        }
    }
}

impl QueueRules {
    /// A queue on the wire to which nobody has come.
    pub(crate) fn to_wire(&self) -> v1::Queue {
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
