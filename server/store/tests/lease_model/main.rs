//! A model of the leases of nodes, all of whose states are looked at.
//!
//! A lease has to hold whatever order things happen in. Tests of the real program see some orders;
//! the checker (`stateright`) goes through all that a small model has. The model has the steps of
//! the code, in its order: the fence of a commit with the locks that PostgreSQL gives, the commit,
//! the answer, what is told then; a commit whose answer was lost, and its retry; renewals, also such
//! as arrive late; a node that is taken over, one that drains, a match that its node releases, and a
//! server that starts under the name of another. Between any two steps of a server the others may do
//! anything, so every server stands still wherever it can and for as long as it can. A link that is
//! cut is a server none of whose steps happen.
//!
//! * `protocol` has the choices in the protocol, and how large a model is;
//! * `state` says what there is, `steps` what can happen, `changes` and `flushing` what comes of it,
//!   and `locks` how rows are locked;
//! * `facts` says what always holds, and what must be possible.
//!
//! Where the database crashes, each decision is committed and then flushed by another connection, and
//! a crash loses any number of the last commits that were not flushed. It crashes once, and in
//! `CRASHES_AND_LOSSES` twice.
//!
//! In the models of releases a node may release the match at any time while it keeps its lease, and
//! another one takes what it had then. Only the lock of the node's row is modelled, not that of the row
//! of the release.
//!
//! A tick is 2 s: a lease has four, and is trusted for three. Where only matters whether a lease
//! runs, it has one. There is one match with up to two decisions; two or three nodes; and a server
//! that starts under the name of the first. Epochs are bounded by how often the match moves. Times
//! are counted down, so time itself has no bound.
//!
//! | model | nodes; servers | match moves | commits | lost answers | clocks | states |
//! |---|---|---|---|---|---|---|
//! | `RESTARTED` | 2; 3 | 2 times | 2 | | | 65,092 |
//! | `THREE` | 3; 3 | 2 times | 2 | | | 82,540 |
//! | `LOSSES` | 2; 2 | 2 times | 2 | 2 | | 10,044 |
//! | `CRASHES` | 2; 3 | once | 2 | | | 1,172,862 |
//! | `CRASHES_AND_LOSSES` | 2; 2 | once | 2 | 1 | | 267,267 |
//! | `RELEASES` | 2; 3 | once | 2 | | | 366,310 |
//! | `RELEASES_AND_LOSSES` | 2; 2 | 2 times | 2 | 1 | | 116,042 |
//! | `RELEASES_AND_CRASHES` | 2; 2 | once | 2 | | | 262,169 |
//! | `CLOCKS` | 2; 2 | once | | | lose a tick a lease | 20,856 |
//! | `CLOCKS` with a commit | 2; 2 | once | 1 | | stand still | 129,976 |
//! | `STARTING` | 2; 2, and a dead one | once | | | lose a tick a lease | 56,163 |
//!
//! Not in the model: who leads, which is taken over as a match is; that what a node left is read
//! before it is ended, and again if its newest batch is another by then (`postgres/left_matches.rs`);
//! batches of several matches, which share one fence; a database that has lost commits that were
//! flushed; and a clock of the database that jumps.

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
use protocol::{Bounds, Clocks, Fence, LEASE, Protocol, Raise, Tells, TrustBegins};
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

/// Two nodes take from each other and from a third.
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

/// The database crashes, and loses commits that were not flushed.
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

/// They are released, taken and released again, where answers are lost.
const RELEASES_AND_LOSSES: Bounds = Bounds {
    releases_matches: true,
    losses: 1,
    ..LOSSES
};

/// The same where the database crashes.
const RELEASES_AND_CRASHES: Bounds = Bounds {
    releases_matches: true,
    takes: 1,
    losses: 0,
    crashes: 1,
    ..LOSSES
};

/// Leases and how long they are trusted.
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

/// The same for a server that starts.
const STARTING: Bounds = Bounds {
    nodes: &[0, 1, 0],
    first_is_dead: true,
    ..CLOCKS
};

/// Goes through a model until all is seen, or one of these facts is found not to hold.
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

/// Every fact holds in every state, everything is possible that must be, and there are so many
/// states.
fn assert_holds(bounds: Bounds, states: usize) {
    let checker = check(Protocol::OURS, bounds, &[]);
    checker.assert_properties();
    assert_eq!(checker.unique_state_count(), states);
}

/// A planted defect makes a fact wrong: a way there.
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
    assert_holds(RELEASES_AND_LOSSES, 116_042);
}

#[test]
fn every_fact_holds_where_matches_are_released_and_the_database_crashes() {
    assert_holds(RELEASES_AND_CRASHES, 262_169);
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
fn a_clock_that_stands_still_makes_a_server_answer_too_long_but_not_commit() {
    let bounds = Bounds {
        clocks: Clocks::Any,
        entries: 1,
        ..CLOCKS
    };
    let checker = check(Protocol::OURS, bounds, &[]);
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
        ..Protocol::OURS
    };
    for fact in [fact::TAKEN_OVER, fact::TOLD, fact::LEASE, fact::ONE_STORY] {
        assert_found(planted, LOSSES, fact);
    }
    // A server of the same name counts its batches in the same journal, which it would notice.
    assert_found(planted, RESTARTED, fact::NUMBERS);
    let without_numbers = Protocol {
        retry_looks: false,
        ..planted
    };
    assert_found(without_numbers, RESTARTED, fact::EPOCHS_RISE);
}

