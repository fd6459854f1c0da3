//! What always holds, and what must be possible.

use stateright::{Model, Property};

use crate::{
    protocol::Bounds,
    state::{At, Journal, Phase, Renewal, Row, Server, State, World},
    steps::Step,
};

/// The facts that always hold, by name.
pub(crate) mod fact {
    pub(crate) const ONE_SERVER: &str = "in one epoch one server commits to a match";
    pub(crate) const EPOCHS_RISE: &str = "epochs of what is committed to a match never go down";
    pub(crate) const ONCE: &str = "no decision is accepted twice";
    pub(crate) const TAKEN_OVER: &str = "a node that was taken over commits nothing";
    pub(crate) const TOLD: &str = "what was told is in the journal";
    pub(crate) const ONE_STORY: &str = "no two servers tell a match differently";
    pub(crate) const LEASE: &str = "nothing passes the fence without a lease";
    pub(crate) const ANSWERS: &str = "a server answers only while no other node has its matches";
    pub(crate) const KEEPS: &str = "a node that has its lease keeps what it has not released";
    pub(crate) const GIVEN_UP: &str = "a lease that was given up is not renewed";
    pub(crate) const NUMBERS: &str = "no server finds commits that it did not make";
    pub(crate) const RELEASED: &str = "what a node has released can be taken over at once";
    pub(crate) const TAKEN: &str = "what a dead node leaves can be taken over";
}

impl Model for World {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![self.beginning()]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        self.possible(state, steps);
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
            Property::always(fact::ONCE, |_, state: &State| {
                let decisions = state.journal.entries().map(|entry| entry.decision);
                decisions.eq(0..u8::try_from(state.journal.len()).unwrap())
            }),
            Property::always(fact::TAKEN_OVER, |_, state: &State| {
                !state.wrongs.committed_after_its_epoch
            }),
            Property::always(fact::TOLD, |_, state: &State| {
                let mut told = state.told.entries().enumerate();
                told.all(|(index, told)| state.journal.get(index) == Some(told))
            }),
            Property::always(fact::ONE_STORY, |_, state: &State| {
                !state.wrongs.told_two_things
            }),
            Property::always(fact::LEASE, |_, state: &State| {
                !state.wrongs.passed_the_fence_without_lease
            }),
            Property::always(fact::ANSWERS, |world: &Self, state: &State| {
                let mut servers = state.servers.iter().enumerate();
                !servers.any(|(server, it)| world.answers_wrongly(state, server, it))
            }),
            Property::always(fact::KEEPS, |_, state: &State| {
                !state.wrongs.taken_with_a_lease
            }),
            Property::always(fact::GIVEN_UP, |_, state: &State| {
                let mut rows = state.rows.iter();
                !rows.any(|row| row.is_released && row.lease_left > 0)
            }),
            Property::always(fact::NUMBERS, |_, state: &State| !state.wrongs.contradicted),
            Property::always(fact::RELEASED, |world: &Self, state: &State| {
                let servers = 0..world.bounds.nodes.len();
                let mut idle = servers.filter(|server| world.is_idle(state, *server));
                state.released_with.is_none()
                    || idle.all(|server| world.can_take_released(state, server))
            }),
            Property::always(fact::TAKEN, |world: &Self, state: &State| {
                let mut survivors =
                    (0..world.bounds.nodes.len()).filter(|server| world.survives(state, *server));
                survivors.all(|survivor| world.can_take(state, survivor))
            }),
        ];
        properties.extend(possible(&self.bounds));
        properties
    }
}

