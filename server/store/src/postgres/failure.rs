//! From what PostgreSQL reports to what the store tells.

use std::path::PathBuf;

use bridgemaster_lease::Unsure;

use crate::{Damage, StoreError, rows::Unreadable};

/// A failure inside of one operation, before it is known of which database.
#[derive(Debug)]
pub(super) enum Fault {
    /// PostgreSQL or sqlx failed.
    Sqlx(sqlx::Error),
    /// The database does not answer in time.
    NoAnswer,
    /// What was read contradicts itself.
    Contradiction(String),
    /// One value that was read is damaged.
    Damage(Damage),
    /// Another server has taken this one's node over.
    Superseded,
    /// The lease has run out, and nobody has taken the node over yet: it may be renewed.
    LeaseOver,
    /// A failure that is complete.
    Told(StoreError),
}

/// What the codes of errors begin with, or are
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
mod code {
    /// The connection is gone.
    pub(super) const CONNECTION_EXCEPTION: &str = "08";
    /// It was taken back for the sake of another.
    pub(super) const TRANSACTION_ROLLBACK: &str = "40";
    /// There are too many connections, or there is no memory.
    pub(super) const INSUFFICIENT_RESOURCES: &str = "53";
    pub(super) const DISK_FULL: &str = "53100";
    /// The database stops, has stopped or starts; or it cancelled what took too long.
    pub(super) const OPERATOR_INTERVENTION: &str = "57";
    pub(super) const LOCK_NOT_AVAILABLE: &str = "55P03";
    /// Among others while it waits for the rest of a transaction.
    pub(super) const IDLE_IN_TRANSACTION: &str = "25P03";
    pub(super) const READ_ONLY_TRANSACTION: &str = "25006";
}

impl Fault {
    /// The failure, told of the database with this address.
    pub(super) fn at(self, database: &str) -> StoreError {
        let path = || PathBuf::from(database);
        match self {
            Self::Sqlx(error) => told(database, &error),
            Self::NoAnswer => StoreError::Unreachable {
                database: database.to_owned(),
                detail: "it does not answer".to_owned(),
            },
            Self::Contradiction(detail) => StoreError::Corrupt {
                path: path(),
                detail,
            },
            Self::Damage(damage) => StoreError::Damaged {
                path: path(),
                damage: Box::new(damage),
            },
            Self::Superseded => StoreError::EpochOver {
                database: database.to_owned(),
            },
            Self::LeaseOver => StoreError::Unreachable {
                database: database.to_owned(),
                detail: "the lease of this server ran out, and was not renewed".to_owned(),
            },
            Self::Told(error) => error,
        }
    }

    /// Whether the same transaction may succeed on another connection, or later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::NoAnswer | Self::LeaseOver => true,
            Self::Sqlx(sqlx::Error::Database(error)) => {
                let code = error.code().unwrap_or_default();
                code != code::DISK_FULL
                    && [
                        code::CONNECTION_EXCEPTION,
                        code::TRANSACTION_ROLLBACK,
                        code::INSUFFICIENT_RESOURCES,
                        code::OPERATOR_INTERVENTION,
                        code::LOCK_NOT_AVAILABLE,
                        code::IDLE_IN_TRANSACTION,
                        // A standby that is about to be the primary.
                        code::READ_ONLY_TRANSACTION,
                    ]
                    .iter()
                    .any(|known| code.starts_with(known))
            }
            // What a server that is being stopped sends last may be anything.
            Self::Sqlx(
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::PoolTimedOut,
            ) => true,
            Self::Sqlx(_)
            | Self::Contradiction(_)
            | Self::Damage(_)
            | Self::Superseded
            | Self::Told(_) => false,
        }
    }
}

impl From<Unsure> for Fault {
    fn from(_: Unsure) -> Self {
        Self::NoAnswer
    }
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Sqlx(error)
    }
}

impl From<Unreadable> for Fault {
    fn from(problem: Unreadable) -> Self {
        Self::Contradiction(problem.to_string())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Told(error)
    }
}

/// What rustls says of any certificate that it does not accept.
const BAD_CERTIFICATE: &str = "invalid peer certificate";

fn told(database: &str, error: &sqlx::Error) -> StoreError {
    let database = database.to_owned();
    let detail = error.to_string();
    match error {
        sqlx::Error::PoolClosed => StoreError::Closed,
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => StoreError::Corrupt {
            path: database.into(),
            detail,
        },
        sqlx::Error::Database(reported) => match reported.code().as_deref() {
            Some(code::DISK_FULL) => StoreError::DiskFull {
                path: database.into(),
            },
            Some(code::READ_ONLY_TRANSACTION) => StoreError::StandbyOnly { database },
            _ => StoreError::Unreachable { database, detail },
        },
        // The error of the TLS library is behind types of sqlx, so its text is what there is.
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) if detail.contains(BAD_CERTIFICATE) => {
            StoreError::CertificateRefused { database, detail }
        }
        _ => StoreError::Unreachable { database, detail },
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_certificate_that_is_not_accepted_is_told_apart_from_a_database_that_is_away() {
        let told_of = |text: &str| told("db", &sqlx::Error::Io(io::Error::other(text)));
        let refused = told_of("invalid peer certificate: UnknownIssuer");
        assert!(
            matches!(refused, StoreError::CertificateRefused { .. }),
            "{refused:?}"
        );
        assert!(
            refused.to_string().contains("?sslrootcert=FILE"),
            "{refused}"
        );
        let away = told_of("connection refused");
        assert!(matches!(away, StoreError::Unreachable { .. }), "{away:?}");
    }
}
