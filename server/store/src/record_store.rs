//! Implements [`RecordStore`] for every kind of store, with records and secrets in named rows.

use async_trait::async_trait;

use crate::{
    DamageReport, RecordStore, Records, StoreError,
    limits::MAX_SECRET_BYTES,
    named_rows::{
        self, DamagedRow, NameRange, NamedTable, QueryResults, RowChange, RowDecision, RowResult,
        RowSelection, RowStore, read_one, separate,
    },
};

#[async_trait]
impl<B: RowStore> RecordStore for B {
    async fn record(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let row = read_one(self, NamedTable::Record.named(name)).await?.pop();
        match row.transpose() {
            Ok(row) => Ok(row.map(|row| row.value)),
            Err(damaged) => Err(named_rows::damaged(self.location(), damaged)),
        }
    }

    async fn records(&self, prefix: &str) -> Result<Records, StoreError> {
        // A row with a damaged name may have had any prefix, so it belongs to no range.
        let selection = if prefix.is_empty() {
            RowSelection::All
        } else {
            RowSelection::First(NameRange::with_prefix(prefix), u32::MAX)
        };
        let rows = read_one(self, NamedTable::Record.query(selection)).await?;
        Ok(records(rows))
    }

    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let secrets = read_one(self, NamedTable::Secret.all()).await?;
        find_secret(secrets, name).map_err(|row| named_rows::damaged(self.location(), row))
    }

    async fn get_or_insert_secret(
        &self,
        name: &str,
        value: Vec<u8>,
    ) -> Result<Vec<u8>, StoreError> {
        if value.len() > MAX_SECRET_BYTES {
            return Err(StoreError::SecretTooLarge {
                name: name.to_owned(),
                bytes: value.len(),
                limit: MAX_SECRET_BYTES,
            });
        }
        let (name, location) = (name.to_owned(), self.location());
        let decide = move |results: QueryResults, _| -> RowDecision<Vec<u8>> {
            let secrets = results.into_iter().flatten().collect();
            match find_secret(secrets, &name) {
                Ok(Some(stored)) => Ok((Vec::new(), stored)),
                Ok(None) => {
                    let put = NamedTable::Secret.put(&*name, value.clone());
                    Ok((vec![put], value.clone()))
                }
                Err(row) if row.is_missing => Err(StoreError::SecretMissing {
                    path: location.clone(),
                    name: name.clone(),
                    problem: Box::new(row.into_report()),
                }),
                Err(row) => Err(named_rows::damaged(location.clone(), row)),
            }
        };
        self.update_rows(vec![NamedTable::Secret.all()], decide).await
    }

    async fn remove_damaged_secrets(&self) -> Result<Vec<DamageReport>, StoreError> {
        let decide = |results: QueryResults, _| -> RowDecision<Vec<DamageReport>> {
            let (intact, damaged) = separate(results.into_iter().flatten());
            if damaged.is_empty() {
                return Ok((Vec::new(), Vec::new()));
            }
            // A row with a damaged name cannot be deleted by name, so all rows are replaced.
            let table = NamedTable::Secret;
            let mut changes = vec![RowChange::DeleteAll { table }];
            changes.extend(intact.into_iter().map(|row| table.put(row.name, row.value)));
            let reports = damaged.into_iter().map(DamagedRow::into_report);
            Ok((changes, reports.collect()))
        };
        self.update_rows(vec![NamedTable::Secret.all()], decide).await
    }
}

/// Converts the rows of records.
pub(crate) fn records(rows: Vec<RowResult>) -> Records {
    let (intact, damaged) = separate(rows);
    Records {
        intact: intact.into_iter().map(|row| (row.name, row.value)).collect(),
        damaged: damaged.into_iter().map(DamagedRow::into_report).collect(),
    }
}

/// Finds the secret with this name among all secrets.
///
/// # Errors
/// Returns an error if no row has this name but a row is damaged or missing: it might be that row.
fn find_secret(rows: Vec<RowResult>, name: &str) -> Result<Option<Vec<u8>>, DamagedRow> {
    let (intact, mut damaged) = separate(rows);
    match (intact.into_iter().find(|row| row.name == name), damaged.pop()) {
        (Some(row), _) => Ok(Some(row.value)),
        (None, Some(damaged)) => Err(damaged),
        (None, None) => Ok(None),
    }
}
