//! `bridgemaster data`: the data folder of a server as a whole.

use std::path::{Path, PathBuf};

use anyhow::bail;
use bridgemaster_server::repair_notes;
use bridgemaster_store::{
    self as store, CheckReport, DamagedValue, DataDir, LadderChange, LadderId, MatchId,
    SqliteOptions, SqliteStore, Store as _, StoreError, Tail, Write,
};
use clap::{Args, Subcommand};

use super::{
    count::count,
    data_copy::{self, Place},
    existing_folder::existing,
    failure::misuse,
    output,
    replay_files::Inspection,
    runtime::block_on,
};

#[derive(Args)]
pub(super) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Subcommand)]
enum DataCommand {
    /// Read everything in a data folder or a backup and name each value that is damaged
    #[command(
        after_help = "A server may run in the folder; nothing in it is changed. Every value is \
        held against its checksum, every match in play is played again up to where it stands, and \
        every summary and replay is read.\n\n\
        Exit code 0: everything is whole. Exit code 1: something is damaged or missing."
    )]
    Check {
        /// Data folder or backup
        dir: PathBuf,
        /// Folder of replay files, to be compared with the data folder. A file that was moved away
        /// counts as missing
        #[arg(long, value_name = "DIR")]
        replays: Option<PathBuf>,
    },
    /// Copy a data folder as it stands at this moment; a server may run in it
    #[command(
        after_help = "The copy is checked. Exit code 1: it could not be made, or has damaged \
        values, as the folder has."
    )]
    Backup {
        /// Data folder
        dir: PathBuf,
        /// Folder for the backup, created if missing; one that already has a backup is refused
        to: PathBuf,
    },
    /// Restore a backup into a data folder that no server uses
    #[command(
        after_help = "The backup is checked first, and refused if anything in it is damaged. What \
        happened after it was made is then forgotten: bots that come back are told to begin anew."
    )]
    Restore {
        /// Folder of the backup
        backup: PathBuf,
        /// Data folder, created if missing
        dir: PathBuf,
        /// Replace what is in the data folder, and keep the old content in a folder inside it
        #[arg(long)]
        replace: bool,
    },
    /// Copy the store of a data folder into an empty PostgreSQL database, or back
    #[command(after_help = "One of the two is a folder, the other an address \
        postgres://USER@HOST:PORT/DATABASE; let the password be in PGPASSWORD or ~/.pgpass, since \
        other users see arguments. It is copied as it stands at this moment, and a server may go \
        on beside it: stop it first if the copy is to take its place. All is copied or nothing.\n\n\
        Exit code 1: something in the store is damaged, or cannot be read or written. Exit code \
        2: there is a store already where the copy should go.")]
    Copy {
        /// Data folder or address of a database
        from: Place,
        /// Address of an empty database, or a folder without a store, created if missing
        to: Place,
    },
    /// Remove a match, in play or finished, or the damaged key that signs replays, from a data
    /// folder that no server uses
    #[command(
        after_help = "`data check` names what is damaged. A damaged API key is removed by `key \
        revoke`."
    )]
    Drop {
        /// Data folder
        dir: PathBuf,
        /// Identifier of the match
        #[arg(required_unless_present_any = ["signing_key", "notes", "ladder"])]
        match_id: Option<MatchId>,
        /// Remove the key that signs replays, if it is damaged: the next server makes another, and
        /// its replays are as those of another server
        #[arg(long, conflicts_with = "match_id")]
        signing_key: bool,
        /// Remove the notes that are damaged. How groups stand is noted anew, as their finished
        /// matches tell: the chance of one that is not over stays held back. Idempotency keys may
        /// be used again, and queues are opened again by whoever runs them
        #[arg(long, conflicts_with_all = ["match_id", "signing_key"])]
        notes: bool,
        /// Remove this ladder with all its results, damaged or not; its matches and their replays
        /// stay
        #[arg(long, value_name = "NAME", conflicts_with_all = ["match_id", "signing_key", "notes"])]
        ladder: Option<LadderId>,
    },
}