/// What must be possible, so that the facts above are not about nothing.
fn possible(bounds: &Bounds) -> Vec<Property<World>> {
    let mut possible = vec![
        Property::sometimes(
            "a dead node's match goes on elsewhere",
            |world: &World, state: &State| {
                let is_taken = state.holder != world.node_of(0);
                is_taken && state.servers[0].phase == Phase::Gone && state.servers[1].plays
            },
        ),
        Property::sometimes(
            "a server that was taken over stands still",
            |world: &World, state: &State| {
                let mut servers = state.servers.iter().zip(world.bounds.nodes);
                servers.any(|(it, node)| it.plays && state.rows[*node].taken_in > it.epoch)
            },
        ),
        Property::sometimes(
            "a lease is given up and its match taken",
            |_, state: &State| state.holder != 0 && state.rows[0].is_released,
        ),
    ];
    if bounds.entries > 1 {
        possible.push(Property::sometimes(
            "a match goes on where it was taken to",
            |_, state: &State| {
                let mut servers = state.told.entries().map(|entry| entry.server);
                (servers.next(), servers.next()) == (Some(0), Some(1))
            },
        ));
    }
    if bounds.crashes > 0 {
        possible.push(Property::sometimes(
            "a crash loses a commit, and its server lives",
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
            "a released match goes on elsewhere while its node has its lease",
            |_, state: &State| {
                let (row, it) = (&state.rows[0], &state.servers[0]);
                let is_live = it.phase == Phase::Up && it.epoch == row.epoch && row.lease_left > 0;
                is_live && row.taken_in == 0 && state.servers[1].plays
            },
        ));
    }
    if bounds.losses > 0 {
        possible.push(Property::sometimes(
            "a commit whose answer was lost is found",
            |world: &World, state: &State| {
                let mut servers = state.servers.iter().enumerate();
                servers.any(|(server, it)| {
                    let fenced = it.work.filter(|work| work.at == At::Fenced);
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
    /// The first server has the match, and all that are there have just renewed their leases.
    fn beginning(&self) -> State {
        let there = (0..self.bounds.nodes.len()).filter(|server| self.bounds.is_there(*server));
        let epochs = u8::try_from(there.clone().count()).unwrap();
        let mut rows = [Row::default(); crate::state::SERVERS];
        let mut servers = [Server::default(); crate::state::SERVERS];
        for server in there {
            rows[self.node_of(server)] = Row {
                epoch: 1,
                lease_left: self.bounds.lease,
                batches: 1,
                ..Row::default()
            };
            servers[server] = Server {
                phase: Phase::Up,
                epoch: 1,
                fence: epochs,
                batches: 1,
                plays: server == 0,
                ..Server::default()
            };
        }
        if self.bounds.first_is_dead {
            rows[self.node_of(0)].lease_left = 0;
            servers[0] = Server {
                phase: Phase::Gone,
                ..Server::default()
            };
        }
        State {
            rows,
            holder: self.node_of(0),
            journal: Journal::default(),
            servers,
            told: Journal::default(),
            wrongs: Default::default(),
            losses_left: self.bounds.losses,
            takes_left: self.bounds.takes,
            crashes_left: self.bounds.crashes,
            unflushed: 0,
            released_with: None,
            released_takes: 0,
        }
    }

    /// Whether a server would answer, by its own clock, though another node has taken its own over.
    /// A server that starts under its name does not wait for its lease.
    fn answers_wrongly(&self, state: &State, server: usize, it: &Server) -> bool {
        if !self.has_clock(server) {
            return false;
        }
        let row = &state.rows[self.node_of(server)];
        it.phase == Phase::Up
            && it.renewed.ticks < self.protocol.trust
            && row.taken_in > it.epoch
            && row.started_in <= it.epoch
    }

    /// Whether a server is there and holds its node, while none is there of the node that has the
    /// match.
    fn survives(&self, state: &State, server: usize) -> bool {
        let it = &state.servers[server];
        let is_there = |it: &Server| matches!(it.phase, Phase::Up | Phase::Opening);
        let mut of_holder = (0..self.bounds.nodes.len())
            .filter(|server| self.node_of(*server) == state.holder)
            .map(|server| &state.servers[server]);
        it.phase == Phase::Up
            && state.rows[self.node_of(server)].epoch == it.epoch
            && !of_holder.any(is_there)
    }

    /// Whether a server is there that does nothing, and does not have the match.
    fn is_idle(&self, state: &State, server: usize) -> bool {
        let (it, node) = (&state.servers[server], self.node_of(server));
        it.phase == Phase::Up
            && it.work.is_none()
            && it.epoch == state.rows[node].epoch
            && node != state.holder
    }

    /// Whether a server gets the match, if it goes on alone: what others have left half done is
    /// undone by the database, and what they have sent arrives.
    fn can_take(&self, state: &State, server: usize) -> bool {
        let mut state = state.clone();
        (state.takes_left, state.losses_left, state.crashes_left) = (1, 0, 0);
        for other in (0..self.bounds.nodes.len()).filter(|other| *other != server) {
            if matches!(state.servers[other].phase, Phase::Up | Phase::Opening) {
                state = self.after(&state, Step::Kill(other));
            }
            for step in [Step::StrayIsUndone(other), Step::RenewLate(other)] {
                state = self.after(&state, step);
            }
        }
        state = self.after(&state, Step::StrayIsUndone(server));
        for _ in 0..self.bounds.lease {
            state = self.after(&state, Step::Tick { without: None });
        }
        self.goes_on_until_it_plays(state, server)
    }

    /// Whether a server gets the match, which its node has released, though the lease of that runs. Who
    /// has begun something to which the match belongs is let go on.
    fn can_take_released(&self, state: &State, server: usize) -> bool {
        let is_open = |it: &Server| it.work.and_then(|work| work.transaction()).or(it.stray);
        if state.servers.iter().any(|it| is_open(it).is_some()) {
            return true;
        }
        let mut state = state.clone();
        (state.takes_left, state.losses_left, state.crashes_left) = (1, 0, 0);
        self.goes_on_until_it_plays(state, server)
    }

    fn goes_on_until_it_plays(&self, mut state: State, server: usize) -> bool {
        if state.servers[server].renewal != Renewal::Idle {
            state = self.after(&state, Step::GiveUpRenewal(server));
        }
        for step in [
            Step::SendRenewal(server),
            Step::Renew(server),
            Step::HearRenewal(server),
        ] {
            state = self.after(&state, step);
        }
        // What it is about, and then the taking.
        let mut steps = Vec::new();
        for _ in 0..16 {
            let it = &state.servers[server];
            if it.plays && it.work.is_none() {
                return state.holder == self.node_of(server);
            }
            steps.clear();
            self.possible(&state, &mut steps);
            let goes_on = |step: &&Step| {
                [
                    Step::BeginAgain(server),
                    Step::Fence(server),
                    Step::LockHolder(server),
                    Step::Claim(server),
                    Step::FindNothing(server),
                    Step::Commit(server),
                    Step::Hear(server),
                    Step::Take(server),
                ]
                .contains(step)
            };
            match steps.iter().find(goes_on) {
                Some(step) => state = self.after(&state, *step),
                None => return false,
            }
        }
        false
    }
}
