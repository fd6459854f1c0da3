//! The settings of a database session.
//!
//! They are applied after connecting, since a connection pooler may refuse or ignore settings at
//! startup. They are then read back, because without them a stalled transaction might never end.

use sqlx::{AssertSqlSafe, PgConnection, Row as _};

use crate::{
    Durability, StoreError,
    db_error::DbError,
    limits::{POSTGRES_IDLE_TIMEOUT, POSTGRES_LOCK_TIMEOUT, POSTGRES_STATEMENT_TIMEOUT},
};

/// Returns the settings of every session, with their values in the units of `pg_settings`.
fn required() -> [(&'static str, String); 4] {
    let millis = |limit: std::time::Duration| limit.as_millis().to_string();
    [
        // In this mode, a statement that has waited for a lock sees the commits that were made
        // during the wait.
        ("default_transaction_isolation", "read committed".to_owned()),
        ("statement_timeout", millis(POSTGRES_STATEMENT_TIMEOUT)),
        ("lock_timeout", millis(POSTGRES_LOCK_TIMEOUT)),
        ("idle_in_transaction_session_timeout", millis(POSTGRES_IDLE_TIMEOUT)),
    ]
}

/// Returns the statements that apply the settings of a session: those of the address and the
/// required ones.
pub(super) fn settings(custom: &[(String, String)], durability: Durability) -> String {
    let required = required();
    let custom = custom.iter().map(|(name, value)| (&**name, value));
    let all = custom.chain(required.iter().map(|(name, value)| (*name, value)));
    let set = all.map(|(name, value)| set(name, value));
    let set: Vec<String> = set.collect();
    let durability = match durability {
        // A stricter setting of the database is kept, for example on a primary that waits for its
        // standby.
        Durability::Disk => {
            "SELECT set_config('synchronous_commit', 'on', false)
             WHERE current_setting('synchronous_commit') = 'off'"
        }
        Durability::Process => "SELECT set_config('synchronous_commit', 'off', false)",
    };
    format!("SELECT {}; {durability}", set.join(", "))
}

fn set(name: &str, value: &str) -> String {
    format!("set_config({}, {}, false)", quoted(name), quoted(value))
}

fn quoted(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// Applies the settings, and checks that they are in effect and that the database is writable.
/// Avoids prepared statements, which fail with a pooler that shares sessions.
pub(super) async fn prepare(
    connection: &mut PgConnection,
    settings: &str,
    database: &str,
) -> Result<(), DbError> {
    let settings = AssertSqlSafe(settings.to_owned());
    sqlx::raw_sql(settings).execute(&mut *connection).await?;
    let required = required();
    let names: Vec<String> = required.iter().map(|(name, _)| quoted(name)).collect();
    let select = format!(
        "SELECT name, setting, pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'
         FROM pg_settings WHERE name IN ({})",
        names.join(", ")
    );
    let rows = sqlx::raw_sql(AssertSqlSafe(select));
    let rows = rows.fetch_all(connection).await?;
    let mut in_force = Vec::new();
    for row in &rows {
        if row.try_get(2)? {
            return Err(DbError::Standby);
        }
        if row.try_get(3)? {
            return Err(DbError::ReadOnlySetting);
        }
        in_force.push((row.try_get(0)?, row.try_get(1)?));
    }
    check(&required, &in_force, database)
}

fn check(
    required: &[(&'static str, String)],
    in_force: &[(String, String)],
    database: &str,
) -> Result<(), DbError> {
    for (setting, requested) in required {
        let found = in_force.iter().find(|(name, _)| name == setting);
        let found = found.map_or("nothing", |(_, found)| found);
        if found != requested {
            return Err(DbError::Store(StoreError::SettingIgnored {
                database: database.to_owned(),
                setting,
                requested: requested.clone(),
                found: found.to_owned(),
            }));
        }
    }
    Ok(())
}

/// Returns whether two connections share sessions of the database, as with a connection pooler in
/// transaction mode. Normally, each session has its own server process and keeps it.
pub(super) async fn are_shared(
    first: &mut PgConnection,
    second: &mut PgConnection,
) -> Result<bool, DbError> {
    // The two consecutive statements detect a pooler that uses its sessions in rotation.
    let before = process(first).await?;
    let other = process(second).await?;
    let is_changed = process(second).await? != other || process(first).await? != before;
    Ok(is_changed || before == other)
}

async fn process(connection: &mut PgConnection) -> Result<i32, DbError> {
    let process = sqlx::raw_sql("SELECT pg_backend_pid()");
    Ok(process.fetch_one(connection).await?.try_get(0)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_is_not_in_force_is_reported() {
        let mut in_force = required().map(|(name, value)| (name.to_owned(), value));
        let required = required();
        assert!(check(&required, &in_force, "db").is_ok());
        in_force[2].1 = "0".to_owned();
        let ignored = check(&required, &in_force, "db").unwrap_err().at("db");
        let text = ignored.to_string();
        assert!(text.contains("lock_timeout: requested 20000, found 0"), "{text}");
    }

    #[test]
    fn custom_settings_are_quoted_and_cannot_replace_the_required_ones() {
        let custom = [("lock_timeout".to_owned(), r"0'\".to_owned())];
        let settings = settings(&custom, Durability::Disk);
        let own = settings.find(r"set_config(E'lock_timeout', E'0''\\', false)");
        let required = settings.find("set_config(E'lock_timeout', E'20000', false)");
        assert!(own.is_some() && own < required, "{settings}");
    }
}
