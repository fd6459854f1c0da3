//! What a ladder tells those around it.

use bridgemaster_ladder::StandingState;
use bridgemaster_store::StoreError;
use tracing::error;

use crate::{
    lobby::{BotName, Lobby, QueueId, Standing},
    refusal::Refusal,
};

/// Tells the lobby how a version stands.
pub(super) fn say(lobby: &Lobby, queue_id: &QueueId, standing: &bridgemaster_ladder::Standing) {
    let Some(bot) = BotName::new(&standing.bot.name) else {
        return;
    };
    let said = match standing.state() {
        StandingState::Active => Standing::Active,
        StandingState::Validating => Standing::Validating {
            failed: standing.failed_validation.clone(),
        },
        StandingState::Benched(detail) => Standing::Benched {
            detail: detail.to_owned(),
        },
    };
    let version = &standing.bot.version;
    lobby.with(|room, _| room.set_standing(queue_id, &bot, version, said));
}

pub(super) fn storage_failed(error: &StoreError) -> Refusal {
    error!(%error, "what a ladder is cannot be stored or read");
    Refusal::storage_failed()
}
