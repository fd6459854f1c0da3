//! The replays of a bot's matches on a ladder as one archive: a tar file that is made as it is read.

use std::{io, sync::Arc};

use async_stream::try_stream;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{ExportReplaysResponse, RefusalReason};
use tar::{EntryType, Header};
use tokio_stream::Stream;
use tonic::Status;
use tracing::error;

use super::replay_sight::check_replay;
use crate::{
    hosting::{Matches, Reader, ReadingPlace},
    identity::Caller,
    ladder::{EndedMatch, Ladders, LiveLadder, MatchFilter},
    refusal::{Refusal, reason_name},
    transport::Call,
};

/// Bytes of a replay that are sent at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// A tar file consists of blocks of so many bytes. Two empty ones end it.
const BLOCK_BYTES: usize = 512;

/// Replays that are left out and named, each in a line of at most 130 bytes. Whoever wants to know of
/// more can ask for a part of the matches.
const MAX_NAMED: usize = 1_000;

const LEFT_OUT_HEAD: &str = "number,match_id,reason\n";

/// The replays that are left out of an archive: the first, and how many there are.
#[derive(Default)]
struct LeftOut {
    lines: String,
    count: usize,
}

impl LeftOut {
    fn add(&mut self, one: &EndedMatch, reason: RefusalReason) {
        self.count += 1;
        if self.count <= MAX_NAMED {
            let EndedMatch {
                number, match_id, ..
            } = one;
            let reason = reason_name(reason);
            self.lines += &format!("{number},{match_id},{reason}\n");
        }
    }

    /// The file that tells of them; `None` if there are none.
    fn file(&self) -> Option<String> {
        let more = match self.count.saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!("and {more} more,,\n"),
        };
        (self.count > 0).then(|| format!("{LEFT_OUT_HEAD}{}{more}", self.lines))
    }
}

/// Which replays are wanted, and who asks.
pub(super) struct ReplayArchive {
    pub(super) ladders: Arc<Ladders>,
    pub(super) ladder: Arc<LiveLadder>,
    pub(super) filter: MatchFilter,
    pub(super) caller: Caller,
    pub(super) reader: Reader,
}

impl ReplayArchive {
    /// The parts of the archive, in their order. What it takes of memory is one replay.
    pub(super) fn parts(self) -> impl Stream<Item = Result<ExportReplaysResponse, Status>> {
        try_stream! {
            // Held for as long as the stream is read.
            let place = self.matches().reading().begin(&self.reader)?;
            let mut left_out = LeftOut::default();
            let (mut from, mut last_unix_ms) = (Some(0), 0);
            while let Some(number) = from {
                let ended = self.ladder.ended(self.matches(), &self.filter, number).await?;
                from = ended.next;
                for one in ended.matches {
                    last_unix_ms = one.ended_unix_ms.max(last_unix_ms);
                    let replay = match self.replay(&one.match_id, &place).await {
                        Ok(replay) => replay,
                        Err(refusal) if is_of_the_match(refusal.reason()) => {
                            left_out.add(&one, refusal.reason());
                            continue;
                        }
                        Err(refusal) => Err(refusal)?,
                    };
                    let _room = Call::room(replay.len()).await?;
                    let name = format!("{:06}-{}.bmreplay", one.number, one.match_id);
                    yield part(&self.head(&name, replay.len(), one.ended_unix_ms)?);
                    for chunk in replay.chunks(CHUNK_BYTES) {
                        yield part(chunk);
                    }
                    yield part(padding(replay.len()));
                }
            }
            if let Some(left_out) = left_out.file() {
                yield part(&self.head("left-out.csv", left_out.len(), last_unix_ms)?);
                yield part(left_out.as_bytes());
                yield part(padding(left_out.len()));
            }
            yield part(&[0; 2 * BLOCK_BYTES]);
        }
    }

    fn matches(&self) -> &Arc<Matches> {
        self.ladders.matches()
    }

    /// The bytes of a replay file, if the caller may see it.
    async fn replay(&self, match_id: &str, place: &ReadingPlace) -> Result<Arc<[u8]>, Refusal> {
        let gone = || Refusal::new(RefusalReason::MatchUnknown, "the server has it no more");
        let id = MatchId::new(match_id).map_err(|_| gone())?;
        let hosted = self.matches().known(&id).await?.ok_or_else(gone)?;
        let hosted = self.matches().shown_to(hosted, &self.caller).await?;
        check_replay(&self.ladders, &*hosted, &self.caller).await?;
        self.matches().replay_for_place(&*hosted, place).await
    }

    /// What is before the bytes of a file.
    fn head(&self, name: &str, bytes: usize, unix_ms: u64) -> Result<[u8; BLOCK_BYTES], Refusal> {
        let ladder = self.ladder.id();
        head(&format!("{ladder}/{name}"), bytes, unix_ms).map_err(|error| {
            error!(%ladder, name, %error, "a file has no place in an archive");
            Refusal::storage_failed()
        })
    }
}

/// Whether a match without a replay is left out, and the archive goes on.
pub(super) fn is_of_the_match(reason: RefusalReason) -> bool {
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

fn part(bytes: &[u8]) -> ExportReplaysResponse {
    ExportReplaysResponse {
        chunk: bytes.to_vec(),
    }
}

/// What fills the last block of so many bytes.
fn padding(bytes: usize) -> &'static [u8] {
    const EMPTY: [u8; BLOCK_BYTES] = [0; BLOCK_BYTES];
    &EMPTY[..bytes.next_multiple_of(BLOCK_BYTES) - bytes]
}

fn head(path: &str, bytes: usize, unix_ms: u64) -> io::Result<[u8; BLOCK_BYTES]> {
    // Its paths may have 255 bytes: the folder apart from the name.
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
    fn of_many_replays_that_are_left_out_the_first_are_named_and_the_others_counted() {
        let mut left_out = LeftOut::default();
        assert_eq!(left_out.file(), None);
        for number in 0..MAX_NAMED as u64 + 7 {
            let one = EndedMatch {
                number,
                match_id: "m".repeat(64),
                ended_unix_ms: 0,
            };
            left_out.add(&one, RefusalReason::ReplayForgotten);
        }
        let file = left_out.file().unwrap();
        assert_eq!(file.lines().count(), 1 + MAX_NAMED + 1);
        assert_eq!(file.lines().last(), Some("and 7 more,,"));
        assert!(file.len() < 130 * (MAX_NAMED + 2));
    }

    #[test]
    fn files_of_any_length_and_of_the_longest_names_are_read_again() {
        let longest = format!("{}/{:020}-{}.bmreplay", "l".repeat(64), 7, "m".repeat(64));
        let files = [
            ("league/000001-a.bmreplay", vec![1; 0]),
            (&*longest, vec![2; 511]),
            ("league/2", vec![3; 512]),
            ("league/3", vec![4; 70_000]),
        ];
        let mut archive = Vec::new();
        for (name, bytes) in &files {
            archive.extend(head(name, bytes.len(), 1_700_000_000_999).unwrap());
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
