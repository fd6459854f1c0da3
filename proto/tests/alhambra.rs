//! Alhambra on the wire: rare values and both ends of ranges survive.

use bridgemaster_games::{
    Game, LegalList, NoEvents, Rules, Sample, Seat, SeatCount, Viewer,
    alhambra::{
        Alhambra, Building, Buildings, Category, Config, Currency, Decision, Event,
        MAX_CATEGORY_POINTS, MAX_SHUFFLES, MONEY_CARDS, Money, MoneyCard, Observation, Owner,
        Phase, PlaceRange, Purchase, RowCards, Scoring, Setup, Shuffle, TurnPurchase, ValueCounts,
    },
};
use bridgemaster_proto::{
    games::{FieldError, WireGame},
    v1::{self, GameDecision, game_observation},
};
use prost::Message;
use serde_json::{Value, json};

use crate::{
    descriptors::from_json,
    random_match::{Rare, Wired, setup_of},
    round_trip::sent,
};

fn decision(entry: &Value) -> Result<Decision, FieldError> {
    let json = json!({ "alhambra": entry });
    let wire: GameDecision = from_json("bridgemaster.v1.GameDecision", &json);
    Alhambra::decision_from_wire(&wire)
}

#[test]
fn cards_are_accepted_in_any_order() {
    let [b2, g3] = [(Currency::Blue, 2), (Currency::Green, 3)]
        .map(|(currency, value)| MoneyCard::new(currency, value).unwrap());
    let turned = json!({ "take": { "cards": [
        { "currency": "CURRENCY_GREEN", "value": 3 }, { "currency": "CURRENCY_BLUE", "value": 2 },
    ] } });
    let take = Decision::Take(RowCards::from_cards([b2, g3]).unwrap());
    assert_eq!(decision(&turned), Ok(take));

    let mixed = json!({ "buy": { "slot": "CURRENCY_ORANGE", "payment": [5, 1, 5, 3] } });
    let buy = Decision::Buy(Purchase {
        slot: Currency::Orange,
        payment: ValueCounts::new([1, 0, 1, 0, 2, 0, 0, 0, 0]).unwrap(),
        give: false,
    });
    assert_eq!(decision(&mixed), Ok(buy));
}

/// A legal list with the maximum length: both seats take money and never buy.
fn hoarders_list() -> Vec<Decision> {
    let setup = setup_of::<Alhambra>(&Config::default(), 2, 3);
    let seats = SeatCount::new(2).unwrap();
    let mut state = Alhambra::start(&Config::default(), seats, &setup, &mut NoEvents).unwrap();
    let mut legal = Vec::new();
    loop {
        let seat = Alhambra::seats_to_decide(&state).iter().next().unwrap();
        if Alhambra::legal(&state, seat, &mut legal) == LegalList::Cut {
            return legal;
        }
        assert!(matches!(legal[0], Decision::Take(_)));
        Alhambra::apply(&mut state, seat, &legal[0], &mut NoEvents).unwrap();
    }
}

#[test]
fn a_list_at_its_cap_stays_small_and_survives_the_wire() {
    /// The maximum mean size of a decision of a long list, in bytes: a paid card is one byte.
    const MAX_BYTES: usize = 16;
    let legal = hoarders_list();
    assert_eq!(legal.len(), Alhambra::LEGAL_CAP);
    let decisions: Vec<v1::GameDecision> = legal.iter().map(Alhambra::decision_to_wire).collect();
    let bytes: usize = decisions.iter().map(|decision| sent(decision).encoded_len()).sum();
    assert!(bytes <= MAX_BYTES * legal.len(), "{bytes} bytes");
    let read: Result<Vec<Decision>, FieldError> =
        decisions.iter().map(|decision| Alhambra::decision_from_wire(&sent(decision))).collect();
    assert_eq!(read, Ok(legal));
}

/// A spectator's observation at the start of a match.
fn start(seats: u8) -> Observation {
    let config = Config::default();
    let setup = setup_of::<Alhambra>(&config, seats, 3);
    let seats = SeatCount::new(seats).unwrap();
    let state = Alhambra::start(&config, seats, &setup, &mut NoEvents).unwrap();
    Alhambra::observe(&state, Viewer::Spectator)
}

#[test]
fn points_may_be_omitted_or_sent_as_zeros() {
    let observation = start(3);
    let mut wire = Alhambra::observation_to_wire(&observation);
    let Some(game_observation::Game::Alhambra(entry)) = &mut wire.game else { unreachable!() };
    let points = entry.seats[0].points.as_mut().unwrap();
    assert!(points.a.is_empty());
    points.a = vec![0; 6];
    let read = Alhambra::observation_from_wire(&wire, &Config::default());
    assert_eq!(read, Ok(observation));
}

