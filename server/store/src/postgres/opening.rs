//! From an address to a database that is believed and held.

use sqlx::{
    Connection as _, PgConnection, SqlSafeStr as _,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
    postgres::PgPool,
};

use super::{
    address::Address,
    failure::Fault,
    journal, link,
    node_number::HeldNode,
    node_rows,
    open_rows::{self, WithHeader},
    released_rows,
};
use crate::{
    NodeIdentity, NodeStanding, StoreError, checksum::StoreId, journal::reading::Loaded,
    journal_batch, limits::POSTGRES_OLDEST,
};

/// Each version of the schema with its name and its text, from 1, without a gap. A version, once
/// released, is never edited: a new one follows it.
const VERSIONS: &[(&str, &str)] = &[
    (
        "matches and keys",
        include_str!("../../migrations/postgres/0001_matches_and_keys.sql"),
    ),
    (
        "nodes",
        include_str!("../../migrations/postgres/0002_nodes.sql"),
    ),
    (
        "told matches",
        include_str!("../../migrations/postgres/0003_told_matches.sql"),
    ),
    (
        "room",
        include_str!("../../migrations/postgres/0004_room.sql"),
    ),
    (
        "released matches",
        include_str!("../../migrations/postgres/0005_released_matches.sql"),
    ),
];

/// The version that this program works with.
const NEWEST: i64 = VERSIONS.len() as i64;

/// Connects to a database, checks that it is ours or empty, and brings its schema up to date.
pub(super) async fn believed(address: &Address) -> Result<PgConnection, Fault> {
    let mut connection = address.connect().await?;
    let version: i32 = sqlx::query_scalar("SELECT current_setting('server_version_num')::int")
        .fetch_one(&mut connection)
        .await?;
    if version < POSTGRES_OLDEST * 10_000 {
        return Err(StoreError::OldPostgres {
            database: address.shown().to_owned(),
            version: version / 10_000,
        }
        .into());
    }
    let is_foreign: bool = sqlx::query_scalar(
        "SELECT to_regclass('_sqlx_migrations') IS NULL AND EXISTS (
             SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
             WHERE nspname = current_schema() AND relkind IN ('r', 'p'))",
    )
    .fetch_one(&mut connection)
    .await?;
    if is_foreign {
        return Err(StoreError::ForeignTables {
            database: address.shown().to_owned(),
        }
        .into());
    }
    migrate(&mut connection, address).await?;
    Ok(connection)
}

/// The same for a database that has a store; `None` if nothing was ever made in it.
pub(super) async fn known(address: &Address) -> Result<Option<PgConnection>, Fault> {
    let mut connection = address.connect().await?;
    let is_made: bool = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL")
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    match is_made {
        true => believed(address).await.map(Some),
        false => Ok(None),
    }
}

async fn migrate(connection: &mut PgConnection, address: &Address) -> Result<(), Fault> {
    let migrations = (1..).zip(VERSIONS).map(|(version, (name, text))| {
        let without_transaction = false;
        Migration::new(
            version,
            (*name).into(),
            MigrationType::Simple,
            text.into_sql_str(),
            without_transaction,
        )
    });
    let migrator = Migrator::with_migrations(migrations.collect());
    let path = || address.shown().into();
    let migrated = migrator.run_direct(None, connection, false).await;
    migrated.map_err(|error| match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
        MigrateError::VersionMissing(version) => StoreError::NewerSchema {
            path: path(),
            version,
            known: NEWEST,
        }
        .into(),
        MigrateError::VersionMismatch(version) => StoreError::DifferentSchema {
            path: path(),
            version,
        }
        .into(),
        other => Fault::Contradiction(other.to_string()),
    })
}

/// What a server finds when it takes the store.
pub(super) struct Taken {
    pub(super) store: StoreId,
    /// As which it writes from now on.
    pub(super) node: HeldNode,
    /// Commits so far, the one that took the store included.
    pub(super) commits: i64,
    pub(super) loaded: Loaded,
}

