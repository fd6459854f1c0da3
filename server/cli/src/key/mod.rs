//! `bridgemaster key`: the API keys of a server.

mod naming;
mod place;
mod roster;

use std::{
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Context as _;
use bridgemaster_proto::outside::Outside;
use bridgemaster_server::identity::{ApiKey, KeyScope, look_alike};
use bridgemaster_store::{DamagedKey, Key, KeyName, NewKey, OwnerName};
use clap::{Args, Subcommand};

use self::{
    naming::{check_likeness, check_name, check_owner, check_owner_likeness},
    place::{KeyPlace, Keys},
    roster::Entry,
};
use super::{
    count::count, failure::misuse, input_file, lifetime::Lifetime, moment::utc, output,
    runtime::block_on, secret_file::SecretFile, table,
};

/// Largest file of keys to be made, in bytes: that of as many keys as a server may have.
const MAX_ROSTER_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Args)]
pub(super) struct KeyArgs {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Subcommand)]
enum KeyCommand {
    /// Make a key and print its secret, which is shown only once; or many keys from a file
    #[command(
        after_help = "The key goes to a file that is made for it, or to standard output, where \
        nothing else goes:\n\n  \
        bridgemaster key add alice --scope play --data data --output alice.key\n  \
        bridgemaster key add guest --scope play --expires 90d --data data\n\n\
        Its holder gives it in the environment: BRIDGEMASTER_KEY=\"$(cat alice.key)\"\n\n\
        A file of --from-csv has a line NAME,SCOPES[,EXPIRES[,OWNER]] for each key, with a space \
        between scopes, such as `alice,play create,90d,team 1`. All keys are made or none, and \
        come as lines NAME,KEY:\n\n  \
        bridgemaster key add --from-csv class.csv --data data --output class-keys.csv"
    )]
    Add {
        /// Name of the key; with the scope play, also the name of its bot in every match
        #[arg(value_name = "NAME", required_unless_present = "from_csv")]
        name: Option<KeyName>,
        /// Scope of the key, can be repeated: play (take seats), create (make matches), read (see
        /// matches and replays of others), admin (change what others made), rules (call the rules)
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<KeyScope>,
        /// Lifetime of the key, such as 12h, 90d or 8w [default: unlimited]
        #[arg(long, value_name = "TIME")]
        expires: Option<Lifetime>,
        /// Who has the key: several keys may have one owner, whose bots a ladder can keep apart
        /// [default: NAME]
        #[arg(long, value_name = "NAME")]
        owner: Option<OwnerName>,
        /// Make the keys that this file lists
        #[arg(
            long,
            value_name = "FILE",
            conflicts_with_all = ["name", "scopes", "expires", "owner"]
        )]
        from_csv: Option<PathBuf>,
        /// New file to write the key to, readable by this user only [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        place: KeyPlace,
    },
    /// List all keys, without their secrets
    List {
        #[command(flatten)]
        place: KeyPlace,
    },
    /// Revoke a key for good; a running server applies it within 5 s
    #[command(after_help = "A key that is damaged is removed, and its name is free again.")]
    Revoke {
        /// Identifier or name of the key
        #[arg(value_name = "ID|NAME")]
        key: String,
        #[command(flatten)]
        place: KeyPlace,
    },
}

impl KeyArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            match self.command {
                KeyCommand::Add {
                    name,
                    scopes,
                    expires,
                    owner,
                    from_csv,
                    output,
                    place,
                } => {
                    let wanted = match (name, from_csv) {
                        (Some(name), _) => Wanted::One(single(name, owner, scopes, expires)?),
                        (None, Some(file)) => Wanted::Many(many(&file)?, file),
                        (None, None) => return Err(misuse("key add: whom is the key for?")),
                    };
                    // Before a key is made: nobody could ever read it if it had no place.
                    let file = output.as_deref().map(SecretFile::new).transpose()?;
                    add(&place.made().await?, wanted, file).await
                }
                KeyCommand::List { place } => list(&place.keys().await?).await,
                KeyCommand::Revoke { key, place } => revoke(&place.keys().await?, &key).await,
            }
        })
    }
}

