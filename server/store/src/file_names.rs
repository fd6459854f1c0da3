//! The names of the files in a data folder.

/// The database in a data folder. Two files beside it, with `-wal` and `-shm` after its name, and
/// [`COMMITS_FILE`] belong to it: they are copied and moved with it.
pub const DATABASE_FILE: &str = "bridgemaster.db";

/// The file that a running server keeps locked. It says which process that is, and means
/// nothing when it is not locked; a server that is killed leaves it behind unlocked.
pub const LOCK_FILE: &str = "server.lock";

/// The file in a data folder that says how many commits there have been, at least. It belongs to
/// the database and is copied and moved with it.
pub const COMMITS_FILE: &str = "bridgemaster.commits";
