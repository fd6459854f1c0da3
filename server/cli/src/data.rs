//! `bridgemaster data`: maintains a server's data folder.

use std::{
    convert::Infallible,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::{Context as _, bail};
use bridgemaster_server::repair_records;
use bridgemaster_store as store;
use bridgemaster_store::{
    CheckReport, CommitCompleteness, DamagedValue, DataDir, LadderChange, LadderId,
    LadderStore as _, MatchId, MigrationReport, RecordStore as _, SqliteOptions, SqliteStore,
    Store as _, StoreError, TransferReport, Write, copy_from_postgres, copy_to_postgres,
};
use clap::{Args, Subcommand};

use crate::{failure::misuse, files, output, quantities::count, replay_files::Inspection};

#[derive(Args)]
pub(super) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Subcommand)]
enum DataCommand {
    /// Check a data folder or a backup for damage
    #[command(
        after_help = "Verifies the checksum of every value, replays every match in play up to its \
        current position, and reads every summary and replay. Changes nothing, so a \
        server can use the folder at the same time.\n\nExit codes: 0 no damage; 1 values are \
        damaged or missing."
    )]
    Check {
        /// Data folder or backup to check
        dir: PathBuf,
        /// Folder of replay files to compare with the data folder
        ///
        /// A file that was moved out of the folder counts as missing.
        #[arg(long, value_name = "DIR")]
        replays: Option<PathBuf>,
    },
    /// Back up a data folder, even while a server uses it
    #[command(after_help = "The backup is checked.\n\n\
        Exit codes: 0 no damage; 1 the backup failed, or contains damaged values.")]
    Backup {
        /// Data folder of the server
        dir: PathBuf,
        /// Folder for the backup, created if missing; must not already contain a backup
        to: PathBuf,
    },
    /// Restore a backup into a data folder that no server uses
    #[command(
        after_help = "The backup is checked first and rejected if it is damaged. All later changes \
        are lost: bots that reconnect start over from the restored position."
    )]
    Restore {
        /// Folder of the backup
        backup: PathBuf,
        /// Data folder, created if missing
        dir: PathBuf,
        /// Replace an existing store, which is moved to a subfolder
        #[arg(long)]
        replace: bool,
    },
    /// Copy the store of a data folder into an empty PostgreSQL database, or back
    #[command(after_help = "One argument is a folder, the other an address \
        postgres://USER@HOST:PORT/DATABASE. Put the password into PGPASSWORD or ~/.pgpass, since \
        other users can see arguments. The copy is an atomic, consistent snapshot. A server can \
        keep running, but stop it first if the copy replaces its store.\n\nExit codes: 1 the store \
        is damaged, or cannot be read or written; 2 the destination already has a store.")]
    Copy {
        /// Source: a data folder, or the address of a database
        from: StoreLocation,
        /// Destination: an empty database, or a folder without a store (created if missing)
        to: StoreLocation,
    },
    /// Migrate a store of an older version to the schema of this program
    #[command(
        after_help = "A server does the same when it starts. Stores with a schema version below 8 \
        cannot be migrated and are refused. Programs of the version before can still use the \
        migrated store. A folder must not be in use by a server; nodes of a cluster can keep \
        running."
    )]
    Migrate {
        /// A data folder, or the address of a database
        store: StoreLocation,
    },
    /// Remove a match, a ladder or damaged values from a data folder
    #[command(
        after_help = "First stop the server that uses the folder. `data check` lists damaged \
        values; `key revoke` removes a damaged API key."
    )]
    Drop {
        /// Data folder of the server
        dir: PathBuf,
        /// Identifier of the match
        #[arg(required_unless_present_any = ["signing_key", "notes", "ladder", "missing"])]
        match_id: Option<MatchId>,
        /// Remove the key that signs replays, if it is damaged or missing
        ///
        /// On its next start, the server creates a new key and signs new replays with it.
        #[arg(long, conflicts_with = "match_id")]
        signing_key: bool,
        /// Remove damaged records of match groups, queues and idempotency keys
        ///
        /// The state of each match group is rebuilt from its finished matches; seeds of incomplete
        /// groups stay secret. Removed idempotency keys can be reused, and clients must reopen
        /// removed queues.
        #[arg(long, conflicts_with_all = ["match_id", "signing_key"])]
        notes: bool,
        /// Remove this ladder with its results, damaged or not
        ///
        /// The ladder's matches and replays are kept.
        #[arg(long, value_name = "NAME", conflicts_with_all = ["match_id", "signing_key", "notes"])]
        ladder: Option<LadderId>,
        /// Accept that rows are missing, which `data check` reports by table
        ///
        /// The lost values stay lost, and the check reports only later losses.
        #[arg(long, conflicts_with_all = ["match_id", "signing_key", "notes", "ladder"])]
        missing: bool,
    },
}

