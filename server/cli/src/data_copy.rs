//! `bridgemaster data copy`: copies a store between a data folder and a PostgreSQL database.

use std::{
    convert::Infallible,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::Context as _;
use bridgemaster_store::{
    DataDir, StoreError, TransferReport, copy_from_postgres, copy_to_postgres,
};

use crate::{failure::misuse, output, quantities::count};

/// Location of a store to copy from or to.
#[derive(Clone, Debug)]
pub(super) enum CopyLocation {
    Folder(PathBuf),
    /// Address `postgres://...`; can contain a password.
    Database(String),
}

impl FromStr for CopyLocation {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_address = text.starts_with("postgres://") || text.starts_with("postgresql://");
        Ok(if is_address {
            Self::Database(text.to_owned())
        } else {
            Self::Folder(text.into())
        })
    }
}

/// Copies the store from one location to the other.
pub(super) async fn copy(from: CopyLocation, to: CopyLocation) -> anyhow::Result<()> {
    let copied = match (from, to) {
        (CopyLocation::Folder(from), CopyLocation::Database(to)) => {
            copy_to_postgres(&existing(&from)?, &to).await
        }
        (CopyLocation::Database(from), CopyLocation::Folder(to)) => {
            copy_from_postgres(&from, &DataDir::prepare(to)?).await
        }
        (CopyLocation::Folder(_), CopyLocation::Folder(_)) => {
            return Err(misuse(
                "source and destination are both folders; use `data backup` and `data restore`",
            ));
        }
        (CopyLocation::Database(_), CopyLocation::Database(_)) => {
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
    Ok(output::print(&summary(&report))?)
}

fn summary(report: &TransferReport) -> String {
    format!(
        "copied and compared: {} in play, {} finished, {}, {} with {}\n",
        count(report.open, "match", "matches"),
        report.finished,
        count(report.keys, "key", "keys"),
        count(report.ladders, "ladder", "ladders"),
        count(report.ladder_matches, "match", "matches"),
    )
}

/// Opens an existing data folder.
///
/// # Errors
/// Misuse if the folder does not exist.
pub(super) fn existing(dir: &Path) -> anyhow::Result<DataDir> {
    if !dir.is_dir() {
        return Err(misuse(format!("no such folder: {}", dir.display())));
    }
    let shown = || dir.display().to_string();
    DataDir::prepare(dir).with_context(shown)
}
