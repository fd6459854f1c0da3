//! `bridgemaster replay`: reads, checks and converts replay files.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bridgemaster_proto::v1::Replay;
use bridgemaster_server::replay::{MAX_REPLAY_BYTES, decode, verify, write_transcript};
use clap::{Args, Subcommand};

use super::{input_file, output, proto_json, table};

#[derive(Args)]
pub(super) struct ReplayArgs {
    #[command(subcommand)]
    command: ReplayCommand,
}

#[derive(Subcommand)]
enum ReplayCommand {
    /// Print a replay as text: the rules, every decision with its events, and the result
    Show {
        /// Replay file
        file: PathBuf,
    },
    /// Play a replay again by the rules and check everything in it
    #[command(
        after_help = "Exit code 0: everything holds. Exit code 1: the file cannot be read, \
        or something does not hold; the first such record is named."
    )]
    Verify {
        /// Replay file
        file: PathBuf,
    },
    /// Convert a replay, so that programs in any language can read it
    Export {
        /// As canonical proto JSON of the message bridgemaster.v1.Replay
        #[arg(long, required = true)]
        json: bool,
        /// Replay file
        file: PathBuf,
        /// File to write; standard output when not given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

impl ReplayArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.command {
            ReplayCommand::Show { file } => show(&file),
            ReplayCommand::Verify { file } => verify_file(&file),
            ReplayCommand::Export {
                json: _,
                file,
                output,
            } => export(&file, output.as_deref()),
        }
    }
}

fn read(path: &Path) -> anyhow::Result<Replay> {
    let bytes = input_file::read(path, MAX_REPLAY_BYTES)?;
    decode(&bytes).with_context(|| path.display().to_string())
}

fn show(path: &Path) -> anyhow::Result<()> {
    let replay = read(path)?;
    let mut text = String::new();
    write_transcript(&replay, &mut text).with_context(|| path.display().to_string())?;
    text.push('\n');
    if let Some(result) = &replay.result {
        text.push_str(&table::result(result));
    }
    Ok(output::print(&text)?)
}

fn verify_file(path: &Path) -> anyhow::Result<()> {
    let replay = read(path)?;
    let verified = verify(&replay).with_context(|| format!("{} does not hold", path.display()))?;
    let seed = match (verified.seed_checked, verified.commitment_checked) {
        (true, true) => "the seed is the one committed to, and every chance result what it draws",
        (true, false) => "every chance result is what the seed draws; no commitment is stored",
        (false, _) => "the seed is not stored, so chance results were taken as they are",
    };
    let lag = match verified.spoiled_by_referee {
        true => "; the match was spoiled by the referee's own lag",
        false => "",
    };
    Ok(output::print(&format!(
        "{} holds: {} records with {} decisions and {} faults, all events, digests and the \
         result checked by the rules of {} version {}; {seed}{lag}\n",
        path.display(),
        verified.records,
        verified.decisions,
        verified.faults,
        replay.game_id,
        replay.rules_version
    ))?)
}

fn export(path: &Path, to: Option<&Path>) -> anyhow::Result<()> {
    let json = proto_json::to_json("Replay", &read(path)?)?;
    match to {
        None => Ok(output::print(&json)?),
        Some(to) => {
            std::fs::write(to, json).with_context(|| format!("{} cannot be written", to.display()))
        }
    }
}
