//! An exhaustively checked model of the leases of nodes.
//!
//! A lease must hold for every order of events. Tests of the real program see some orders; the
//! checker (`stateright`) visits all states of a small model. The model has the steps of the code,
//! in order: the fence of a commit with the locks of PostgreSQL, the commit, its answer, and the
//! publication of its entries; a commit whose answer was lost, and its retry; renewals, including
//! late ones; the takeover and the shutdown of a node, the release of a match, and a server that
//! starts under the name of another. Between any two steps of a server the others may do anything,
//! so every server may be paused anywhere, for any time. A network partition is a server without
//! further steps.
//!
//! * `protocol` has the variants of the protocol, and the size of a model;
//! * `state` has the state, `steps` the possible steps, `changes` and `flushing` their effects, and
//!   `locks` the row locks;
//! * `facts` has the properties that always hold, and those that must be reachable.
//!
//! In models with crashes of the database, each decision is committed and then flushed by another
//! connection, and a crash loses any number of the last unflushed commits. There is one crash, and
//! two in `CRASHES_AND_LOSSES`.
//!
//! In models with releases, a node may release the match at any time while it keeps its lease, and
//! another one takes over the state at that time. Only the lock on the row of the node is modelled,
//! not that on the row of the release.
//!
//! In models with sessions, the first node may lose its session, and with it its lock, at any time
//! without noticing. It checks and replaces the session; the other nodes observe the lock, and end
//! the lease. A session is trusted for one tick, and its loss confirmed after two.
//!
//! A tick is 2 s: a lease lasts for four, and is trusted for three. Where only its expiry matters,
//! it lasts for one. There is one match with up to two decisions; two or three nodes; and a server
//! that starts under the name of the first. Epochs are bounded by the number of moves of the match.
//! Times are counted down, so time itself is not bounded.
//!
//! | model | nodes; servers | match moves | commits | lost answers | clocks | states |
//! |---|---|---|---|---|---|---|
//! | `RESTARTED` | 2; 3 | 2 times | 2 | | | 65,092 |
//! | `THREE` | 3; 3 | 2 times | 2 | | | 82,540 |
//! | `LOSSES` | 2; 2 | 2 times | 2 | 2 | | 10,044 |
//! | `CRASHES` | 2; 3 | once | 2 | | | 1,172,862 |
//! | `CRASHES_AND_LOSSES` | 2; 2 | once | 2 | 1 | | 267,267 |
//! | `RELEASES` | 2; 3 | once | 2 | | | 366,310 |
//! | `RELEASES_AND_LOSSES` | 2; 2 | 2 times | 2 | 1 | | 116,794 |
//! | `RELEASES_AND_CRASHES` | 2; 2 | once | 2 | | | 262,633 |
//! | `CLOCKS` | 2; 2 | once | | | lose a tick a lease | 20,856 |
//! | `CLOCKS` with a commit | 2; 2 | once | 1 | | stand still | 129,976 |
//! | `STARTING` | 2; 2, and a dead one | once | | | lose a tick a lease | 56,163 |
//! | `SESSIONS` | 2; 2 | once | | | lose a tick a lease | 192,252 |
//!
//! Not modelled: the sessions of the observers, whose loss only delays the end of a lease; the
//! connection that an observer tries before it ends one; leadership, which is taken over as a match
//! is; that orphaned matches are read before the epoch of their node is ended, and again if its
//! newest batch has changed (`postgres/orphans.rs`); batches of several matches, which share one
//! fence; a database that has lost flushed commits; and a database clock that jumps.

#![allow(clippy::unwrap_used, missing_docs)]
#![allow(clippy::print_stdout, reason = "shows how a planted defect goes wrong")]

mod changes;
mod facts;
mod flushing;
mod locks;
mod protocol;
mod state;
mod steps;

use stateright::{Checker, HasDiscoveries, Model as _};

use facts::fact;
use protocol::{
    Bounds, Clocks, EpochIncrement, Fence, LEASE, Protocol, PublishAfter, SESSION_TRUST, TrustStart,
};
use state::World;
use steps::Step;

/// A server starts under the name of the one that has the match.
const RESTARTED: Bounds = Bounds {
    nodes: &[0, 1, 0],
    first_is_dead: false,
    lease: 1,
    clocks: Clocks::None,
    entries: 2,
    losses: 0,
    takes: 2,
    crashes: 0,
    releases_matches: false,
    loses_sessions: false,
};

/// Two nodes take over from each other and from a third.
const THREE: Bounds = Bounds { nodes: &[0, 1, 2], ..RESTARTED };

