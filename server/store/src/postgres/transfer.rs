//! A PostgreSQL database as one side of a copy.

use sqlx::{AssertSqlSafe, PgConnection, Postgres};

use super::{address::Address, failure::Fault, opening};
use crate::{
    Durability, StoreError,
    checksum::StoreId,
    transfer::{
        side::Side,
        tables::{Dialect, Kind, TABLES},
    },
};

impl Dialect for Postgres {
    const GIVEN_NUMBERS: &str = "SELECT of_table, last FROM given_number ORDER BY of_table";
    const KEEP_GIVEN_NUMBER: &str = "UPDATE given_number SET last = $2 WHERE of_table = $1";

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

/// Begins a view of the store in a database.
pub(crate) async fn snapshot(url: &str) -> Result<Side<Postgres>, StoreError> {
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
pub(crate) async fn empty(url: &str, store: StoreId) -> Result<Side<Postgres>, StoreError> {
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

fn side(connection: PgConnection, store: StoreId, address: Address) -> Side<Postgres> {
    Side {
        connection,
        store,
        told: Box::new(move |error| Fault::from(error).at(address.shown())),
    }
}

async fn has_rows(connection: &mut PgConnection) -> Result<bool, Fault> {
    for table in TABLES {
        let has_rows = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name);
        let has_rows = sqlx::query_scalar(AssertSqlSafe(has_rows));
        if has_rows.fetch_one(&mut *connection).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Commits what was written.
pub(crate) async fn finish(mut side: Side<Postgres>) -> Result<(), StoreError> {
    let committed = sqlx::raw_sql("COMMIT").execute(&mut side.connection).await;
    committed.map_err(side.told)?;
    Ok(())
}