/// Takes a node of the store in one transaction, so that an earlier server of its name has committed
/// all before it, or commits nothing any more.
pub(super) async fn take_over(
    connection: &mut PgConnection,
    identity: &NodeIdentity,
) -> Result<Taken, Fault> {
    sqlx::raw_sql("BEGIN").execute(&mut *connection).await?;
    let work = async {
        let node = node_rows::take(connection, identity).await?;
        released_rows::forget_all(connection, node.number).await?;
        let store = store_id(connection).await?;
        let open = open_rows::with_headers(connection, store, node.number).await?;
        let rows = open.iter().map(|with_header| with_header.row.clone());
        let mut loaded = journal::load(connection, store, node.number, rows.collect()).await?;
        for WithHeader { row, header } in open {
            if let Some(in_play) = loaded.matches.by_id.get_mut(&row.match_id) {
                in_play.header_at_open = Some(header);
            }
        }
        let commits = journal::newest(&mut *connection, node.number).await? + 1;
        let given = loaded.matches.match_keys_given;
        let body = journal_batch::write(store, commits, given, Vec::new());
        journal::add(connection, node.number, commits, &body).await?;
        journal::sweep_all(connection, &mut loaded.sweep).await?;
        // At last, since the lease runs from here on.
        let matches = loaded.matches.by_id.len() as u64;
        node_rows::renew(&mut *connection, node, matches, NodeStanding::default()).await?;
        Ok(Taken {
            store,
            node,
            commits,
            loaded,
        })
    };
    let taken = work.await;
    link::end(connection, taken).await
}

/// Within a transaction: which store this is; one that is new gets its identifier.
pub(super) async fn store_id(connection: &mut PgConnection) -> Result<StoreId, Fault> {
    if let Some(known) = known_identity(connection).await? {
        return Ok(known);
    }
    let has_rows: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM journal) OR EXISTS (SELECT 1 FROM open_match)
             OR EXISTS (SELECT 1 FROM given_number WHERE last > 0)",
    )
    .fetch_one(&mut *connection)
    .await?;
    if has_rows {
        let missing = "the row that says which store it is, is missing";
        return Err(Fault::Contradiction(missing.to_owned()));
    }
    let drawn: Vec<u8> = sqlx::query_scalar("SELECT uuid_send(gen_random_uuid())")
        .fetch_one(&mut *connection)
        .await?;
    let drawn = StoreId::read(&drawn).ok_or_else(|| {
        Fault::Contradiction("PostgreSQL draws identifiers of another length".to_owned())
    })?;
    // Another command may make the store too.
    keep_identity(connection, drawn).await?;
    let known = known_identity(connection).await?;
    known.ok_or_else(|| Fault::Contradiction("the row of the store is not kept".to_owned()))
}

/// Within a transaction: gives a database without one the identifier of a store. Whether it had
/// none.
pub(super) async fn keep_identity(
    connection: &mut PgConnection,
    store: StoreId,
) -> Result<bool, Fault> {
    let kept = sqlx::query(
        "INSERT INTO store (only_row, store_id, checksum) VALUES (1, $1, $2)
         ON CONFLICT DO NOTHING",
    )
    .bind(&store.0[..])
    .bind(checksum_of(store))
    .execute(connection)
    .await?;
    Ok(kept.rows_affected() == 1)
}

pub(super) async fn known_identity(
    connection: &mut PgConnection,
) -> Result<Option<StoreId>, Fault> {
    let row: Option<(Option<Vec<u8>>, Option<i64>)> =
        sqlx::query_as("SELECT store_id, checksum FROM store")
            .fetch_optional(connection)
            .await?;
    let Some((store_id, checksum)) = row else {
        return Ok(None);
    };
    let store = store_id.as_deref().and_then(StoreId::read);
    match store.filter(|store| checksum == Some(checksum_of(*store))) {
        Some(store) => Ok(Some(store)),
        None => Err(Fault::Contradiction(
            "the row that says which store it is".to_owned(),
        )),
    }
}

fn checksum_of(store: StoreId) -> i64 {
    store.row("store").finish()
}

/// Connections that read.
#[derive(Debug)]
pub(super) struct Readers {
    /// Of matches.
    pub(super) matches: PgPool,
    /// Of keys alone, so that who may call is known however much is read of matches.
    pub(super) keys: PgPool,
}
