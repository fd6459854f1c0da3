//! `bridgemaster key`: the API keys of a server.

use std::{
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Context as _;
use bridgemaster_proto::outside::is_printable;
use bridgemaster_server::identity::{ApiKey, KeyScope, look_alike};
use bridgemaster_store::{DataDir, Key, KeyName, KeyStore, NewKey, SqliteKeys};
use clap::{Args, Subcommand};

use super::{
    failure::misuse, moment::utc, output, runtime::block_on, secret_file::SecretFile, table,
};

#[derive(Args)]
pub(super) struct KeyArgs {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Subcommand)]
enum KeyCommand {
    /// Make a key and print its secret, which is shown only once
    #[command(
        after_help = "The key goes to a file that is made for it, or to standard output, where \
        nothing else goes:\n\n  \
        bridgemaster key add alice --scope play --data data --output alice.key\n\n\
        Its holder gives it in the environment: BRIDGEMASTER_KEY=\"$(cat alice.key)\""
    )]
    Add {
        /// Name of the key; with the scope play, also the name of its bot in every match
        #[arg(value_name = "NAME")]
        name: KeyName,
        /// Scope of the key, can be repeated: play (take seats), create (make matches), read (see
        /// matches and replays of others), admin (change what others made), rules (call the rules)
        #[arg(long = "scope", value_name = "SCOPE", required = true)]
        scopes: Vec<KeyScope>,
        /// New file to write the key to, readable by this user only [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        data: DataFlag,
    },
    /// List all keys, without their secrets
    List {
        #[command(flatten)]
        data: DataFlag,
    },
    /// Revoke a key for good; a running server applies it within 5 s
    Revoke {
        /// Identifier or name of the key
        #[arg(value_name = "ID|NAME")]
        key: String,
        #[command(flatten)]
        data: DataFlag,
    },
}

#[derive(Args)]
struct DataFlag {
    /// Data folder of the server, which may be running; created if missing
    #[arg(long = "data", value_name = "DIR")]
    dir: PathBuf,
}

impl DataFlag {
    async fn keys(&self) -> anyhow::Result<SqliteKeys> {
        Ok(SqliteKeys::open(&DataDir::prepare(&self.dir)?).await?)
    }
}

impl KeyArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            match self.command {
                KeyCommand::Add {
                    name,
                    scopes,
                    output,
                    data,
                } => {
                    check_name(&name)?;
                    // Before the key is made: nobody could ever read it if it had no place.
                    let file = output.as_deref().map(SecretFile::new).transpose()?;
                    add(&data.keys().await?, name, &scopes, file).await
                }
                KeyCommand::List { data } => list(&data.keys().await?).await,
                KeyCommand::Revoke { key, data } => revoke(&data.keys().await?, &key).await,
            }
        })
    }
}

fn check_name(name: &KeyName) -> anyhow::Result<()> {
    if let Some(unprintable) = name.as_str().chars().find(|&c| !is_printable(c)) {
        return Err(misuse(format!(
            "the name of a key has printable characters only, not {unprintable:?}"
        )));
    }
    Ok(())
}

/// Refuses a name that people would take for the one of another bot, whose key may be revoked: its
/// results stay. Here and not in the store, which compares bytes and knows no bots; two names that
/// are added at the same moment are not compared.
fn check_likeness(name: &KeyName, all: &[Key]) -> anyhow::Result<()> {
    let is_taken_for_it =
        |other: &&Key| other.name != *name && look_alike(other.name.as_str(), name.as_str());
    let Some(other) = all.iter().find(is_taken_for_it) else {
        return Ok(());
    };
    let revoked = if other.is_in_force() { "" } else { ", revoked" };
    Err(misuse(format!(
        "the name {} looks like {}, the name of the key {}{revoked}: take one that nobody takes \
         for it",
        spelled(name),
        spelled(&other.name),
        other.id
    )))
}

/// A name, with the numbers of its characters beyond ASCII, which may look like others.
fn spelled(name: &KeyName) -> String {
    match name.as_str().is_ascii() {
        true => format!("{:?}", name.as_str()),
        false => format!("{:?} ({})", name.as_str(), name.as_str().escape_default()),
    }
}

async fn add(
    keys: &SqliteKeys,
    name: KeyName,
    scopes: &[KeyScope],
    file: Option<SecretFile>,
) -> anyhow::Result<()> {
    let key = ApiKey::draw();
    let new = NewKey {
        id: key.id().clone(),
        name: name.clone(),
        scopes: scopes.iter().map(|scope| scope.to_scope()).collect(),
        secret_hash: key.secret_hash(),
        created_at_unix_ms: now_unix_ms(),
    };
    check_likeness(&name, &keys.keys().await?)?;
    keys.add_key(new).await?;
    let line = format!("{}\n", key.reveal());
    match file {
        Some(file) => file
            .keep(&line)
            .with_context(|| format!("the key {} is made and lost: revoke it", key.id()))?,
        None => output::print(&line)?,
    }
    output::complain(&format!(
        "key {} for {name} is made; its secret is not shown again",
        key.id()
    ));
    Ok(())
}

async fn list(keys: &SqliteKeys) -> anyhow::Result<()> {
    let keys = keys.keys().await?;
    let rows = keys.iter().map(|key| {
        [
            key.id.to_string(),
            key.name.to_string(),
            scopes_of(key),
            utc(key.created_at_unix_ms),
            key.revoked_at_unix_ms.map(utc).unwrap_or_default(),
        ]
    });
    let text = table::plain(["id", "name", "scopes", "made", "revoked"], rows);
    Ok(output::print(&text)?)
}

async fn revoke(keys: &SqliteKeys, which: &str) -> anyhow::Result<()> {
    let all = keys.keys().await?;
    let named = |key: &&Key| key.is_in_force() && key.name.as_str() == which;
    let key = all
        .iter()
        .find(|key| key.id.as_str() == which)
        .or_else(|| all.iter().find(named))
        .ok_or_else(|| {
            misuse(format!(
                "no key in force has the identifier or name {which:?}; `key list` shows them"
            ))
        })?;
    let revoked = keys.revoke_key(&key.id, now_unix_ms()).await?;
    let at = revoked.revoked_at_unix_ms.map(utc).unwrap_or_default();
    let text = format!("key {} of {} is revoked since {at}\n", key.id, key.name);
    Ok(output::print(&text)?)
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
