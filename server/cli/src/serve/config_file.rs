//! A server's config file.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use bridgemaster_proto::v1::Ladder;
use bridgemaster_server::{KeepReplays, Limits};
use bridgemaster_whole_file::FileMode;
use serde::Deserialize;
use toml::Table;

use super::{
    flags::{DurabilityFlag, LogFormat, PublicReadFlag},
    keep_replays, ladders,
};
use crate::{address, failure::misuse, input_file};

/// Maximum size of a config file, in bytes. A file with every entry is several times smaller.
const MAX_CONFIG_BYTES: u64 = 64 * 1024;

/// A config file with `serve` flags (with `_` in place of `-`), limits and ladders.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ConfigFile {
    #[serde(deserialize_with = "address::deserialize")]
    pub(super) listen: Option<SocketAddr>,
    pub(super) replays: Option<PathBuf>,
    pub(super) replay_mode: Option<FileMode>,
    pub(super) data: Option<PathBuf>,
    pub(super) store: Option<String>,
    pub(super) node: Option<String>,
    pub(super) advertise: Option<String>,
    pub(super) forward: bool,
    pub(super) durability: Option<DurabilityFlag>,
    #[serde(deserialize_with = "keep_replays::deserialize")]
    pub(super) keep_replays: Option<KeepReplays>,
    pub(super) drain_time: Option<u32>,
    pub(super) require_keys: bool,
    pub(super) public_read: Option<PublicReadFlag>,
    pub(super) rules: bool,
    pub(super) tls_cert: Option<PathBuf>,
    pub(super) tls_key: Option<PathBuf>,
    pub(super) tls_client_ca: Option<PathBuf>,
    #[serde(deserialize_with = "address::deserialize")]
    pub(super) metrics: Option<SocketAddr>,
    pub(super) otlp: Option<String>,
    #[serde(deserialize_with = "address::deserialize")]
    pub(super) page: Option<SocketAddr>,
    pub(super) no_page: bool,
    pub(super) page_host: Vec<String>,
    pub(super) log: Option<LogFormat>,
    pub(super) insecure: bool,
    pub(super) limits: Limits,
    /// The `ladder create` flags for each ladder, by name.
    ladders: BTreeMap<String, Table>,
}

impl ConfigFile {
    /// Parses the ladders of the file. Errors name `path`.
    ///
    /// # Errors
    /// An entry is unknown, or its value is invalid.
    pub(super) fn ladders(&self, path: &Path) -> anyhow::Result<Vec<Ladder>> {
        let ladders = self.ladders.iter();
        ladders
            .map(|(name, table)| ladders::parse(path, name, table))
            .collect()
    }

    /// Reads a config file. Errors name the invalid entry and its line.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = input_file::read_text(path, MAX_CONFIG_BYTES).context("--config")?;
        toml::from_str(&text)
            .map_err(|error| misuse(format!("--config {}: {error}", path.display())))
    }
}
