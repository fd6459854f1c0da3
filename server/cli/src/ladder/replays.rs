//! `bridgemaster ladder replays`: the replays of a bot, or of a pair, in one file.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use bridgemaster_whole_file::Growing;
use clap::Args;

use super::client;
use crate::{failure::misuse, match_client::ServerFlag, output, runtime::block_on};

/// What the server tells of the replays that are not in the archive.
const LEFT_OUT: &str = "left-out.csv";
/// A line of that file is shorter. The rest of a longer one counts as a line of its own.
const MAX_LINE_BYTES: u64 = 8 * 1024;

#[derive(Args)]
pub(super) struct ReplaysArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// Name of the bot
    bot: String,
    /// Only its matches with this other bot
    #[arg(long, value_name = "BOT")]
    against: Option<String>,
    /// Tar file to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

impl ReplaysArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let shown = self.output.display();
        let file = Growing::begin(&self.output);
        let mut file =
            file.map_err(|error| misuse(format!("--output {shown} cannot be written: {error}")))?;
        let not_written = || format!("{shown} cannot be written");
        block_on(async {
            let mut client = client::connect(&self.server).await?;
            let against = self.against.as_deref().unwrap_or_default();
            let mut parts = client.replays(&self.ladder, &self.bot, against).await?;
            while let Some(part) = client::next_part(&mut parts).await? {
                file.write_all(&part.chunk).with_context(not_written)?;
            }
            anyhow::Ok(())
        })?;
        let told = archived(file.path()).context("the server sent no archive")?;
        let Archived { replays, left_out } = told;
        file.put().with_context(not_written)?;
        let mut text = format!("{replays} replays are in {shown}");
        if left_out > 0 {
            text.push_str(&format!(
                "; {left_out} are not, and {LEFT_OUT} in it tells why"
            ));
        }
        text.push('\n');
        Ok(output::print(&text)?)
    }
}

/// What is in an archive.
#[derive(Debug, PartialEq)]
struct Archived {
    replays: usize,
    left_out: usize,
}

fn archived(path: &Path) -> anyhow::Result<Archived> {
    let mut told = Archived {
        replays: 0,
        left_out: 0,
    };
    let file = File::open(path)?;
    ensure!(file.metadata()?.len() > 0, "it is empty");
    let mut archive = tar::Archive::new(file);
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()?.ends_with(LEFT_OUT) {
            told.left_out = left_out(&mut entry)?;
        } else {
            told.replays += 1;
            // To its end, so that one that is cut off is noticed.
            let bytes = entry.size();
            let read = io::copy(&mut entry, &mut io::sink())?;
            ensure!(read == bytes, "it ends too soon");
        }
    }
    Ok(told)
}

/// How many replays a file names and counts as left out, whatever its size.
fn left_out(file: impl io::Read) -> io::Result<usize> {
    let mut file = BufReader::new(file);
    let mut count: usize = 0;
    let mut line = Vec::new();
    // The first line names the columns.
    for number in 0.. {
        line.clear();
        if file
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)?
            == 0
        {
            break;
        }
        if number > 0 {
            count = count.saturating_add(more(&line).unwrap_or(1));
        }
    }
    Ok(count)
}

/// How many more there are than those that are named, if this line tells.
fn more(line: &[u8]) -> Option<usize> {
    let line = str::from_utf8(line).ok()?.trim_end();
    line.strip_prefix("and ")?
        .strip_suffix(" more,,")?
        .parse()
        .ok()
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
    fn what_is_left_out_is_counted_whether_it_is_named_or_not() {
        let count = |text: &str| left_out(text.as_bytes()).unwrap();
        assert_eq!(
            ["", "a", "a\n", "a\nb", "a\nb\nand 40 more,,\n"].map(count),
            [0, 0, 0, 1, 41]
        );
        let long = "0123456789\n".repeat(5_000);
        assert_eq!(count(&long), 4_999);
    }

    #[test]
    fn replays_of_an_archive_are_counted_and_those_that_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar");
        let files: [(&str, &[u8]); 3] = [
            ("l/000001-a.bmreplay", b"1"),
            ("l/000002-b.bmreplay", &[0; 700]),
            ("l/left-out.csv", b"number,match_id,reason\n3,c,X\n"),
        ];
        let whole = archive(&files);
        std::fs::write(&path, &whole).unwrap();
        let expected = Archived {
            replays: 2,
            left_out: 1,
        };
        assert_eq!(archived(&path).unwrap(), expected);
        std::fs::write(&path, &whole[..2_000]).unwrap();
        assert!(archived(&path).is_err(), "it is cut off");
        std::fs::write(&path, b"FORGED").unwrap();
        assert!(archived(&path).is_err());
    }
}
