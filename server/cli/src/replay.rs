//! `bridgemaster replay`: fetches, shows, verifies and converts replay files.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail, ensure};
use bridgemaster_bots::TlsArgs;
use bridgemaster_proto::escape::Escaped;
use bridgemaster_replay::whole_file;
use bridgemaster_replay::{PublicKey, ReplayFile, decode, verify, write_transcript};
use clap::{Args, Subcommand};

use crate::{
    contest::ForkArgs,
    failure::{self, misuse},
    files, formats,
    match_client::{ServerFlag, replay_file, signing_key_of},
    output,
    process::block_on,
    quantities::count,
    replay_page,
    replay_page::read_replay,
    replay_review::ReviewArgs,
    table,
};

/// Maximum size of a file with a server's key, in bytes. Such a file has 64 digits and white space.
const MAX_KEY_FILE_BYTES: u64 = 1024;

#[derive(Args)]
pub(super) struct ReplayArgs {
    #[command(subcommand)]
    command: ReplayCommand,
}

#[derive(Subcommand)]
enum ReplayCommand {
    /// Download the replay of a finished match from its server
    #[command(
        after_help = "The file has the same bytes as on the server, so its checksum and signature \
        stay valid."
    )]
    Fetch {
        /// Identifier of the match, as `match create` prints it
        match_id: String,
        /// File to write [default: MATCH_ID.replay.binpb]
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        server: ServerFlag,
    },
    /// Print a replay as text: rules, decisions with events, and result
    Show {
        /// Replay file
        file: PathBuf,
    },
    /// Verify a replay by replaying the match and checking every record
    #[command(
        after_help = "Exit codes: 0 the replay is valid; 1 the file cannot be read, is invalid, or is \
        not signed by the required key. The error names the first invalid record.\n\n\
        Verification proves that all decisions and events follow the rules. Only the signature \
        proves who played, when, and which server wrote the replay."
    )]
    Verify {
        /// Replay file
        file: PathBuf,
        /// Public key that must have signed the file: 64 hex digits, or a file with these
        #[arg(long, value_name = "HEX|FILE")]
        key: Option<String>,
        /// Server whose key must have signed the file
        #[arg(long, value_name = "URL", conflicts_with = "key")]
        server: Option<String>,
        #[command(flatten)]
        tls: TlsArgs,
    },
    /// Write a replay as one HTML file that works without a server
    Html {
        /// Replay file
        file: PathBuf,
        /// File to write [default: FILE with `.html` instead of `.replay.binpb`]
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Show a replay in the browser, on a local page that is served until Ctrl-C
    Open {
        /// Replay file
        file: PathBuf,
    },
    /// Continue a match from a position of its replay, with other bots
    Fork(ForkArgs),
    /// Show what each decision of a seat cost, and how much was luck
    Review(ReviewArgs),
    /// Convert a replay to JSON
    Export {
        /// Write the message bridgemaster.v1.Replay as canonical ProtoJSON
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
        failure::exit_code(done)
    }
}

impl ReplayCommand {
    fn run(self) -> anyhow::Result<()> {
        match self {
            // `ReplayArgs::run` handles this command, which has additional exit codes.
            Self::Fork(_) => Ok(()),
            ReplayCommand::Fetch { match_id, out, server } => {
                let out = out.map_or_else(|| default_file(&match_id), Ok)?;
                block_on(fetch(&server, &match_id, &out))
            }
            ReplayCommand::Show { file } => show(&file),
            ReplayCommand::Verify { file, key: Some(key), .. } => {
                verify_file(&file, Some(required_key(&key)?))
            }
            ReplayCommand::Verify { file, server: Some(url), tls, .. } => block_on(async {
                let key = signing_key_of(&url, &tls.into()).await?;
                verify_file(&file, Some(key))
            }),
            ReplayCommand::Verify { file, .. } => verify_file(&file, None),
            ReplayCommand::Html { file, out } => replay_page::write(&file, out.as_deref()),
            ReplayCommand::Open { file } => replay_page::open(&file),
            ReplayCommand::Review(args) => args.run(),
            ReplayCommand::Export { json: _, file, output } => export(&file, output.as_deref()),
        }
    }
}

/// Returns a downloaded replay's default file, `MATCH_ID.replay.binpb`.
fn default_file(match_id: &str) -> anyhow::Result<PathBuf> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if match_id.is_empty() || !match_id.chars().all(is_plain) {
        return Err(misuse(format!(
            "the match id {match_id:?} is not a valid file name; name a file with --out FILE"
        )));
    }
    Ok(PathBuf::from(format!("{match_id}.replay.binpb")))
}

