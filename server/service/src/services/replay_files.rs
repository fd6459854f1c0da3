//! The replays of matches in answers: one by itself, and those of a group together.

use std::{collections::HashSet, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{Replay, ReplayFile};

use super::{match_desk::MatchDesk, replay_archive::is_of_the_match, replay_sight::check_replay};
use crate::{
    hosting::{HostedMatch, Reader, ShownMatch},
    identity::{Caller, Sight},
    limits::GROUP_REPLAYS_BYTES,
    metrics::DamagedValue,
    refusal::Refusal,
    transport::Call,
};

/// A replay that may be told.
pub(super) struct ToldReplay {
    /// The replay file.
    pub(super) bytes: Arc<[u8]>,
    /// What is in it, if that was asked for.
    pub(super) message: Option<Replay>,
}

impl MatchDesk {
    /// The replay of a match for a caller who may see it. One that is read back from the store is
    /// checked.
    pub(super) async fn told_replay(
        &self,
        hosted: &dyn ShownMatch,
        reader: &Reader,
        wants_message: bool,
    ) -> Result<ToldReplay, Refusal> {
        let is_read_back = hosted.replay().is_read_back();
        let bytes = self.matches.replay(hosted, reader).await?;
        if !is_read_back && !wants_message {
            let message = None;
            return Ok(ToldReplay { bytes, message });
        }
        let replay = read_replay(&bytes).inspect_err(|refusal| {
            let aside = self.matches.set_aside();
            aside.part_of_finished(hosted.id(), DamagedValue::Replay, &refusal.message());
        })?;
        let message = wants_message.then_some(replay);
        Ok(ToldReplay { bytes, message })
    }

    /// The replay files of these matches of the group of a match, in their order, as far as they fit
    /// into an answer. One that the caller does not get by itself is left out.
    ///
    /// # Errors
    /// When earlier answers are not read.
    pub(super) async fn group_replays(
        &self,
        of: &dyn HostedMatch,
        match_ids: &[String],
        (caller, reader): (&Caller, &Reader),
    ) -> Result<Vec<ReplayFile>, Refusal> {
        let (mut found, mut bytes) = (Vec::new(), 0);
        let mut asked = HashSet::new();
        for match_id in match_ids.iter().filter(|id| asked.insert(id.as_str())) {
            let replay = match self.group_replay(of, match_id, (caller, reader)).await {
                Ok(Some(replay)) => replay,
                Ok(None) => continue,
                Err(refusal) if is_of_the_match(refusal.reason()) => continue,
                // The others would be refused for the same reason.
                Err(_) => break,
            };
            if bytes + replay.bytes.len() > GROUP_REPLAYS_BYTES {
                break;
            }
            bytes += replay.bytes.len();
            found.push((match_id, replay.bytes));
        }
        if found.is_empty() {
            return Ok(Vec::new());
        }
        // The buffer that they are written into may be twice as large.
        Call::room_for_answer(2 * bytes).await?;
        let files = found.into_iter().map(|(match_id, bytes)| ReplayFile {
            match_id: match_id.clone(),
            file: bytes.to_vec(),
        });
        Ok(files.collect())
    }

    /// The replay of a match, if it is of the group of the match `of`.
    async fn group_replay(
        &self,
        of: &dyn HostedMatch,
        match_id: &str,
        (caller, reader): (&Caller, &Reader),
    ) -> Result<Option<ToldReplay>, Refusal> {
        caller.require_sight_of_guest(Sight::Replays)?;
        let Ok(id) = MatchId::new(match_id) else {
            return Ok(None);
        };
        let hosted = self.matches.find_itself(&id, caller, reader).await?;
        let group_id = |one: &dyn HostedMatch| one.group().map(|group| group.group_id.clone());
        let is_of_group = |one: &Arc<dyn HostedMatch>| {
            one.maker() == of.maker() && group_id(&**one) == group_id(of)
        };
        let Some(hosted) = hosted.filter(is_of_group) else {
            return Ok(None);
        };
        let shown = self.matches.shown_to(hosted, caller).await?;
        check_replay(&self.ladders, &*shown, caller).await?;
        self.told_replay(&*shown, reader, false).await.map(Some)
    }
}

/// The replay in a replay file's bytes.
fn read_replay(bytes: &[u8]) -> Result<Replay, Refusal> {
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
        let refusal = read_replay(b"no replay").err().map(Status::from);
        let code = refusal.as_ref().map(Status::code);
        assert_eq!(code, Some(Code::DataLoss));
        let info = refusal.and_then(|status| status.get_details_error_info());
        assert_eq!(
            info.map(|info| info.reason).as_deref(),
            Some("DATA_DAMAGED")
        );
    }
}
