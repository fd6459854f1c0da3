//! What the search needs of a game beyond its rules. One file a game.

use bridgemaster_games::{ChanceStream, MAX_SEATS, NoEvents, Seat, SeatCount};

use bridgemaster_greedy::Rate;

/// The decision that is searched for.
#[derive(Debug)]
pub struct Question<'a, G: Rate> {
    /// The config of the match.
    pub config: &'a G::Config,
    /// How many seats play.
    pub seats: SeatCount,
    /// Who decides.
    pub seat: Seat,
    /// One of the states in which it may be asked: what is public is the same in all.
    pub state: G::State,
}

/// What the seats may expect at the end, as it looks in a state.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// Points of each seat; those beyond the table are ignored.
    pub points: [f64; MAX_SEATS],
    /// How far the difference of two seats may still move, in points: by so much the one ahead is
    /// ahead in the end with a chance of 73 %.
    pub spread: f64,
}

/// How a game is searched.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// How much is explored: what the chance of a decision that was not tried is worth, as a share
    /// of a match.
    pub exploration: f64,
    /// By how much ratings of two decisions must differ so that one is tried e times as often as
    /// the other at first.
    pub temperature: f64,
    /// Decisions that a playout looks at each time, to take the one that promises most; with one it
    /// takes any.
    pub tries: u32,
    /// States that are sampled at most for a question; further playouts take them in turn.
    pub samples: usize,
    /// Whether the first playout that comes to a node takes what looks best there, rather than what
    /// playouts take: right where a first look is cheap beside a playout.
    pub looks_first: bool,
}

/// A game that can be searched.
pub trait Think: Rate {
    /// What is worked out once for a question and asked again.
    type Memory: Default + Send;

    /// How it is searched at this table.
    fn habits(seats: SeatCount) -> Habits;

    /// Whether these are decisions that several seats take in secret at the same time. Others then
    /// decide without regard to what the searching seat does.
    fn is_secret(_decisions: &[Self::Decision]) -> bool {
        false
    }

    /// What has become public by chance and decides what is legal next: tells nodes apart that the
    /// same decisions lead to.
    fn sight(_state: &Self::State) -> u64 {
        0
    }

    /// Whether a playout stops here, where a seat is asked for one of `decisions`, `passes` times
    /// after another seat than before was asked.
    fn stops(
        question: &Question<'_, Self>,
        state: &Self::State,
        decisions: &[Self::Decision],
        passes: u32,
    ) -> bool
    where
        Self: Sized;

    /// What the seats may expect in a state.
    fn promise(
        question: &Question<'_, Self>,
        state: &Self::State,
        memory: &mut Self::Memory,
    ) -> Promise
    where
        Self: Sized;

    /// Rates the decisions of `seat`, so that the better ones are tried first: as
    /// [`Rate::rate`] does it.
    fn first_look(
        question: &Question<'_, Self>,
        state: &Self::State,
        seat: Seat,
        decisions: &[Self::Decision],
        chance: &mut ChanceStream,
        memory: &mut Self::Memory,
        ratings: &mut [f64],
    ) where
        Self: Sized,
    {
        let _ = memory;
        Self::rate(question.config, state, seat, decisions, chance, ratings);
    }

    /// The place of the decision that `seat` takes in a playout.
    fn play(
        question: &Question<'_, Self>,
        state: &Self::State,
        seat: Seat,
        decisions: &[Self::Decision],
        chance: &mut ChanceStream,
        memory: &mut Self::Memory,
    ) -> usize
    where
        Self: Sized,
    {
        best_of_some(question, state, seat, decisions, chance, memory)
    }
}

/// By how many points `seat` is ahead of the others on average.
pub(super) fn lead(promise: &Promise, seats: SeatCount, seat: Seat) -> f64 {
    let points = &promise.points[..usize::from(seats.get())];
    let own = points[seat.index()];
    let all: f64 = points.iter().sum();
    own - (all - own) / (f64::from(seats.get()) - 1.0).max(1.0)
}

/// What a decision promises at once: how far `seat` is ahead after it.
pub(super) fn lead_after<G: Think>(
    question: &Question<'_, G>,
    state: &G::State,
    seat: Seat,
    decision: &G::Decision,
    memory: &mut G::Memory,
) -> f64 {
    let mut after = state.clone();
    let applied = G::apply(&mut after, seat, decision, &mut NoEvents);
    debug_assert!(applied.is_ok(), "a listed decision applies");
    lead(&G::promise(question, &after, memory), question.seats, seat)
}

/// The place of the decision that promises most at once among some that are drawn: as many as the
/// [`Habits`] say.
pub(super) fn best_of_some<G: Think>(
    question: &Question<'_, G>,
    state: &G::State,
    seat: Seat,
    decisions: &[G::Decision],
    chance: &mut ChanceStream,
    memory: &mut G::Memory,
) -> usize {
    let count = decisions.len() as u32;
    let tries = G::habits(question.seats).tries;
    if tries <= 1 || count == 1 {
        return chance.below(count) as usize;
    }
    let mut best = (0, f64::NEG_INFINITY);
    for number in 0..tries.min(count) {
        let place = match tries >= count {
            true => number as usize,
            false => chance.below(count) as usize,
        };
        let lead = lead_after(question, state, seat, &decisions[place], memory);
        if lead > best.1 {
            best = (place, lead);
        }
    }
    best.0
}
