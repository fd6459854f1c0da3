//! A PostgreSQL database as one side of a copy.

use sqlx::{
    AssertSqlSafe, PgConnection, Postgres, Row as _,
    postgres::{PgArguments, PgRow},
    query::Query,
};

use super::{
    address::Address,
    failure::Fault,
    node_number::{NODE_OF_KEY, NodeNumber},
    opening,
    whole_matches::{self, WholeMatch},
};
use crate::{
    Durability, OpenMatch, StoreError,
    checksum::StoreId,
    transfer::{
        rows::{Row, Value},
        side::Side,
        tables::{Dialect, JOURNAL, Kind, OPEN_MATCH, TABLES, Table},
    },
};

impl Dialect for Postgres {
    fn read(kind: Kind, column: &str) -> String {
        match kind {
            Kind::Number | Kind::Bytes | Kind::Name => column.to_owned(),
            Kind::Text => format!("convert_to({column}, 'UTF8')"),
            Kind::Truth => format!("{column}::int::bigint"),
        }
    }

    fn place(kind: Kind, number: usize) -> String {
        match kind {
            Kind::Number | Kind::Bytes | Kind::Name => format!("${number}"),
            Kind::Text => format!("convert_from(${number}, 'UTF8')"),
            Kind::Truth => format!("${number}::bigint <> 0"),
        }
    }
}

/// A connection within a transaction.
pub(crate) struct PostgresSide {
    connection: PgConnection,
    /// Which store it is.
    pub(crate) store: StoreId,
    address: Address,
}

impl PostgresSide {
    /// A failure, told of this database.
    fn told(&self, error: sqlx::Error) -> StoreError {
        Fault::from(error).at(self.address.shown())
    }
}

impl PostgresSide {
    /// The numbers of the nodes that have matches in play.
    pub(crate) async fn nodes_in_play(&mut self) -> Result<Vec<i64>, StoreError> {
        let nodes = format!("SELECT DISTINCT {NODE_OF_KEY} AS node FROM open_match ORDER BY node");
        let nodes = sqlx::query_scalar(AssertSqlSafe(nodes));
        let nodes = nodes.fetch_all(&mut self.connection).await;
        nodes.map_err(|error| self.told(error))
    }

    /// The matches of a node that are in play.
    pub(crate) async fn in_play(&mut self, node: i64) -> Result<Vec<OpenMatch>, StoreError> {
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
                Err(unreadable) => Err(Fault::Damage(unreadable.damage)),
            });
            matches.collect()
        };
        let read: Result<_, Fault> = read.await;
        read.map_err(|fault| fault.at(self.address.shown()))
    }
}

/// Begins a view of the store in a database.
pub(crate) async fn snapshot(url: &str) -> Result<PostgresSide, StoreError> {
    let address = Address::parse(url, Durability::Power)?;
    let no_store = || StoreError::NoStore {
        database: address.shown().to_owned(),
    };
    let work = async {
        let mut connection = opening::known(&address).await?.ok_or_else(no_store)?;
        sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .execute(&mut connection)
            .await?;
        let store = opening::known_identity(&mut connection).await?;
        Ok((connection, store.ok_or_else(no_store)?))
    };
    let begun = work.await.map_err(|fault: Fault| fault.at(address.shown()));
    let (connection, store) = begun?;
    Ok(side(connection, store, address))
}

/// Brings the schema of a database up to date, makes sure that it has no rows, and gives it the
/// identifier of a store.
pub(crate) async fn empty(url: &str, store: StoreId) -> Result<PostgresSide, StoreError> {
    let address = Address::parse(url, Durability::Power)?;
    let work = async {
        let mut connection = opening::believed(&address).await?;
        sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
        let is_ours = opening::keep_identity(&mut connection, store).await?;
        if !is_ours || has_rows(&mut connection).await? {
            let database = address.shown().to_owned();
            return Err(StoreError::NotEmpty { database }.into());
        }
        Ok(connection)
    };
    let begun = work.await.map_err(|fault: Fault| fault.at(address.shown()));
    Ok(side(begun?, store, address))
}

fn side(connection: PgConnection, store: StoreId, address: Address) -> PostgresSide {
    PostgresSide {
        connection,
        store,
        address,
    }
}

async fn has_rows(connection: &mut PgConnection) -> Result<bool, Fault> {
    for table in [OPEN_MATCH, JOURNAL].into_iter().chain(TABLES) {
        let has_rows = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name);
        let has_rows = sqlx::query_scalar(AssertSqlSafe(has_rows));
        if has_rows.fetch_one(&mut *connection).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Commits what was written.
pub(crate) async fn finish(mut side: PostgresSide) -> Result<(), StoreError> {
    let committed = sqlx::raw_sql("COMMIT").execute(&mut side.connection).await;
    committed.map_err(|error| side.told(error))?;
    Ok(())
}

impl Side for PostgresSide {
    async fn given_numbers(&mut self) -> Result<Vec<(String, i64)>, StoreError> {
        let given = "SELECT of_table, last FROM given_number ORDER BY of_table";
        let given = sqlx::query_as(given).fetch_all(&mut self.connection).await;
        given.map_err(|error| self.told(error))
    }

    async fn keep_given_number(&mut self, table: &str, last: i64) -> Result<(), StoreError> {
        let kept = sqlx::query("UPDATE given_number SET last = $2 WHERE of_table = $1")
            .bind(table)
            .bind(last)
            .execute(&mut self.connection)
            .await;
        kept.map_err(|error| self.told(error))?;
        Ok(())
    }

    async fn rows(
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
        read.map_err(|error| self.told(error))
    }

    async fn add(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<(), StoreError> {
        let insert = table.insert::<Postgres>(rows.len());
        let insert = sqlx::query(AssertSqlSafe(insert));
        let insert = rows.into_iter().flatten().fold(insert, bind);
        let added = insert.execute(&mut self.connection).await;
        added.map_err(|error| self.told(error))?;
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
    let value = |(place, (_, kind)): (usize, &(&str, Kind))| match kind {
        Kind::Number | Kind::Truth => row.try_get(place).map(Value::Number),
        Kind::Bytes | Kind::Text | Kind::Name => row.try_get(place).map(Value::Bytes),
    };
    columns.map(value).collect()
}
