//! Properties that always hold, and those that must be reachable.

use stateright::{Model, Property};

use crate::{
    protocol::Bounds,
    state::{Journal, Phase, Progress, Renewal, Row, Server, State, World},
    steps::Step,
};

/// Names of the properties that always hold.
pub(crate) mod fact {
    pub(crate) const ONE_SERVER: &str = "in one epoch only one server commits to a match";
    pub(crate) const EPOCHS_RISE: &str = "epochs of the entries of a match never decrease";
    pub(crate) const NO_DUPLICATES: &str = "no decision is accepted twice";
    pub(crate) const TAKEN_OVER: &str = "a node that was taken over commits nothing";
    pub(crate) const PUBLISHED: &str = "published entries are in the journal";
    pub(crate) const CONSISTENT: &str = "no two servers publish conflicting entries";
    pub(crate) const LEASE: &str = "nothing passes the fence without a lease";
    pub(crate) const ANSWERS: &str = "a server answers only while no other node has its matches";
    pub(crate) const LEASE_KEPT: &str =
        "a node with a lease keeps the matches that it has not released";
    pub(crate) const NOT_RENEWED: &str = "a released lease is not renewed";
    pub(crate) const ENDED: &str = "the lease of a node with a session is not ended";
    pub(crate) const NUMBERS: &str = "no server finds commits that it did not make";
    pub(crate) const RELEASED: &str = "released matches can be taken over at once";
    pub(crate) const ORPHANS_TAKEN: &str = "matches of a dead node can be taken over";
}

impl Model for World {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![self.initial_state()]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        self.possible_steps(state, steps);
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        let next = self.after(state, step);
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(fact::ONE_SERVER, |_, state: &State| {
                pairs(&state.journal)
                    .all(|(one, next)| one.fence != next.fence || one.server == next.server)
            }),
            Property::always(fact::EPOCHS_RISE, |_, state: &State| {
                pairs(&state.journal).all(|(one, next)| one.fence <= next.fence)
            }),
            Property::always(fact::NO_DUPLICATES, |_, state: &State| {
                let decisions = state.journal.entries().map(|entry| entry.decision);
                decisions.eq(0..u8::try_from(state.journal.len()).unwrap())
            }),
            Property::always(fact::TAKEN_OVER, |_, state: &State| {
                !state.violations.committed_after_its_epoch
            }),
            Property::always(fact::PUBLISHED, |_, state: &State| {
                let mut published = state.published.entries().enumerate();
                published.all(|(index, published)| state.journal.get(index) == Some(published))
            }),
            Property::always(fact::CONSISTENT, |_, state: &State| {
                !state.violations.published_conflicting_entries
            }),
            Property::always(fact::LEASE, |_, state: &State| {
                !state.violations.passed_the_fence_without_lease
            }),
            Property::always(fact::ANSWERS, |world: &Self, state: &State| {
                let mut servers = state.servers.iter().enumerate();
                !servers.any(|(server, it)| world.answers_after_takeover(state, server, it))
            }),
            Property::always(fact::LEASE_KEPT, |_, state: &State| {
                !state.violations.taken_with_a_lease
            }),
            Property::always(fact::NOT_RENEWED, |_, state: &State| {
                let mut rows = state.rows.iter();
                !rows.any(|row| row.is_released && row.lease_left > 0)
            }),
            Property::always(fact::ENDED, |_, state: &State| {
                !state.violations.ended_lease_with_session
            }),
            Property::always(fact::NUMBERS, |_, state: &State| !state.violations.contradicted),
            Property::always(fact::RELEASED, |world: &Self, state: &State| {
                let servers = 0..world.bounds.nodes.len();
                let mut idle = servers.filter(|server| world.is_idle(state, *server));
                state.released_with.is_none()
                    || idle.all(|server| world.can_take_released(state, server))
            }),
            Property::always(fact::ORPHANS_TAKEN, |world: &Self, state: &State| {
                let mut survivors = (0..world.bounds.nodes.len())
                    .filter(|server| world.is_survivor(state, *server));
                survivors.all(|survivor| world.can_take_over(state, survivor))
            }),
        ];
        properties.extend(possible(&self.bounds));
        properties
    }
}