impl DataArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let text = match self.command {
            DataCommand::Check { dir, replays } => return check(&dir, replays.as_deref()),
            DataCommand::Backup { dir, to } => return backup(&dir, &to).await,
            DataCommand::Restore { backup, dir, replace } => {
                restore(&backup, &dir, replace).await?
            }
            DataCommand::Copy { from, to } => copy(from, to).await?,
            DataCommand::Migrate { store } => migrate(store).await?,
            DataCommand::Drop { dir, match_id, notes, ladder, missing, .. } => {
                let dir = existing(&dir)?;
                match (match_id, ladder) {
                    (Some(match_id), _) => drop_match(&dir, match_id).await?,
                    (None, Some(ladder)) => drop_ladder(&dir, ladder).await?,
                    (None, None) if missing => accept_missing(&dir).await?,
                    (None, None) if notes => drop_notes(&dir).await?,
                    (None, None) => drop_signing_key(&dir).await?,
                }
            }
        };
        Ok(output::print(&text)?)
    }
}

fn check(dir: &Path, replays: Option<&Path>) -> anyhow::Result<()> {
    if let Some(replays) = replays {
        files::check_folder("--replays ", replays)?;
    }
    let mut inspection = Inspection::new(replays);
    let report = store::check_with_inspector(&source(dir)?, &mut inspection)?;
    output::print(&summary(dir, &report))?;
    for problem in &inspection.problems {
        output::print(&format!("{problem}\n"))?;
    }
    if is_undamaged(&report) && inspection.problems.is_empty() {
        return Ok(());
    }
    bail!("{} is damaged; restore a backup, or remove the damaged values", dir.display());
}

async fn backup(dir: &Path, to: &Path) -> anyhow::Result<()> {
    let report = store::backup(&source(dir)?, to).await?;
    output::print(&summary(to, &report))?;
    if report.is_sound() {
        return Ok(());
    }
    bail!(
        "the backup {} is complete, but contains the damaged values of {}",
        to.display(),
        dir.display()
    );
}

async fn restore(backup: &Path, dir: &Path, replace: bool) -> anyhow::Result<String> {
    let dir = DataDir::prepare(dir)?;
    let restored = if replace {
        store::replace(backup, &dir).await
    } else {
        store::restore(backup, &dir).await
    };
    let report = restored.map_err(|error| match error {
        StoreError::AlreadyExists { path } => misuse(format!(
            "{} already has a store; name another folder, or replace the store with --replace",
            path.display()
        )),
        other => other.into(),
    })?;
    Ok(summary(dir.path(), &report))
}

/// Location of a store.
#[derive(Clone, Debug)]
enum StoreLocation {
    Folder(PathBuf),
    /// Address `postgres://...`; can contain a password.
    Database(String),
}

impl FromStr for StoreLocation {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_address = text.starts_with("postgres://") || text.starts_with("postgresql://");
        Ok(if is_address { Self::Database(text.to_owned()) } else { Self::Folder(text.into()) })
    }
}

/// Copies the store from one location to the other.
async fn copy(from: StoreLocation, to: StoreLocation) -> anyhow::Result<String> {
    let copied = match (from, to) {
        (StoreLocation::Folder(from), StoreLocation::Database(to)) => {
            copy_to_postgres(&source(&from)?, &to).await
        }
        (StoreLocation::Database(from), StoreLocation::Folder(to)) => {
            copy_from_postgres(&from, &DataDir::prepare(to)?).await
        }
        (StoreLocation::Folder(_), StoreLocation::Folder(_)) => {
            return Err(misuse(
                "source and destination are both folders; use `data backup` and `data restore`",
            ));
        }
        (StoreLocation::Database(_), StoreLocation::Database(_)) => {
            return Err(misuse(
                "source and destination are both databases; use pg_dump and pg_restore instead",
            ));
        }
    };
    let report = copied.map_err(|error| match error {
        StoreError::AlreadyExists { .. }
        | StoreError::NotEmpty { .. }
        | StoreError::NoStore { .. }
        | StoreError::InvalidAddress { .. } => misuse(error.to_string()),
        other => other.into(),
    })?;
    Ok(transfer_summary(&report))
}

