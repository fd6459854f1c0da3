//! `bridgemaster ladder replays`: downloads the replays of one bot, or of a pair of bots, as a tar
//! file.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use bridgemaster_proto::v1::ExportReplaysRequest;
use bridgemaster_replay::whole_file::PartialFile;
use clap::Args;

use crate::{
    failure::misuse,
    ladder::client,
    match_client::{ServerFlag, message},
    output,
};

/// Name of the archive's file that lists omitted replays, with the reasons.
const OMISSIONS: &str = "left-out.csv";
/// Maximum length of a line in [`OMISSIONS`], in bytes. Longer lines are split and count as several
/// lines.
const MAX_LINE_BYTES: u64 = 8 * 1024;

#[derive(Args)]
pub(super) struct ReplaysArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// Name of the bot
    bot: String,
    /// Download only matches against this bot
    #[arg(long, value_name = "BOT")]
    against: Option<String>,
    /// Tar file to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

impl ReplaysArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let shown = self.output.display();
        let file = PartialFile::create(&self.output);
        let mut file =
            file.map_err(|error| misuse(format!("--output: cannot write {shown}: {error}")))?;
        let cannot_write = || format!("cannot write {shown}");
        let mut client = client::connect(&self.server).await?;
        let request = ExportReplaysRequest {
            ladder_id: self.ladder.clone(),
            bot_name: self.bot.clone(),
            against_bot_name: self.against.clone().unwrap_or_default(),
        };
        let mut parts = message(client.export_replays(request).await)?;
        while let Some(part) = client::next_part(&mut parts).await? {
            file.write_all(&part.chunk).with_context(cannot_write)?;
        }
        let contents = inspect(file.path()).context("the server sent an invalid archive")?;
        let Contents { replays, omitted } = contents;
        file.persist().with_context(cannot_write)?;
        let mut text = format!("{shown}: {replays} replays");
        if omitted > 0 {
            text.push_str(&format!("; {omitted} omitted, see {OMISSIONS} for the reasons"));
        }
        text.push('\n');
        Ok(output::print(&text)?)
    }
}

/// The contents of a replay archive.
#[derive(Debug, PartialEq)]
struct Contents {
    replays: usize,
    omitted: usize,
}

/// Counts an archive's files, and checks that the archive is complete.
fn inspect(path: &Path) -> anyhow::Result<Contents> {
    let mut contents = Contents { replays: 0, omitted: 0 };
    let file = File::open(path)?;
    ensure!(file.metadata()?.len() > 0, "the archive is empty");
    let mut archive = tar::Archive::new(file);
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()?.ends_with(OMISSIONS) {
            contents.omitted = count_omitted(&mut entry)?;
        } else {
            contents.replays += 1;
            // Reads each file to its end, to detect a truncated archive.
            let bytes = entry.size();
            let read = io::copy(&mut entry, &mut io::sink())?;
            ensure!(read == bytes, "the archive is truncated");
        }
    }
    Ok(contents)
}

/// Returns the number of omitted replays: the listed replays, plus the number of unlisted replays
/// that the file's last line states. Memory use is bounded.
fn count_omitted(file: impl io::Read) -> io::Result<usize> {
    let mut file = BufReader::new(file);
    let mut count: usize = 0;
    let mut line = Vec::new();
    // The first line is the header.
    for number in 0.. {
        line.clear();
        if file.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if number > 0 {
            count = count.saturating_add(unlisted(&line).unwrap_or(1));
        }
    }
    Ok(count)
}

/// Parses a line that states the number of unlisted omitted replays. Returns `None` for other
/// lines.
fn unlisted(line: &[u8]) -> Option<usize> {
    let line = str::from_utf8(line).ok()?.trim_end();
    line.strip_prefix("and ")?.strip_suffix(" more,,")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_ustar();
            header.set_size(bytes.len() as u64);
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn omitted_replays_are_counted_whether_listed_or_not() {
        let count = |text: &str| count_omitted(text.as_bytes()).unwrap();
        assert_eq!(["", "a", "a\n", "a\nb", "a\nb\nand 40 more,,\n"].map(count), [0, 0, 0, 1, 41]);
        let long = "0123456789\n".repeat(5_000);
        assert_eq!(count(&long), 4_999);
    }

    #[test]
    fn replays_and_omissions_of_an_archive_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar");
        let files: [(&str, &[u8]); 3] = [
            ("l/000001-a.bmreplay", b"1"),
            ("l/000002-b.bmreplay", &[0; 700]),
            ("l/left-out.csv", b"number,match_id,reason\n3,c,X\n"),
        ];
        let whole = archive(&files);
        std::fs::write(&path, &whole).unwrap();
        let expected = Contents { replays: 2, omitted: 1 };
        assert_eq!(inspect(&path).unwrap(), expected);
        std::fs::write(&path, &whole[..2_000]).unwrap();
        assert!(inspect(&path).is_err(), "truncated");
        std::fs::write(&path, b"FORGED").unwrap();
        assert!(inspect(&path).is_err());
    }
}
