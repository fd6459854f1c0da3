//! The rules: turn order, legal decisions and their effects.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

use super::Alhambra;
use super::building::Building;
use super::components::{Currency, MAX_PLAYERS, MIN_PLAYERS, MONEY_CARDS, TAKE_LIMIT, VALUES};
use super::config::Config;
use super::decision::Illegal;
use super::decision::{Decision, Purchase};
use super::event::Event;
use super::legal::list_takes;
use super::legal::{list_purchases, tier};
use super::money::{Money, MoneyCard, ValueCounts};
use super::observation::{Phase, TurnPurchase};
use super::pile::MoneyPile;
use super::row_cards::RowCards;
use super::setup::Shuffle;
use super::setup::{self, Setup, stream};
use super::state::State;
use crate::{
    ChanceStream, Digest, EventSink, FieldError, LegalList, Outcome, Rules, Seat, SeatCount,
    SeatSet, Seed,
};

impl Rules for Alhambra {
    const ID: &'static str = "alhambra";
    const NAME: &'static str = "Alhambra: The Card Game";
    const RULES_VERSION: u32 = 1;
    const SEATS: RangeInclusive<u8> = MIN_PLAYERS as u8..=MAX_PLAYERS as u8;
    /// The maximum length of a legal list. A seat can have hundreds of thousands of payments;
    /// sensible play rarely has more than 150 decisions. Takes (at most 15) and purchases without
    /// waste (at most 524) always fit.
    const LEGAL_CAP: usize = 1024;
    const NOTES: &'static [&'static str] = &[
        "Prices and points that the rulebook shows only as pictures come from public lists of the \
         game, which agree with each other and with every figure in the rulebook's text.",
        "Hands are open: every take and payment is public, so hidden hands would only test memory.",
    ];

    type Config = Config;
    type Setup = Setup;
    type State = State;
    type Decision = Decision;
    type Illegal = Illegal;
    type Event = Event;
    type Chance = Shuffle;

    fn draw_setup(_config: &Config, seats: SeatCount, seed: &Seed) -> Result<Setup, FieldError> {
        setup::draw(seats, seed)
    }

    fn start(
        config: &Config,
        seats: SeatCount,
        setup: &Setup,
        events: &mut impl EventSink<Event>,
    ) -> Result<State, FieldError> {
        setup.check(seats)?;
        let mut state = State::new(config, seats, setup);
        state.begin(events);
        Ok(state)
    }

    fn chance_due(state: &State) -> Option<u64> {
        let due = matches!(state.phase, Phase::Shuffle { .. });
        due.then(|| stream::SHUFFLES + u64::from(state.shuffles))
    }

    fn draw_chance(state: &State, chance: &mut ChanceStream) -> Option<Shuffle> {
        Self::chance_due(state)?;
        let mut cards: ArrayVec<MoneyCard, MONEY_CARDS> = state.discard.cards().collect();
        chance.shuffle(&mut cards);
        Some(Shuffle { cards })
    }

    fn apply_chance(
        state: &mut State,
        shuffle: &Shuffle,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), FieldError> {
        let Phase::Shuffle { seat } = state.phase else {
            return FieldError::refuse("shuffle", "none is due");
        };
        if Money::from_cards(shuffle.cards.iter().copied()) != Some(state.discard) {
            return FieldError::refuse("cards", "must be the cards of the discard");
        }
        state.money_pile = MoneyPile::new(&shuffle.cards);
        state.discard = Money::EMPTY;
        state.shuffles += 1;
        let cards = shuffle.cards.len() as u8;
        events.push(Event::MoneyShuffled { cards });
        state.refill_row(seat, events);
        Ok(())
    }

    fn seats(state: &State) -> SeatCount {
        state.seats
    }

    fn seats_to_decide(state: &State) -> SeatSet {
        match state.phase {
            Phase::Turn { seat } => SeatSet::one(seat),
            Phase::Shuffle { .. } | Phase::Over => SeatSet::EMPTY,
        }
    }

    fn list(state: &State, seat: Seat, list: &mut Vec<Decision>) -> LegalList {
        list_takes(state.row, list);
        let hand = &state.hands[seat.index()];
        let listed = list_purchases(&state.yard, hand, state.has_dummy(), list);
        if list.is_empty() {
            list.push(Decision::Pass);
        }
        listed
    }

    /// Returns the tier of a purchase, and 0 for other decisions.
    fn precedence(state: &State, decision: &Decision) -> u16 {
        match decision {
            Decision::Buy(purchase) => {
                let price = state.yard[purchase.slot.index()].map_or(0, Building::price);
                tier(price, purchase.payment)
            }
            Decision::Take(_) | Decision::Pass => 0,
        }
    }

    fn decide(
        state: &mut State,
        seat: Seat,
        decision: &Decision,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        match *decision {
            Decision::Take(cards) => state.take(seat, cards, events),
            Decision::Buy(purchase) => state.buy(seat, purchase, events),
            Decision::Pass if state.can_act(seat) => Err(Illegal::PassWithAction),
            Decision::Pass => {
                events.push(Event::Passed { seat });
                state.end_turn(seat, events);
                Ok(())
            }
        }
    }

    fn outcome(state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn digest(state: &State) -> Digest {
        state.digest()
    }
}

impl State {
    fn take(
        &mut self,
        seat: Seat,
        cards: RowCards,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        let rest = self.row.without(cards).map_err(Illegal::NotInRow)?;
        match (cards.len(), cards.total()) {
            (0, _) => return Err(Illegal::TakeNothing),
            (2.., total) if total > TAKE_LIMIT => return Err(Illegal::TakeTooMuch(total)),
            _ => {}
        }
        self.row = rest;
        let hand = &mut self.hands[seat.index()];
        cards.cards().for_each(|card| hand.insert(card));
        events.push(Event::MoneyTaken { seat, cards });
        self.end_turn(seat, events);
        Ok(())
    }

    fn buy(
        &mut self,
        seat: Seat,
        purchase: Purchase,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Illegal> {
        let (slot, payment) = (purchase.slot, purchase.payment);
        let building = self.yard[slot.index()].ok_or(Illegal::SlotEmpty(slot))?;
        let held = self.hands[seat.index()].of_currency(slot);
        if !held.contains(payment) {
            return Err(not_in_hand(slot, held, payment));
        }
        let paid = payment.total();
        if paid < building.price() {
            return Err(Illegal::PaidTooLittle { building, paid });
        }
        if purchase.give && !self.has_dummy() {
            return Err(Illegal::NoDummy);
        }
        self.hands[seat.index()].0[slot.index()] = held.minus(payment);
        let discard = &mut self.discard.0[slot.index()];
        *discard = discard.plus(payment);
        self.yard[slot.index()] = None;
        let owner = if purchase.give { self.dummy_index() } else { seat.index() };
        self.buildings[owner] = self.buildings[owner].with(building);
        events.push(Event::Bought { seat, building, purchase });
        if paid == building.price() {
            self.turn_purchases.push(TurnPurchase { building, purchase });
        } else {
            self.end_turn(seat, events);
        }
        Ok(())
    }
}

/// Creates the refusal of a payment with cards that are not in the hand. The refusal names the
/// highest card that is missing.
fn not_in_hand(slot: Currency, held: ValueCounts, payment: ValueCounts) -> Illegal {
    let is_short = |value: &u8| payment.count(*value) > held.count(*value);
    let value = (1..=VALUES as u8).rev().find(is_short).unwrap_or(1);
    Illegal::NotInHand {
        card: MoneyCard::new(slot, value).unwrap_or(MoneyCard::FIRST),
        count: payment.count(value),
        held: held.count(value),
    }
}
