//! Errors of SQLite and PostgreSQL, and their conversion to [`StoreError`].

use std::{
    io,
    path::{Path, PathBuf},
};

use bridgemaster_lease::OutcomeUnknown;
use rusqlite::ErrorCode;

use crate::{DamageReport, StoreError, commit_count_file::io_error};

/// An error of an operation, without the path or address of the database.
#[derive(Debug)]
pub(crate) enum DbError {
    Sqlite(rusqlite::Error),
    Sqlx(sqlx::Error),
    Io(io::Error),
    /// The database did not respond in time.
    Timeout,
    /// The database is read-only, because it is a standby that has not been promoted.
    Standby,
    /// `default_transaction_read_only` is on.
    ReadOnlySetting,
    /// None of several hosts accepts a connection.
    NoHost {
        /// The error of each host.
        detail: String,
        is_transient: bool,
    },
    /// The file with the password cannot be used.
    PasswordFile {
        path: PathBuf,
        detail: String,
    },
    /// The stored values contradict each other.
    Inconsistent(String),
    /// A single stored value is damaged.
    Damaged(DamageReport),
    /// Another server has opened the data folder after this server.
    Superseded,
    /// Another server has taken over the node of this server.
    EpochEnded,
    /// The lease has expired. The node was not taken over yet, so the lease can still be renewed.
    LeaseExpired,
    /// An error that already contains the path or address.
    Store(StoreError),
}

/// SQLSTATE codes and classes (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
mod code {
    pub(super) const CONNECTION_EXCEPTION: &str = "08";
    /// Covers wrong passwords.
    pub(super) const INVALID_AUTHORIZATION: &str = "28";
    /// The database does not exist.
    pub(super) const INVALID_CATALOG_NAME: &str = "3D";
    /// Covers deadlocks and serialization failures.
    pub(super) const TRANSACTION_ROLLBACK: &str = "40";
    /// Covers too many connections and lack of memory.
    pub(super) const INSUFFICIENT_RESOURCES: &str = "53";
    pub(super) const DISK_FULL: &str = "53100";
    /// The server is shutting down or starting, or has cancelled a statement.
    pub(super) const OPERATOR_INTERVENTION: &str = "57";
    pub(super) const LOCK_NOT_AVAILABLE: &str = "55P03";
    /// Covers a timeout between the statements of a transaction.
    pub(super) const IDLE_IN_TRANSACTION: &str = "25P03";
    pub(super) const READ_ONLY_TRANSACTION: &str = "25006";
}

impl DbError {
    /// Adds the path of the database, or its address without the password.
    pub(crate) fn at(self, location: impl AsRef<Path>) -> StoreError {
        let path = location.as_ref().to_owned();
        let database = path.to_string_lossy().into_owned();
        match self {
            Self::Sqlite(error) => sqlite_error(path, &error),
            Self::Sqlx(error) => sqlx_error(database, &error),
            Self::Io(error) => io_error(&path, &error),
            Self::Timeout => {
                StoreError::Unreachable { database, detail: "no response in time".to_owned() }
            }
            Self::Standby => StoreError::ReadOnlyStandby(database),
            Self::ReadOnlySetting => StoreError::ReadOnlySetting(database),
            Self::NoHost { detail, .. } => StoreError::Unreachable { database, detail },
            Self::PasswordFile { path, detail } => {
                StoreError::PasswordFileUnusable { path, detail }
            }
            Self::Inconsistent(detail) => StoreError::Corrupt { path, detail },
            Self::Damaged(damage) => StoreError::Damaged { path, damage: Box::new(damage) },
            Self::Superseded => StoreError::Superseded(path),
            Self::EpochEnded => StoreError::EpochEnded(database),
            Self::LeaseExpired => StoreError::Unreachable {
                database,
                detail: "the lease of this server has expired".to_owned(),
            },
            Self::Store(error) => error,
        }
    }

    /// Returns whether SQLite has read a damaged page.
    pub(crate) fn is_damaged_page(&self) -> bool {
        let Self::Sqlite(error) = self else {
            return false;
        };
        let error = sqlite_error(PathBuf::new(), error);
        matches!(error, StoreError::Corrupt { .. })
    }

    /// Combines the errors of the hosts of an address. A single error is returned unchanged.
    pub(crate) fn from_hosts(mut failures: Vec<(String, Self)>) -> Self {
        if failures.len() == 1
            && let Some((_, error)) = failures.pop()
        {
            return error;
        }
        let is_transient = failures.iter().any(|(_, error)| error.is_transient());
        let details = failures.into_iter().map(|(host, error)| match error {
            Self::Sqlx(error) => format!("{host}: {error}"),
            other => other.at(&host).to_string(),
        });
        Self::NoHost { detail: details.collect::<Vec<_>>().join("; "), is_transient }
    }