/// Returns situations that must be reachable, so that the properties above are not vacuous.
fn possible(bounds: &Bounds) -> Vec<Property<World>> {
    let mut possible = vec![
        Property::sometimes(
            "a match of a dead node continues on another",
            |world: &World, state: &State| {
                let is_taken = state.holder != world.node_of(0);
                is_taken && state.servers[0].phase == Phase::Gone && state.servers[1].plays
            },
        ),
        Property::sometimes(
            "a server that was taken over is paused",
            |world: &World, state: &State| {
                let mut servers = state.servers.iter().zip(world.bounds.nodes);
                servers.any(|(it, node)| it.plays && state.rows[*node].taken_over_in > it.epoch)
            },
        ),
        Property::sometimes("a lease is released and its match taken over", |_, state: &State| {
            state.holder != 0 && state.rows[0].is_released
        }),
    ];
    if bounds.entries > 1 {
        possible.push(Property::sometimes(
            "a match continues after its takeover",
            |_, state: &State| {
                let mut servers = state.published.entries().map(|entry| entry.server);
                (servers.next(), servers.next()) == (Some(0), Some(1))
            },
        ));
    }
    if bounds.loses_sessions {
        possible.push(Property::sometimes(
            "a match is taken over after its lease was ended",
            |_, state: &State| state.holder != 0 && state.rows[0].is_ended,
        ));
        possible.push(Property::sometimes(
            "a server whose lease was ended has a session again",
            |_, state: &State| {
                let (row, it) = (&state.rows[0], &state.servers[0]);
                state.holder == 0 && row.is_ended && it.phase == Phase::Up && it.has_lock
            },
        ));
    }
    if bounds.crashes > 0 {
        possible.push(Property::sometimes(
            "a crash loses a commit, and its server keeps running",
            |world: &World, state: &State| {
                let mut servers = state.servers.iter().enumerate();
                servers.any(|(server, it)| {
                    let row = &state.rows[world.node_of(server.min(world.bounds.nodes.len() - 1))];
                    it.phase == Phase::Up && it.epoch == row.epoch && row.batches < it.batches
                })
            },
        ));
    }
    if bounds.releases_matches {
        possible.push(Property::sometimes(
            "a released match continues on another node while its own has a lease",
            |_, state: &State| {
                let (row, it) = (&state.rows[0], &state.servers[0]);
                let is_live = it.phase == Phase::Up && it.epoch == row.epoch && row.lease_left > 0;
                is_live && row.taken_over_in == 0 && state.servers[1].plays
            },
        ));
    }
    if bounds.losses > 0 {
        possible.push(Property::sometimes(
            "a commit whose answer was lost is found",
            |world: &World, state: &State| {
                let mut servers = state.servers.iter().enumerate();
                servers.any(|(server, it)| {
                    let fenced = it.work.filter(|work| work.progress == Progress::Fenced);
                    fenced.is_some_and(|work| world.is_stored(state, server, work))
                })
            },
        ));
    }
    possible
}

fn pairs(journal: &Journal) -> impl Iterator<Item = (crate::state::Entry, crate::state::Entry)> {
    journal.entries().zip(journal.entries().skip(1))
}

impl World {
    /// Returns the initial state: the first server has the match, and all running servers have just
    /// renewed their leases.
    fn initial_state(&self) -> State {
        let running =
            (0..self.bounds.nodes.len()).filter(|server| self.bounds.starts_immediately(*server));
        let epochs = u8::try_from(running.clone().count()).unwrap();
        let mut rows = [Row::default(); crate::state::SERVERS];
        let mut servers = [Server::default(); crate::state::SERVERS];
        for server in running {
            rows[self.node_of(server)] =
                Row { epoch: 1, lease_left: self.bounds.lease, batches: 1, ..Row::default() };
            servers[server] = Server {
                phase: Phase::Up,
                epoch: 1,
                fence: epochs,
                batches: 1,
                plays: server == 0,
                is_connected: self.bounds.loses_sessions && self.has_clock(server),
                has_lock: self.bounds.loses_sessions && self.has_clock(server),
                ..Server::default()
            };
        }
        if self.bounds.first_is_dead {
            rows[self.node_of(0)].lease_left = 0;
            servers[0] = Server { phase: Phase::Gone, ..Server::default() };
        }
        State {
            rows,
            holder: self.node_of(0),
            journal: Journal::default(),
            servers,
            published: Journal::default(),
            violations: Default::default(),
            losses_left: self.bounds.losses,
            takes_left: self.bounds.takes,
            crashes_left: self.bounds.crashes,
            unflushed: 0,
            released_with: None,
            released_takes: 0,
        }
    }

