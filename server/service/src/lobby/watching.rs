//! What a watcher of a queue is told.

use std::collections::BTreeMap;

use bridgemaster_proto::v1::{self, WatchQueueResponse};

use super::{QueueId, WaitingRoom};

/// What a watcher was told.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    revision: Option<u64>,
    /// Each attendance as it was told last.
    known: BTreeMap<String, (u64, v1::Attendance)>,
}

impl WaitingRoom {
    /// What of a queue is new to a watcher; `None` once there is no such queue.
    pub(super) fn news(
        &self,
        queue_id: &QueueId,
        watched: &mut Watched,
    ) -> Option<Vec<WatchQueueResponse>> {
        let queue = self.queues.get(queue_id)?;
        if watched.revision == Some(queue.revision) {
            return Some(Vec::new());
        }
        watched.revision = Some(queue.revision);
        let mut news = Vec::new();
        let before = std::mem::take(&mut watched.known);
        for (bot, place) in &queue.places {
            let Some(attendance) = &place.attendance else {
                continue;
            };
            let id = attendance.id.as_str().to_owned();
            let entry = match before.get(&id) {
                Some(told) if told.0 == attendance.revision => told.clone(),
                _ => {
                    let shown = queue.attendance(bot).unwrap_or_default();
                    news.push(WatchQueueResponse {
                        attendance: Some(shown.clone()),
                        ended: false,
                    });
                    (attendance.revision, shown)
                }
            };
            watched.known.insert(id, entry);
        }
        let gone = before.into_iter();
        let gone = gone.filter(|(id, _)| !watched.known.contains_key(id));
        news.extend(gone.map(|(_, (_, attendance))| WatchQueueResponse {
            attendance: Some(attendance),
            ended: true,
        }));
        Some(news)
    }
}
