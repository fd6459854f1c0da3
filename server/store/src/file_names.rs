//! The names of the files in a data folder.

/// The database in a data folder. Two files beside the database, with the suffixes `-wal` and
/// `-shm`, and [`COMMITS_FILE`] belong to it. These files must be copied and moved together with
/// the database.
pub const DATABASE_FILE: &str = "bridgemaster.db";

/// The file that a running server keeps locked. The file contains the server's process id. An
/// unlocked file has no meaning, since a killed server does not delete it.
pub const LOCK_FILE: &str = "server.lock";

/// The file in a data folder that records a lower bound for the number of commits. The file belongs
/// to the database, and must be copied and moved together with it.
pub const COMMITS_FILE: &str = "bridgemaster.commits";
