//! `bridgemaster key`: manages the API keys of a server.

pub(super) mod place;
mod roster;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bridgemaster_proto::escape::Escaped;
use bridgemaster_server::identity::{ApiKey, KeyScope};
use bridgemaster_store::{DamagedKey, Key, KeyName, KeyStore, NewKey, OwnerName};
use clap::{Args, Subcommand};

use crate::{
    failure::misuse,
    files::{self, SecretFile},
    key::{
        place::KeyPlace,
        roster::{Entry, NamesInUse, check_name},
    },
    output,
    quantities::{Lifetime, count, now_unix_ms, utc},
    table,
};

/// Maximum size of the `--from-csv` file, in bytes. The maximum number of keys fits.
const MAX_ROSTER_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Args)]
pub(super) struct KeyArgs {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Subcommand)]
enum KeyCommand {
    /// Create a key and print its secret, or create the keys of a CSV file
    #[command(after_help = "The key is printed only once, to standard output or a new file:\n\n  \
        bridgemaster key add alice --scope play --data data --output alice.key\n  \
        bridgemaster key add guest --scope play --expires 90d --data data\n\n\
        Programs read the key from BRIDGEMASTER_KEY, as in BRIDGEMASTER_KEY=\"$(cat alice.key)\"\n\n\
        A file of --from-csv has a line NAME,SCOPES[,EXPIRES[,OWNER]] for each key, with spaces \
        between scopes, such as `alice,play create,90d,team 1`. Either all keys are created or \
        none; the output has lines NAME,KEY:\n\n  \
        bridgemaster key add --from-csv class.csv --data data --output class-keys.csv")]
    Add {
        /// Name of the key, and of its bot in matches
        #[arg(value_name = "NAME", required_unless_present = "from_csv")]
        name: Option<KeyName>,
        /// Scope of the key (repeatable): play, create, read, admin or rules
        ///
        /// play: take seats; create: create matches; read: see other keys' matches and replays;
        /// admin: change other keys' matches, queues and ladders; rules: call RulesService.
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<KeyScope>,
        /// Lifetime of the key, such as 12h, 90d or 8w [default: unlimited]
        #[arg(long, value_name = "TIME")]
        expires: Option<Lifetime>,
        /// Owner of the key [default: NAME]
        ///
        /// Several keys can have the same owner. Ladders can avoid pairing bots of one owner.
        #[arg(long, value_name = "NAME")]
        owner: Option<OwnerName>,
        /// Create the keys in this CSV file
        #[arg(
            long,
            value_name = "FILE",
            conflicts_with_all = ["name", "scopes", "expires", "owner"]
        )]
        from_csv: Option<PathBuf>,
        /// New file for the key, readable only by you [default: standard output]
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
    /// Revoke a key permanently; a running server applies it within 5 s
    #[command(after_help = "A damaged key is removed, and its name can be reused.")]
    Revoke {
        /// Identifier or name of the key
        #[arg(value_name = "ID|NAME")]
        key: String,
        #[command(flatten)]
        place: KeyPlace,
    },
}

impl KeyArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self.command {
            KeyCommand::Add { name, scopes, expires, owner, from_csv, output, place } => {
                let (entries, csv) = match (name, from_csv) {
                    (Some(name), _) => (vec![single(name, owner, scopes, expires)?], None),
                    (None, Some(file)) => (many(&file)?, Some(file)),
                    (None, None) => {
                        return Err(misuse("key add: NAME or --from-csv FILE is required"));
                    }
                };
                // The file is created before the key, whose secret would be lost if the file
                // could not be written.
                let file = output.as_deref().map(SecretFile::new).transpose()?;
                if file.is_none() {
                    output::check_open("key")?;
                }
                add(&*place.open_or_create().await?, &entries, csv.as_deref(), file).await
            }
            KeyCommand::List { place } => list(&*place.open().await?).await,
            KeyCommand::Revoke { key, place } => revoke(&*place.open().await?, &key).await,
        }
    }
}

fn single(
    name: KeyName,
    owner: Option<OwnerName>,
    scopes: Vec<KeyScope>,
    lifetime: Option<Lifetime>,
) -> anyhow::Result<Entry> {
    check_name("the name of a key", name.as_str()).map_err(misuse)?;
    if let Some(owner) = &owner {
        check_name("an owner", owner.as_str()).map_err(misuse)?;
    }
    if scopes.is_empty() {
        return Err(misuse(format!(
            "key add {}: a key needs a scope, such as --scope play (take seats) or --scope create \
             (create matches); `key add --help` lists all",
            Escaped(name.as_str())
        )));
    }
    Ok(Entry { line: 0, name, owner, scopes, lifetime })
}

fn many(file: &Path) -> anyhow::Result<Vec<Entry>> {
    let text = files::read_text(file, MAX_ROSTER_BYTES).context("--from-csv")?;
    roster::parse(&text).map_err(|problems| invalid_file(file, &problems))
}

/// Returns the error that lists a CSV file's problems.
fn invalid_file(file: &Path, problems: &[String]) -> anyhow::Error {
    misuse(format!("--from-csv {}: no key is created\n  {}", file.display(), problems.join("\n  ")))
}

