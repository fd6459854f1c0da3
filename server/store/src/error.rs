//! Why the store refused or failed, with what to do about it.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::{Damage, DamagedValue, KeyId, KeyName, MatchId, WriteRefusal};

/// An operation of the store that was refused or failed. Nothing of it is stored, but for
/// [`StoreError::Io`] and [`StoreError::Unreachable`], where that is not known.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A write contradicts what is stored: the caller has lost track. Nothing of its batch is
    /// stored; the other writes can be committed without it.
    #[error("write {index} of the batch is refused, and nothing of the batch is stored: {refusal}")]
    WriteRefused {
        /// Its place in the batch, from 0.
        index: usize,
        /// Why.
        refusal: WriteRefusal,
    },

    /// Another key has this id.
    #[error("there is another key with the id {key_id}: draw a new id")]
    KeyIdTaken {
        /// The id.
        key_id: KeyId,
    },
    /// A key in force has this name.
    #[error("the name {name} belongs to the key {key_id}: revoke that key, or choose another name")]
    KeyNameTaken {
        /// The name.
        name: KeyName,
        /// The key that has it.
        key_id: KeyId,
    },
    /// The limit of keys in force is reached.
    #[error("there are {limit} keys in force, the most that there may be: revoke one first")]
    TooManyKeys {
        /// [`MAX_KEYS`](crate::limits::MAX_KEYS).
        limit: usize,
    },
    /// No key has this id.
    #[error("there is no key with the id {key_id}")]
    UnknownKey {
        /// The id.
        key_id: KeyId,
    },

    /// What is to be removed because it is damaged is sound.
    #[error("{value} is not damaged, and stays")]
    NotDamaged {
        /// What it is.
        value: DamagedValue,
    },

    /// A secret is larger than its limit.
    #[error("the secret {name:?} has {bytes} bytes, and at most {limit} are stored")]
    SecretTooLarge {
        /// Its name.
        name: String,
        /// Its size.
        bytes: usize,
        /// Its limit.
        limit: usize,
    },

    /// The data folder cannot be made, or no file can be made in it.
    #[error(
        "{} cannot be used as data folder: {cause}; \
         name a folder that this user may write to", path.display()
    )]
    FolderUnusable {
        /// The folder.
        path: PathBuf,
        /// What the system says; a part of the message, and so no source.
        cause: io::Error,
    },
    /// Other users may open the folder, and it is not this program's to close: it has other
    /// things in it, or another owner.
    #[error(
        "{} is open to other users (mode {mode:04o}), who must not read seeds of matches in play; \
         close it with chmod 700, or name a folder in it that is still to be made", path.display()
    )]
    FolderOpenToOthers {
        /// The folder.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Other users may open a file of the folder, and this user may not change that.
    #[error(
        "{} is open to other users (mode {mode:04o}) and cannot be closed by this user; \
         let its owner run chmod 600 on it", path.display()
    )]
    FileOpenToOthers {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Another server holds the folder.
    #[error(
        "{} is in use by another server{}; \
         stop that server, or name another data folder", path.display(), of_process(*process_id)
    )]
    FolderInUse {
        /// The folder.
        path: PathBuf,
        /// The process of that server, if it said so.
        process_id: Option<u32>,
    },
    /// The file is no SQLite database.
    #[error(
        "{} is no SQLite database; \
         move it away to start with an empty store, or restore a backup", path.display()
    )]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is an SQLite database of another program.
    #[error(
        "{} is a database of another program (application id {application_id:#010x}); \
         name another data folder", path.display()
    )]
    ForeignDatabase {
        /// The file.
        path: PathBuf,
        /// What its header says; 0 if it names no program.
        application_id: u32,
    },
    /// The database was written by a newer version of this program.
    #[error(
        "{} has schema version {version}, and this program knows versions up to {known}; \
         run the newer program that wrote it, or restore a backup of the older version",
        path.display()
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The database needs a migration, which only a server does, and a server is running.
    #[error(
        "{} has schema version {version}, this program needs version {known}, and a server holds \
         the folder; restart that server with this version of the program first", path.display()
    )]
    OlderSchema {
        /// The file.
        path: PathBuf,
        /// Its version; 0 if it is empty.
        version: i64,
        /// The version that this program needs.
        known: i64,
    },
    /// A migration differs from this program's: the database was made by another build.
    #[error(
        "{} was made by another build of this program: its migration {version} differs; \
         run the build that made it", path.display()
    )]
    DifferentSchema {
        /// The file.
        path: PathBuf,
        /// The first migration that differs.
        version: i64,
    },
    /// The database is missing, and something that belongs to it is there.
    #[error(
        "{} is missing or empty, and {} is there, which belongs to it; put the database back, or \
         restore a backup; to start with an empty store, move what is left of the old one away",
        path.display(), beside.display()
    )]
    DatabaseMissing {
        /// The database.
        path: PathBuf,
        /// What is there.
        beside: PathBuf,
    },
    /// A file beside the database is not of this database.
    #[error(
        "{} does not belong to {}: {detail}; \
         put the file back that does, or restore a backup", beside.display(), path.display()
    )]
    NotTogether {
        /// The database.
        path: PathBuf,
        /// The file beside it.
        beside: PathBuf,
        /// How that shows.
        detail: String,
    },
    /// There is a store where one was to be made.
    #[error("there is {} already; name an empty folder, or move away what is in it", path.display())]
    AlreadyThere {
        /// The first file of it.
        path: PathBuf,
    },
    /// There is no backup where one was to be read.
    #[error("there is no backup in {}: it has no {}", path.display(), crate::DATABASE_FILE)]
    NoBackup {
        /// The folder.
        path: PathBuf,
    },
    /// Another server has opened the folder since, though this one holds it: somebody removed the
    /// file that is locked. What this server has not stored yet is the other's to decide.
    #[error(
        "{} has been opened by another server since: this one must not go on; \
         let one server use the folder, and do not remove its lock", path.display()
    )]
    Superseded {
        /// The file.
        path: PathBuf,
    },
    /// The database is inconsistent. Nothing in it is used.
    #[error(
        "{} is damaged: {detail}; \
         move it away, with the files beside it, and restore a backup", path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The first contradiction found.
        detail: String,
    },

    /// One value is damaged, and nothing else is known to be.
    #[error(
        "in {} {damage}; \
         restore a backup, or drop what is damaged and go on without it", path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is damaged.
        damage: Box<Damage>,
    },

    /// The match has finished, and its replay is kept no more.
    #[error("the replay of the match {match_id} is kept no more")]
    ReplayForgotten {
        /// The match.
        match_id: MatchId,
    },

    /// The disk is full, or the size that the options allow the database is used up.
    #[error("there is no room for {}: make room, then go on", path.display())]
    DiskFull {
        /// The file or the folder.
        path: PathBuf,
    },
    /// The database may be read but not written.
    #[error(
        "{} is read-only: make the file, its folder and its file system writable", path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Another program held the database for longer than the store waits.
    #[error(
        "{} is locked by another program: end its transaction, then try again", path.display()
    )]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The system failed to read or write. Whether a commit that failed so is stored is known only
    /// when the store is opened again: either all of it is there, or nothing.
    #[error("{} cannot be read or written: {detail}; check the disk and restart", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system or SQLite says.
        detail: String,
    },
    /// The address of a database is none of PostgreSQL.
    #[error(
        "this is no address of a PostgreSQL database: {detail}; \
         give postgres://USER:PASSWORD@HOST:PORT/DATABASE"
    )]
    BadAddress {
        /// What is wrong with it, without repeating it: it may have a password.
        detail: String,
    },
    /// The certificate of the database is not trusted, or is for another host.
    #[error(
        "{database} shows a certificate that is not accepted: {detail}; name the file to trust in \
         the address, as ?sslrootcert=FILE, and the host as the certificate does"
    )]
    CertificateRefused {
        /// Its address.
        database: String,
        /// What is wrong with the certificate.
        detail: String,
    },
    /// The database is older than this program can use.
    #[error(
        "{database} is PostgreSQL {version}, and this program needs {} or newer: \
         upgrade it, or name another database",
        crate::limits::POSTGRES_OLDEST
    )]
    OldPostgres {
        /// Its address.
        database: String,
        /// Its version.
        version: i32,
    },
    /// The database is to be filled by a copy, and has rows.
    #[error("{database} has a store already: name an empty database, or one of its own")]
    NotEmpty {
        /// Its address, without its password.
        database: String,
    },
    /// The database is to be copied, and nothing was ever stored in it.
    #[error("there is no store in {database}")]
    NoStore {
        /// Its address, without its password.
        database: String,
    },
    /// What was read back from a copy is not what was written.
    #[error("the copy of the table {table} has other rows than the original: nothing is copied")]
    CopyDiffers {
        /// The table.
        table: &'static str,
    },
    /// The database has tables of another program.
    #[error("{database} has tables of another program: give a database of its own")]
    ForeignTables {
        /// Its address.
        database: String,
    },
    /// The database is a standby, which may be read but not written.
    #[error("{database} is a standby that may not be written: name the primary")]
    StandbyOnly {
        /// Its address.
        database: String,
    },
    /// Another server has taken the database over since. What this server has not stored yet is the
    /// other's to decide.
    #[error(
        "what this server had in {database} has been taken over by another server since: this one \
         must not go on; servers that run at the same time need names of their own"
    )]
    EpochOver {
        /// Its address.
        database: String,
    },
    /// The database does not answer, or fails. A commit was tried again for
    /// [`POSTGRES_PATIENCE`](crate::limits::POSTGRES_PATIENCE); whether one that failed so is
    /// stored is known only when the store is opened again: either all of it is there, or nothing.
    #[error(
        "{database} cannot be used: {detail}; \
         see that PostgreSQL runs there and lets this user in, then start again"
    )]
    Unreachable {
        /// Its address.
        database: String,
        /// What the system or PostgreSQL says.
        detail: String,
    },
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether the caller asked for something that does not fit what is stored. Otherwise the
    /// storage failed, and the same call may succeed once the cause is removed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::WriteRefused { .. }
                | Self::KeyIdTaken { .. }
                | Self::KeyNameTaken { .. }
                | Self::TooManyKeys { .. }
                | Self::UnknownKey { .. }
                | Self::NotDamaged { .. }
                | Self::SecretTooLarge { .. }
                | Self::ReplayForgotten { .. }
        )
    }
}

fn of_process(process_id: Option<u32>) -> String {
    process_id.map_or_else(String::new, |id| format!(" (process {id})"))
}
