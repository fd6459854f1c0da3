//! Computes the updates for a watcher of a queue: the attendances that changed since the last
//! update.

use std::collections::BTreeMap;

use bridgemaster_proto::v1::{self, WatchQueueResponse};

use super::{QueueId, WaitingRoom};

/// The queue state that a watcher has seen.
#[derive(Debug, Default)]
pub(crate) struct QueueCursor {
    revision: Option<u64>,
    /// The attendances that were sent, with their revisions.
    sent: BTreeMap<String, (u64, v1::Attendance)>,
}

impl WaitingRoom {
    /// Returns the changes since the last call; `None` once the queue no longer exists.
    pub(super) fn updates(
        &self,
        queue_id: &QueueId,
        cursor: &mut QueueCursor,
    ) -> Option<Vec<WatchQueueResponse>> {
        let queue = self.queues.get(queue_id)?;
        if cursor.revision == Some(queue.revision) {
            return Some(Vec::new());
        }
        cursor.revision = Some(queue.revision);
        let mut updates = Vec::new();
        let before = std::mem::take(&mut cursor.sent);
        for (bot, entry) in &queue.entries {
            let Some(attendance) = &entry.attendance else {
                continue;
            };
            let id = attendance.id.as_str().to_owned();
            let sent = match before.get(&id) {
                Some(sent) if sent.0 == attendance.revision => sent.clone(),
                _ => {
                    let attendance_message = queue.attendance(bot).unwrap_or_default();
                    updates.push(WatchQueueResponse {
                        attendance: Some(attendance_message.clone()),
                        ended: false,
                    });
                    (attendance.revision, attendance_message)
                }
            };
            cursor.sent.insert(id, sent);
        }
        let gone = before.into_iter();
        let gone = gone.filter(|(id, _)| !cursor.sent.contains_key(id));
        updates.extend(gone.map(|(_, (_, attendance))| WatchQueueResponse {
            attendance: Some(attendance),
            ended: true,
        }));
        Some(updates)
    }
}