#[test]
fn a_fence_by_the_beginning_of_the_transaction_is_found() {
    let planted = Protocol {
        fence: Fence::RowAtBegin,
        ..Protocol::OURS
    };
    assert_found(planted, LOSSES, fact::LEASE);
}

#[test]
fn a_lease_by_the_clock_of_the_node_is_found() {
    let planted = Protocol {
        fence: Fence::OwnClock,
        ..Protocol::OURS
    };
    let bounds = Bounds {
        entries: 1,
        ..CLOCKS
    };
    assert_found(planted, bounds, fact::TAKEN_OVER);
}

#[test]
fn answering_for_as_long_as_the_lease_is_found() {
    let planted = Protocol {
        trust: LEASE,
        ..Protocol::OURS
    };
    let steps = assert_found(planted, CLOCKS, fact::ANSWERS);
    let lost = Step::Tick { without: Some(0) };
    assert!(
        steps.contains(&lost),
        "the margin is for clocks that differ"
    );
}

#[test]
fn taking_over_before_the_epoch_is_raised_is_found() {
    let planted = Protocol {
        raise: Raise::Afterwards,
        ..Protocol::OURS
    };
    for fact in [fact::TOLD, fact::ONE_STORY, fact::ONE_SERVER] {
        assert_found(planted, LOSSES, fact);
    }
}

#[test]
fn taking_over_without_a_lock_of_the_row_is_found() {
    let planted = Protocol {
        locks_whom_it_takes: false,
        ..Protocol::OURS
    };
    assert_found(planted, LOSSES, fact::TAKEN_OVER);
    assert_found(planted, LOSSES, fact::KEEPS);
}

#[test]
fn a_retry_that_does_not_wait_for_the_lost_commit_is_found() {
    let planted = Protocol {
        retry_waits: false,
        ..Protocol::OURS
    };
    assert_found(planted, LOSSES, fact::NUMBERS);
}

#[test]
fn a_retry_that_does_not_look_for_the_lost_commit_is_found() {
    let planted = Protocol {
        retry_looks: false,
        ..Protocol::OURS
    };
    assert_found(planted, LOSSES, fact::ONCE);
}

#[test]
fn a_server_that_trusts_its_lease_from_when_it_learns_of_it_is_found() {
    let planted = Protocol {
        trust_begins: TrustBegins::Opened,
        ..Protocol::OURS
    };
    assert_found(planted, STARTING, fact::ANSWERS);
}

#[test]
fn a_lease_that_is_given_up_within_its_epoch_is_found() {
    let planted = Protocol {
        release_ends_epoch: false,
        ..Protocol::OURS
    };
    assert_found(planted, CLOCKS, fact::GIVEN_UP);
}

#[test]
fn an_answer_before_the_flush_is_found() {
    let planted = Protocol {
        tells: Tells::Committed,
        ..Protocol::OURS
    };
    for fact in [fact::TOLD, fact::ONE_STORY] {
        assert_found(planted, CRASHES, fact);
    }
}

#[test]
fn a_flush_that_does_not_look_for_its_commit_is_found() {
    let planted = Protocol {
        flush_looks_at_number: false,
        ..Protocol::OURS
    };
    assert_found(planted, CRASHES, fact::TOLD);
}

#[test]
fn a_flush_that_does_not_look_at_the_epoch_is_found() {
    let planted = Protocol {
        flush_looks_at_epoch: false,
        ..Protocol::OURS
    };
    // A server of the same name has made another commit of the number.
    for fact in [fact::TOLD, fact::ONE_STORY] {
        assert_found(planted, CRASHES, fact);
    }
}

#[test]
fn a_commit_after_a_crash_without_those_it_has_lost_is_found() {
    let planted = Protocol {
        puts_back: false,
        ..Protocol::OURS
    };
    assert_found(planted, CRASHES, fact::NUMBERS);
    let without_numbers = Protocol {
        retry_looks: false,
        ..planted
    };
    assert_found(without_numbers, CRASHES, fact::ONCE);
}

#[test]
fn a_server_that_goes_on_with_what_it_has_released_is_found() {
    let planted = Protocol {
        lets_go_of_what_it_releases: false,
        ..Protocol::OURS
    };
    for fact in [fact::TOLD, fact::ONE_STORY] {
        assert_found(planted, RELEASES_AND_LOSSES, fact);
    }
}

#[test]
fn taking_a_released_match_without_a_lock_of_its_node_is_found() {
    let planted = Protocol {
        locks_node_of_released: false,
        ..Protocol::OURS
    };
    for fact in [fact::TOLD, fact::ONE_STORY] {
        assert_found(planted, RELEASES, fact);
    }
}

#[test]
fn a_server_that_starts_and_leaves_its_matches_released_is_found() {
    let planted = Protocol {
        start_takes_back: false,
        ..Protocol::OURS
    };
    for fact in [fact::TOLD, fact::ONE_STORY] {
        assert_found(planted, RELEASES, fact);
    }
}
