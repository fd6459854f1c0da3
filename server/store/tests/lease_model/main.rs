//! An exhaustively checked model of the leases of nodes.
//!
//! A lease must hold for every order of events. Tests of the real program see some orders; the checker
//! (`stateright`) visits all states of a small model. The model has the steps of the code, in order: the
//! fence of a commit with the locks of PostgreSQL, the commit, its answer, and the publication of its
//! entries; a commit whose answer was lost, and its retry; renewals, including late ones; the takeover
//! and the shutdown of a node, the release of a match, and a server that starts under the name of
//! another. Between any two steps of a server the others may do anything, so every server may be paused
//! anywhere, for any time. A network partition is a server without further steps.
//!
//! * `protocol` has the variants of the protocol, and the size of a model;
//! * `state` has the state, `steps` the possible steps, `changes` and `flushing` their effects, and
//!   `locks` the row locks;
//! * `facts` has the properties that always hold, and those that must be reachable.
//!
//! In models with crashes of the database each decision is committed and then flushed by another
//! connection, and a crash loses any number of the last unflushed commits. There is one crash, and two
//! in `CRASHES_AND_LOSSES`.
//!
//! In models with releases a node may release the match at any time while it keeps its lease, and
//! another one takes over the state at that time. Only the lock on the row of the node is modelled, not
//! that on the row of the release.
//!
//! A tick is 2 s: a lease lasts for four, and is trusted for three. Where only its expiry matters, it
//! lasts for one. There is one match with up to two decisions; two or three nodes; and a server that
//! starts under the name of the first. Epochs are bounded by the number of moves of the match. Times are
//! counted down, so time itself is not bounded.
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
//!
//! Not modelled: leadership, which is taken over as a match is; that orphaned matches are read before
//! the epoch of their node is ended, and again if its newest batch has changed (`postgres/orphans.rs`);
//! batches of several matches, which share one fence; a database that has lost flushed commits; and a
//! database clock that jumps.

#![allow(clippy::unwrap_used, missing_docs)]
#![allow(
    clippy::print_stdout,
    reason = "a planted defect shows how it goes wrong"
)]

mod changes;
mod facts;
mod flushing;
mod locks;
mod protocol;
mod state;
mod steps;

use stateright::{Checker, HasDiscoveries, Model as _};

use facts::fact;
use protocol::{Bounds, Clocks, EpochIncrement, Fence, LEASE, Protocol, PublishAfter, TrustStart};
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
};

/// Two nodes take over from each other and from a third.
const THREE: Bounds = Bounds {
    nodes: &[0, 1, 2],
    ..RESTARTED
};

/// Answers of the database are lost.
const LOSSES: Bounds = Bounds {
    nodes: &[0, 1],
    losses: 2,
    ..RESTARTED
};

/// The database crashes, and loses unflushed commits.
const CRASHES: Bounds = Bounds {
    takes: 1,
    crashes: 1,
    ..RESTARTED
};

/// It crashes twice, and answers are lost.
const CRASHES_AND_LOSSES: Bounds = Bounds {
    takes: 1,
    losses: 1,
    crashes: 2,
    ..LOSSES
};

/// Matches are released, and a server starts under the name of the one that has the match.
const RELEASES: Bounds = Bounds {
    releases_matches: true,
    takes: 1,
    ..RESTARTED
};

/// Matches are released, taken over and released again, while answers are lost.
const RELEASES_AND_LOSSES: Bounds = Bounds {
    releases_matches: true,
    losses: 1,
    ..LOSSES
};

/// Releases, with crashes of the database.
const RELEASES_AND_CRASHES: Bounds = Bounds {
    releases_matches: true,
    takes: 1,
    losses: 0,
    crashes: 1,
    ..LOSSES
};

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
};

/// The bounds for a server that starts.
const STARTING: Bounds = Bounds {
    nodes: &[0, 1, 0],
    first_is_dead: true,
    ..CLOCKS
};

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
    println!(
        "{fact}, in {} states: {steps:?}",
        checker.unique_state_count()
    );
    steps
}

#[test]
fn every_fact_holds_with_a_server_of_the_same_name() {
    assert_holds(RESTARTED, 65_092);
}

#[test]
fn every_fact_holds_with_three_nodes() {
    assert_holds(THREE, 82_540);
}

#[test]
fn every_fact_holds_where_answers_are_lost() {
    assert_holds(LOSSES, 10_044);
}

#[test]
fn every_fact_holds_where_the_database_crashes() {
    assert_holds(CRASHES, 1_172_862);
}

#[test]
fn every_fact_holds_where_it_crashes_and_answers_are_lost() {
    assert_holds(CRASHES_AND_LOSSES, 267_267);
}

#[test]
fn every_fact_holds_where_matches_are_released() {
    assert_holds(RELEASES, 366_310);
}

#[test]
fn every_fact_holds_where_matches_are_released_and_answers_are_lost() {
    assert_holds(RELEASES_AND_LOSSES, 116_794);
}

#[test]
fn every_fact_holds_where_matches_are_released_and_the_database_crashes() {
    assert_holds(RELEASES_AND_CRASHES, 262_633);
}

#[test]
fn every_fact_holds_with_clocks_that_differ() {
    assert_holds(CLOCKS, 20_856);
}

#[test]
fn every_fact_holds_for_a_server_that_starts() {
    assert_holds(STARTING, 56_163);
}

