//! Detects changes in the bots' files. A changed bot is a different bot, so the contest stops
//! unless changes are allowed.

use std::sync::Arc;

use bridgemaster_contest::schedule::BotNumber;
use parking_lot::Mutex;
use tokio::task::spawn_blocking;

use crate::{
    BotSpec, ContestSpec, ExitReason, MatchNumber, Player, RunError,
    bot_files::{BotChange, BotFileName, BotFiles},
    folder::Folder,
    identity::{Identity, Origin},
    run_error::PlayError,
};

/// The number of leading checksum digits that messages show.
const SHOWN_DIGITS: usize = 12;
/// The name that stands for the program file of built-in bots.
const PROGRAM: &str = "bridgemaster";

/// Detects changes in bot files.
#[derive(Debug)]
pub(crate) struct BotWatch {
    folder: Arc<Folder>,
    changes_allowed: bool,
    state: Mutex<WatchState>,
}

#[derive(Debug)]
struct WatchState {
    files: BotFiles,
    identity: Identity,
}

impl BotWatch {
    /// Starts watching these files for a new or resumed contest.
    ///
    /// # Errors
    /// Returns [`PlayError::Exit`] if a file has changed since the last run and changes are not
    /// allowed; an I/O error otherwise.
    pub(crate) fn start(
        folder: Arc<Folder>,
        spec: &ContestSpec,
        files: BotFiles,
        changes_allowed: bool,
    ) -> Result<Self, PlayError> {
        let mut identity = folder.identity()?;
        let current = Origin::current();
        let differences = match identity.runs.last() {
            Some(last) => {
                let mut differences = files.differences(&identity.files);
                differences.extend(built_in_difference(spec, last, &current));
                differences
            }
            None => Vec::new(),
        };
        if identity.runs.last() != Some(&current) {
            identity.runs.push(current);
        }
        check_allowed(&differences, changes_allowed)?;
        identity.changes.extend(differences);
        identity.files = files.list();
        folder.store_identity(&identity)?;
        Ok(Self { folder, changes_allowed, state: Mutex::new(WatchState { files, identity }) })
    }

    /// Returns the provenance of the contest so far.
    pub(crate) fn identity(&self) -> Identity {
        self.state.lock().identity.clone()
    }

    /// Returns the number of detected changes so far.
    pub(crate) fn changes(&self) -> usize {
        self.state.lock().identity.changes.len()
    }

    /// Checks the files of bots that are about to be started for a match. Reads only files whose
    /// metadata changed.
    ///
    /// # Errors
    /// Returns [`PlayError::Exit`] if a file has changed and changes are not allowed; an I/O error
    /// otherwise.
    pub(crate) async fn check(&self, names: &[&str], of: MatchNumber) -> Result<(), PlayError> {
        let to_reread = {
            let state = self.state.lock();
            state.files.with_changed_metadata(|bot| names.contains(&bot))
        };
        if to_reread.is_empty() {
            return Ok(());
        }
        let files = to_reread.clone();
        // The task is only cancelled when the program exits.
        let Ok(read) = spawn_blocking(move || files.reread()).await else {
            return Ok(());
        };
        let identity = {
            let state = &mut *self.state.lock();
            // A change that a concurrently started match has reported is no longer one.
            let mut changes = state.files.changes(&to_reread, &read);
            check_allowed(&changes, self.changes_allowed)?;
            // A rewrite with the same content is reported once. Between two checks, the content may
            // have been different.
            let known = &state.identity.changes;
            let is_known = |one: &BotChange| {
                let mut known = known.iter();
                known.any(|known| {
                    (&known.name, &known.after) == (&one.name, &one.after) && known.is_touch()
                })
            };
            changes.retain(|one| !(one.is_touch() && is_known(one)));
            state.files.update(&to_reread, read);
            state.identity.files = state.files.list();
            for change in &mut changes {
                change.before_match = Some(of);
            }
            let has_changed = !changes.is_empty();
            state.identity.changes.extend(changes);
            has_changed.then(|| state.identity.clone())
        };
        match identity {
            Some(identity) => Ok(self.folder.store_identity(&identity)?),
            None => Ok(()),
        }
    }
}

/// Returns the first difference as an error, unless changes are allowed.
fn check_allowed(differences: &[BotChange], changes_allowed: bool) -> Result<(), PlayError> {
    match differences.iter().find(|one| !changes_allowed && !one.is_touch()) {
        Some(first) => Err(PlayError::exit(
            ExitReason::BotChanged,
            format!(
                "{} changed since the contest started: {}. Its results would mix two different \
                 bots. Restore the old file and continue with --resume, start another contest, or \
                 continue with --resume FOLDER --bot-changed allow, which the report records",
                first.name,
                describe(first)
            ),
        )),
        None => Ok(()),
    }
}

/// Reads a resumed contest's bot files.
pub(crate) async fn read_files(spec: &ContestSpec) -> Result<BotFiles, RunError> {
    let spec = spec.clone();
    Ok(spawn_blocking(move || BotFiles::read(&spec)).await??)
}

/// Returns a difference if there are built-in bots and the program version has changed.
fn built_in_difference(spec: &ContestSpec, last: &Origin, current: &Origin) -> Option<BotChange> {
    let is_built_in = |bot: &&BotSpec| matches!(bot.player(), Ok(Player::BuiltIn { .. }));
    let bot = spec.bots.iter().find(is_built_in)?;
    let (before, after) = (&last.bridgemaster_version, &current.bridgemaster_version);
    (before != after).then(|| BotChange {
        name: BotFileName { bot: Some(bot.name.clone()), file: PROGRAM.to_owned() },
        before: Some(before.clone()),
        after: Some(after.clone()),
        before_match: None,
    })
}

fn describe(difference: &BotChange) -> String {
    let shown = |text: &str| text.chars().take(SHOWN_DIGITS).collect::<String>();
    match (&difference.before, &difference.after) {
        (Some(before), Some(after)) => format!("was {}, is {}", shown(before), shown(after)),
        (Some(_), None) => "was removed or cannot be read".to_owned(),
        (None, _) => "is new".to_owned(),
    }
}

/// Returns bot names by number.
pub(crate) fn names<'a>(spec: &'a ContestSpec, bots: &[BotNumber]) -> Vec<&'a str> {
    let bots = bots.iter().filter_map(|bot| spec.bots.get(*bot));
    bots.map(|bot| bot.name.as_str()).collect()
}