    /// Returns whether the transaction failed for a transient reason and left its session usable.
    pub(crate) fn leaves_session_idle(&self) -> bool {
        match self {
            Self::LeaseExpired => true,
            Self::Sqlx(sqlx::Error::Database(error)) => {
                error.code().as_deref() == Some(code::LOCK_NOT_AVAILABLE)
            }
            _ => false,
        }
    }

    /// Returns whether the same transaction may succeed later or on another connection. A refused
    /// login counts as transient, because the password might just be changing.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Timeout
            | Self::Standby
            | Self::ReadOnlySetting
            | Self::PasswordFile { .. }
            | Self::LeaseExpired => true,
            Self::NoHost { is_transient, .. } => *is_transient,
            Self::Sqlx(sqlx::Error::Database(error)) => {
                let code = error.code().unwrap_or_default();
                code != code::DISK_FULL
                    && [
                        code::CONNECTION_EXCEPTION,
                        code::INVALID_AUTHORIZATION,
                        code::INVALID_CATALOG_NAME,
                        code::TRANSACTION_ROLLBACK,
                        code::INSUFFICIENT_RESOURCES,
                        code::OPERATOR_INTERVENTION,
                        code::LOCK_NOT_AVAILABLE,
                        code::IDLE_IN_TRANSACTION,
                        // A standby that is being promoted.
                        code::READ_ONLY_TRANSACTION,
                    ]
                    .iter()
                    .any(|prefix| code.starts_with(prefix))
            }
            // A server that shuts down may end its stream with arbitrary bytes.
            Self::Sqlx(sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_)) => true,
            Self::Sqlite(_)
            | Self::Sqlx(_)
            | Self::Io(_)
            | Self::Inconsistent(_)
            | Self::Damaged(_)
            | Self::Superseded
            | Self::EpochEnded
            | Self::Store(_) => false,
        }
    }
}

impl From<OutcomeUnknown> for DbError {
    fn from(_: OutcomeUnknown) -> Self {
        Self::Timeout
    }
}

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        Self::Sqlx(error)
    }
}

impl From<DamageReport> for DbError {
    fn from(damage: DamageReport) -> Self {
        Self::Damaged(damage)
    }
}

impl From<StoreError> for DbError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn sqlite_error(path: PathBuf, error: &rusqlite::Error) -> StoreError {
    let detail = error.to_string();
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => StoreError::Corrupt { path, detail },
        error => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly(path),
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Corrupt { path, detail },
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
            Some(ErrorCode::NotADatabase) => StoreError::NotADatabase(path),
            _ => StoreError::Io { path, detail },
        },
    }
}

/// The text that rustls uses for all rejected certificates.
const BAD_CERTIFICATE: &str = "invalid peer certificate";

fn sqlx_error(database: String, error: &sqlx::Error) -> StoreError {
    let detail = error.to_string();
    match error {
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
            StoreError::Corrupt { path: database.into(), detail }
        }
        sqlx::Error::Database(reported) => match reported.code().as_deref() {
            Some(code::DISK_FULL) => StoreError::DiskFull { path: database.into() },
            Some(code::READ_ONLY_TRANSACTION) => StoreError::ReadOnlyStandby(database),
            Some(code) if code.starts_with(code::INVALID_AUTHORIZATION) => {
                StoreError::LoginRefused { database, detail }
            }
            Some(code) if code.starts_with(code::INVALID_CATALOG_NAME) => {
                StoreError::NoDatabase { database, detail }
            }
            _ => StoreError::Unreachable { database, detail },
        },
        // Types of sqlx hide the error of the TLS library, so only its text can be examined.
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) if detail.contains(BAD_CERTIFICATE) => {
            StoreError::CertificateRefused { database, detail }
        }
        _ => StoreError::Unreachable { database, detail },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_certificate_is_distinguished_from_an_unreachable_database() {
        let converted =
            |text: &str| sqlx_error("db".to_owned(), &sqlx::Error::Io(io::Error::other(text)));
        let refused = converted("invalid peer certificate: UnknownIssuer");
        assert!(matches!(refused, StoreError::CertificateRefused { .. }), "{refused:?}");
        assert!(refused.to_string().contains("?sslrootcert=FILE"), "{refused}");
        let away = converted("connection refused");
        assert!(matches!(away, StoreError::Unreachable { .. }), "{away:?}");
    }
}
