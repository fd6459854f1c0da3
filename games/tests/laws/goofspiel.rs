//! Goofspiel for 2 to 4 seats: the smallest game with a hidden setup, hands, and secret
//! simultaneous decisions. It exists in the tests only: it shows that the [`Game`] traits depend on
//! no single game, and it is the template of a new one. [`Toy`] is the same game with one
//! [defect](defect).
//!
//! Each seat has the cards 1 to n, and the prizes are 1 to n in random order. A prize is revealed,
//! each seat secretly bids a card, and the highest bid wins the prize unless it is tied.

use std::{fmt, ops::RangeInclusive, str::FromStr};

use bridgemaster_games::{
    ChanceStream, ConfigOption, Digest, Digester, EventSink, FieldError, Game, LegalList, NoChance,
    Options, OutOfTurn, Outcome, Rules, Sample, ScoreLine, Seat, SeatCount, SeatOutcome, SeatSet,
    Secret, Seed, Show, Values, Viewer,
};

/// Defects of a [`Toy`]. Exactly one law detects each defect.
pub(crate) mod defect {
    macro_rules! defects {
        ($($(#[$doc:meta])* $name:ident)*) => {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Number { $($name),* }
            $($(#[$doc])* pub(crate) const $name: u8 = Number::$name as u8;)*
        };
    }
    defects! {
        NONE
        /// Other seats see a bid, and the sampler respects it.
        OTHERS_SEE_BIDS
        EVENT_REVEALS_BID
        /// A bid has no event, although everyone sees that it was made.
        SILENT_BID
        /// The next prize is visible, and the sampler respects it.
        PRIZE_VISIBLE_EARLY
        /// The next prize is visible from the third round on.
        PRIZE_VISIBLE_FROM_ROUND_3
        /// From the second round on, the event names the next prize instead of the current one.
        EVENT_REVEALS_NEXT_PRIZE
        /// The event names the prize plus one.
        EVENT_REVEALS_WRONG_PRIZE
        /// The prizes are in ascending order.
        PRIZES_NOT_SHUFFLED
        SETUP_UNCHECKED
        DIGEST_OMITS_BIDS
        DIGEST_OMITS_OPTION
        DIGEST_OMITS_SCORES
        /// The digest covers only the prizes of later rounds.
        DIGEST_OMITS_OPEN_PRIZES
        /// `bid 03` and `bid +3` are read as `bid 3`.
        LOOSE_NOTATION
        LIST_DESCENDING
        /// The list starts with its second decision.
        LIST_ROTATED
        /// The last card of a hand takes the position of a bid card.
        HAND_SWAP_REMOVED
        /// A sampled state has other scores than the observation.
        SAMPLER_OMITS_SCORES
        /// A sampled state lacks one unrevealed prize.
        SAMPLER_OMITS_PRIZE
        /// A sampled bid may not be in the hand.
        SAMPLER_BIDS_ANY_CARD
        /// A sampled bid is always the lowest card of the hand.
        SAMPLER_BIDS_LOWEST
        /// The highest of the sampled prizes is always the last.
        SAMPLER_KEEPS_LAST_PRIZE
        /// Omitted checks of an observation.
        OMITS_CHECK_OF_SCORES
        OMITS_CHECK_OF_ROUND
        OMITS_CHECK_OF_HANDS
        OMITS_CHECK_OF_OWN_BID
        OMITS_CHECK_OF_OWING
        OMITS_CHECK_OF_SEATS
    }
}

/// Goofspiel with a defect.
#[derive(Clone, Debug)]
pub(crate) struct Toy<const DEFECT: u8>;

/// Goofspiel without a defect.
pub(crate) type Goofspiel = Toy<{ defect::NONE }>;

/// A bid of one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bid<const DEFECT: u8>(u8);

/// The range of `cards` is declared by the option; the game does not check it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) cards: u8,
    doubled: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { cards: 4, doubled: false }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State<const DEFECT: u8> {
    config: Config,
    round: u8,
    /// Prizes by round; those of later rounds are hidden.
    prizes: Vec<u8>,
    /// Cards in hand, ascending. A bid card leaves the hand when all bids are revealed, so that
    /// other seats see nothing of it before.
    hands: Vec<Vec<u8>>,
    bids: Vec<Secret<u8>>,
    scores: Vec<i32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observation {
    round: u8,
    prizes: Vec<u8>,
    next_prize: Option<u8>,
    hands: Vec<Vec<u8>>,
    has_bid: Vec<bool>,
    /// The bid of the viewer itself, by seat.
    bids: Vec<Option<u8>>,
    scores: Vec<i32>,
    viewer: Viewer,
}

/// Changes of an observation, each of which fails a different check of the sampler.
pub(crate) const ALTERATIONS: [fn(&mut Observation); 8] = [
    |seen| seen.scores.truncate(1),
    |seen| seen.round = 200,
    |seen| seen.hands[0].truncate(1),
    |seen| seen.bids.iter_mut().flatten().for_each(|bid| *bid = 200),
    |seen| seen.has_bid.fill(true),
    |seen| seen.hands.truncate(1),
    |seen| seen.hands.clear(),
    |seen| seen.prizes.fill(0),
];

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    Prize(u8),
    HasBid(Seat, Option<u8>),
    Revealed(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<OutOfTurn> for Error {
    fn from(error: OutOfTurn) -> Self {
        Self(error.to_string())
    }
}

impl<const DEFECT: u8> fmt::Display for Bid<DEFECT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bid {}", self.0)
    }
}

impl<const DEFECT: u8> FromStr for Bid<DEFECT> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let card = text.strip_prefix("bid ").and_then(|card| card.parse().ok());
        let bid = card.map(Self).filter(|bid| {
            let is_exact = bid.to_string() == text;
            is_exact || DEFECT == defect::LOOSE_NOTATION
        });
        bid.ok_or_else(|| Error("expected a card, such as bid 3".to_owned()))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prize(prize) => write!(f, "the prize is {prize}"),
            Self::HasBid(seat, None) => write!(f, "seat {seat} has bid"),
            Self::HasBid(seat, Some(card)) => write!(f, "seat {seat} has bid {card}"),
            Self::Revealed(bids) => write!(f, "the bids are {bids:?}"),
        }
    }
}

/// Checks that `setup` is a permutation of the prizes.
fn check_prizes(config: &Config, setup: &[u8]) -> Result<(), FieldError> {
    let mut prizes = setup.to_vec();
    prizes.sort_unstable();
    if prizes.iter().copied().eq(1..=config.cards) {
        Ok(())
    } else {
        FieldError::refuse("prizes", format!("must be 1 to {}", config.cards))
    }
}

impl<const DEFECT: u8> Rules for Toy<DEFECT> {
    const ID: &'static str = "goofspiel";
    const NAME: &'static str = "Goofspiel";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = 2..=4;
    const LEGAL_CAP: usize = 5;

