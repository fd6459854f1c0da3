//! A PostgreSQL database as the source or target of a copy.

use sqlx::{
    AssertSqlSafe, PgConnection, Postgres, Row as _,
    postgres::{PgArguments, PgRow},
    query::Query,
};

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
    transfer::{
        rows::{Row, Value},
        side::TransferSide,
        tables::{ColumnKind, JOURNAL, OPEN_MATCH, SqlDialect, TABLES, Table},
    },
};

impl SqlDialect for Postgres {
    fn read(kind: ColumnKind, column: &str) -> String {
        match kind {
            ColumnKind::Number | ColumnKind::Bytes | ColumnKind::Name => column.to_owned(),
            ColumnKind::Text => format!("convert_to({column}, 'UTF8')"),
            ColumnKind::Bool => format!("{column}::int::bigint"),
        }
    }

    fn placeholder(kind: ColumnKind, number: usize) -> String {
        match kind {
            ColumnKind::Number | ColumnKind::Bytes | ColumnKind::Name => format!("${number}"),
            ColumnKind::Text => format!("convert_from(${number}, 'UTF8')"),
            ColumnKind::Bool => format!("${number}::bigint <> 0"),
        }
    }

    fn rows(table: &'static str) -> &'static str {
        match table {
            "note" => {
                "(SELECT DISTINCT ON (name) name, value, checksum FROM note
                  ORDER BY name, version DESC) AS note"
            }
            table => table,
        }
    }
}

/// A connection with an open transaction.
pub(crate) struct PostgresSide {
    connection: PgConnection,
    /// The id of the store.
    pub(crate) store: StoreId,
    address: Address,
}

impl PostgresSide {
    fn store_error(&self, error: sqlx::Error) -> StoreError {
        DbError::from(error).at(self.address.redacted())
    }
}

impl PostgresSide {
    /// Returns the numbers of the nodes that have matches in play.
    pub(crate) async fn nodes_with_open_matches(&mut self) -> Result<Vec<i64>, StoreError> {
        let nodes = format!("SELECT DISTINCT {NODE_OF_KEY} AS node FROM open_match ORDER BY node");
        let nodes = sqlx::query_scalar(AssertSqlSafe(nodes));
        let nodes = nodes.fetch_all(&mut self.connection).await;
        nodes.map_err(|error| self.store_error(error))
    }

    /// Returns the matches in play of a node.
    pub(crate) async fn open_matches(&mut self, node: i64) -> Result<Vec<OpenMatch>, StoreError> {
        let read = async {
            let node = NodeNumber::new(node)?;
            let matches = whole_matches::read(&mut self.connection, self.store, node).await?;
            let matches = matches.into_iter().map(|whole| match whole {
                Ok(WholeMatch {
                    row,
                    header,
                    journal,
                }) => Ok(OpenMatch {
                    match_id: row.match_id,
                    opened_at_unix_ms: row.opened_at_unix_ms,
                    header,
                    journal,
                }),
                Err(unreadable) => Err(DbError::Damaged(unreadable.damage)),
            });
            matches.collect()
        };
        let read: Result<_, DbError> = read.await;
        read.map_err(|error| error.at(self.address.redacted()))
    }
}

/// Begins a read transaction on the store in a database.
pub(crate) async fn open_source(url: &str) -> Result<PostgresSide, StoreError> {
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
    let connected = work
        .await
        .map_err(|error: DbError| error.at(address.redacted()));
    let (connection, store) = connected?;
    Ok(postgres_side(connection, store, address))
}

/// Migrates the schema of a database, checks that it has no rows, and sets the id of the store.
pub(crate) async fn open_target(url: &str, store: StoreId) -> Result<PostgresSide, StoreError> {
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
    let connected = work
        .await
        .map_err(|error: DbError| error.at(address.redacted()));
    Ok(postgres_side(connected?, store, address))
}

fn postgres_side(connection: PgConnection, store: StoreId, address: Address) -> PostgresSide {
    PostgresSide {
        connection,
        store,
        address,
    }
}

async fn has_rows(connection: &mut PgConnection) -> Result<bool, DbError> {
    for table in [OPEN_MATCH, JOURNAL].into_iter().chain(TABLES) {
        let has_rows = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name);
        let has_rows = sqlx::query_scalar(AssertSqlSafe(has_rows));
        if has_rows.fetch_one(&mut *connection).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) async fn finish(mut side: PostgresSide) -> Result<(), StoreError> {
    let committed = sqlx::raw_sql("COMMIT").execute(&mut side.connection).await;
    committed.map_err(|error| side.store_error(error))?;
    Ok(())
}

impl TransferSide for PostgresSide {
    async fn sequences(&mut self) -> Result<Vec<(String, i64)>, StoreError> {
        // The row of finished matches has only the base of their numbers.
        let select = "SELECT of_table, CASE of_table WHEN 'finished_match' THEN greatest(last,
                 (SELECT max(finish_number) FROM finished_match)) ELSE last END
             FROM given_number ORDER BY of_table";
        let sequences = sqlx::query_as(select).fetch_all(&mut self.connection).await;
        sequences.map_err(|error| self.store_error(error))
    }

    async fn set_sequence(&mut self, table: &str, last: i64) -> Result<(), StoreError> {
        let updated = sqlx::query("UPDATE given_number SET last = $2 WHERE of_table = $1")
            .bind(table)
            .bind(last)
            .execute(&mut self.connection)
            .await;
        updated.map_err(|error| self.store_error(error))?;
        Ok(())
    }

    async fn next_rows(
        &mut self,
        table: &'static Table,
        after: Option<&Row>,
    ) -> Result<Vec<Row>, StoreError> {
        let select = table.select::<Postgres>(after.is_some());
        let key = after.map_or(&[][..], |row| &row[..table.key]);
        let select = sqlx::query(AssertSqlSafe(select));
        let select = key.iter().cloned().fold(select, bind);
        let read = select.fetch_all(&mut self.connection).await;
        let read = read.and_then(|rows| rows.iter().map(|row| read_row(table, row)).collect());
        read.map_err(|error| self.store_error(error))
    }

    async fn add(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<(), StoreError> {
        let insert = table.insert::<Postgres>(rows.len());
        let insert = sqlx::query(AssertSqlSafe(insert));
        let insert = rows.into_iter().flatten().fold(insert, bind);
        let added = insert.execute(&mut self.connection).await;
        added.map_err(|error| self.store_error(error))?;
        Ok(())
    }
}

fn bind(query: Query<'_, Postgres, PgArguments>, value: Value) -> Query<'_, Postgres, PgArguments> {
    match value {
        Value::Number(number) => query.bind(number),
        Value::Bytes(bytes) => query.bind(bytes),
    }
}

fn read_row(table: &Table, row: &PgRow) -> Result<Row, sqlx::Error> {
    let columns = table.columns.iter().enumerate();
    let value = |(place, (_, kind)): (usize, &(&str, ColumnKind))| match kind {
        ColumnKind::Number | ColumnKind::Bool => row.try_get(place).map(Value::Number),
        ColumnKind::Bytes | ColumnKind::Text | ColumnKind::Name => {
            row.try_get(place).map(Value::Bytes)
        }
    };
    columns.map(value).collect()
}
