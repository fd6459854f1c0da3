//! Rows of nodes: their names, leases, and leadership.

use sqlx::{AssertSqlSafe, PgConnection, PgExecutor, postgres::PgRow};

use super::{
    db_error::DbError,
    node_number::{NODE_OF_KEY, NodeEpoch, NodeNumber},
    sequences,
    write_connection::Transaction,
};
use crate::{
    MatchId, MatchLocation, NodeAddress, NodeIdentity, NodeName, NodeStatus, StoredNode,
    checksum::StoreId, limits::LEASE_TERM, rows::StoredRow,
};

/// Takes over a node, after all transactions of its previous server have ended. Creates the node if
/// it is new. Requires an open transaction.
pub(super) async fn take_over(
    connection: &mut PgConnection,
    node: &NodeIdentity,
) -> Result<NodeEpoch, DbError> {
    let name = node.name.as_str();
    let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM node WHERE node_id = $1)")
        .bind(name)
        .fetch_one(&mut *connection)
        .await?;
    if !exists {
        let number = sequences::next_number(connection, "node").await?;
        // Another server may create the node at the same time.
        sqlx::query(
            "INSERT INTO node (node_id, epoch, number) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING",
        )
        .bind(name)
        .bind(number)
        .execute(&mut *connection)
        .await?;
    }
    // An update alone would not wait for these transactions, since the epoch is not part of a key.
    sqlx::query("SELECT epoch FROM node WHERE node_id = $1 FOR UPDATE")
        .bind(name)
        .execute(&mut *connection)
        .await?;
    let (number, epoch): (i64, i64) = sqlx::query_as(
        "UPDATE node SET epoch = epoch + 1, openings = openings + 1, address = $2, draining = false
         WHERE node_id = $1 RETURNING number, epoch",
    )
    .bind(name)
    .bind(node.address.as_ref().map_or("", NodeAddress::as_str))
    .fetch_one(connection)
    .await?;
    let number = NodeNumber::new(number)?;
    Ok(NodeEpoch { number, epoch })
}

/// Renews the lease of a node and stores its status, unless it was taken over. An expired lease can
/// be renewed: without a takeover all earlier commits are still valid.
pub(super) async fn renew(
    database: impl PgExecutor<'_>,
    node: NodeEpoch,
    matches: u64,
    status: NodeStatus,
) -> Result<(), DbError> {
    let renewed = sqlx::query(
        "UPDATE node SET draining = $4, matches = $5, slots = $6, load_percent = $7, lag_ms = $8,
             lease_until = clock_timestamp() + $3 * interval '1 millisecond'
         WHERE number = $1 AND epoch = $2",
    )
    .bind(node.number.get())
    .bind(node.epoch)
    .bind(LEASE_TERM.as_millis() as f64)
    .bind(status.draining)
    .bind(matches.cast_signed())
    .bind(i64::from(status.slots))
    .bind(status.load_percent.map(i64::from))
    .bind(i64::from(status.lag_ms))
    .execute(database)
    .await?;
    match renewed.rows_affected() {
        0 => Err(DbError::Superseded),
        _ => Ok(()),
    }
}

/// Releases the lease and leadership of a node and removes its address, so that other nodes take
/// over its matches at once. Also ends the epoch, since a renewal in flight would otherwise restore
/// the lease.
pub(super) struct ReleaseLease(pub(super) NodeNumber);