    type Config = Config;
    type Setup = Vec<u8>;
    type State = State<DEFECT>;
    type Decision = Bid<DEFECT>;
    type Illegal = Error;
    type Event = Event;
    type Chance = NoChance;

    fn draw_setup(config: &Config, seats: SeatCount, seed: &Seed) -> Result<Vec<u8>, FieldError> {
        Self::check_config(config, seats)?;
        let mut prizes: Vec<u8> = (1..=config.cards).collect();
        if DEFECT != defect::PRIZES_NOT_SHUFFLED {
            ChanceStream::new(seed, 0).shuffle(&mut prizes);
        }
        Ok(prizes)
    }

    fn start(
        config: &Config,
        seats: SeatCount,
        prizes: &Vec<u8>,
        events: &mut impl EventSink<Event>,
    ) -> Result<State<DEFECT>, FieldError> {
        if DEFECT != defect::SETUP_UNCHECKED {
            Self::check_config(config, seats)?;
            check_prizes(config, prizes)?;
        }
        let state = State {
            config: config.clone(),
            round: 0,
            prizes: prizes.clone(),
            hands: seats.seats().map(|_| (1..=config.cards).collect()).collect(),
            bids: seats.seats().map(Secret::new).collect(),
            scores: vec![0; seats.get().into()],
        };
        state.open_prize(events);
        Ok(state)
    }

    fn seats(state: &State<DEFECT>) -> SeatCount {
        SeatCount::new(state.bids.len() as u8).unwrap()
    }

    fn seats_to_decide(state: &State<DEFECT>) -> SeatSet {
        let seats = (0..).map_while(Seat::new).zip(&state.bids);
        let seats_to_decide = seats.filter(|(_, bid)| !bid.is_chosen() && !state.is_over());
        seats_to_decide.map(|(seat, _)| seat).collect()
    }

    fn list(state: &State<DEFECT>, seat: Seat, list: &mut Vec<Bid<DEFECT>>) -> LegalList {
        list.extend(state.hands[seat.index()].iter().copied().map(Bid));
        match DEFECT {
            defect::LIST_DESCENDING => list.reverse(),
            defect::LIST_ROTATED => list.rotate_left(1),
            _ => {}
        }
        LegalList::Complete
    }

