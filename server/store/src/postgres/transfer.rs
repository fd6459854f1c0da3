//! A PostgreSQL database as the source or target of a copy.

use std::path::PathBuf;

use sqlx::{AssertSqlSafe, PgConnection};

use super::{
    address::Address,
    db_error::DbError,
    node_number::{NODE_OF_KEY, NodeNumber},
    opening,
    whole_matches::{self, WholeMatch},
};
use crate::{
    Durability, OpenMatch, StoreError,
    checksum::StoreId,
    named_rows::{NamedTable, RowChange, RowQuery, RowResult},
    rows::{
        finished::{self, FinishedEntry},
        named, open_matches,
    },
    transfer::{FINISHED_PER_CHUNK, TransferSide},
};

/// A connection with an open transaction.
pub(crate) struct PostgresSide {
    connection: PgConnection,
    store: StoreId,
    address: Address,
}

impl PostgresSide {
    /// Begins a read transaction on the store in a database.
    pub(crate) async fn open_source(url: &str) -> Result<Self, StoreError> {
        let address = Address::parse(url, Durability::Disk)?;
        let no_store = || StoreError::NoStore {
            database: address.redacted().to_owned(),
        };
        let work = async {
            let mut connection = opening::open_existing(&address)
                .await?
                .ok_or_else(no_store)?;
            sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                .execute(&mut connection)
                .await?;
            let store = opening::read_identity(&mut connection).await?;
            Ok((connection, store.ok_or_else(no_store)?))
        };
        let connected: Result<_, DbError> = work.await;
        let (connection, store) = connected.map_err(|error| error.at(address.redacted()))?;
        Ok(Self {
            connection,
            store,
            address,
        })
    }

    /// Creates the tables in a database, checks that they have no rows, and sets the id of the
    /// store.
    pub(crate) async fn open_target(url: &str, store: StoreId) -> Result<Self, StoreError> {
        let address = Address::parse(url, Durability::Disk)?;
        let work = async {
            let mut connection = opening::open(&address).await?;
            sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
            let is_ours = opening::set_identity(&mut connection, store).await?;
            if !is_ours || has_rows(&mut connection).await? {
                let database = address.redacted().to_owned();
                return Err(StoreError::NotEmpty { database }.into());
            }
            Ok(connection)
        };
        let connected: Result<_, DbError> = work.await;
        let connection = connected.map_err(|error| error.at(address.redacted()))?;
        Ok(Self {
            connection,
            store,
            address,
        })
    }

    /// Commits the copy.
    pub(crate) async fn finish(mut self) -> Result<(), StoreError> {
        let committed = sqlx::raw_sql("COMMIT").execute(&mut self.connection).await;
        committed.map_err(|error| self.store_error(error))?;
        Ok(())
    }

    fn store_error(&self, error: impl Into<DbError>) -> StoreError {
        error.into().at(self.address.redacted())
    }

    async fn read_open_matches(&mut self) -> Result<Vec<OpenMatch>, DbError> {
        let nodes = format!("SELECT DISTINCT {NODE_OF_KEY} AS node FROM open_match ORDER BY node");
        let nodes = sqlx::query_scalar(AssertSqlSafe(nodes));
        let nodes: Vec<i64> = nodes.fetch_all(&mut self.connection).await?;
        let mut matches = Vec::new();
        for node in nodes {
            let node = NodeNumber::new(node)?;
            for whole in whole_matches::read(&mut self.connection, self.store, node).await? {
                let WholeMatch {
                    row,
                    header,
                    journal,
                } = whole.map_err(|unreadable| DbError::Damaged(unreadable.damage))?;
                matches.push(OpenMatch {
                    match_id: row.match_id,
                    opened_at_unix_ms: row.opened_at_unix_ms,
                    header,
                    journal,
                });
            }
        }
        Ok(matches)
    }

    async fn insert_open_match(
        &mut self,
        match_key: i64,
        open: &OpenMatch,
        batch: Option<Vec<u8>>,
    ) -> Result<(), DbError> {
        let (id, at) = (&open.match_id, open.opened_at_unix_ms);
        let connection = &mut self.connection;
        open_matches::insert(connection, self.store, match_key, id, at, &open.header).await?;
        if let Some(body) = batch {
            sqlx::query("INSERT INTO journal (batch, body) VALUES ($1, $2)")
                .bind(match_key)
                .bind(body)
                .execute(connection)
                .await?;
        }
        Ok(())
    }
}

async fn has_rows(connection: &mut PgConnection) -> Result<bool, DbError> {
    let tables = ["open_match", "journal", "finished_match"];
    let named = NamedTable::ALL.map(NamedTable::sql_name);
    for table in tables.into_iter().chain(named) {
        let has_rows = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        let has_rows = sqlx::query_scalar(AssertSqlSafe(has_rows));
        if has_rows.fetch_one(&mut *connection).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl TransferSide for PostgresSide {
    fn store(&self) -> StoreId {
        self.store
    }

    fn location(&self) -> PathBuf {
        self.address.redacted().into()
    }

    async fn open_matches(&mut self) -> Result<Vec<OpenMatch>, StoreError> {
        let read = self.read_open_matches().await;
        read.map_err(|error| self.store_error(error))
    }

    async fn add_open_match(
        &mut self,
        match_key: i64,
        open: &OpenMatch,
        batch: Option<Vec<u8>>,
    ) -> Result<(), StoreError> {
        let added = self.insert_open_match(match_key, open, batch).await;
        added.map_err(|error| self.store_error(error))
    }

    async fn last_finish_number(&mut self) -> Result<i64, StoreError> {
        // The row has only the base of the numbers.
        let last = "SELECT greatest(last, (SELECT max(finish_number) FROM finished_match))
             FROM given_number WHERE of_table = 'finished_match'";
        let last = sqlx::query_scalar(last);
        let last = last.fetch_one(&mut self.connection).await;
        last.map_err(|error| self.store_error(error))
    }

    async fn set_last_finish_number(&mut self, number: i64) -> Result<(), StoreError> {
        let set = "UPDATE given_number SET last = $1 WHERE of_table = 'finished_match'";
        let set = sqlx::query(set).bind(number);
        let updated = set.execute(&mut self.connection).await;
        updated.map_err(|error| self.store_error(error))?;
        Ok(())
    }

    async fn finished_after(&mut self, number: i64) -> Result<Vec<FinishedEntry>, StoreError> {
        let connection = &mut self.connection;
        let read = finished::entries_after(connection, self.store, number, FINISHED_PER_CHUNK);
        read.await.map_err(|error| self.store_error(error))
    }

    async fn add_finished(&mut self, entries: Vec<FinishedEntry>) -> Result<(), StoreError> {
        for entry in &entries {
            let connection = &mut self.connection;
            let added = finished::insert(connection, self.store, entry.into()).await;
            added.map_err(|error| self.store_error(error))?;
        }
        Ok(())
    }

    async fn read_rows(&mut self, query: RowQuery) -> Result<Vec<RowResult>, StoreError> {
        let read = named::read_one(&mut self.connection, self.store, &query).await;
        read.map_err(|error| self.store_error(error))
    }

    async fn apply_to_rows(&mut self, changes: Vec<RowChange>) -> Result<(), StoreError> {
        for change in &changes {
            let applied = named::apply(&mut self.connection, self.store, change).await;
            applied.map_err(|error| self.store_error(error))?;
        }
        Ok(())
    }
}