impl DataArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            match self.command {
                DataCommand::Check { dir, replays } => check(&dir, replays.as_deref()),
                DataCommand::Backup { dir, to } => backup(&dir, &to).await,
                DataCommand::Restore {
                    backup,
                    dir,
                    replace,
                } => restore(&backup, &dir, replace).await,
                DataCommand::Copy { from, to } => data_copy::copy(from, to).await,
                DataCommand::Drop {
                    dir,
                    match_id,
                    notes,
                    ladder,
                    ..
                } => match (match_id, ladder) {
                    (Some(match_id), _) => drop_match(&dir, match_id).await,
                    (None, Some(ladder)) => drop_ladder(&dir, ladder).await,
                    (None, None) if notes => drop_notes(&dir).await,
                    (None, None) => drop_signing_key(&dir).await,
                },
            }
        })
    }
}

fn check(dir: &Path, replays: Option<&Path>) -> anyhow::Result<()> {
    if let Some(replays) = replays.filter(|replays| !replays.is_dir()) {
        return Err(misuse(format!("there is no folder {}", replays.display())));
    }
    let mut inspection = Inspection::new(replays);
    let report = store::check_with(&existing(dir)?, &mut inspection)?;
    output::print(&told(dir, &report))?;
    for problem in &inspection.problems {
        output::print(&format!("{problem}\n"))?;
    }
    if is_whole(&report) && inspection.problems.is_empty() {
        return Ok(());
    }
    bail!(
        "{} is not whole: restore a backup, or give up what is damaged",
        dir.display()
    );
}

async fn backup(dir: &Path, to: &Path) -> anyhow::Result<()> {
    let report = store::backup(&existing(dir)?, to).await?;
    output::print(&told(to, &report))?;
    if report.is_sound() {
        return Ok(());
    }
    bail!(
        "the backup {} is made, and what is damaged in {} is damaged in it",
        to.display(),
        dir.display()
    );
}

async fn restore(backup: &Path, dir: &Path, replace: bool) -> anyhow::Result<()> {
    let dir = DataDir::prepare(dir)?;
    let restored = match replace {
        false => store::restore(backup, &dir).await,
        true => store::replace(backup, &dir).await,
    };
    let report = restored.map_err(|error| match error {
        StoreError::AlreadyThere { path } => misuse(format!(
            "there is {} already; name another folder, or replace it with --replace",
            path.display()
        )),
        other => other.into(),
    })?;
    Ok(output::print(&told(dir.path(), &report))?)
}

/// The store of a data folder, to remove something from it.
async fn opened(dir: &DataDir) -> Result<SqliteStore, StoreError> {
    let store = SqliteStore::open(dir, SqliteOptions::default()).await?;
    // Opening the store takes note of what there is, so nobody would be told later.
    if let Tail::Lost(lost) = store.opening().tail {
        output::complain(&format!("in {}: {lost}", dir.path().display()));
    }
    Ok(store)
}

async fn drop_match(dir: &Path, match_id: MatchId) -> anyhow::Result<()> {
    let dir = existing(dir)?;
    let store = opened(&dir).await.map_err(|error| match error {
        StoreError::FolderInUse { .. } => anyhow::anyhow!(
            "{error}; or start it again with --drop-match {match_id}, which gives the match up too"
        ),
        other => other.into(),
    })?;
    let write = Write::DropMatch {
        match_id: match_id.clone(),
    };
    let dropped = store.commit(vec![write]).await;
    let closed = store.close().await;
    dropped.map_err(|error| match error {
        StoreError::WriteRefused { refusal, .. } => misuse(refusal.to_string()),
        other => other.into(),
    })?;
    closed?;
    let text = format!(
        "match {match_id} is removed from {}\n",
        dir.path().display()
    );
    Ok(output::print(&text)?)
}

async fn drop_ladder(dir: &Path, ladder_id: LadderId) -> anyhow::Result<()> {
    let dir = existing(dir)?;
    let store = opened(&dir).await?;
    let change = LadderChange::Drop;
    let drop = Write::ChangeLadder {
        ladder_id: ladder_id.clone(),
        change,
    };
    let dropped = store.commit(vec![drop]).await;
    store.close().await?;
    dropped?;
    let text = format!(
        "the ladder {ladder_id} is not in {} any more\n",
        dir.path().display()
    );
    Ok(output::print(&text)?)
}

