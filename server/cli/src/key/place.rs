//! Location of a server's API keys: the server's data folder or database.

use std::{
    env::{self, VarError},
    path::PathBuf,
};

use bridgemaster_store::{DataDir, KeyStore, PostgresKeys, SqliteKeys};
use clap::Args;

use crate::{failure::misuse, files};

/// Flags for the keys' location.
#[derive(Args)]
#[group(multiple = false)]
pub(super) struct KeyPlace {
    /// Data folder of the server; `key add` creates it if missing
    ///
    /// The server may be running.
    #[arg(long = "data", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// PostgreSQL database of the server [env: BRIDGEMASTER_STORE]
    ///
    /// As postgres://USER:PASSWORD@HOST:PORT/DATABASE. The server may be running.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
}

impl KeyPlace {
    /// Opens the keys of an existing store.
    ///
    /// # Errors
    /// Returns a misuse error if the data folder does not exist.
    pub(super) async fn open(&self) -> anyhow::Result<Box<dyn KeyStore>> {
        if let (Some(dir), None) = (&self.dir, &self.store) {
            let shown = dir.display();
            files::check_folder("--data ", dir)?;
            if !DataDir::read_only(dir).has_store() {
                return Err(misuse(format!(
                    "--data {shown} is not a data folder; create one with `key add` or `serve --data`"
                )));
            }
        }
        self.open_or_create().await
    }

    /// Opens a store's keys. Creates the store if it is missing.
    pub(super) async fn open_or_create(&self) -> anyhow::Result<Box<dyn KeyStore>> {
        if let Some(dir) = &self.dir {
            let keys = SqliteKeys::open(&DataDir::prepare(dir)?).await?;
            return Ok(Box::new(keys));
        }
        let url = match &self.store {
            Some(url) => Some(url.clone()),
            None => read()?,
        };
        match url {
            Some(url) => {
                let keys = PostgresKeys::open(&url).await?;
                Ok(Box::new(keys))
            }
            None => Err(misuse("no location of the keys is given; use --data DIR or --store URL")),
        }
    }
}

/// The PostgreSQL database's address. It is used if no flag names a store. Other users can read a
/// password in arguments, but not in the environment.
const STORE_VARIABLE: &str = "BRIDGEMASTER_STORE";

/// Returns the address; `None` if the variable is unset or empty.
///
/// # Errors
/// Returns a misuse error if the value is not UTF-8.
pub(crate) fn read() -> anyhow::Result<Option<String>> {
    match env::var(STORE_VARIABLE) {
        Ok(url) => Ok(Some(url).filter(|url| !url.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(misuse(format!("{STORE_VARIABLE} is not valid UTF-8"))),
    }
}