    fn decide(
        state: &mut State<DEFECT>,
        seat: Seat,
        &Bid(card): &Bid<DEFECT>,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Error> {
        if !state.hands[seat.index()].contains(&card) {
            return Err(Error(format!("card: {card} is not in your hand")));
        }
        state.bids[seat.index()].choose(card);
        if DEFECT != defect::SILENT_BID {
            let reveals_card = DEFECT == defect::EVENT_REVEALS_BID;
            events.push(Event::HasBid(seat, reveals_card.then_some(card)));
        }
        if state.bids.iter().all(Secret::is_chosen) {
            state.reveal(events);
        }
        Ok(())
    }

    fn outcome(state: &State<DEFECT>) -> Option<Outcome> {
        let result = |&score: &i32| SeatOutcome {
            place: 1 + state.scores.iter().filter(|other| **other > score).count() as u8,
            score,
            breakdown: vec![ScoreLine { category: "prizes", points: score }],
        };
        let seats = state.scores.iter().map(result).collect();
        state.is_over().then_some(Outcome { seats })
    }

    fn digest(state: &State<DEFECT>) -> Digest {
        let State { config: Config { cards, doubled }, round, prizes, hands, bids, scores } = state;
        let mut digester = Digester::default();
        digester.u8(*cards);
        if DEFECT != defect::DIGEST_OMITS_OPTION {
            digester.u8(u8::from(*doubled));
        }
        digester.u8(*round);
        digester.list(
            match DEFECT {
                defect::DIGEST_OMITS_OPEN_PRIZES => prizes.get(usize::from(*round) + 1..),
                _ => Some(&prizes[..]),
            }
            .unwrap_or_default(),
        );
        hands.iter().for_each(|hand| digester.list(hand));
        for (bid, score) in bids.iter().zip(scores) {
            let is_omitted = DEFECT == defect::DIGEST_OMITS_BIDS;
            let bid = bid.for_digest().map(|bid| if is_omitted { 1 } else { bid });
            digester.u8(bid.unwrap_or(0));
            if DEFECT != defect::DIGEST_OMITS_SCORES {
                digester.i32(*score);
            }
        }
        digester.finish()
    }
}

impl<const DEFECT: u8> State<DEFECT> {
    fn is_over(&self) -> bool {
        self.round == self.config.cards
    }

    fn open_prize(&self, events: &mut impl EventSink<Event>) {
        let early = DEFECT == defect::EVENT_REVEALS_NEXT_PRIZE && self.round > 0;
        let prize = self.prizes.get(usize::from(self.round) + usize::from(early));
        let wrong = u8::from(DEFECT == defect::EVENT_REVEALS_WRONG_PRIZE);
        if let Some(prize) = prize {
            events.push(Event::Prize(prize + wrong));
        }
    }

    fn reveal(&mut self, events: &mut impl EventSink<Event>) {
        let bids: Vec<u8> = self.bids.iter_mut().filter_map(Secret::reveal).collect();
        let worth = self.prizes[usize::from(self.round)] << u8::from(self.config.doubled);
        for (i, bid) in bids.iter().enumerate() {
            let hand = &mut self.hands[i];
            let place = hand.iter().position(|card| card == bid).unwrap();
            match DEFECT {
                defect::HAND_SWAP_REMOVED => hand.swap_remove(place),
                _ => hand.remove(place),
            };
            let mut others = bids[..i].iter().chain(&bids[i + 1..]);
            if others.all(|other| other < bid) {
                self.scores[i] += i32::from(worth);
            }
        }
        self.round += 1;
        events.push(Event::Revealed(bids));
        self.open_prize(events);
    }
}

impl<const DEFECT: u8> Sample for Toy<DEFECT> {
    type Observation = Observation;

    fn observe(state: &State<DEFECT>, viewer: Viewer) -> Observation {
        let (round, prizes) = (usize::from(state.round), &state.prizes);
        let bids = state.bids.iter().map(|bid| match viewer {
            Viewer::Seat(_) if DEFECT == defect::OTHERS_SEE_BIDS => bid.for_digest(),
            _ => bid.seen_by(viewer),
        });
        let shows_next = match DEFECT {
            defect::PRIZE_VISIBLE_EARLY => true,
            defect::PRIZE_VISIBLE_FROM_ROUND_3 => round >= 2,
            _ => false,
        };
        Observation {
            round: state.round,
            prizes: prizes.iter().copied().take(round + 1).collect(),
            next_prize: prizes.get(round + 1).copied().filter(|_| shows_next),
            hands: state.hands.clone(),
            has_bid: state.bids.iter().map(Secret::is_chosen).collect(),
            bids: bids.collect(),
            scores: state.scores.clone(),
            viewer,
        }
    }

    fn viewer(observation: &Observation) -> Viewer {
        observation.viewer
    }

