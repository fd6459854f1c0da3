//! Removal of journal rows whose match has left play.
//!
//! Such rows lie between those of other matches. To remove them one match at a time would
//! rewrite a page for nearly every row. Instead each commit looks at some rows from where the
//! last one stopped, and removes the ones that mean nothing any more; when it comes to the end
//! it begins again. Three rows are looked at for each row that a match leaves behind: so the
//! sweep passes every row before half as many new ones are left behind, and the journal stays
//! below about twice the rows of matches in play.

use sqlx::SqliteConnection;

use super::failure::Fault;

/// Rows looked at for each row left behind.
const PACE: u64 = 3;

/// Rows that one commit looks at however few it adds: well under a millisecond.
const MIN_STEP_ROWS: u64 = 256;

/// Rows that one commit looks at for each row that it adds: more than [`PACE`], so that a debt
/// shrinks.
const STEP_PER_ADDED_ROW: u64 = 4;

/// Where the sweep stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sweep {
    /// The last row looked at.
    cursor: i64,
    /// Rows still to be looked at.
    debt: u64,
}

impl Sweep {
    /// Removes every row that means nothing, before a server starts.
    pub(super) async fn all(connection: &mut SqliteConnection) -> Result<Self, Fault> {
        sqlx::query(
            "DELETE FROM journal WHERE match_key NOT IN (SELECT match_key FROM open_match)",
        )
        .execute(connection)
        .await?;
        Ok(Self::default())
    }

    /// Goes on within a commit that adds rows and leaves rows behind, after the matches that
    /// left play are gone from their table. Returns where the sweep stands once the commit is
    /// done.
    pub(super) async fn step(
        self,
        connection: &mut SqliteConnection,
        added_rows: u64,
        left_rows: u64,
        none_in_play: bool,
    ) -> Result<Self, Fault> {
        let debt = self.debt + PACE * left_rows;
        if debt == 0 {
            return Ok(self);
        }
        if none_in_play {
            // Without a condition SQLite frees whole pages unread.
            sqlx::query("DELETE FROM journal")
                .execute(connection)
                .await?;
            return Ok(Self::default());
        }
        let rows = debt.min(MIN_STEP_ROWS.max(STEP_PER_ADDED_ROW * added_rows));
        let (seen, end): (i64, Option<i64>) = sqlx::query_as(
            "SELECT count(*), max(seq)
             FROM (SELECT seq FROM journal WHERE seq > ? ORDER BY seq LIMIT ?)",
        )
        .bind(self.cursor)
        .bind(rows.cast_signed())
        .fetch_one(&mut *connection)
        .await?;
        sqlx::query(
            "DELETE FROM journal WHERE seq > ? AND seq <= ?
             AND match_key NOT IN (SELECT match_key FROM open_match)",
        )
        .bind(self.cursor)
        .bind(end)
        .execute(connection)
        .await?;
        let seen = seen.unsigned_abs();
        Ok(match end {
            Some(end) if seen == rows => Self {
                cursor: end,
                debt: debt - seen,
            },
            // The end of the journal; nothing is owed once a single step has seen all of it.
            _ if self.cursor == 0 => Self::default(),
            _ => Self {
                cursor: 0,
                debt: debt - seen,
            },
        })
    }
}