/// Decisions at the ends of their ranges.
fn decisions() -> Vec<Decision> {
    let highest = MoneyCard::all().last().unwrap();
    let payment = |counts| ValueCounts::new(counts).unwrap();
    let buy = |slot, payment, give| Decision::Buy(Purchase { slot, payment, give });
    vec![
        Decision::Take(RowCards::EMPTY),
        Decision::Take(RowCards::from_cards([highest; 4]).unwrap()),
        buy(Currency::Blue, ValueCounts::EMPTY, false),
        buy(Currency::Yellow, payment([3; 9]), true),
        buy(Currency::Green, payment([0, 0, 0, 0, 0, 0, 0, 0, 1]), false),
        Decision::Pass,
    ]
}

/// Setups at the ends of their ranges.
fn setups() -> Vec<Setup> {
    let drawn = setup_of::<Alhambra>(&Config::default(), 2, 7);
    let places = [(0, 107), (107, 0)];
    let with = |(scoring_a_place, scoring_b_place)| Setup {
        scoring_a_place,
        scoring_b_place,
        ..drawn.clone()
    };
    places.map(with).to_vec()
}

/// Shuffles with the fewest and with the most cards, in descending order.
fn shuffles() -> Vec<Shuffle> {
    let mut falling: Vec<MoneyCard> = MoneyCard::all().collect();
    falling.reverse();
    let of =
        |cards: usize| Shuffle { cards: falling.iter().copied().cycle().take(cards).collect() };
    [0, 1, MONEY_CARDS].map(of).to_vec()
}

/// An observation at the ends of its ranges.
fn observation() -> Observation {
    let last = Seat::new(5).unwrap();
    let mut observation = start(6);
    observation.viewer = Viewer::Seat(last);
    observation.phase = Phase::Shuffle { seat: last };
    observation.yard = [None; 4];
    observation.row = RowCards::EMPTY;
    let hand = Money([ValueCounts::new([3; 9]).unwrap(); 4]);
    observation.seats[5].hand = hand;
    observation.seats[5].buildings = Buildings::ALL;
    observation.seats[5].points = [[MAX_CATEGORY_POINTS; 6]; 3];
    observation.seats[4].points = [[0, 0, 0, 0, 0, 1], [0; 6], [1, 0, 0, 0, 0, 0]];
    observation.discard = hand;
    observation.unseen_money = Money::EMPTY;
    observation.unseen_buildings = Buildings::EMPTY;
    let range = PlaceRange { first: 0, last: 107 };
    observation.scoring_cards = [Some(range), None];
    observation.shuffles = MAX_SHUFFLES;
    for slot in Currency::ALL {
        observation.turn_purchases.push(TurnPurchase {
            building: Building::new(Category::Tower, 13).unwrap(),
            purchase: Purchase {
                slot,
                payment: ValueCounts::new([0, 0, 0, 1, 0, 0, 0, 0, 1]).unwrap(),
                give: true,
            },
        });
    }
    observation
}

/// Events that random play rarely reaches.
fn events() -> Vec<Event> {
    let seat = Seat::new(5).unwrap();
    let building = Building::new(Category::Tower, 13).unwrap();
    vec![
        Event::HandDealt { seat, money: Money::EMPTY },
        Event::HandDealt { seat, money: Money([ValueCounts::new([3; 9]).unwrap(); 4]) },
        Event::DummyDrew { buildings: Buildings::EMPTY },
        Event::DummyDrew { buildings: Buildings::ALL },
        Event::Passed { seat },
        Event::MoneyShuffled { cards: 1 },
        Event::MoneyShuffled { cards: MONEY_CARDS as u8 },
        Event::YardShort,
        Event::BuildingAllotted { slot: Currency::Yellow, building, seat: None },
        Event::BuildingAllotted { slot: Currency::Blue, building, seat: Some(seat) },
        Event::BuildingAllotted { slot: Currency::Blue, building, seat: Seat::new(0) },
        Event::Scored { scoring: Scoring::A, owner: Owner::Dummy, points: [0; 6] },
        Event::Scored {
            scoring: Scoring::C,
            owner: Owner::Seat(Seat::new(0).unwrap()),
            points: [MAX_CATEGORY_POINTS; 6],
        },
    ]
}

#[test]
fn excess_items_are_refused_at_the_first() {
    let mut wire = Alhambra::observation_to_wire(&start(3));
    let Some(game_observation::Game::Alhambra(entry)) = &mut wire.game else { unreachable!() };
    entry.seats[0].buildings.as_mut().unwrap().gardens = vec![8, 8, 8, 8];
    let error = Alhambra::observation_from_wire(&wire, &Config::default()).unwrap_err();
    assert_eq!(error.field, "alhambra.seats[0].buildings.gardens[3]");
    assert_eq!(error.problem, "the box has only 3 of garden 8");
}

impl Wired for Alhambra {
    fn rare() -> Rare<Self> {
        Rare {
            setups: setups(),
            decisions: decisions(),
            events: events(),
            chances: shuffles(),
            observations: vec![observation()],
        }
    }
}
