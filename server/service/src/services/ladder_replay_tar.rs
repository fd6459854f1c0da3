//! The replays of a bot's ladder matches as one tar archive, built while it is sent.

use std::{io, sync::Arc};

use async_stream::try_stream;
use bridgemaster_edge::{
    identity::Caller,
    refusal::{Refusal, reason_name},
    transport::Call,
};
use bridgemaster_live::{Matches, ReadPermit, Reader};
use bridgemaster_match::MatchId;
use bridgemaster_matchmaking::ladder::{EndedMatch, Ladders, LiveLadder, MatchFilter};
use bridgemaster_proto::v1::{ExportReplaysResponse, RefusalReason};
use tar::{EntryType, Header};
use tokio_stream::Stream;
use tonic::Status;
use tracing::error;

use super::check_replay;

/// The size of a replay chunk, in bytes.
const CHUNK_BYTES: usize = 64 * 1024;

/// The block size of a tar file, in bytes. Two empty blocks end the file.
const BLOCK_BYTES: usize = 512;

/// The maximum number of omitted replays that are listed, each on a line of at most 130 bytes.
/// Callers that need more can narrow the filter.
const MAX_LISTED_OMISSIONS: usize = 1_000;

const OMITTED_HEADER: &str = "number,match_id,reason\n";

/// The replays that are omitted from an archive: a list of the first omitted replays, and the total
/// count.
#[derive(Default)]
struct OmittedReplays {
    lines: String,
    count: usize,
}

impl OmittedReplays {
    fn add(&mut self, one: &EndedMatch, reason: RefusalReason) {
        self.count += 1;
        if self.count <= MAX_LISTED_OMISSIONS {
            let EndedMatch { number, match_id, .. } = one;
            let reason = reason_name(reason);
            self.lines += &format!("{number},{match_id},{reason}\n");
        }
    }

    /// Returns the CSV file that lists the omitted replays; `None` if there are none.
    fn to_csv(&self) -> Option<String> {
        let more = match self.count.saturating_sub(MAX_LISTED_OMISSIONS) {
            0 => String::new(),
            more => format!("and {more} more,,\n"),
        };
        (self.count > 0).then(|| format!("{OMITTED_HEADER}{}{more}", self.lines))
    }
}

/// A selection of replays, and the caller that requests them.
pub(super) struct LadderReplayTar {
    pub(super) ladders: Arc<Ladders>,
    pub(super) ladder: Arc<LiveLadder>,
    pub(super) filter: MatchFilter,
    pub(super) caller: Caller,
    pub(super) reader: Reader,
}

impl LadderReplayTar {
    /// Streams the archive. Only one replay at a time is in memory.
    pub(super) fn stream_parts(self) -> impl Stream<Item = Result<ExportReplaysResponse, Status>> {
        try_stream! {
            // The permit is held until the stream ends.
            let place = self.matches().read_limiter().admit(&self.reader)?;
            let mut omitted = OmittedReplays::default();
            let (mut from, mut last_unix_ms) = (Some(0), 0);
            while let Some(number) = from {
                let ended = self.ladder.read_ended(self.matches(), &self.filter, number).await?;
                from = ended.next;
                for one in ended.matches {
                    last_unix_ms = one.ended_unix_ms.max(last_unix_ms);
                    let replay = match self.read_replay(&one.match_id, &place).await {
                        Ok(replay) => replay,
                        Err(refusal) if is_omitted(refusal.reason()) => {
                            omitted.add(&one, refusal.reason());
                            continue;
                        }
                        Err(refusal) => Err(refusal)?,
                    };
                    let _buffer = Call::reserve_buffer(replay.len()).await?;
                    let name = format!("{:06}-{}.bmreplay", one.number, one.match_id);
                    yield response_part(&self.file_header(&name, replay.len(), one.ended_unix_ms)?);
                    for chunk in replay.chunks(CHUNK_BYTES) {
                        yield response_part(chunk);
                    }
                    yield response_part(padding(replay.len()));
                }
            }
            if let Some(omitted) = omitted.to_csv() {
                yield response_part(&self.file_header("left-out.csv", omitted.len(), last_unix_ms)?);
                yield response_part(omitted.as_bytes());
                yield response_part(padding(omitted.len()));
            }
            yield response_part(&[0; 2 * BLOCK_BYTES]);
        }
    }

    fn matches(&self) -> &Arc<Matches> {
        self.ladders.matches()
    }

