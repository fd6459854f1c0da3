//! The gRPC services other than `PlayService` and `SeatService`: validation of requests, access
//! checks, and construction of responses.

mod catalog_rpc;
mod encoded_streams;
mod ladder_actions;
mod ladder_replay_tar;
mod ladder_rpc;
mod ladder_updates;
mod ladder_validation;
mod leader_only;
mod lobby_rpc;
mod lobby_validation;
mod match_rpc;
mod match_validation;
mod node_rpc;
mod overview;
mod positions;
mod replay_files;
mod rules_rpc;
mod uploaded_replay;
mod validation;

use bridgemaster_edge::{
    identity::{Caller, KeyScope, ReadAccess},
    refusal::Refusal,
};
use bridgemaster_live::{MatchView, Matches};
use bridgemaster_matchmaking::{
    ladder::{LADDER_LABEL, Ladders},
    lobby::{Lobby, QueueId, queue_unknown},
};
use tokio::select;

pub(crate) use catalog_rpc::CatalogRpc;
pub(crate) use encoded_streams::EncodedStreams;
pub(crate) use ladder_rpc::LadderRpc;
pub(crate) use ladder_validation::ensure_ladder;
pub(crate) use leader_only::leader_only;
pub(crate) use lobby_rpc::LobbyRpc;
pub(crate) use match_rpc::MatchRpc;
pub(crate) use node_rpc::NodeRpc;
pub(crate) use rules_rpc::RulesRpc;
pub(crate) use uploaded_replay::ReplayVerifier;

/// Checks that the caller may see the replay of a match. Either the caller's bot played in the
/// match, or the caller may read all replays and the match's ladder publishes them.
async fn check_replay(
    ladders: &Ladders,
    hosted: &MatchView,
    caller: &Caller,
) -> Result<(), Refusal> {
    if caller.key_name().is_some_and(|name| hosted.belongs_to(name)) {
        return Ok(());
    }
    caller.require_read(ReadAccess::Replays)?;
    let info = hosted.info_without_config().committed().await?;
    match info.labels.get(LADDER_LABEL) {
        Some(ladder) => {
            // Only the leader has the ladder's settings.
            ladders.matches().check_leader().await?;
            ladders.check_replays(ladder, caller.has_scope(KeyScope::Admin))
        }
        None => Ok(()),
    }
}

/// Returns the queue `queue_id` if the caller manages it: the caller's key created the queue, or
/// has the `admin` scope.
fn managed_queue(lobby: &Lobby, queue_id: &str, caller: &Caller) -> Result<QueueId, Refusal> {
    let unknown = || queue_unknown(queue_id);
    let named = QueueId::new(queue_id).ok_or_else(unknown)?;
    let rules = lobby.rules(&named).ok_or_else(unknown)?;
    let is_owner = !rules.is_ladder && rules.owner.as_ref() == caller.key_name();
    if is_owner || (caller.key_name().is_some() && caller.has_scope(KeyScope::Admin)) {
        Ok(named)
    } else {
        Err(unknown())
    }
}

/// Completes when the caller loses access or the server ends its streams.
async fn until_access_ends(matches: &Matches, caller: &Caller) -> Refusal {
    select! {
        biased;
        refusal = caller.until_revoked() => refusal,
        refusal = matches.until_interrupted() => refusal,
    }
}