#[test]
fn a_stopped_clock_lets_a_server_answer_too_long_but_not_commit() {
    let bounds = Bounds {
        clocks: Clocks::Any,
        entries: 1,
        ..CLOCKS
    };
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
fn a_commit_without_a_fence_is_found() {
    let planted = Protocol {
        fence: Fence::Missing,
        ..Protocol::IMPLEMENTED
    };
    for fact in [
        fact::TAKEN_OVER,
        fact::PUBLISHED,
        fact::LEASE,
        fact::CONSISTENT,
    ] {
        assert_found(planted, LOSSES, fact);
    }
    // A server with the same name counts its batches in the same journal, and would notice.
    assert_found(planted, RESTARTED, fact::NUMBERS);
    let without_numbers = Protocol {
        retry_checks_outcome: false,
        ..planted
    };
    assert_found(without_numbers, RESTARTED, fact::EPOCHS_RISE);
}

#[test]
fn a_fence_at_the_start_of_the_transaction_is_found() {
    let planted = Protocol {
        fence: Fence::RowAtBegin,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, LOSSES, fact::LEASE);
}

#[test]
fn a_lease_by_the_clock_of_the_node_is_found() {
    let planted = Protocol {
        fence: Fence::OwnClock,
        ..Protocol::IMPLEMENTED
    };
    let bounds = Bounds {
        entries: 1,
        ..CLOCKS
    };
    assert_found(planted, bounds, fact::TAKEN_OVER);
}

#[test]
fn trusting_a_lease_for_its_whole_duration_is_found() {
    let planted = Protocol {
        trust: LEASE,
        ..Protocol::IMPLEMENTED
    };
    let steps = assert_found(planted, CLOCKS, fact::ANSWERS);
    let lost = Step::Tick { without: Some(0) };
    assert!(
        steps.contains(&lost),
        "the margin is for clocks that differ"
    );
}

#[test]
fn taking_over_before_the_epoch_ends_is_found() {
    let planted = Protocol {
        increment_epoch: EpochIncrement::Afterwards,
        ..Protocol::IMPLEMENTED
    };
    for fact in [fact::PUBLISHED, fact::CONSISTENT, fact::ONE_SERVER] {
        assert_found(planted, LOSSES, fact);
    }
}

#[test]
fn taking_over_before_the_lease_expires_is_found() {
    let planted = Protocol {
        takeover_waits_for_lease: false,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, LOSSES, fact::LEASE_KEPT);
    assert_found(planted, CLOCKS, fact::ANSWERS);
}

#[test]
fn a_renewal_that_does_not_check_the_epoch_is_found() {
    let planted = Protocol {
        renewal_checks_epoch: false,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, CLOCKS, fact::NOT_RENEWED);
}

#[test]
fn taking_over_without_a_lock_of_the_row_is_found() {
    let planted = Protocol {
        locks_orphaned_node: false,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, LOSSES, fact::TAKEN_OVER);
    assert_found(planted, LOSSES, fact::LEASE_KEPT);
}

#[test]
fn a_retry_that_does_not_wait_for_the_lost_commit_is_found() {
    let planted = Protocol {
        retry_waits: false,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, LOSSES, fact::NUMBERS);
}

#[test]
fn a_retry_that_does_not_check_for_the_lost_commit_is_found() {
    let planted = Protocol {
        retry_checks_outcome: false,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, LOSSES, fact::NO_DUPLICATES);
}

#[test]
fn a_server_that_trusts_its_lease_from_the_answer_is_found() {
    let planted = Protocol {
        trust_start: TrustStart::Opened,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, STARTING, fact::ANSWERS);
}

#[test]
fn releasing_a_lease_within_its_epoch_is_found() {
    let planted = Protocol {
        release_ends_epoch: false,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, CLOCKS, fact::NOT_RENEWED);
}

#[test]
fn an_answer_before_the_flush_is_found() {
    let planted = Protocol {
        publishes_after: PublishAfter::Committed,
        ..Protocol::IMPLEMENTED
    };
    for fact in [fact::PUBLISHED, fact::CONSISTENT] {
        assert_found(planted, CRASHES, fact);
    }
}

#[test]
fn a_flush_that_does_not_check_its_commit_is_found() {
    let planted = Protocol {
        flush_checks_number: false,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, CRASHES, fact::PUBLISHED);
}

#[test]
fn a_flush_that_does_not_check_the_epoch_is_found() {
    let planted = Protocol {
        flush_checks_epoch: false,
        ..Protocol::IMPLEMENTED
    };
    // A server with the same name has made another commit with this number.
    for fact in [fact::PUBLISHED, fact::CONSISTENT] {
        assert_found(planted, CRASHES, fact);
    }
}

#[test]
fn a_commit_after_a_crash_before_the_lost_ones_is_found() {
    let planted = Protocol {
        restores_lost_commits: false,
        ..Protocol::IMPLEMENTED
    };
    assert_found(planted, CRASHES, fact::NUMBERS);
    let without_numbers = Protocol {
        retry_checks_outcome: false,
        ..planted
    };
    assert_found(without_numbers, CRASHES, fact::NO_DUPLICATES);
}

#[test]
fn a_server_that_writes_released_matches_is_found() {
    let planted = Protocol {
        stops_writing_released: false,
        ..Protocol::IMPLEMENTED
    };
    for fact in [fact::PUBLISHED, fact::CONSISTENT] {
        assert_found(planted, RELEASES_AND_LOSSES, fact);
    }
}

#[test]
fn taking_over_a_released_match_without_a_lock_of_its_node_is_found() {
    let planted = Protocol {
        locks_node_of_released: false,
        ..Protocol::IMPLEMENTED
    };
    for fact in [fact::PUBLISHED, fact::CONSISTENT] {
        assert_found(planted, RELEASES, fact);
    }
}

#[test]
fn a_start_that_does_not_reclaim_released_matches_is_found() {
    let planted = Protocol {
        start_reclaims_released: false,
        ..Protocol::IMPLEMENTED
    };
    for fact in [fact::PUBLISHED, fact::CONSISTENT] {
        assert_found(planted, RELEASES, fact);
    }
}