async fn drop_notes(dir: &Path) -> anyhow::Result<()> {
    let dir = existing(dir)?;
    let store = opened(&dir).await?;
    let work = async {
        let repair = repair_notes(&store).await?;
        store.commit(repair.writes).await?;
        Ok::<_, StoreError>((repair.damaged, repair.groups))
    };
    let done = work.await;
    store.close().await?;
    let folder = dir.path().display();
    let (damaged, groups) = done?;
    let removed = count(damaged, "damaged note is", "damaged notes are");
    let text = match (damaged, groups) {
        (0, _) => format!("no note is damaged in {folder}\n"),
        (_, 0) => format!("{removed} removed from {folder}\n"),
        _ => format!(
            "{removed} removed from {folder}; how {} is taken from their matches: the chance of \
             those that are not over stays held back, and one that was closed has to be closed \
             again\n",
            count(groups, "group stands", "groups stand"),
        ),
    };
    Ok(output::print(&text)?)
}

async fn drop_signing_key(dir: &Path) -> anyhow::Result<()> {
    let dir = existing(dir)?;
    let store = opened(&dir).await?;
    let removed = store.remove_damaged_secrets().await;
    let closed = store.close().await;
    if removed?.is_empty() {
        return Err(misuse(format!(
            "the key that signs replays is not damaged in {}, and stays",
            dir.path().display()
        )));
    }
    closed?;
    let text = format!(
        "the key that signs replays was damaged and is removed from {}; the next server makes \
         another, and the replays that there are stay as they are\n",
        dir.path().display()
    );
    Ok(output::print(&text)?)
}

/// How to go on without a value that is damaged.
fn way_out(dir: &Path, damaged: &DamagedValue) -> String {
    let dir = dir.display();
    match damaged {
        DamagedValue::Key(id) => {
            format!("to go on without it: bridgemaster key revoke {id} --data {dir}")
        }
        DamagedValue::Secret(_) => {
            format!("to go on without it: bridgemaster data drop {dir} --signing-key")
        }
        DamagedValue::Note(_) => {
            format!("to go on without it: bridgemaster data drop {dir} --notes")
        }
        DamagedValue::Ladder(ladder) => match LadderId::new(ladder.as_str()) {
            Ok(ladder) => format!(
                "to go on without the ladder and its results: bridgemaster data drop {dir} \
                 --ladder {ladder}"
            ),
            // Its name is damaged too.
            Err(_) => "no server plays it; another ladder may be made beside it".to_owned(),
        },
        DamagedValue::LadderVersion { .. } => {
            "the bot enters anew when it comes; what was noted of it is lost".to_owned()
        }
        DamagedValue::LadderMatch { .. } => "the ladder goes on without its result".to_owned(),
        DamagedValue::Party(_) => "the next start of a server mends it".to_owned(),
        damaged => match damaged.match_id() {
            Some(id) => format!("to go on without the match: bridgemaster data drop {dir} {id}"),
            // A part of the journal.
            None => "it goes when the matches in play that have sound parts of it have ended, and \
                     no damaged one is in play"
                .to_owned(),
        },
    }
}

/// Whether everything is there and as it was written, as far as that can be known.
fn is_whole(report: &CheckReport) -> bool {
    report.is_sound() && report.tail == Tail::Whole
}

/// A report as text: what there is, then a line for each problem.
fn told(dir: &Path, report: &CheckReport) -> String {
    let CheckReport {
        open,
        finished,
        keys,
        commits,
        damages,
        tail,
        structure,
        ..
    } = report;
    let mut text = format!(
        "{}: {} in play, {finished} finished, {}, {}{}\n",
        dir.display(),
        count(*open, "match", "matches"),
        count(*keys, "key", "keys"),
        count(*commits, "commit", "commits"),
        if is_whole(report) {
            "; all of it is whole"
        } else {
            ""
        }
    );
    for damage in damages {
        let way_out = way_out(dir, &damage.value);
        text.push_str(&format!("{damage}\n  {way_out}\n"));
    }
    if let Some(structure) = structure {
        text.push_str(&format!("the database is damaged: {structure}\n"));
    }
    match tail {
        Tail::Whole => {}
        Tail::Lost(lost) => text.push_str(&format!("{lost}\n")),
        Tail::Unknown { detail } => {
            text.push_str(&format!(
                "whether commits are lost is not known: {detail}\n"
            ));
        }
    }
    text
}