impl Transaction for ReleaseLease {
    type Output = ();

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<(), DbError> {
        sqlx::query(
            "UPDATE node SET epoch = epoch + 1, lease_until = 'epoch',
                 address = '', leads = false, draining = false,
                 matches = (SELECT count(*) FROM open_match
                     WHERE match_key > $2 AND match_key <= $3)
             WHERE number = $1",
        )
        .bind(self.0.get())
        .bind(self.0.base())
        .bind(self.0.last())
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// Acquires leadership, unless another node with a valid lease is the leader.
pub(super) struct AcquireLeadership {
    pub(super) store: StoreId,
    pub(super) node: NodeNumber,
}

impl Transaction for AcquireLeadership {
    type Output = bool;

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<bool, DbError> {
        if leader(connection).await? == Some(self.node.get()) {
            return Ok(true);
        }
        // Only one node tries at a time. The others do not wait, since their commits would wait
        // too.
        let is_alone: bool = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)")
            .bind(self.store.row_checksum("leadership").finish())
            .fetch_one(&mut *connection)
            .await?;
        if !is_alone {
            return Ok(false);
        }
        // Another node may have acquired leadership before the lock was free.
        if let Some(leader) = leader(connection).await?
            && !depose_expired_leader(connection, leader).await?
        {
            return Ok(false);
        }
        sqlx::query("UPDATE node SET leads = true WHERE number = $1")
            .bind(self.node.get())
            .execute(connection)
            .await?;
        Ok(true)
    }
}

async fn leader(connection: &mut PgConnection) -> Result<Option<i64>, DbError> {
    let leader = sqlx::query_scalar("SELECT number FROM node WHERE leads");
    Ok(leader.fetch_optional(connection).await?)
}

/// Removes leadership from a node with an expired lease. Also ends the epoch of the node, since its
/// commits may depend on leadership. Returns whether leadership was removed.
async fn depose_expired_leader(
    connection: &mut PgConnection,
    leader: i64,
) -> Result<bool, DbError> {
    // A node with a commit in progress is skipped until the next attempt. `now()` is the start of
    // the transaction, so no valid lease counts as expired.
    let deposed: Option<i64> = sqlx::query_scalar(
        "SELECT number FROM node WHERE number = $1 AND leads AND lease_until < now()
         FOR UPDATE SKIP LOCKED",
    )
    .bind(leader)
    .fetch_optional(&mut *connection)
    .await?;
    if deposed.is_none() {
        return Ok(false);
    }
    sqlx::query("UPDATE node SET leads = false, epoch = epoch + 1 WHERE number = $1")
        .bind(leader)
        .execute(connection)
        .await?;
    Ok(true)
}

/// Returns whether a node is the leader.
pub(super) async fn is_leader(
    database: impl PgExecutor<'_>,
    node: NodeNumber,
) -> Result<bool, DbError> {
    let is_leader = sqlx::query_scalar("SELECT leads FROM node WHERE number = $1");
    Ok(is_leader.bind(node.get()).fetch_one(database).await?)
}

/// The columns that [`node_from_row`] expects. A node whose lease has expired no longer reports its
/// matches, which others take over, so they are counted.
const COLUMNS: &str = "node_id, address, epoch,
    (extract(epoch FROM greatest(least(lease_until - clock_timestamp(), interval '1 day'),
        interval '-1000 days')) * 1000)::bigint,
    draining, leads,
    CASE WHEN lease_until > clock_timestamp() THEN matches ELSE (SELECT count(*)
        FROM open_match AS own WHERE own.match_key > number << 40
            AND own.match_key < (number + 1) << 40) END,
    slots, load_percent, lag_ms";

fn node_from_row(row: &PgRow) -> Result<StoredNode, DbError> {
    let wrong = |error: crate::InvalidText| DbError::Inconsistent(error.to_string());
    let address: String = row.value(1)?;
    let address = Some(address).filter(|address| !address.is_empty());
    Ok(StoredNode {
        name: NodeName::new(row.value::<String>(0)?).map_err(wrong)?,
        address: address.map(NodeAddress::new).transpose().map_err(wrong)?,
        epoch: row.value::<i64>(2)?.unsigned_abs(),
        lease_left_ms: row.value(3)?,
        is_leader: row.value(5)?,
        matches: row.value::<i64>(6)?.unsigned_abs(),
        status: NodeStatus {
            draining: row.value(4)?,
            slots: saturating_u32(row.value(7)?),
            load_percent: row.value::<Option<i64>>(8)?.map(saturating_u32),
            lag_ms: saturating_u32(row.value(9)?),
        },
    })
}

/// Converts an SQL integer, clamping it to the range of `u32`.
fn saturating_u32(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns every node, by name.
pub(super) async fn all(database: impl PgExecutor<'_>) -> Result<Vec<StoredNode>, DbError> {
    let select = AssertSqlSafe(format!("SELECT {COLUMNS} FROM node ORDER BY node_id"));
    let rows = sqlx::query(select).fetch_all(database).await?;
    rows.iter().map(node_from_row).collect()
}

/// Returns the node of a match in play.
pub(super) async fn node_of_match(
    database: impl PgExecutor<'_>,
    id: &MatchId,
) -> Result<Option<MatchLocation>, DbError> {
    let select = AssertSqlSafe(format!(
        "SELECT {COLUMNS},
             EXISTS (SELECT 1 FROM released_match WHERE match_key = open_match.match_key)
         FROM open_match JOIN node ON number = {NODE_OF_KEY} WHERE match_id = $1"
    ));
    let row = sqlx::query(select)
        .bind(id.as_str())
        .fetch_optional(database)
        .await?;
    let location = |row: &PgRow| {
        Ok(MatchLocation {
            node: node_from_row(row)?,
            is_released: row.value(10)?,
        })
    };
    row.as_ref().map(location).transpose()
}
