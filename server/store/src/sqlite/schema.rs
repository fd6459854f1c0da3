//! The versions of the schema. A version, once released, is never edited: a new one follows it.

use sqlx::{
    SqlSafeStr as _, SqliteConnection,
    migrate::{Migration, MigrationType, Migrator},
};

/// Marks the file as ours: `BMst` in its header (`PRAGMA application_id`).
pub(super) const APPLICATION_ID: u32 = 0x424d_7374;

/// Each version with its name and its text, from 1, without a gap.
const VERSIONS: &[(&str, &str)] = &[(
    "matches and keys",
    include_str!("../../migrations/sqlite/0001_matches_and_keys.sql"),
)];

/// The version that this program works with.
pub(super) const NEWEST: i64 = VERSIONS.len() as i64;

/// Brings a database up to [`NEWEST`], a transaction a version.
pub(super) fn migrator() -> Migrator {
    let migrations = (1..).zip(VERSIONS).map(|(version, (name, text))| {
        let within_transaction = false;
        Migration::new(
            version,
            (*name).into(),
            MigrationType::Simple,
            text.into_sql_str(),
            within_transaction,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

/// The first version of a database that was made from another text than this program has.
pub(super) async fn first_that_differs(
    connection: &mut SqliteConnection,
    version: i64,
) -> Result<Option<i64>, sqlx::Error> {
    if version == 0 {
        return Ok(None);
    }
    let made: Vec<(i64, Vec<u8>)> =
        sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations ORDER BY version")
            .fetch_all(connection)
            .await?;
    let known = migrator();
    let differs = |(version, checksum): &(i64, Vec<u8>)| {
        let mut known = known.iter();
        known.any(|known| known.version == *version && *known.checksum != checksum[..])
    };
    Ok(made.iter().find(|made| differs(made)).map(|made| made.0))
}

/// The version of a database, 0 if it is empty.
pub(super) async fn version(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    let has_versions: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')",
    )
    .fetch_one(&mut *connection)
    .await?;
    if !has_versions {
        return Ok(0);
    }
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await
}