/// Rejects a file with names that are in use or confusable with other names.
fn check_entries(file: &Path, entries: &[Entry], mut names: NamesInUse) -> anyhow::Result<()> {
    let mut problems = Vec::new();
    for entry in entries {
        let line = entry.line;
        let found = names.holder(&entry.name).into_iter().chain(names.confusable(entry));
        problems.extend(found.map(|problem| format!("line {line}: {problem}")));
        names.insert(&entry.name, entry.owner(), format!("the name on line {line}"));
    }
    if problems.is_empty() { Ok(()) } else { Err(invalid_file(file, &problems)) }
}

/// Generates a key, and the record to store for it.
fn generate(entry: &Entry) -> (ApiKey, NewKey) {
    let (key, created_at_unix_ms) = (ApiKey::generate(), now_unix_ms());
    let new = NewKey {
        id: key.id().clone(),
        name: entry.name.clone(),
        owner: entry.owner.clone(),
        scopes: entry.scopes.iter().map(|scope| scope.to_scope()).collect(),
        secret_hash: key.secret_hash(),
        created_at_unix_ms,
        expires_at_unix_ms: entry.lifetime.map(|time| time.end_unix_ms(created_at_unix_ms)),
    };
    (key, new)
}

/// Adds one key, or the keys of a CSV file.
async fn add(
    keys: &dyn KeyStore,
    entries: &[Entry],
    csv: Option<&Path>,
    file: Option<SecretFile>,
) -> anyhow::Result<()> {
    let names = NamesInUse::new(&keys.keys().await?, &keys.damaged_keys().await?);
    let number = count(entries.len(), "key", "keys");
    if let Some(path) = csv {
        check_entries(path, entries, names)?;
        output::eprint(&format!("creating {number}"));
    } else {
        let problems: Vec<_> = entries.iter().flat_map(|entry| names.confusable(entry)).collect();
        if !problems.is_empty() {
            return Err(misuse(problems.join("\n")));
        }
    }
    let generated: Vec<(ApiKey, NewKey)> = entries.iter().map(generate).collect();
    keys.add_keys(generated.iter().map(|(_, new)| new.clone()).collect()).await?;
    let (text, message) = match (csv, generated.as_slice()) {
        (None, [(key, new)]) => {
            let until = new.expires_at_unix_ms.map(|at| format!(" until {}", utc(at)));
            let message = format!(
                "created key {} for {}{}; its secret is not shown again",
                key.id(),
                new.name,
                until.unwrap_or_default()
            );
            (format!("{}\n", key.reveal()), message)
        }
        _ => {
            let lines = generated.iter().map(|(key, new)| (&new.name, key.reveal()));
            let message = format!("created {number}; the secrets are not shown again");
            (roster::to_csv(lines)?, message)
        }
    };
    match file {
        Some(file) => file.write(&text).with_context(|| {
            format!(
                "{message}, but cannot write the secrets; revoke the new keys that `key list` shows"
            )
        })?,
        None => output::print(&text)?,
    }
    output::eprint(&message);
    Ok(())
}

async fn list(keys: &dyn KeyStore) -> anyhow::Result<()> {
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
        ["id", "name", "owner", "scopes", "created", "expires", "last use", "revoked"],
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
    let text = table::plain(["damaged key", "name", "damage"], rows.into_iter());
    output::print(&text)?;
    output::eprint(&format!(
        "{number} damaged; `key revoke ID` removes a damaged key, so that its name can be reused"
    ));
    Ok(())
}

async fn revoke(keys: &dyn KeyStore, which: &str) -> anyhow::Result<()> {
    let all = keys.keys().await?;
    let named = |key: &&Key| key.is_in_force() && key.name.as_str() == which;
    let key = all.iter().find(|key| key.id.as_str() == which).or_else(|| all.iter().find(named));
    let Some(key) = key else {
        return remove_damaged(keys, which).await;
    };
    let revoked = keys.revoke_key(&key.id, now_unix_ms()).await?;
    let at = revoked.revoked_at_unix_ms.map(utc).unwrap_or_default();
    let text = format!("key {} of {} is revoked since {at}\n", key.id, key.name);
    Ok(output::print(&text)?)
}

/// Removes a damaged key, which cannot be marked as revoked.
async fn remove_damaged(keys: &dyn KeyStore, which: &str) -> anyhow::Result<()> {
    let damaged = keys.damaged_keys().await?;
    let named = |key: &&DamagedKey| key.name.as_ref().is_some_and(|name| name.as_str() == which);
    let key = damaged
        .iter()
        .find(|key| key.id.as_str() == which)
        .or_else(|| damaged.iter().find(named))
        .ok_or_else(|| {
            misuse(format!(
                "no valid key has the identifier or name {which:?}; `key list` lists all keys"
            ))
        })?;
    keys.remove_damaged_key(&key.id).await?;
    let text = format!("removed damaged key {}; its name can be reused\n", key.id);
    Ok(output::print(&text)?)
}

/// Describes when a key expires or expired.
fn expiry(key: &Key) -> String {
    match key.expires_at_unix_ms {
        None => String::new(),
        Some(at) if key.has_expired(now_unix_ms()) => format!("{} (expired)", utc(at)),
        Some(at) => utc(at),
    }
}

fn scopes_of(key: &Key) -> String {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    scopes.join(" ")
}