async fn fetch(server: &ServerFlag, match_id: &str, out: &Path) -> anyhow::Result<()> {
    let bytes = replay_file(&mut server.connect().await?, match_id).await?;
    let ReplayFile { replay, signed_by } =
        decode(&bytes).context("the server sent an invalid replay")?;
    ensure!(
        replay.match_id == match_id,
        "the server sent the replay of another match, {:?}",
        replay.match_id
    );
    let by = match signed_by {
        None => "not signed".to_owned(),
        Some(key) if key == server.signing_key().await? => {
            format!("signed with the server's key, {}", key.id())
        }
        Some(key) => format!("signed with key {}, which is not the server's current key", key.id()),
    };
    whole_file::write(out, &bytes).with_context(|| format!("cannot write {}", out.display()))?;
    let out = out.display();
    Ok(output::print(&format!("{out}: the replay of match {match_id}, {by}\n"))?)
}

/// Parses the `--key` value.
fn required_key(key: &str) -> anyhow::Result<PublicKey> {
    if let Ok(key) = key.parse() {
        return Ok(key);
    }
    let path = Path::new(key);
    if !path.is_file() {
        return Err(misuse(format!("--key {key:?} is neither 64 hex digits nor a file")));
    }
    let text = files::read_text(path, MAX_KEY_FILE_BYTES).context("--key")?;
    let parsed = text.trim().parse();
    parsed.map_err(|error| misuse(format!("--key {}: {error}", path.display())))
}

/// Describes a file's signature.
fn signature(signed_by: Option<PublicKey>) -> String {
    match signed_by {
        None => "not signed, so nothing proves who played and when".to_owned(),
        Some(key) => format!("signed by key {} ({key})", key.id()),
    }
}

fn show(path: &Path) -> anyhow::Result<()> {
    let ReplayFile { replay, signed_by } = read_replay(path)?;
    let mut text = format!("{}\n", signature(signed_by));
    write_transcript(&replay, &mut text).with_context(|| path.display().to_string())?;
    text.push('\n');
    if let Some(result) = &replay.result {
        text.push_str(&table::result(result));
    }
    Ok(output::print(&text)?)
}

fn verify_file(path: &Path, required: Option<PublicKey>) -> anyhow::Result<()> {
    let ReplayFile { replay, signed_by } = read_replay(path)?;
    let shown = path.display();
    match (required, signed_by) {
        (Some(required), Some(key)) if key != required => {
            bail!("{shown} is signed by key {}, but key {} is required", key.id(), required.id())
        }
        (Some(required), None) => bail!(
            "{shown} is not signed, but a signature made with key {} is required",
            required.id()
        ),
        _ => {}
    }
    let verified = verify(&replay).with_context(|| format!("{shown} is not valid"))?;
    let seed = match (verified.seed_checked, verified.commitment_checked) {
        (true, true) => "the seed matches its commitment and all chance results",
        (true, false) => {
            "the seed matches all chance results, but there is no commitment to the seed"
        }
        (false, _) => "chance results are not checked, since the seed is not stored",
    };
    let lag = if verified.spoiled_by_referee {
        "; the match was spoiled by the referee's own lag"
    } else {
        ""
    };
    let taken_over = verified.copied_decisions.map_or_else(String::new, |decisions| {
        format!("; forked: the first {decisions} decisions come from another match")
    });
    Ok(output::print(&format!(
        "{shown} is valid: match {}, {} with {} and {}; all events, digests and the result \
         checked by the rules of {}, version {}; {seed}{lag}{taken_over}\n{}\n",
        Escaped(&replay.match_id),
        count(verified.records, "record", "records"),
        count(verified.decisions, "decision", "decisions"),
        count(verified.faults, "fault", "faults"),
        replay.game_id,
        replay.rules_version,
        signature(signed_by),
    ))?)
}

fn export(path: &Path, to: Option<&Path>) -> anyhow::Result<()> {
    let ReplayFile { replay, signed_by } = read_replay(path)?;
    let json = formats::to_json("Replay", &replay)?;
    match to {
        None => output::print(&json)?,
        Some(to) => whole_file::write(to, json.as_bytes())
            .with_context(|| format!("cannot write {}", to.display()))?,
    }
    output::eprint(&format!("{}: {}", path.display(), signature(signed_by)));
    Ok(())
}
