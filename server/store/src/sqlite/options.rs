//! The options of a store in a data folder.

/// The kinds of failures that a completed commit survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Power failures, if the disk keeps the data that it has confirmed. Every commit waits for the
    /// disk; several commits share a flush.
    #[default]
    Disk,
    /// Crashes of the process and `kill -9`, but not of the machine. Commits wait only for the
    /// operating system (`synchronous = NORMAL`). After a power failure or a kernel crash, the last
    /// commits might be lost; earlier ones are complete, and the database is consistent.
    Process,
}

impl Durability {
    /// Returns the value of `PRAGMA synchronous` for a connection that flushes its own commits.
    pub(super) fn synchronous(self) -> &'static str {
        match self {
            Self::Disk => "FULL",
            Self::Process => "NORMAL",
        }
    }
}

/// The part of the database that is checked when the database is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntegrityCheck {
    /// The structure of every page, and every index against its table (`PRAGMA integrity_check`).
    /// Reads the whole file, which takes about 1.5 s per GiB if the file is in the page cache of a
    /// small machine. If only indexes are damaged, they are rebuilt.
    #[default]
    Full,
    /// Like `Full`, but skips the replay table, which makes up most of the file. A damaged or
    /// missing replay is then detected when it is read.
    AllButReplays,
}

/// Options of a [`SqliteStore`](super::SqliteStore).
#[derive(Clone, Debug, Default)]
pub struct SqliteOptions {
    /// The kinds of failures that committed data survives.
    pub durability: Durability,
    /// The check that runs when the store is opened.
    pub integrity_check: IntegrityCheck,
    /// Maximum size of the database file in bytes, rounded down to a multiple of 4 KiB; `None` for
    /// no limit. A commit that needs more fails with
    /// [`StoreError::DiskFull`](crate::StoreError::DiskFull). The size does not include the log
    /// beside the database file (`-wal`), which normally stays below 40 MiB.
    pub max_database_bytes: Option<u64>,
    /// Whether a database of an older version is migrated; otherwise it is refused.
    pub migrates: bool,
}