/// Answers of the database are lost.
const LOSSES: Bounds = Bounds { nodes: &[0, 1], losses: 2, ..RESTARTED };

/// The database crashes, and loses unflushed commits.
const CRASHES: Bounds = Bounds { takes: 1, crashes: 1, ..RESTARTED };

/// The database crashes twice, and answers are lost.
const CRASHES_AND_LOSSES: Bounds = Bounds { takes: 1, losses: 1, crashes: 2, ..LOSSES };

/// Matches are released, and a server starts under the name of the one that has the match.
const RELEASES: Bounds = Bounds { releases_matches: true, takes: 1, ..RESTARTED };

/// Matches are released, taken over and released again, while answers are lost.
const RELEASES_AND_LOSSES: Bounds = Bounds { releases_matches: true, losses: 1, ..LOSSES };

/// Releases, with crashes of the database.
const RELEASES_AND_CRASHES: Bounds =
    Bounds { releases_matches: true, takes: 1, losses: 0, crashes: 1, ..LOSSES };

/// Leases and the time for which they are trusted.
const CLOCKS: Bounds = Bounds {
    nodes: &[0, 1],
    first_is_dead: false,
    lease: LEASE,
    clocks: Clocks::Close,
    entries: 0,
    losses: 0,
    takes: 1,
    crashes: 0,
    releases_matches: false,
    loses_sessions: false,
};

/// The bounds for a server that starts.
const STARTING: Bounds = Bounds { nodes: &[0, 1, 0], first_is_dead: true, ..CLOCKS };

/// The server with the match loses its sessions, and another node ends its lease.
const SESSIONS: Bounds = Bounds { loses_sessions: true, ..CLOCKS };