/// What `key add` is to make.
enum Wanted {
    One(Entry),
    /// Those of a file.
    Many(Vec<Entry>, PathBuf),
}

fn single(
    name: KeyName,
    owner: Option<OwnerName>,
    scopes: Vec<KeyScope>,
    lifetime: Option<Lifetime>,
) -> anyhow::Result<Entry> {
    check_name(&name).map_err(misuse)?;
    owner.as_ref().map_or(Ok(()), check_owner).map_err(misuse)?;
    if scopes.is_empty() {
        return Err(misuse(format!(
            "key add {}: what does it allow? --scope play (take seats), --scope create (make \
             matches) or --scope read (see matches and replays of others); `key add --help` has all",
            Outside(name.as_str())
        )));
    }
    Ok(Entry {
        line: 0,
        name,
        owner,
        scopes,
        lifetime,
    })
}

fn many(file: &Path) -> anyhow::Result<Vec<Entry>> {
    let text = input_file::read_text(file, MAX_ROSTER_BYTES).context("--from-csv")?;
    roster::read(&text).map_err(|problems| refused(file, &problems))
}

/// A file of keys none of which is made.
fn refused(file: &Path, problems: &[String]) -> anyhow::Error {
    misuse(format!(
        "--from-csv {}: no key is made\n  {}",
        file.display(),
        problems.join("\n  ")
    ))
}

/// Refuses a file with names that are taken, or that people would take for others.
fn check_together(
    file: &Path,
    entries: &[Entry],
    all: &[Key],
    damaged: &[DamagedKey],
) -> anyhow::Result<()> {
    let mut problems = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let (line, name) = (entry.line, &entry.name);
        let before = entries[..place].iter().map(Entry::owner);
        let holder = all
            .iter()
            .find(|key| key.is_in_force() && key.name == *name);
        if let Some(holder) = holder {
            problems.push(format!(
                "line {line}: the name {name} belongs to the key {}, which is in force",
                holder.id
            ));
        }
        if let Err(problem) = check_likeness(name, all, damaged) {
            problems.push(format!("line {line}: {problem}"));
        }
        if let Err(problem) = check_owner_likeness(entry.owner(), before, all) {
            problems.push(format!("line {line}: {problem}"));
        }
        let is_taken_for_it =
            |other: &&Entry| other.name != *name && look_alike(other.name.as_str(), name.as_str());
        if let Some(other) = entries[..place].iter().find(is_taken_for_it) {
            problems.push(format!(
                "line {line}: the name {name} looks like {} on line {}",
                other.name, other.line
            ));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(refused(file, &problems)),
    }
}

/// A key with its secret, and what the store keeps of it.
fn drawn(entry: &Entry) -> (ApiKey, NewKey) {
    let (key, created_at_unix_ms) = (ApiKey::draw(), now_unix_ms());
    let new = NewKey {
        id: key.id().clone(),
        name: entry.name.clone(),
        owner: entry.owner.clone(),
        scopes: entry.scopes.iter().map(|scope| scope.to_scope()).collect(),
        secret_hash: key.secret_hash(),
        created_at_unix_ms,
        expires_at_unix_ms: entry
            .lifetime
            .map(|time| time.end_unix_ms(created_at_unix_ms)),
    };
    (key, new)
}

async fn add(keys: &Keys, wanted: Wanted, file: Option<SecretFile>) -> anyhow::Result<()> {
    let (all, damaged) = (keys.keys().await?, keys.damaged_keys().await?);
    let (text, made) = match &wanted {
        Wanted::One(entry) => {
            check_likeness(&entry.name, &all, &damaged).map_err(misuse)?;
            check_owner_likeness(entry.owner(), std::iter::empty(), &all).map_err(misuse)?;
            let (key, new) = drawn(entry);
            let until = new
                .expires_at_unix_ms
                .map(|at| format!(" until {}", utc(at)));
            keys.add_key(new).await?;
            let made = format!(
                "key {} for {} is made{}; its secret is not shown again",
                key.id(),
                entry.name,
                until.unwrap_or_default()
            );
            (format!("{}\n", key.reveal()), made)
        }
        Wanted::Many(entries, path) => {
            check_together(path, entries, &all, &damaged)?;
            let drawn: Vec<(ApiKey, NewKey)> = entries.iter().map(drawn).collect();
            keys.add_keys(drawn.iter().map(|(_, new)| new.clone()).collect())
                .await?;
            let lines = drawn.iter().map(|(key, new)| (&new.name, key.reveal()));
            let made = format!(
                "{} made; the secrets are not shown again",
                match drawn.len() {
                    1 => "1 key is".to_owned(),
                    several => format!("{several} keys are"),
                }
            );
            (roster::written(lines)?, made)
        }
    };
    match file {
        Some(file) => file
            .keep(&text)
            .with_context(|| format!("{made}, and lost: revoke what `key list` shows"))?,
        None => output::print(&text)?,
    }
    output::complain(&made);
    Ok(())
}