/// Migrates a store.
async fn migrate(location: StoreLocation) -> anyhow::Result<String> {
    let migrated = match location {
        StoreLocation::Folder(dir) => store::migrate_folder(&existing(&dir)?),
        StoreLocation::Database(url) => store::migrate_database(&url).await,
    };
    let MigrationReport { from, to } = migrated?;
    Ok(if from == to {
        format!("already at schema version {to}\n")
    } else {
        format!("migrated from schema version {from} to {to}\n")
    })
}

fn transfer_summary(report: &TransferReport) -> String {
    format!(
        "copied and compared: {} in play, {} finished, {}, {} with {}\n",
        count(report.open, "match", "matches"),
        report.finished,
        count(report.keys, "key", "keys"),
        count(report.ladders, "ladder", "ladders"),
        count(report.ladder_matches, "match", "matches"),
    )
}

/// Returns an existing data folder that is only read, for example on a read-only medium.
fn source(dir: &Path) -> anyhow::Result<DataDir> {
    files::check_folder("", dir)?;
    Ok(DataDir::read_only(dir))
}

/// Opens an existing data folder for changes.
fn existing(dir: &Path) -> anyhow::Result<DataDir> {
    files::check_folder("", dir)?;
    let shown = || dir.display().to_string();
    DataDir::prepare(dir).with_context(shown)
}

/// Opens a data folder's store for a change, and closes it again.
async fn change<T>(
    dir: &DataDir,
    work: impl AsyncFnOnce(&SqliteStore) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let store = SqliteStore::open(dir, SqliteOptions::default()).await?;
    // Opening the store records its current state, so the next start could not report lost commits.
    if let CommitCompleteness::Missing(lost) = store.open_report().completeness {
        output::eprint(&format!("in {}: {lost}", dir.path().display()));
    }
    let done = work(&store).await;
    let closed = store.close().await;
    let done = done?;
    closed.map(|()| done)
}

async fn drop_match(dir: &DataDir, match_id: MatchId) -> anyhow::Result<String> {
    let write = Write::DropMatch { match_id: match_id.clone() };
    let dropped = change(dir, async |store| store.commit(vec![write]).await);
    dropped.await.map_err(|error| match error {
        StoreError::FolderInUse { .. } => anyhow::anyhow!(
            "{error}; or restart the server with --drop-match {match_id}, which also removes the \
             match"
        ),
        StoreError::WriteRefused { refusal, .. } => misuse(refusal.to_string()),
        other => other.into(),
    })?;
    Ok(format!("removed match {match_id} from {}\n", dir.path().display()))
}

async fn drop_ladder(dir: &DataDir, ladder_id: LadderId) -> anyhow::Result<String> {
    let drop = Write::ChangeLadder { ladder_id: ladder_id.clone(), change: LadderChange::Drop };
    let known = change(dir, async |store| {
        let ladders = store.ladders().await?;
        let intact = ladders.intact.into_iter().map(|ladder| ladder.ladder_id.to_string());
        let damaged = ladders.damaged.into_iter().filter_map(|damage| match damage.value {
            DamagedValue::Ladder(name) => Some(name),
            _ => None,
        });
        let known: Vec<String> = intact.chain(damaged).collect();
        if known.iter().any(|name| name == ladder_id.as_str()) {
            store.commit(vec![drop]).await?;
            return Ok(None);
        }
        Ok(Some(known.join(", ")))
    });
    if let Some(known) = known.await? {
        return Err(misuse(format!(
            "--ladder {ladder_id}: no such ladder in {}; its ladders: {}",
            dir.path().display(),
            if known.is_empty() { "none" } else { &known }
        )));
    }
    Ok(format!("removed ladder {ladder_id} from {}\n", dir.path().display()))
}

async fn drop_notes(dir: &DataDir) -> anyhow::Result<String> {
    let repair = change(dir, async |store| {
        let repair = repair_records(store).await?;
        store.commit(repair.writes).await?;
        Ok((repair.damaged, repair.groups))
    });
    let (damaged, groups) = repair.await?;
    let folder = dir.path().display();
    let removed = count(damaged, "damaged record", "damaged records");
    Ok(match (damaged, groups) {
        (0, _) => {
            format!("no record of groups, queues or idempotency keys is damaged in {folder}\n")
        }
        (_, 0) => format!("removed {removed} from {folder}\n"),
        _ => format!(
            "removed {removed} from {folder}; rebuilt {} from finished matches: seeds of \
             incomplete groups stay secret, and closed groups must be closed again\n",
            count(groups, "group", "groups"),
        ),
    })
}

