//! Where the API keys of a server are: in its data folder or in its database.

use std::{ops::Deref, path::PathBuf};

use bridgemaster_store::{
    DATABASE_FILE, DataDir, KeyStore, NewKey, PostgresKeys, SqliteKeys, StoreError,
};
use clap::Args;

use crate::{failure::misuse, store_variable};

/// Where the keys of a server are.
#[derive(Args)]
#[group(multiple = false)]
pub(super) struct KeyPlace {
    /// Data folder of the server, which may be running; `key add` creates it if missing
    #[arg(long = "data", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// PostgreSQL database of the server, which may be running, as
    /// postgres://USER:PASSWORD@HOST:PORT/DATABASE [env: BRIDGEMASTER_STORE]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
}

impl KeyPlace {
    /// The keys of a store that is there; no folder is made.
    pub(super) async fn keys(&self) -> anyhow::Result<Keys> {
        if let (Some(dir), None) = (&self.dir, &self.store) {
            let shown = dir.display();
            if !dir.is_dir() {
                return Err(misuse(format!("--data {shown}: there is no such folder")));
            }
            if !dir.join(DATABASE_FILE).is_file() {
                return Err(misuse(format!(
                    "--data {shown}: this is no data folder; `key add` or `serve --data` makes one"
                )));
            }
        }
        self.made().await
    }

    /// The keys of a store, which is made if it is missing.
    pub(super) async fn made(&self) -> anyhow::Result<Keys> {
        if let Some(dir) = &self.dir {
            let keys = SqliteKeys::open(&DataDir::prepare(dir)?).await?;
            return Ok(Keys::Folder(Box::new(keys)));
        }
        let url = match &self.store {
            Some(url) => Some(url.clone()),
            None => store_variable::read()?,
        };
        match url {
            Some(url) => {
                let keys = PostgresKeys::open(&url).await?;
                Ok(Keys::Database(Box::new(keys)))
            }
            None => Err(misuse("--data DIR or --store URL: where are the keys?")),
        }
    }
}

/// The keys of a store.
pub(super) enum Keys {
    /// Of a data folder.
    Folder(Box<SqliteKeys>),
    /// Of a database.
    Database(Box<PostgresKeys>),
}

impl Keys {
    /// Adds keys, all of them or none.
    pub(super) async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError> {
        match self {
            Self::Folder(folder) => folder.add_keys(keys).await,
            Self::Database(database) => database.add_keys(keys).await,
        }
    }
}

impl Deref for Keys {
    type Target = dyn KeyStore;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Folder(folder) => &**folder,
            Self::Database(database) => &**database,
        }
    }
}
