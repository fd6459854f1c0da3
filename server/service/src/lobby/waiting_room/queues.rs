//! Queues: opened, closed, listed, and who may attend them.

use bridgemaster_proto::v1;
use bridgemaster_store::KeyName;

use super::{Refused, WaitingRoom};
use crate::lobby::{BotName, QueueId, QueueRules, Standing, queue::Queue, stream::StreamEnd};

impl WaitingRoom {
    /// Opens a queue. The same call again changes nothing.
    ///
    /// # Errors
    /// When its name is taken, or there are too many.
    pub(crate) fn open_queue(&mut self, rules: QueueRules) -> Result<v1::Queue, Refused> {
        if let Some(queue) = self.queues.get_mut(&rules.queue_id) {
            if queue.rules == rules && !queue.is_closing {
                return Ok(queue.to_wire());
            }
            // Of a queue that was closed only its last matches are left: it is opened again.
            if !queue.is_closing || queue.rules.owner != rules.owner {
                return Err(Refused::QueueTaken);
            }
            queue.rules = rules;
            queue.is_closing = false;
            return Ok(queue.to_wire());
        }
        if !rules.is_ladder {
            let (most, of_owner) = (self.limits.queues, self.limits.queues_per_key);
            if self.queues.len() >= most {
                return Err(Refused::ServerLimit("queues", most));
            }
            let owners = self.queues.values().map(|queue| &queue.rules.owner);
            let own = owners.filter(|owner| **owner == rules.owner).count();
            if rules.owner.is_some() && own >= of_owner {
                return Err(Refused::Limit("queues_per_key", of_owner));
            }
        }
        let queue_id = rules.queue_id.clone();
        let queue = Queue::new(rules, false, self.revision);
        let shown = queue.to_wire();
        self.queues.insert(queue_id, queue);
        Ok(shown)
    }

    /// The rules of a queue.
    pub(crate) fn rules(&self, queue_id: &QueueId) -> Option<&QueueRules> {
        self.queues.get(queue_id).map(|queue| &queue.rules)
    }

    /// Closes a queue: nobody attends it any more, and it ends with the last of its matches.
    pub(crate) fn close_queue(&mut self, queue_id: &QueueId) {
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        queue.is_closing = true;
        let bots: Vec<BotName> = queue.places.keys().cloned().collect();
        for bot in bots {
            if let Some(attendance) = self.attendance_mut(queue_id, &bot) {
                attendance.is_leaving = true;
            }
            self.changed(queue_id, &bot);
            self.settle(queue_id, &bot);
        }
        self.forget_if_closed(queue_id);
    }

    /// Queues by name after one of them, at most `count`, of those that are not closed and that
    /// `is_shown`.
    pub(crate) fn list(
        &self,
        after: Option<&QueueId>,
        count: usize,
        is_shown: impl Fn(&QueueRules) -> bool,
    ) -> Vec<v1::Queue> {
        let queues = self.queues.iter();
        let queues = queues.filter(|(id, queue)| {
            after.is_none_or(|after| *id > after) && !queue.is_closing && is_shown(&queue.rules)
        });
        queues
            .take(count)
            .map(|(_, queue)| queue.to_wire())
            .collect()
    }

    /// Whether the bot of a key may attend a queue.
    pub(crate) fn admits(&self, queue_id: &QueueId, key: Option<&KeyName>) -> bool {
        let queue = self.queues.get(queue_id);
        queue.is_some_and(|queue| !queue.is_closing && queue.rules.admits(key))
    }

    /// Takes note of how a version of a bot stands.
    pub(crate) fn set_standing(
        &mut self,
        queue_id: &QueueId,
        bot: &BotName,
        version: &str,
        standing: Standing,
    ) {
        let Some(queue) = self.queues.get_mut(queue_id) else {
            return;
        };
        let of = (bot.clone(), version.to_owned());
        queue.standings.insert(of, standing.clone());
        let Some(attendance) = self.attendance_mut(queue_id, bot) else {
            return;
        };
        if attendance.version != version {
            return;
        }
        let stream = attendance.stream;
        if let (Some(stream), Standing::Benched { detail }) = (stream, standing) {
            self.end(stream, StreamEnd::Benched(detail));
        }
        self.changed(queue_id, bot);
    }

    /// How many bots attend queues of ladders, and other queues.
    pub(crate) fn attending_by_kind(&self) -> (usize, usize) {
        let mut count = (0, 0);
        for queue in self.queues.values() {
            let places = queue.places.values();
            let bots = places.filter(|place| place.attendance.is_some()).count();
            match queue.rules.is_ladder {
                true => count.0 += bots,
                false => count.1 += bots,
            }
        }
        count
    }

    /// Everybody who attends a queue.
    pub(crate) fn attending_all(&self, queue_id: &QueueId) -> Vec<v1::Attendance> {
        let Some(queue) = self.queues.get(queue_id) else {
            return Vec::new();
        };
        let bots = queue.places.keys();
        bots.filter_map(|bot| queue.attendance(bot)).collect()
    }

    pub(super) fn forget_if_closed(&mut self, queue_id: &QueueId) {
        let queue = self.queues.get(queue_id);
        if queue.is_some_and(|queue| queue.is_closing && queue.places.is_empty()) {
            self.queues.remove(queue_id);
            // Watchers are told that it is gone.
            self.revision += 1;
        }
    }
}
