//! Publishes each version's status, such as benched, to the lobby. The lobby decides on offers.

use bridgemaster_ladder::EntryState;
use bridgemaster_store::StoreError;
use tracing::error;

use crate::{
    lobby::{BotName, Lobby, QueueId, VersionStatus},
    refusal::Refusal,
};

/// Sets the status of a version in the ladder's queue.
pub(super) fn publish_status(
    lobby: &Lobby,
    queue_id: &QueueId,
    standing: &bridgemaster_ladder::LadderEntry,
) {
    let Some(bot) = BotName::new(&standing.bot.name) else {
        return;
    };
    let status = match standing.state() {
        EntryState::Active => VersionStatus::Active,
        EntryState::Validating => VersionStatus::Validating {
            failed: standing.failed_validation.clone(),
        },
        EntryState::Benched(detail) => VersionStatus::Benched {
            detail: detail.to_owned(),
        },
    };
    let version = &standing.bot.version;
    lobby.with_room(|room, _| room.set_status(queue_id, &bot, version, status));
}

pub(super) fn storage_failed(error: &StoreError) -> Refusal {
    error!(%error, "cannot read or write the ladder in the store; check the database or the disk");
    Refusal::storage_failed()
}