    fn draw_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State<DEFECT>, FieldError> {
        check::<DEFECT>(config, observation)?;
        let mut prizes = observation.prizes.clone();
        prizes.extend(observation.next_prize);
        let mut unseen: Vec<u8> = (1..=config.cards).collect();
        unseen.retain(|prize| !prizes.contains(prize));
        let kept = usize::from(DEFECT == defect::SAMPLER_KEEPS_LAST_PRIZE).min(unseen.len());
        let drawn = unseen.len() - kept;
        chance.shuffle(&mut unseen[..drawn]);
        if DEFECT == defect::SAMPLER_OMITS_PRIZE {
            unseen.pop();
        }
        prizes.extend(unseen);
        let seats = (0..).map_while(Seat::new).zip(&observation.has_bid);
        let bids = seats.map(|(seat, &has_bid)| {
            let hand = &observation.hands[seat.index()];
            let any = |chance: &mut ChanceStream| match DEFECT {
                defect::SAMPLER_BIDS_ANY_CARD => 1 + chance.below(config.cards.into()) as u8,
                defect::SAMPLER_BIDS_LOWEST => hand[0],
                _ => hand[chance.below(hand.len() as u32) as usize],
            };
            let known = observation.bids[seat.index()];
            Secret::from_observation(seat, has_bid.then(|| known.unwrap_or_else(|| any(chance))))
        });
        let bids = bids.collect();
        let mut scores = observation.scores.clone();
        if DEFECT == defect::SAMPLER_OMITS_SCORES {
            scores.fill(0);
        }
        Ok(State {
            config: config.clone(),
            round: observation.round,
            prizes,
            hands: observation.hands.clone(),
            bids,
            scores,
        })
    }

    fn redeal(
        _config: &Config,
        _seats: SeatCount,
        prizes: &Vec<u8>,
        _viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Vec<u8> {
        let mut prizes = prizes.clone();
        chance.shuffle(&mut prizes[1..]);
        prizes
    }
}

/// Checks the invariants that play relies on, except the omitted one. A game of the catalogue calls
/// `check_table` for the seats and the viewer.
fn check<const DEFECT: u8>(config: &Config, seen: &Observation) -> Result<(), FieldError> {
    let seats = u8::try_from(seen.hands.len()).ok().and_then(SeatCount::new);
    let is_at_table = match seen.viewer {
        Viewer::Seat(seat) => seats.is_some_and(|seats| seats.contains(seat)),
        Viewer::Spectator => true,
    };
    let is_table = seats.is_some_and(|seats| Toy::<DEFECT>::check_config(config, seats).is_ok());
    let of_seats = [seen.has_bid.len(), seen.bids.len()];
    let left = usize::from(config.cards.saturating_sub(seen.round));
    let opened = usize::from(seen.round.saturating_add(1).min(config.cards));
    let is_prize = |(place, prize): (usize, &u8)| {
        (1..=config.cards).contains(prize) && !seen.prizes[..place].contains(prize)
    };
    let is_hand = |hand: &Vec<u8>| {
        let are_cards = hand.iter().all(|card| (1..=config.cards).contains(card));
        are_cards && hand.len() == left && hand.is_sorted_by(|one, next| one < next)
    };
    let mut own = seen.bids.iter().zip(&seen.hands);
    let is_over = seen.round == config.cards;
    let checks = [
        ("scores", seen.scores.len() == seen.has_bid.len()),
        ("round", seen.round <= config.cards),
        ("hands", seen.hands.iter().all(is_hand)),
        ("bids", own.all(|(bid, hand)| bid.is_none_or(|bid| hand.contains(&bid)))),
        ("has_bid", seen.has_bid.contains(&true) <= !is_over && seen.has_bid.contains(&false)),
        ("seats", is_table && is_at_table && of_seats == [seen.hands.len(); 2]),
        ("prizes", seen.prizes.len() == opened && seen.prizes.iter().enumerate().all(is_prize)),
    ];
    for (skipped, (field, holds)) in (defect::OMITS_CHECK_OF_SCORES..).zip(checks) {
        if !holds && DEFECT != skipped {
            return FieldError::refuse(field, "cannot occur in a match");
        }
    }
    Ok(())
}

impl<const DEFECT: u8> Show for Toy<DEFECT> {}

impl<const DEFECT: u8> Options for Toy<DEFECT> {
    const OPTIONS: &'static [ConfigOption<Config>] = &[
        ConfigOption {
            name: "cards",
            about: "Number of cards of each seat",
            values: Values::Range(2..=5, |config| &mut config.cards),
        },
        ConfigOption {
            name: "doubled",
            about: "Count each prize twice",
            values: Values::Switch(|config| &mut config.doubled),
        },
    ];
}
