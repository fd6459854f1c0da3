//! Rows of nodes: who they are, their leases, and who leads.

use sqlx::{AssertSqlSafe, PgConnection, PgExecutor, postgres::PgRow};

use super::{
    failure::Fault,
    given_numbers,
    link::Work,
    node_number::{HeldNode, NODE_OF_KEY, NodeNumber},
};
use crate::{
    MatchId, NodeAddress, NodeIdentity, NodeName, NodeOfMatch, NodeStanding, StoredNode,
    limits::LEASE_TERM, rows::StoredRow,
};

/// Within a transaction: takes a node over from the server that held it, whose transactions have
/// all ended then. One that is new is made.
pub(super) async fn take(
    connection: &mut PgConnection,
    node: &NodeIdentity,
) -> Result<HeldNode, Fault> {
    let name = node.name.as_str();
    let is_known: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM node WHERE node_id = $1)")
            .bind(name)
            .fetch_one(&mut *connection)
            .await?;
    if !is_known {
        let number = given_numbers::next(connection, "node").await?;
        // Another server may make the node too.
        sqlx::query(
            "INSERT INTO node (node_id, epoch, number) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING",
        )
        .bind(name)
        .bind(number)
        .execute(&mut *connection)
        .await?;
    }
    // An update alone would not wait: the epoch is no key.
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
    Ok(HeldNode { number, epoch })
}

/// Renews the lease of a node with so many matches, if it was not taken over. It may have run out: what was committed
/// before still stands then, since nobody has taken the node over.
pub(super) async fn renew(
    database: impl PgExecutor<'_>,
    node: HeldNode,
    matches: u64,
    standing: NodeStanding,
) -> Result<(), Fault> {
    let renewed = sqlx::query(
        "UPDATE node SET draining = $4, matches = $5, slots = $6, load_percent = $7, lag_ms = $8,
             lease_until = clock_timestamp() + $3 * interval '1 millisecond'
         WHERE number = $1 AND epoch = $2",
    )
    .bind(node.number.get())
    .bind(node.epoch)
    .bind(LEASE_TERM.as_millis() as f64)
    .bind(standing.draining)
    .bind(matches.cast_signed())
    .bind(i64::from(standing.slots))
    .bind(standing.load_percent.map(i64::from))
    .bind(i64::from(standing.lag_ms))
    .execute(database)
    .await?;
    match renewed.rows_affected() {
        0 => Err(Fault::Superseded),
        _ => Ok(()),
    }
}

/// Takes out the address of a node, if it was not taken over.
pub(super) async fn withdraw(database: impl PgExecutor<'_>, node: HeldNode) -> Result<(), Fault> {
    let withdrawn = sqlx::query("UPDATE node SET address = '' WHERE number = $1 AND epoch = $2")
        .bind(node.number.get())
        .bind(node.epoch)
        .execute(database)
        .await?;
    match withdrawn.rows_affected() {
        0 => Err(Fault::Superseded),
        _ => Ok(()),
    }
}

/// Gives up the lease of a node and the lead, and takes out its address, so that others take its matches over at once. That
/// ends the epoch: a renewal that is still on its way would give the node a lease again.
pub(super) struct Release(pub(super) NodeNumber);

impl Work for Release {
    type Done = ();

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<(), Fault> {
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

/// Takes the lead, if no node leads that has its lease.
pub(super) struct Lead(pub(super) NodeNumber);

impl Work for Lead {
    type Done = bool;

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<bool, Fault> {
        let leader: Option<i64> = sqlx::query_scalar("SELECT number FROM node WHERE leads")
            .fetch_optional(&mut *connection)
            .await?;
        match leader {
            Some(leader) if leader == self.0.get() => return Ok(true),
            Some(leader) if !depose(connection, leader).await? => return Ok(false),
            Some(_) | None => {}
        }
        // Of several that try at once the index lets one lead.
        sqlx::raw_sql("SAVEPOINT before_lead")
            .execute(&mut *connection)
            .await?;
        let led = sqlx::query("UPDATE node SET leads = true WHERE number = $1")
            .bind(self.0.get())
            .execute(&mut *connection)
            .await;
        match led {
            Ok(_) => Ok(true),
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                let back = sqlx::raw_sql("ROLLBACK TO SAVEPOINT before_lead");
                back.execute(connection).await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Takes the lead from a node whose lease has run out, and ends it: what it would still commit
/// rests on its lead. Whether it was done.
async fn depose(connection: &mut PgConnection, leader: i64) -> Result<bool, Fault> {
    // One that commits right now is left alone until the next time. The time is that of the
    // transaction's beginning: so a lease that counts as over is over.
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

/// Whether a node leads.
pub(super) async fn leads(database: impl PgExecutor<'_>, node: NodeNumber) -> Result<bool, Fault> {
    let leads = sqlx::query_scalar("SELECT leads FROM node WHERE number = $1");
    Ok(leads.bind(node.get()).fetch_one(database).await?)
}

/// What is read of a node.
const COLUMNS: &str = "node_id, address, epoch,
    (extract(epoch FROM greatest(least(lease_until - clock_timestamp(), interval '1 day'),
        interval '-1000 days')) * 1000)::bigint,
    draining, leads, matches, slots, load_percent, lag_ms";

fn node_of(row: &PgRow) -> Result<StoredNode, Fault> {
    let wrong = |error: crate::InvalidText| Fault::Contradiction(error.to_string());
    let address: String = row.value(1)?;
    let address = Some(address).filter(|address| !address.is_empty());
    Ok(StoredNode {
        name: NodeName::new(row.value::<String>(0)?).map_err(wrong)?,
        address: address.map(NodeAddress::new).transpose().map_err(wrong)?,
        epoch: row.value::<i64>(2)?.unsigned_abs(),
        lease_left_ms: row.value(3)?,
        leads: row.value(5)?,
        matches: row.value::<i64>(6)?.unsigned_abs(),
        standing: NodeStanding {
            draining: row.value(4)?,
            slots: small(row.value(7)?),
            load_percent: row.value::<Option<i64>>(8)?.map(small),
            lag_ms: small(row.value(9)?),
        },
    })
}

/// A number that is stored as a larger one.
fn small(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Every node, by name.
pub(super) async fn all(database: impl PgExecutor<'_>) -> Result<Vec<StoredNode>, Fault> {
    let select = AssertSqlSafe(format!("SELECT {COLUMNS} FROM node ORDER BY node_id"));
    let rows = sqlx::query(select).fetch_all(database).await?;
    rows.iter().map(node_of).collect()
}

/// The node that has a match in play.
pub(super) async fn of_match(
    database: impl PgExecutor<'_>,
    id: &MatchId,
) -> Result<Option<NodeOfMatch>, Fault> {
    let select = AssertSqlSafe(format!(
        "SELECT {COLUMNS},
             EXISTS (SELECT 1 FROM released_match WHERE match_key = open_match.match_key)
         FROM open_match JOIN node ON number = {NODE_OF_KEY} WHERE match_id = $1"
    ));
    let row = sqlx::query(select)
        .bind(id.as_str())
        .fetch_optional(database)
        .await?;
    let of_match = |row: &PgRow| {
        Ok(NodeOfMatch {
            node: node_of(row)?,
            is_released: row.value(10)?,
        })
    };
    row.as_ref().map(of_match).transpose()
}
