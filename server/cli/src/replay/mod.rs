//! `bridgemaster replay`: fetches, reads, checks and converts replay files.

mod page;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail, ensure};
use bridgemaster_bots::TlsArgs;
use bridgemaster_proto::outside::Outside;
use bridgemaster_replay::{PublicKey, ReplayFile, decode, verify, write_transcript};
use bridgemaster_whole_file as whole_file;
use clap::{Args, Subcommand};

use super::{
    contest::ForkArgs,
    count::count,
    failure::{self, misuse},
    input_file,
    match_client::{ServerFlag, signing_key_of},
    output, proto_json,
    replay_file::read,
    runtime::block_on,
    table,
};

/// Longest file that holds the key of a server: 64 digits, and room for a line break.
const MAX_KEY_FILE_BYTES: u64 = 1024;

#[derive(Args)]
pub(super) struct ReplayArgs {
    #[command(subcommand)]
    command: ReplayCommand,
}

#[derive(Subcommand)]
enum ReplayCommand {
    /// Get the replay of a match that has ended from its server
    #[command(
        after_help = "The file is byte for byte the one that the server keeps, so its checksum \
        and its signature hold."
    )]
    Fetch {
        /// Identifier of the match, as `bridgemaster create` prints it
        match_id: String,
        /// File to write [default: MATCH_ID.replay.binpb]
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        server: ServerFlag,
    },
    /// Print a replay as text: the rules, every decision with its events, and the result
    Show {
        /// Replay file
        file: PathBuf,
    },
    /// Verify a replay: play it again by the rules and check everything in it
    #[command(
        after_help = "Exit code 0: everything holds. Exit code 1: the file cannot be read, \
        something does not hold, or the file is not signed by the key that is asked for; the \
        first such record is named. The rules say whether what happened is right; only the \
        signature says who played, when, and which server wrote it down."
    )]
    Verify {
        /// Replay file
        file: PathBuf,
        /// Public key that must have signed it: 64 hex digits, or a file that contains them
        #[arg(long, value_name = "HEX|FILE")]
        key: Option<String>,
        /// Server whose key must have signed it; the server is asked for its public key
        #[arg(long, value_name = "URL", conflicts_with = "key")]
        server: Option<String>,
        #[command(flatten)]
        tls: TlsArgs,
    },
    /// Write a replay as one HTML file, which any browser shows without a server
    Html {
        /// Replay file
        file: PathBuf,
        /// File to write [default: FILE with `.html` instead of `.replay.binpb`]
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Show a replay in the browser: serve its page here until Ctrl-C
    Open {
        /// Replay file
        file: PathBuf,
    },
    /// Play on from a position of a replay, with other bots
    Fork(ForkArgs),
    /// Convert a replay, so that programs in any language can read it
    Export {
        /// As canonical proto JSON of the message bridgemaster.v1.Replay
        #[arg(long, required = true)]
        json: bool,
        /// Replay file
        file: PathBuf,
        /// File to write [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

impl ReplayArgs {
    pub(super) fn run(self) -> ExitCode {
        let done = match self.command {
            ReplayCommand::Fork(args) => return args.run(),
            other => other.run(),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failure::report(&error),
        }
    }
}

impl ReplayCommand {
    fn run(self) -> anyhow::Result<()> {
        match self {
            // It has exit codes of its own.
            Self::Fork(_) => Ok(()),
            ReplayCommand::Fetch {
                match_id,
                out,
                server,
            } => {
                let out = out.map_or_else(|| default_file(&match_id), Ok)?;
                block_on(fetch(&server, &match_id, &out))
            }
            ReplayCommand::Show { file } => show(&file),
            ReplayCommand::Verify {
                file,
                key: Some(key),
                ..
            } => verify_file(&file, Some(demanded(&key)?)),
            ReplayCommand::Verify {
                file,
                server: Some(url),
                tls,
                ..
            } => block_on(async {
                let key = signing_key_of(&url, &tls.into()).await?;
                verify_file(&file, Some(key))
            }),
            ReplayCommand::Verify { file, .. } => verify_file(&file, None),
            ReplayCommand::Html { file, out } => page::write(&file, out.as_deref()),
            ReplayCommand::Open { file } => page::open(&file),
            ReplayCommand::Export {
                json: _,
                file,
                output,
            } => export(&file, output.as_deref()),
        }
    }
}

/// Default file of a fetched replay.
fn default_file(match_id: &str) -> anyhow::Result<PathBuf> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if match_id.is_empty() || !match_id.chars().all(is_plain) {
        return Err(misuse(format!(
            "{match_id:?} cannot be the name of a file; name one with --out FILE"
        )));
    }
    Ok(PathBuf::from(format!("{match_id}.replay.binpb")))
}

async fn fetch(server: &ServerFlag, match_id: &str, out: &Path) -> anyhow::Result<()> {
    let bytes = server.connect().await?.replay_file(match_id).await?;
    let ReplayFile { replay, signed_by } = decode(&bytes).context("what the server sent")?;
    ensure!(
        replay.match_id == match_id,
        "the server sent the replay of another match, {:?}",
        replay.match_id
    );
    let by = match signed_by {
        None => "not signed".to_owned(),
        Some(key) if key == server.signing_key().await? => {
            format!("signed by key {}, the server's", key.id())
        }
        Some(key) => format!(
            "signed by key {}, which is not the one that the server has now",
            key.id()
        ),
    };
    whole_file::write(out, &bytes)
        .with_context(|| format!("{} cannot be written", out.display()))?;
    let out = out.display();
    Ok(output::print(&format!(
        "{out}: the replay of match {match_id}, {by}\n"
    ))?)
}

/// The key that `--key` asks for.
fn demanded(key: &str) -> anyhow::Result<PublicKey> {
    if let Ok(key) = key.parse() {
        return Ok(key);
    }
    let path = Path::new(key);
    if !path.is_file() {
        return Err(misuse(format!(
            "--key {key:?} is neither 64 hex digits nor a file"
        )));
    }
    let text = input_file::read_text(path, MAX_KEY_FILE_BYTES).context("--key")?;
    let parsed = text.trim().parse();
    parsed.map_err(|error| misuse(format!("--key {}: {error}", path.display())))
}

/// Who signed a file, for the end of a sentence.
fn signer(signed_by: Option<PublicKey>) -> String {
    match signed_by {
        None => "not signed: only the file itself says who played and when".to_owned(),
        Some(key) => format!("signed by key {} ({key})", key.id()),
    }
}

fn show(path: &Path) -> anyhow::Result<()> {
    let ReplayFile { replay, signed_by } = read(path)?;
    let mut text = format!("{}\n", signer(signed_by));
    write_transcript(&replay, &mut text).with_context(|| path.display().to_string())?;
    text.push('\n');
    if let Some(result) = &replay.result {
        text.push_str(&table::result(result));
    }
    Ok(output::print(&text)?)
}

fn verify_file(path: &Path, demanded: Option<PublicKey>) -> anyhow::Result<()> {
    let ReplayFile { replay, signed_by } = read(path)?;
    let shown = path.display();
    match (demanded, signed_by) {
        (Some(demanded), Some(key)) if key != demanded => bail!(
            "{shown} does not hold: it is signed by key {}, and not by {}",
            key.id(),
            demanded.id()
        ),
        (Some(demanded), None) => bail!(
            "{shown} does not hold: it is not signed, and the signature of key {} is asked for",
            demanded.id()
        ),
        _ => {}
    }
    let verified = verify(&replay).with_context(|| format!("{shown} does not hold"))?;
    let seed = match (verified.seed_checked, verified.commitment_checked) {
        (true, true) => "the seed is the one committed to, and every chance result what it draws",
        (true, false) => "every chance result is what the seed draws; no commitment is stored",
        (false, _) => "the seed is not stored, so chance results were taken as they are",
    };
    let lag = match verified.spoiled_by_referee {
        true => "; the match was spoiled by the referee's own lag",
        false => "",
    };
    let taken_over = verified.taken_over.map_or_else(String::new, |decisions| {
        format!("; forked: its first {decisions} decisions are those of another match")
    });
    Ok(output::print(&format!(
        "{shown} holds: match {}, {} with {} and {}, all events, digests \
         and the result checked by the rules of {} version {}; {seed}{lag}{taken_over}\n{}\n",
        Outside(&replay.match_id),
        count(verified.records, "record", "records"),
        count(verified.decisions, "decision", "decisions"),
        count(verified.faults, "fault", "faults"),
        replay.game_id,
        replay.rules_version,
        signer(signed_by),
    ))?)
}

fn export(path: &Path, to: Option<&Path>) -> anyhow::Result<()> {
    let ReplayFile { replay, signed_by } = read(path)?;
    let json = proto_json::to_json("Replay", &replay)?;
    match to {
        None => output::print(&json)?,
        Some(to) => whole_file::write(to, json.as_bytes())
            .with_context(|| format!("{} cannot be written", to.display()))?,
    }
    output::complain(&format!("{}: {}", path.display(), signer(signed_by)));
    Ok(())
}