async fn list(keys: &Keys) -> anyhow::Result<()> {
    let (all, damaged) = (keys.keys().await?, keys.damaged_keys().await?);
    let rows = all.iter().map(|key| {
        [
            key.id.to_string(),
            key.name.to_string(),
            key.owner().to_owned(),
            scopes_of(key),
            utc(key.created_at_unix_ms),
            expiry(key),
            key.last_used_at_unix_ms.map(utc).unwrap_or_default(),
            key.revoked_at_unix_ms.map(utc).unwrap_or_default(),
        ]
    });
    let text = table::plain(
        [
            "id", "name", "owner", "scopes", "made", "expires", "last use", "revoked",
        ],
        rows,
    );
    output::print(&text)?;
    if damaged.is_empty() {
        return Ok(());
    }
    let rows = damaged.into_iter().map(|key| {
        let name = key.name.map(|name| name.to_string());
        [key.id.to_string(), name.unwrap_or_default(), key.detail]
    });
    let rows: Vec<_> = rows.collect();
    let number = count(rows.len() as u64, "key is", "keys are");
    let text = table::plain(["damaged key", "name", "what is wrong"], rows.into_iter());
    output::print(&text)?;
    output::complain(&format!(
        "{number} damaged; `key revoke ID` removes such a key, and its name is free again"
    ));
    Ok(())
}

async fn revoke(keys: &Keys, which: &str) -> anyhow::Result<()> {
    let all = keys.keys().await?;
    let named = |key: &&Key| key.is_in_force() && key.name.as_str() == which;
    let key = all
        .iter()
        .find(|key| key.id.as_str() == which)
        .or_else(|| all.iter().find(named));
    let Some(key) = key else {
        return remove_damaged(keys, which).await;
    };
    let revoked = keys.revoke_key(&key.id, now_unix_ms()).await?;
    let at = revoked.revoked_at_unix_ms.map(utc).unwrap_or_default();
    let text = format!("key {} of {} is revoked since {at}\n", key.id, key.name);
    Ok(output::print(&text)?)
}

/// Removes a key that is damaged: nothing can be written into it any more.
async fn remove_damaged(keys: &Keys, which: &str) -> anyhow::Result<()> {
    let damaged = keys.damaged_keys().await?;
    let named = |key: &&DamagedKey| key.name.as_ref().is_some_and(|name| name.as_str() == which);
    let key = damaged
        .iter()
        .find(|key| key.id.as_str() == which)
        .or_else(|| damaged.iter().find(named))
        .ok_or_else(|| {
            misuse(format!(
                "no key in force has the identifier or name {which:?}; `key list` shows them"
            ))
        })?;
    keys.remove_damaged_key(&key.id).await?;
    let text = format!(
        "key {} was damaged and is removed; its name is free\n",
        key.id
    );
    Ok(output::print(&text)?)
}

/// When the time of a key is over, and whether it is.
fn expiry(key: &Key) -> String {
    match key.expires_at_unix_ms {
        None => String::new(),
        Some(at) if key.has_expired(now_unix_ms()) => format!("{} (over)", utc(at)),
        Some(at) => utc(at),
    }
}

fn scopes_of(key: &Key) -> String {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    scopes.join(" ")
}

fn now_unix_ms() -> i64 {
    // A clock before 1970 is as wrong as one that says 1970.
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}
