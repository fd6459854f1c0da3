//! `bridgemaster ladder replays`: the replays of a bot, or of a pair, in one file.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use bridgemaster_whole_file::Growing;
use clap::Args;

use super::client;
use crate::{failure::misuse, match_client::ServerFlag, output, runtime::block_on};

/// What the server tells of the replays that are not in the archive.
const LEFT_OUT: &str = "left-out.csv";

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
            // The first one names the columns.
            told.left_out = lines(&mut entry)?.saturating_sub(1);
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

/// Counts the lines of a file, whatever its size.
fn lines(file: &mut impl io::Read) -> io::Result<usize> {
    let mut piece = [0; 8 * 1024];
    let (mut lines, mut last) = (0, b'\n');
    loop {
        let read = match file.read(&mut piece)? {
            0 => return Ok(lines + usize::from(last != b'\n')),
            read => &piece[..read],
        };
        lines += read.iter().filter(|byte| **byte == b'\n').count();
        last = read.last().copied().unwrap_or(last);
    }
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
    fn lines_are_counted_piece_by_piece() {
        let count = |text: &str| lines(&mut text.as_bytes()).unwrap();
        assert_eq!(
            ["", "a", "a\n", "a\nb", "a\n\n"].map(count),
            [0, 1, 1, 2, 2]
        );
        let long = "0123456789\n".repeat(5_000);
        assert_eq!(count(&long), 5_000);
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
