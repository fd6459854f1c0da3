//! Opens, closes and lists queues, and decides which bots may attend them.

use std::collections::BTreeSet;

use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{
    super::{BotName, QueueId, QueueRules, VersionStatus, attendance::StreamEnd, queue::Queue},
    LobbyError, WaitingRoom,
};

impl WaitingRoom {
    /// Opens a queue. Repeating the call has no effect.
    ///
    /// # Errors
    /// Returns an error if another queue has the name, or there are too many queues.
    pub(crate) fn open_queue(&mut self, rules: QueueRules) -> Result<v1::Queue, LobbyError> {
        if let Some(queue) = self.queues.get_mut(&rules.queue_id) {
            if queue.rules == rules && !queue.is_closing {
                return Ok(queue.to_wire());
            }
            // A closed queue with matches in play can be reopened.
            if !queue.is_closing || queue.rules.owner != rules.owner {
                return Err(LobbyError::QueueExists);
            }
            queue.rules = rules;
            queue.is_closing = false;
            return Ok(queue.to_wire());
        }
        if !rules.is_ladder {
            let (limit, limit_per_key) = (self.limits.queues, self.limits.queues_per_key());
            if self.queues.len() >= limit {
                return Err(LobbyError::ServerLimit("queues", limit));
            }
            let owners = self.queues.values().map(|queue| &queue.rules.owner);
            let own = owners.filter(|owner| **owner == rules.owner).count();
            if rules.owner.is_some() && own >= limit_per_key {
                return Err(LobbyError::Limit("queues_per_key", limit_per_key));
            }
        }
        let queue_id = rules.queue_id.clone();
        let queue = Queue::new(rules, false, self.revision);
        let opened = queue.to_wire();
        self.queues.insert(queue_id, queue);
        Ok(opened)
    }

    /// Returns a queue's rules; `None` if the queue does not exist.
    pub(crate) fn rules(&self, queue_id: &QueueId) -> Option<&QueueRules> {
        self.queues.get(queue_id).map(|queue| &queue.rules)
    }

    /// Closes a queue. Its attendances end, and it is removed after its last match has ended.
    pub(crate) fn close_queue(&mut self, queue_id: &QueueId) {
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        queue.is_closing = true;
        let bots: Vec<BotName> = queue.entries.keys().cloned().collect();
        for bot in bots {
            self.end_attendance(queue_id, &bot);
        }
        self.remove_if_closed(queue_id);
    }

    fn end_attendance(&mut self, queue_id: &QueueId, bot: &BotName) {
        if let Some(attendance) = self.attendance_mut(queue_id, bot) {
            attendance.is_leaving = true;
        }
        self.notify(queue_id, bot);
        self.clean_up(queue_id, bot);
    }

    /// Sets the keys whose bots may attend a queue. The attendances of all other bots end.
    pub(crate) fn set_admission(&mut self, queue_id: &QueueId, key_names: BTreeSet<KeyName>) {
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        queue.rules.key_names = key_names;
        let is_admitted =
            |bot: &BotName| queue.rules.admits(KeyName::new(bot.as_str()).ok().as_ref());
        let expelled = queue.entries.keys().filter(|bot| !is_admitted(bot));
        for bot in expelled.cloned().collect::<Vec<_>>() {
            self.end_attendance(queue_id, &bot);
        }
    }

    /// Lists at most `count` open queues that pass `is_visible`, in the order of their names,
    /// starting after the name `after`.
    pub fn list(
        &self,
        after: Option<&QueueId>,
        count: usize,
        is_visible: impl Fn(&QueueRules) -> bool,
    ) -> Vec<v1::Queue> {
        let queues = self.queues.iter();
        let queues = queues.filter(|(id, queue)| {
            after.is_none_or(|after| *id > after) && !queue.is_closing && is_visible(&queue.rules)
        });
        queues.take(count).map(|(_, queue)| queue.to_wire()).collect()
    }

    /// Returns whether the bot of a key may attend a queue.
    pub(crate) fn admits(&self, queue_id: &QueueId, key: Option<&KeyName>) -> bool {
        let queue = self.queues.get(queue_id);
        queue.is_some_and(|queue| !queue.is_closing && queue.rules.admits(key))
    }

    /// Sets the status of a bot's version. Benching a version ends the stream of its bot.
    pub(crate) fn set_status(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        version: &str,
        status: VersionStatus,
    ) {
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        let of = (bot.clone(), version.to_owned());
        queue.statuses.insert(of, status.clone());
        let Some(attendance) = self.attendance_mut(queue_id, bot) else {
            return;
        };
        if attendance.version != version {
            return;
        }
        let stream = attendance.stream;
        if let (Some(stream), VersionStatus::Benched { detail }) = (stream, status) {
            self.end_stream(stream, StreamEnd::Benched(detail));
        }
        self.notify(queue_id, bot);
    }

    /// Replaces the statuses of all versions. Versions that are not listed get the default status.
    pub(crate) fn replace_statuses(
        &mut self,
        queue_id: &QueueId,
        statuses: impl IntoIterator<Item = (BotName, String, VersionStatus)>,
    ) {
        if let Some(queue) = self.queues.get_mut(queue_id) {
            queue.statuses.clear();
        }
        for (bot, version, status) in statuses {
            self.set_status(queue_id, &bot, &version, status);
        }
    }

    /// Counts the bots that attend ladder queues, and the bots that attend other queues.
    pub fn attendance_counts(&self) -> (usize, usize) {
        let mut count = (0, 0);
        for queue in self.queues.values() {
            let entries = queue.entries.values();
            let bots = entries.filter(|entry| entry.attendance.is_some()).count();
            if queue.rules.is_ladder {
                count.0 += bots;
            } else {
                count.1 += bots;
            }
        }
        count
    }

    /// Lists the attendances in a queue.
    pub fn attendances(&self, queue_id: &QueueId) -> Vec<v1::Attendance> {
        let Some(queue) = self.queues.get(queue_id) else {
            return Vec::new();
        };
        let bots = queue.entries.keys();
        bots.filter_map(|bot| queue.attendance(bot)).collect()
    }

    pub(super) fn remove_if_closed(&mut self, queue_id: &QueueId) {
        let queue = self.queues.get(queue_id);
        if queue.is_some_and(|queue| queue.is_closing && queue.entries.is_empty()) {
            self.queues.remove(queue_id);
            // The new revision makes watchers notice that the queue was removed.
            self.revision += 1;
        }
    }
}