    /// Returns whether a server would answer, by its own clock, although another node has taken
    /// over its node. A server that starts under the same name does not count, because it does not
    /// wait for the lease.
    fn answers_after_takeover(&self, state: &State, server: usize, it: &Server) -> bool {
        if !self.has_clock(server) {
            return false;
        }
        let row = &state.rows[self.node_of(server)];
        it.phase == Phase::Up
            && it.renewed.ticks < self.protocol.trust
            && it.checked.ticks < self.protocol.session_trust
            && row.taken_over_in > it.epoch
            && row.started_in <= it.epoch
    }

    /// Returns whether a server runs and holds its node, while the node with the match has no
    /// running server.
    fn is_survivor(&self, state: &State, server: usize) -> bool {
        let it = &state.servers[server];
        let is_running = |it: &Server| matches!(it.phase, Phase::Up | Phase::Opening);
        let mut of_holder = (0..self.bounds.nodes.len())
            .filter(|server| self.node_of(*server) == state.holder)
            .map(|server| &state.servers[server]);
        it.phase == Phase::Up
            && state.rows[self.node_of(server)].epoch == it.epoch
            && !of_holder.any(is_running)
    }

    /// Returns whether a server runs, is idle, and does not have the match.
    fn is_idle(&self, state: &State, server: usize) -> bool {
        let (it, node) = (&state.servers[server], self.node_of(server));
        it.phase == Phase::Up
            && it.work.is_none()
            && it.epoch == state.rows[node].epoch
            && node != state.holder
    }

    /// Returns whether a server gets the match if only it continues: pending transactions of others
    /// are rolled back, and their renewals arrive.
    fn can_take_over(&self, state: &State, server: usize) -> bool {
        let mut state = state.clone();
        (state.takes_left, state.losses_left, state.crashes_left) = (1, 0, 0);
        for other in (0..self.bounds.nodes.len()).filter(|other| *other != server) {
            if matches!(state.servers[other].phase, Phase::Up | Phase::Opening) {
                state = self.after(&state, Step::Kill(other));
            }
            for step in [Step::LateTransactionRollsBack(other), Step::RenewLate(other)] {
                state = self.after(&state, step);
            }
        }
        state = self.after(&state, Step::LateTransactionRollsBack(server));
        for _ in 0..self.bounds.lease {
            state = self.after(&state, Step::Tick { without: None });
        }
        self.continues_until_it_plays(state, server)
    }

    /// Returns whether a server gets the released match, although the lease of its node is valid.
    /// Pending transactions may end first.
    fn can_take_released(&self, state: &State, server: usize) -> bool {
        let is_open =
            |it: &Server| it.work.and_then(|work| work.transaction()).or(it.late_transaction);
        if state.servers.iter().any(|it| is_open(it).is_some()) {
            return true;
        }
        let mut state = state.clone();
        (state.takes_left, state.losses_left, state.crashes_left) = (1, 0, 0);
        self.continues_until_it_plays(state, server)
    }

    fn continues_until_it_plays(&self, mut state: State, server: usize) -> bool {
        if state.servers[server].renewal != Renewal::Idle {
            state = self.after(&state, Step::AbandonRenewal(server));
        }
        for step in
            [Step::SendRenewal(server), Step::Renew(server), Step::ReceiveRenewalAnswer(server)]
        {
            state = self.after(&state, step);
        }
        // First the pending operation, and then the takeover.
        let mut steps = Vec::new();
        for _ in 0..16 {
            let it = &state.servers[server];
            if it.plays && it.work.is_none() {
                return state.holder == self.node_of(server);
            }
            steps.clear();
            self.possible_steps(&state, &mut steps);
            let is_next = |step: &&Step| {
                [
                    Step::Retry(server),
                    Step::Fence(server),
                    Step::LockHolder(server),
                    Step::Claim(server),
                    Step::FindNothing(server),
                    Step::Commit(server),
                    Step::ReceiveAnswer(server),
                    Step::Take(server),
                ]
                .contains(step)
            };
            match steps.iter().find(is_next) {
                Some(step) => state = self.after(&state, *step),
                None => return false,
            }
        }
        false
    }
}
