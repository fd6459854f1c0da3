//! Reads replays for responses, either for a single match or for several matches in a group.

use std::{collections::HashSet, sync::Arc};

use bridgemaster_edge::{
    identity::{Caller, ReadAccess},
    limits::MAX_GROUP_REPLAYS_BYTES,
    metrics::DamagedValue,
    refusal::Refusal,
    transport::Call,
};
use bridgemaster_live::{HostedMatch, MatchFacts, MatchView, Reader};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{Replay, ReplayFile};

use super::{check_replay, ladder_replay_tar::is_match_specific, match_rpc::MatchRpc};

/// A replay that the caller may see.
pub(super) struct ReadableReplay {
    pub(super) bytes: Arc<[u8]>,
    /// The decoded replay, if requested.
    pub(super) message: Option<Replay>,
}

impl MatchRpc {
    /// Reads the replay of a match for a caller that may see it. A replay from the store is
    /// verified.
    pub(super) async fn read_replay(
        &self,
        hosted: &MatchView,
        reader: &Reader,
        wants_message: bool,
    ) -> Result<ReadableReplay, Refusal> {
        let is_in_store = hosted.replay().is_in_store();
        let bytes = self.matches.replay(hosted, reader).await?;
        if !is_in_store && !wants_message {
            let message = None;
            return Ok(ReadableReplay { bytes, message });
        }
        let replay = decode_replay(&bytes).inspect_err(|refusal| {
            let quarantined = self.matches.quarantined();
            quarantined.report_damaged_part(hosted.id(), DamagedValue::Replay, &refusal.message());
        })?;
        let message = wants_message.then_some(replay);
        Ok(ReadableReplay { bytes, message })
    }

    /// Reads replay files of the matches in a match's group, in the order of `match_ids`, as many
    /// as fit into a response. Replays that the caller may not see are omitted.
    ///
    /// # Errors
    /// Returns an error if the client does not read previous responses.
    pub(super) async fn group_replays(
        &self,
        of: &dyn HostedMatch,
        match_ids: &[String],
        (caller, reader): (&Caller, &Reader),
    ) -> Result<Vec<ReplayFile>, Refusal> {
        let (mut found, mut bytes) = (Vec::new(), 0);
        let mut seen = HashSet::new();
        for match_id in match_ids.iter().filter(|id| seen.insert(id.as_str())) {
            let replay = match self.group_replay(of, match_id, (caller, reader)).await {
                Ok(Some(replay)) => replay,
                Ok(None) => continue,
                Err(refusal) if is_match_specific(refusal.reason()) => continue,
                // The remaining replays would be refused for the same reason.
                Err(_) => break,
            };
            if bytes + replay.bytes.len() > MAX_GROUP_REPLAYS_BYTES {
                break;
            }
            bytes += replay.bytes.len();
            found.push((match_id, replay.bytes));
        }
        if found.is_empty() {
            return Ok(Vec::new());
        }
        // The buffer into which the replays are encoded can be twice as large.
        Call::reserve_answer(2 * bytes).await?;
        let files = found.into_iter().map(|(match_id, bytes)| ReplayFile {
            match_id: match_id.clone(),
            file: bytes.to_vec(),
        });
        Ok(files.collect())
    }

    /// Reads the replay of a match if that match belongs to the same group as the match `of`.
    async fn group_replay(
        &self,
        of: &dyn HostedMatch,
        match_id: &str,
        (caller, reader): (&Caller, &Reader),
    ) -> Result<Option<ReadableReplay>, Refusal> {
        caller.require_guest_read(ReadAccess::Replays)?;
        let Ok(id) = MatchId::new(match_id) else {
            return Ok(None);
        };
        let hosted = self.matches.find_undelayed(&id, caller, reader).await?;
        let group_id =
            |facts: &MatchFacts| facts.group.as_ref().map(|group| group.group_id.clone());
        let is_of_group = |one: &Arc<dyn HostedMatch>| {
            let (one, of) = (one.facts(), of.facts());
            one.maker == of.maker && group_id(one) == group_id(of)
        };
        let Some(hosted) = hosted.filter(is_of_group) else {
            return Ok(None);
        };
        let view = self.matches.view_for(hosted, caller).await?;
        check_replay(&self.ladders, &view, caller).await?;
        self.read_replay(&view, reader, false).await.map(Some)
    }
}

/// Decodes and verifies a replay file.
fn decode_replay(bytes: &[u8]) -> Result<Replay, Refusal> {
    bridgemaster_replay::decode(bytes)
        .map(|file| file.replay)
        .map_err(|error| Refusal::damaged(format!("the stored replay is damaged: {error}")))
}

#[cfg(test)]
mod tests {
    use tonic::{Code, Status};
    use tonic_types::StatusExt as _;

    use super::*;

    #[test]
    fn a_damaged_replay_is_a_data_loss_with_its_reason() {
        let refusal = decode_replay(b"no replay").err().map(Status::from);
        let code = refusal.as_ref().map(Status::code);
        assert_eq!(code, Some(Code::DataLoss));
        let info = refusal.and_then(|status| status.get_details_error_info());
        assert_eq!(info.map(|info| info.reason).as_deref(), Some("DATA_DAMAGED"));
    }
}
