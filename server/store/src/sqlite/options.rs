//! What an operator chooses.

/// What a commit survives once it has returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A power failure, if the disk keeps what it reports as written: every commit waits for the
    /// disk, several for the same write to it.
    #[default]
    Power,
    /// A crash of the process and `kill -9`, but not of the machine: commits wait only for the
    /// system (`synchronous = NORMAL`). After a power failure or a kernel crash the last commits
    /// may be gone; earlier ones are whole, and the database is consistent.
    Process,
}

impl Durability {
    /// The value of `PRAGMA synchronous`, where nobody else waits for the disk.
    pub(super) fn synchronous(self) -> &'static str {
        match self {
            Self::Power => "FULL",
            Self::Process => "NORMAL",
        }
    }
}

/// How much of the database is checked when it is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntegrityCheck {
    /// The structure of every page (`PRAGMA quick_check`): the time to read the file once, and
    /// about a second and a half a GiB of it from memory on a small machine.
    Quick,
    /// The same, and every index against its table (`PRAGMA integrity_check`): longer by the
    /// time to look every row up, which is little unless there are millions of matches. Where only
    /// indexes are wrong, they are made anew.
    #[default]
    Full,
    /// As `Full`, but for the table of replays, which is most of the file. What is wrong with a
    /// replay shows when it is read: by its checksum, or because it is missing.
    AllButReplays,
    /// The header and the schema only. A damaged page is found when it is read.
    Skip,
}

/// How a [`SqliteStore`](super::SqliteStore) works.
#[derive(Clone, Debug, Default)]
pub struct SqliteOptions {
    /// What commits survive.
    pub durability: Durability,
    /// The check when the store is opened.
    pub integrity_check: IntegrityCheck,
    /// Most bytes of the database file, in whole pages of 4 KiB; `None` leaves it to the disk. A
    /// commit that needs more fails with [`StoreError::DiskFull`](crate::StoreError::DiskFull).
    /// The file beside it that takes the newest commits (`-wal`, up to 40 MiB as a rule) comes on
    /// top.
    pub max_database_bytes: Option<u64>,
}
