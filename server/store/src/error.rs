//! Store errors. Each message ends with the next step.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::{
    DamageReport, DamagedValue, KeyId, KeyName, MatchId, NodeName, WriteRefusal, limits::MAX_KEYS,
};

/// The error of a store operation. The changes of the operation are not stored. There are two
/// exceptions in which this is unknown: [`StoreError::Io`], and a database that [is
/// unavailable](StoreError::is_unavailable).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A write contradicts the stored state, because the caller's view is out of date. No write of
    /// the batch is stored. The other writes can be committed without the refused one.
    #[error("write {index} was refused, so the batch was not stored: {refusal}")]
    WriteRefused {
        /// Index of the write in the batch, from 0.
        index: usize,
        /// The reason for the refusal.
        refusal: WriteRefusal,
    },

    /// Another key has the same id.
    #[error("another key has the id {0}; generate a new id")]
    KeyIdTaken(KeyId),
    /// A key in force has the same name.
    #[error(
        "the key {key_id} already has the name {name}; revoke that key, or choose another name"
    )]
    KeyNameTaken {
        /// The name that is already in use.
        name: KeyName,
        /// Id of the key that has the name.
        key_id: KeyId,
    },
    /// The limit of unrevoked keys, [`MAX_KEYS`], is reached.
    #[error("the limit of {MAX_KEYS} unrevoked keys is reached; revoke a key first")]
    TooManyKeys,
    /// No key has this id.
    #[error("no key has the id {0}")]
    UnknownKey(KeyId),

    /// The caller asked to remove a damaged value, but the value is intact.
    #[error("{0} is not damaged and was not removed")]
    NotDamaged(DamagedValue),

    /// A secret exceeds the size limit.
    #[error("the secret {name:?} has {bytes} bytes, more than the limit of {limit}")]
    SecretTooLarge {
        /// Name of the rejected secret.
        name: String,
        /// Size of the secret, in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },

    /// The data folder, or a file in it, cannot be created.
    #[error(
        "{path} cannot be used as data folder: {cause}; pass a folder that this user can write to"
    )]
    FolderUnusable {
        /// Path to the folder.
        path: PathBuf,
        /// The operating system's error. The message includes this error, so it is not exposed as
        /// `source`.
        cause: io::Error,
    },
    /// The folder is on a network file system.
    #[error(
        "{} is on a network file system ({kind}), where locks and shared memory do not work; pass \
         a folder on a local disk, or use PostgreSQL",
        path.display()
    )]
    NetworkFileSystem {
        /// Path to the folder.
        path: PathBuf,
        /// The name of the file system.
        kind: &'static str,
    },
    /// Other users have access to the folder. The store must not remove these permissions, since
    /// the folder contains other files or has another owner.
    #[error(
        "{path} is accessible by other users (mode {mode:04o}), who must not read the seeds of \
         matches in play; run chmod 700 on it, or pass a new folder inside it"
    )]
    FolderOpenToOthers {
        /// Path to the folder.
        path: PathBuf,
        /// Permissions of the folder or file (Unix mode).
        mode: u32,
    },
    /// Other users have access to a file in the folder, and this user cannot remove their
    /// permissions.
    #[error(
        "{path} is accessible by other users (mode {mode:04o}), and this user cannot change the \
         mode; have its owner run chmod 600 on it"
    )]
    FileOpenToOthers {
        /// Path to the file.
        path: PathBuf,
        /// Permissions of the folder or file (Unix mode).
        mode: u32,
    },
    /// Another server has locked the folder.
    #[error(
        "{path} is in use by another server{}; stop that server, or pass another data folder",
        format_process_id(*process_id)
    )]
    FolderInUse {
        /// Path to the folder.
        path: PathBuf,
        /// Process id of that server, if the lock file contains it.
        process_id: Option<u32>,
    },
    /// The file is not an SQLite database.
    #[error(
        "{0} is not an SQLite database; move it away to start with an empty store, or restore a \
         backup"
    )]
    NotADatabase(PathBuf),
    /// The file is another program's SQLite database.
    #[error(
        "{path} is a database of another program (application id {application_id:#010x}); pass \
         another data folder"
    )]
    ForeignDatabase {
        /// Path to the database.
        path: PathBuf,
        /// The application id in the database header; 0 if there is none.
        application_id: u32,
    },
    /// The database was written by a newer version of this program.
    #[error(
        "{path} has schema version {version}, but this program supports versions up to \
         {supported}; run the newer version that migrated it, or restore a backup of the older \
         version"
    )]
    NewerSchema {
        /// Path to the database, or its address.
        path: PathBuf,
        /// Schema version of the database.
        version: i64,
        /// The newest schema version that is supported here.
        supported: i64,
    },
    /// The database was written by an older version of this program, and can be migrated. Only a
    /// server, and the functions `migrate_folder` and `migrate_database`, do so.
    #[error(
        "{path} has schema version {version}, but this program needs version {supported}; start \
         the server, or run `bridgemaster data migrate`, to migrate it"
    )]
    NotMigrated {
        /// Path to the database, or its address.
        path: PathBuf,
        /// Schema version of the database.
        version: i64,
        /// The schema version that this program needs.
        supported: i64,
    },
    /// The database cannot be migrated while a node runs an older version, which needs what the
    /// migration removes.
    #[error(
        "{database} cannot be migrated to schema version {supported}: node {node} runs a program \
         of version {version}; first upgrade all nodes to a program of version {}",
        supported - 1
    )]
    NodeTooOld {
        /// Address of the database, without the password.
        database: String,
        /// Name of the node.
        node: String,
        /// Schema version of the program that the node runs.
        version: i64,
        /// Schema version to which the database was to be migrated.
        supported: i64,
    },
    /// The database was written by a version of this program that is too old for a migration.
    #[error(
        "{path} has schema version {version}, which this program cannot migrate to version \
         {supported}; run the older version that wrote it, or start with an empty store"
    )]
    OlderSchema {
        /// Path to the database, or its address.
        path: PathBuf,
        /// Schema version of the database; 0 if the program that wrote it recorded none.
        version: i64,
        /// The schema version that this program needs.
        supported: i64,
    },
    /// The database is missing, although a file that belongs to it exists.
    #[error(
        "{path} is missing or empty, but {beside} exists, which belongs to it; put the database \
         back, or restore a backup; to start with an empty store, move the remaining files away"
    )]
    DatabaseMissing {
        /// Path to the database.
        path: PathBuf,
        /// The existing file that belongs to the database.
        beside: PathBuf,
    },
    /// A file beside the database belongs to another database.
    #[error(
        "{beside} does not belong to {path}: {detail}; put back the file that does, or restore a \
         backup"
    )]
    FileMismatch {
        /// Path to the database.
        path: PathBuf,
        /// Path to the other file.
        beside: PathBuf,
        /// Description of the mismatch, for people.
        detail: String,
    },
    /// A store already exists in the folder for the new store.
    #[error("{path} already exists; pass an empty folder, or move its files away")]
    AlreadyExists {
        /// Path to the existing store's first file.
        path: PathBuf,
    },
    /// The folder to restore from contains no backup.
    #[error("{0} is not a backup: it has no database")]
    NoBackup(PathBuf),
    /// The lock file was removed, and another server has opened the folder. This server must
    /// discard its uncommitted state.
    #[error(
        "{0} has been opened by another server, so this server must stop; run one server per \
         folder, and do not remove its lock file"
    )]
    Superseded(PathBuf),
    /// Another database has replaced the one that was opened. The new database is left unchanged.
    #[error("{0} has been replaced since it was opened; open it again")]
    Replaced(PathBuf),
    /// The database is inconsistent. None of its content is used.
    #[error(
        "{path} is damaged: {detail}; move it and the files that belong to it away, and restore a \
         backup"
    )]
    Corrupt {
        /// Path to the database.
        path: PathBuf,
        /// The first inconsistency found.
        detail: String,
    },

    /// One value is damaged; no other damage is known.
    #[error("{path}: {damage}; restore a backup, or drop the damaged value")]
    Damaged {
        /// Path to the database.
        path: PathBuf,
        /// The value and its damage.
        damage: Box<DamageReport>,
    },

    /// The store had more secrets than it has, and this one is not among them. A new secret would
    /// silently replace the lost one.
    #[error(
        "{path}: the secret {name:?} is missing, and {problem}; restore a backup, or accept the \
         loss with `bridgemaster data drop DIR --signing-key`, after which a new secret is \
         generated"
    )]
    SecretMissing {
        /// Path to the database.
        path: PathBuf,
        /// Name of the secret.
        name: String,
        /// The damage of the table.
        problem: Box<DamageReport>,
    },

    /// The match has finished, and its replay has been deleted.
    #[error("the replay of match {0} has been deleted")]
    ReplayForgotten(MatchId),

    /// The disk is full, or the database has reached its configured size.
    #[error("no space left for {path}; free some space, then retry")]
    DiskFull {
        /// Path to the file or folder.
        path: PathBuf,
    },
    /// The database can be read but not written.
    #[error("{0} is read-only; make the file, its folder and its file system writable")]
    ReadOnly(PathBuf),
    /// Another program has locked the database, and waiting for the lock has timed out.
    #[error("{path} is locked by another program; end its transaction, then retry")]
    Busy {
        /// Path to the database.
        path: PathBuf,
    },
    /// An I/O error. If a commit fails with this error, the batch is stored completely or not at
    /// all; opening the store again determines which.
    #[error("{path} cannot be read or written: {detail}; check the disk, then restart")]
    Io {
        /// Path to the file.
        path: PathBuf,
        /// The error from the system or SQLite.
        detail: String,
    },
    /// The address of the PostgreSQL database is invalid.
    #[error(
        "invalid address of a PostgreSQL database: {0}; expected \
         postgres://USER:PASSWORD@HOST:PORT/DATABASE, or several HOST:PORT separated by commas"
    )]
    InvalidAddress(String),
    /// The file with the password of the database cannot be used.
    #[error(
        "the password file {path} cannot be used: {detail}; write the password to this file, and \
         let this user read it"
    )]
    PasswordFileUnusable {
        /// Path of the file.
        path: PathBuf,
        /// The reason, without the content of the file.
        detail: String,
    },
    /// The database refuses the user or the password.
    #[error(
        "{database} refuses the login: {detail}; check the user, the password or the password \
         file, and pg_hba.conf"
    )]
    LoginRefused {
        /// Address of the database, without the password.
        database: String,
        /// The error of PostgreSQL.
        detail: String,
    },
    /// The server has no database with this name.
    #[error("{database}: {detail}; create the database, or correct its name in the address")]
    NoDatabase {
        /// Address of the database, without the password.
        database: String,
        /// The error of PostgreSQL.
        detail: String,
    },
    /// A setting that this program needs is not in effect.
    #[error(
        "{database} ignores the setting {setting}: requested {requested}, found {found}; a \
         connection pooler must use session mode"
    )]
    SettingIgnored {
        /// Address of the database, without the password.
        database: String,
        /// Name of the setting.
        setting: &'static str,
        /// The requested value.
        requested: String,
        /// The value that the database reports.
        found: String,
    },
    /// A connection pooler shares sessions among connections, so the locks and settings of a
    /// session do not work.
    #[error(
        "{0} is a connection pooler in transaction mode; set it to session mode, or use the \
         address of PostgreSQL"
    )]
    SharedSessions(String),
    /// The database server's certificate is not trusted, or was issued for another host.
    #[error(
        "the certificate of {database} is not trusted: {detail}; add ?sslrootcert=FILE with the \
         certificate of its authority to the address, and use the host name that the certificate \
         contains"
    )]
    CertificateRefused {
        /// Address of the database, without the password.
        database: String,
        /// The error from the TLS library.
        detail: String,
    },
    /// The database runs a version of PostgreSQL that is not supported.
    #[error(
        "{database} runs PostgreSQL {version}, but this program needs {} or newer; upgrade it, or \
         use another database",
        crate::limits::MIN_POSTGRES_VERSION
    )]
    UnsupportedPostgres {
        /// Address of the database, without the password.
        database: String,
        /// Major version of PostgreSQL, such as 14.
        version: i32,
    },
    /// The target database of a copy already has rows.
    #[error("{0} already has a store; use an empty database")]
    NotEmpty(String),
    /// The database or folder has no store.
    #[error("{0} has no store; name the database or data folder of a server")]
    NoStore(String),
    /// No node has this name.
    #[error("no node has the name {0}; `bridgemaster cluster nodes` lists the nodes")]
    UnknownNode(NodeName),
    /// The node is running, or has matches in play.
    #[error("node {name} cannot be removed: {detail}")]
    NodeInUse {
        /// Name of the node.
        name: NodeName,
        /// Why the node is in use, and what to do.
        detail: &'static str,
    },
    /// The database contains another program's tables.
    #[error("{0} has tables of another program; use a separate database")]
    ForeignTables(String),
    /// The database is a standby, which can be read but not written.
    #[error("{0} is a read-only standby; use the address of the primary")]
    ReadOnlyStandby(String),
    /// The configuration of the database refuses writes.
    #[error(
        "{0} accepts no writes, since default_transaction_read_only is on; turn the setting off, \
         or use the address of the primary"
    )]
    ReadOnlySetting(String),
    /// Another server has taken over this server's node. This server must discard its uncommitted
    /// state.
    #[error(
        "this server's node in {0} was taken over by another server, so this server must stop; \
         servers that run at the same time need different names"
    )]
    EpochEnded(String),
    /// The database does not respond, or fails. A commit was retried for
    /// [`POSTGRES_RETRY_TIMEOUT`](crate::limits::POSTGRES_RETRY_TIMEOUT). Its batch is stored
    /// completely or not at all; opening the store again determines which.
    #[error(
        "{database} cannot be used: {detail}; check that PostgreSQL is running there and accepts \
         this user"
    )]
    Unreachable {
        /// Address of the database, without the password.
        database: String,
        /// The error from the system or PostgreSQL.
        detail: String,
    },
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Returns whether the error means that a database is unavailable. It is then unknown whether a
    /// commit was made.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::LoginRefused { .. }
                | Self::NoDatabase { .. }
                | Self::PasswordFileUnusable { .. }
                | Self::ReadOnlyStandby { .. }
                | Self::ReadOnlySetting { .. }
                | Self::CertificateRefused { .. }
        )
    }
}

fn format_process_id(process_id: Option<u32>) -> String {
    process_id.map_or_else(String::new, |id| format!(" (process {id})"))
}