    /// Reads a replay file, if the caller may see it.
    async fn read_replay(&self, match_id: &str, place: &ReadPermit) -> Result<Arc<[u8]>, Refusal> {
        let unknown = || {
            Refusal::new(
                RefusalReason::MatchUnknown,
                "the match is no longer stored on this server",
            )
        };
        let id = MatchId::new(match_id).map_err(|_| unknown())?;
        let hosted = self.matches().get_or_load(&id).await?.ok_or_else(unknown)?;
        let hosted = self.matches().view_for(hosted, &self.caller).await?;
        check_replay(&self.ladders, &hosted, &self.caller).await?;
        self.matches().replay_with_permit(&hosted, place).await
    }

    /// Builds the tar header for a file.
    fn file_header(
        &self,
        name: &str,
        bytes: usize,
        unix_ms: u64,
    ) -> Result<[u8; BLOCK_BYTES], Refusal> {
        let ladder = self.ladder.id();
        tar_header(&format!("{ladder}/{name}"), bytes, unix_ms).map_err(|error| {
            error!(%ladder, name, %error, "cannot add a file to the archive");
            Refusal::storage_failed()
        })
    }
}

/// Returns whether an archive omits a match whose replay is refused for this reason. A stream that
/// has begun cannot be forwarded to the node that serves the match, so the match is omitted.
fn is_omitted(reason: RefusalReason) -> bool {
    is_match_specific(reason) || reason == RefusalReason::NodeSuperseded
}

/// Returns whether a refusal concerns one match, and not the whole request.
pub(super) fn is_match_specific(reason: RefusalReason) -> bool {
    matches!(
        reason,
        RefusalReason::ScopeMissing
            | RefusalReason::KeyMissing
            | RefusalReason::MatchUnknown
            | RefusalReason::MatchRunning
            | RefusalReason::GroupRunning
            | RefusalReason::ReplayForgotten
            | RefusalReason::MatchCancelled
            | RefusalReason::DataDamaged
    )
}

fn response_part(bytes: &[u8]) -> ExportReplaysResponse {
    ExportReplaysResponse { chunk: bytes.to_vec() }
}

/// Returns the padding that fills the last block.
fn padding(bytes: usize) -> &'static [u8] {
    const EMPTY: [u8; BLOCK_BYTES] = [0; BLOCK_BYTES];
    &EMPTY[..bytes.next_multiple_of(BLOCK_BYTES) - bytes]
}

fn tar_header(path: &str, bytes: usize, unix_ms: u64) -> io::Result<[u8; BLOCK_BYTES]> {
    // A ustar path can have 255 bytes if the folder is stored separately from the file name.
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes as u64);
    header.set_mode(0o644);
    header.set_mtime(unix_ms / 1_000);
    header.set_uid(0);
    header.set_gid(0);
    header.set_cksum();
    Ok(*header.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_match_that_another_node_serves_is_omitted() {
        assert!(is_omitted(RefusalReason::NodeSuperseded));
        assert!(is_omitted(RefusalReason::ReplayForgotten));
        assert!(!is_omitted(RefusalReason::StorageFailed));
    }

    #[test]
    fn the_first_omitted_replays_are_listed_and_the_others_counted() {
        let mut omitted = OmittedReplays::default();
        assert_eq!(omitted.to_csv(), None);
        for number in 0..MAX_LISTED_OMISSIONS as u64 + 7 {
            let one = EndedMatch { number, match_id: "m".repeat(64), ended_unix_ms: 0 };
            omitted.add(&one, RefusalReason::ReplayForgotten);
        }
        let file = omitted.to_csv().unwrap();
        assert_eq!(file.lines().count(), 1 + MAX_LISTED_OMISSIONS + 1);
        assert_eq!(file.lines().last(), Some("and 7 more,,"));
        assert!(file.len() < 130 * (MAX_LISTED_OMISSIONS + 2));
    }

    #[test]
    fn files_of_any_length_and_the_longest_names_round_trip() {
        let longest = format!("{}/{:020}-{}.bmreplay", "l".repeat(64), 7, "m".repeat(64));
        let files = [
            ("league/000001-a.bmreplay", vec![1; 0]),
            (&*longest, vec![2; 511]),
            ("league/2", vec![3; 512]),
            ("league/3", vec![4; 70_000]),
        ];
        let mut archive = Vec::new();
        for (name, bytes) in &files {
            archive.extend(tar_header(name, bytes.len(), 1_700_000_000_999).unwrap());
            archive.extend(bytes);
            archive.extend(padding(bytes.len()));
        }
        archive.extend([0; 2 * BLOCK_BYTES]);
        let mut archive = tar::Archive::new(&*archive);
        let mut read = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            assert_eq!(entry.header().mtime().unwrap(), 1_700_000_000);
            let name = entry.path().unwrap().to_str().unwrap().to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            read.push((name, bytes));
        }
        let expected = files.map(|(name, bytes)| (name.to_owned(), bytes));
        assert_eq!(read, expected);
    }
}