async fn accept_missing(dir: &DataDir) -> anyhow::Result<String> {
    let accepted = change(dir, async |store| store.accept_missing_rows().await).await?;
    let folder = dir.path().display();
    if accepted.is_empty() {
        return Err(misuse(format!("no rows are missing in {folder}; nothing is changed")));
    }
    let accepted: Vec<String> = accepted.iter().map(ToString::to_string).collect();
    Ok(format!("accepted in {folder}: {}\n", accepted.join("; ")))
}

async fn drop_signing_key(dir: &DataDir) -> anyhow::Result<String> {
    let removed = change(dir, async |store| store.remove_damaged_secrets().await);
    if removed.await?.is_empty() {
        return Err(misuse(format!(
            "the key that signs replays is neither damaged nor missing in {}; nothing is removed",
            dir.path().display()
        )));
    }
    Ok(format!(
        "removed the key that signs replays from {}; the next start creates a new key, and \
         existing replays are unchanged\n",
        dir.path().display()
    ))
}

/// Describes how to remove or repair a damaged value.
fn remedy(dir: &Path, damaged: &DamagedValue) -> String {
    let dir = dir.display();
    match damaged {
        DamagedValue::Key(id) => {
            format!("to remove the key: bridgemaster key revoke {id} --data {dir}")
        }
        DamagedValue::Secret(_) => {
            format!("to remove the key: bridgemaster data drop {dir} --signing-key")
        }
        DamagedValue::Table("secret") => format!(
            "restore a backup; or, to sign with a new key: bridgemaster data drop {dir} --signing-key"
        ),
        DamagedValue::Table(_) => format!(
            "restore a backup; or, to accept the loss: bridgemaster data drop {dir} --missing"
        ),
        DamagedValue::Record(_) => {
            format!("to remove the record: bridgemaster data drop {dir} --notes")
        }
        DamagedValue::Ladder(ladder) => match LadderId::new(ladder.as_str()) {
            Ok(ladder) => format!(
                "to remove the ladder and its results: bridgemaster data drop {dir} \
                 --ladder {ladder}"
            ),
            // The name of this ladder is damaged as well.
            Err(_) => "servers ignore this ladder; create another ladder instead".to_owned(),
        },
        DamagedValue::LadderVersion { .. } => {
            "the record of the bot is lost, and the bot enters the ladder again when it attends"
                .to_owned()
        }
        DamagedValue::LadderMatch { .. } => {
            "the ladder continues without the result of this match".to_owned()
        }
        DamagedValue::Party(_) => "the next start of a server repairs this value".to_owned(),
        damaged => match damaged.match_id() {
            Some(id) => format!("to remove the match: bridgemaster data drop {dir} {id}"),
            // The value is part of the journal, which several matches share.
            None => {
                "the value is removed once the matches that share it have ended and no damaged \
                     match is in play"
                    .to_owned()
            }
        },
    }
}

/// Returns whether the check found neither damage nor loss.
fn is_undamaged(report: &CheckReport) -> bool {
    report.is_sound() && report.completeness == CommitCompleteness::Complete
}

/// Formats a report: the contents, then one line per problem.
fn summary(dir: &Path, report: &CheckReport) -> String {
    let CheckReport {
        open, finished, keys, commits, damage_reports, completeness, structure, ..
    } = report;
    let mut text = format!(
        "{}: {} in play, {finished} finished, {}, {}{}\n",
        dir.display(),
        count(*open, "match", "matches"),
        count(*keys, "key", "keys"),
        count(*commits, "commit", "commits"),
        if is_undamaged(report) { "; no damage found" } else { "" }
    );
    for damage in damage_reports {
        let remedy = remedy(dir, &damage.value);
        text.push_str(&format!("{damage}\n  {remedy}\n"));
    }
    if let Some(structure) = structure {
        text.push_str(&format!("the database is damaged: {structure}\n"));
    }
    match completeness {
        CommitCompleteness::Complete => {}
        CommitCompleteness::Missing(lost) => text.push_str(&format!("{lost}\n")),
        CommitCompleteness::Unknown { detail } => {
            text.push_str(&format!("cannot determine whether commits are missing: {detail}\n"));
        }
    }
    text
}
