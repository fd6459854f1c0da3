//! `bridgemaster data copy`: a store moves between a data folder and a PostgreSQL database.

use std::{convert::Infallible, path::PathBuf, str::FromStr};

use bridgemaster_store::{
    DataDir, StoreError, TransferReport, copy_from_postgres, copy_to_postgres,
};

use super::{count::count, existing_folder::existing, failure::misuse, output};

/// Where a store is, or is to be.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Folder(PathBuf),
    /// An address `postgres://...`, which may have a password.
    Database(String),
}

impl FromStr for Place {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_address = text.starts_with("postgres://") || text.starts_with("postgresql://");
        Ok(match is_address {
            true => Self::Database(text.to_owned()),
            false => Self::Folder(text.into()),
        })
    }
}

/// Copies the store of one place to the other.
pub(super) async fn copy(from: Place, to: Place) -> anyhow::Result<()> {
    let copied = match (from, to) {
        (Place::Folder(from), Place::Database(to)) => {
            copy_to_postgres(&existing(&from)?, &to).await
        }
        (Place::Database(from), Place::Folder(to)) => {
            copy_from_postgres(&from, &DataDir::prepare(to)?).await
        }
        (Place::Folder(_), Place::Folder(_)) => {
            return Err(misuse(
                "both are folders: copy a data folder with `data backup` and `data restore`",
            ));
        }
        (Place::Database(_), Place::Database(_)) => {
            return Err(misuse(
                "both are databases: copy a database with pg_dump and pg_restore",
            ));
        }
    };
    let report = copied.map_err(|error| match error {
        StoreError::AlreadyThere { .. }
        | StoreError::NotEmpty { .. }
        | StoreError::NoStore { .. }
        | StoreError::BadAddress { .. } => misuse(error.to_string()),
        other => other.into(),
    })?;
    Ok(output::print(&told(&report))?)
}

fn told(report: &TransferReport) -> String {
    format!(
        "copied, and the same on both sides: {} in play, {} finished, {}, {} with {}\n",
        count(report.open, "match", "matches"),
        report.finished,
        count(report.keys, "key", "keys"),
        count(report.ladders, "ladder", "ladders"),
        count(report.ladder_matches, "match", "matches"),
    )
}