/// Checks a model until all states are visited, or one of these properties is violated.
fn check(
    protocol: Protocol,
    bounds: Bounds,
    facts: &[&'static str],
) -> impl Checker<World> + use<> {
    let model = World { protocol, bounds };
    let until = match facts {
        [] => HasDiscoveries::All,
        facts => HasDiscoveries::AllOf(facts.iter().copied().collect()),
    };
    model.checker().finish_when(until).spawn_bfs().join()
}

/// Checks that all properties hold, all situations are reachable, and the number of states is as
/// expected.
fn assert_holds(bounds: Bounds, states: usize) {
    let checker = check(Protocol::IMPLEMENTED, bounds, &[]);
    checker.assert_properties();
    assert_eq!(checker.unique_state_count(), states);
}

/// Checks that a planted defect violates a property. Returns the steps to it.
fn assert_found(protocol: Protocol, bounds: Bounds, fact: &'static str) -> Vec<Step> {
    let checker = check(protocol, bounds, &[fact]);
    let steps = checker.assert_any_discovery(fact).into_actions();
    println!("{fact}, in {} states: {steps:?}", checker.unique_state_count());
    steps
}

/// Plants defects: `field: value => (model, facts), ...` for each variant of the protocol.
macro_rules! planted {
    ($({ $($field:ident: $value:expr),+ } => [$($bounds:expr => $facts:expr),+];)+) => {
        $({
            let planted = Protocol { $($field: $value,)+ ..Protocol::IMPLEMENTED };
            $(for fact in $facts {
                assert_found(planted, $bounds, fact);
            })+
        })+
    };
}

#[test]
fn every_fact_holds_without_crashes_of_the_database() {
    for (bounds, states) in [
        (RESTARTED, 65_092),
        (THREE, 82_540),
        (LOSSES, 10_044),
        (RELEASES, 366_310),
        (RELEASES_AND_LOSSES, 116_794),
        (CLOCKS, 20_856),
        (STARTING, 56_163),
        (SESSIONS, 192_252),
    ] {
        assert_holds(bounds, states);
    }
}

#[test]
fn every_fact_holds_where_the_database_crashes() {
    for (bounds, states) in
        [(CRASHES, 1_172_862), (CRASHES_AND_LOSSES, 267_267), (RELEASES_AND_CRASHES, 262_633)]
    {
        assert_holds(bounds, states);
    }
}

#[test]
fn a_stopped_clock_lets_a_server_answer_too_long_but_not_commit() {
    let bounds = Bounds { clocks: Clocks::Any, entries: 1, ..CLOCKS };
    let checker = check(Protocol::IMPLEMENTED, bounds, &[]);
    let is_wrong = |name: &&str| {
        let is_always = |property: &stateright::Property<World>| {
            property.name == *name && property.expectation.discovery_is_failure()
        };
        checker.model().properties().iter().any(is_always)
    };
    let discoveries = checker.discoveries();
    let wrong: Vec<&str> = discoveries.keys().copied().filter(is_wrong).collect();
    assert_eq!(wrong, [fact::ANSWERS]);
    assert_eq!(checker.unique_state_count(), 129_976);
}

#[test]
fn every_planted_defect_of_ended_leases_is_found() {
    planted! {
        // A server answers although its session may be lost, a lease is ended too early or after a
        // renewal, and a server trusts a new session on which it has not renewed the lease.
        { session_trust: LEASE } => [SESSIONS => [fact::ANSWERS]];
        { session_loss: SESSION_TRUST } => [SESSIONS => [fact::ANSWERS]];
        { end_checks_renewal: false } => [SESSIONS => [fact::ANSWERS]];
        { new_session_renews: false } => [SESSIONS => [fact::ANSWERS]];
        // A lease is ended although its node has a session again.
        { end_checks_session: false } => [SESSIONS => [fact::ENDED]];
    }
}

#[test]
fn trusting_a_lease_for_its_whole_duration_is_found() {
    let planted = Protocol { trust: LEASE, ..Protocol::IMPLEMENTED };
    let steps = assert_found(planted, CLOCKS, fact::ANSWERS);
    let lost = Step::Tick { without: Some(0) };
    assert!(steps.contains(&lost), "the margin is for clocks that differ");
}

#[test]
fn every_planted_defect_of_fences_and_takeovers_is_found() {
    let conflict = [fact::PUBLISHED, fact::CONSISTENT];
    let one_entry = Bounds { entries: 1, ..CLOCKS };
    planted! {
        // A commit without a fence. A server with the same name counts its batches in the same
        // journal, and would notice.
        { fence: Fence::Missing } => [
            LOSSES => [fact::TAKEN_OVER, fact::PUBLISHED, fact::LEASE, fact::CONSISTENT],
            RESTARTED => [fact::NUMBERS]
        ];
        { fence: Fence::Missing, retry_checks_outcome: false } => [RESTARTED => [fact::EPOCHS_RISE]];
        // A fence at the start of the transaction, or by the clock of the node.
        { fence: Fence::RowAtBegin } => [LOSSES => [fact::LEASE]];
        { fence: Fence::OwnClock } => [one_entry => [fact::TAKEN_OVER]];
        // A takeover before the epoch ends, before the lease expires, or without a lock of the row.
        { increment_epoch: EpochIncrement::Afterwards } => [
            LOSSES => [fact::PUBLISHED, fact::CONSISTENT, fact::ONE_SERVER]
        ];
        { takeover_waits_for_lease: false } => [
            LOSSES => [fact::LEASE_KEPT],
            CLOCKS => [fact::ANSWERS]
        ];
        { locks_orphaned_node: false } => [LOSSES => [fact::TAKEN_OVER, fact::LEASE_KEPT]];
        // A renewal in any epoch, a lease trusted from the answer, and one released within its
        // epoch.
        { renewal_checks_epoch: false } => [CLOCKS => [fact::NOT_RENEWED]];
        { trust_start: TrustStart::Opened } => [STARTING => [fact::ANSWERS]];
        { release_ends_epoch: false } => [CLOCKS => [fact::NOT_RENEWED]];
        // A server that writes released matches, a takeover of one without a lock of its node, and
        // a start that does not reclaim them.
        { stops_writing_released: false } => [RELEASES_AND_LOSSES => conflict];
        { locks_node_of_released: false } => [RELEASES => conflict];
        { start_reclaims_released: false } => [RELEASES => conflict];
    }
}

#[test]
fn every_planted_defect_of_retries_and_flushes_is_found() {
    let conflict = [fact::PUBLISHED, fact::CONSISTENT];
    planted! {
        // A retry that does not wait for the lost commit, or does not check for it.
        { retry_waits: false } => [LOSSES => [fact::NUMBERS]];
        { retry_checks_outcome: false } => [LOSSES => [fact::NO_DUPLICATES]];
        // An answer before the flush, and a flush that does not check its commit or its epoch: a
        // server with the same name has made another commit with this number.
        { publishes_after: PublishAfter::Committed } => [CRASHES => conflict];
        { flush_checks_number: false } => [CRASHES => [fact::PUBLISHED]];
        { flush_checks_epoch: false } => [CRASHES => conflict];
        // A commit after a crash before the lost ones.
        { restores_lost_commits: false } => [CRASHES => [fact::NUMBERS]];
        { restores_lost_commits: false, retry_checks_outcome: false } => [
            CRASHES => [fact::NO_DUPLICATES]
        ];
    }
}
