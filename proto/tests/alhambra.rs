//! Alhambra on the wire: what is not well formed is refused with the path of the field, what is
//! rare or at the end of a range survives.

use bridgemaster_games::{
    ChanceStream, Game, LegalList, NoEvents, Seat, SeatCount, Viewer,
    alhambra::{
        Alhambra, Building, Buildings, Category, Config, Currency, Decision, DummyPlaces, Event,
        MAX_CATEGORY_POINTS, MAX_SHUFFLES, MONEY_CARDS, Money, MoneyCard, Observation, Owner,
        Phase, PlaceRange, Purchase, RowCards, Scoring, Setup, Shuffle, TurnPurchase, ValueCounts,
        WithoutBuildings,
    },
};
use bridgemaster_proto::{
    games::{WireError, WireGame, alhambra::v1 as wire},
    v1::{
        self, GameChance, GameDecision, GameEvent, GameObservation, game_chance, game_observation,
        game_setup,
    },
};
use prost::Message;
use serde_json::{Value, json};

use crate::{
    descriptors::from_json,
    random_match::{Wired, setup_of},
    round_trip::sent,
};

fn decision(entry: &Value) -> Result<Decision, WireError> {
    let json = json!({ "alhambra": entry });
    let wire: GameDecision = from_json("bridgemaster.v1.GameDecision", &json);
    Alhambra::decision_from_wire(&wire)
}

fn event(entry: &Value) -> Result<Event, WireError> {
    let json = json!({ "alhambra": entry });
    let wire: GameEvent = from_json("bridgemaster.v1.GameEvent", &json);
    Alhambra::event_from_wire(&wire)
}

fn config(entry: &Value) -> Result<Config, WireError> {
    let json = json!({ "alhambra": entry });
    let wire: v1::GameConfig = from_json("bridgemaster.v1.GameConfig", &json);
    Alhambra::config_from_wire(&wire)
}

/// Checks the path below the game and a part of the explanation of a refusal.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, WireError>, field: &str, detail: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.field, format!("alhambra.{field}"), "{error}");
    assert!(error.detail.contains(detail), "{error}");
}

/// A well-formed money card.
fn blue_7() -> Value {
    json!({ "currency": "CURRENCY_BLUE", "value": 7 })
}

/// A well-formed building.
fn garden_10() -> Value {
    json!({ "category": "CATEGORY_GARDEN", "price": 10 })
}

#[test]
fn malformed_decisions_name_the_field() {
    let take = |card: Value| json!({ "take": { "cards": [blue_7(), card] } });
    let buy = |payment: Value| json!({ "buy": { "slot": "CURRENCY_GREEN", "payment": payment } });
    let cases = [
        (json!({}), "decision", "take, buy and pass"),
        (
            take(json!({ "value": 3 })),
            "take.cards[1].currency",
            "must be set to one of CURRENCY_BLUE",
        ),
        (
            take(json!({ "currency": 5, "value": 3 })),
            "take.cards[1].currency",
            "5 is not one of",
        ),
        (
            take(json!({ "currency": 4 })),
            "take.cards[1].value",
            "0 is not in 1 to 9",
        ),
        (
            take(json!({ "currency": 4, "value": 10 })),
            "take.cards[1].value",
            "10 is not in 1 to 9",
        ),
        (
            json!({ "take": { "cards": vec![blue_7(); 5] } }),
            "take.cards",
            "at most 4 entries, found 5",
        ),
        (
            json!({ "buy": { "payment": [5] } }),
            "buy.slot",
            "must be set to one of CURRENCY_BLUE",
        ),
        (buy(json!([3, 0])), "buy.payment[1]", "0 is not in 1 to 9"),
        (
            buy(json!([4, 5, 4_000_000_000u32])),
            "buy.payment[2]",
            "1 to 9",
        ),
        (
            buy(json!([4, 4, 9, 4, 4])),
            "buy.payment",
            "at most 3 cards of each value",
        ),
        (
            buy(json!(vec![9; 300])),
            "buy.payment",
            "at most 3 cards of each value",
        ),
    ];
    for (entry, field, detail) in cases {
        refused(decision(&entry), field, detail);
    }
}

#[test]
fn cards_are_accepted_in_any_order() {
    let [b2, g3] = [(Currency::Blue, 2), (Currency::Green, 3)]
        .map(|(currency, value)| MoneyCard::new(currency, value).unwrap());
    let turned = json!({ "take": { "cards": [
        { "currency": "CURRENCY_GREEN", "value": 3 }, { "currency": "CURRENCY_BLUE", "value": 2 },
    ] } });
    let take = Decision::Take(RowCards::of([b2, g3]).unwrap());
    assert_eq!(decision(&turned), Ok(take));

    let mixed = json!({ "buy": { "slot": "CURRENCY_ORANGE", "payment": [5, 1, 5, 3] } });
    let buy = Decision::Buy(Purchase {
        slot: Currency::Orange,
        payment: ValueCounts::new([1, 0, 1, 0, 2, 0, 0, 0, 0]).unwrap(),
        give: false,
    });
    assert_eq!(decision(&mixed), Ok(buy));
}

#[test]
fn decisions_at_the_ends_of_their_ranges_survive_the_wire() {
    let highest = MoneyCard::all().last().unwrap();
    let payment = |counts| ValueCounts::new(counts).unwrap();
    let buy = |slot, payment, give| {
        Decision::Buy(Purchase {
            slot,
            payment,
            give,
        })
    };
    for decision in [
        Decision::Take(RowCards::EMPTY),
        Decision::Take(RowCards::of([highest; 4]).unwrap()),
        buy(Currency::Blue, ValueCounts::EMPTY, false),
        buy(Currency::Yellow, payment([3; 9]), true),
        buy(Currency::Green, payment([0, 0, 0, 0, 0, 0, 0, 0, 1]), false),
        Decision::Pass,
    ] {
        let wire: GameDecision = sent(&Alhambra::decision_to_wire(&decision));
        assert_eq!(Alhambra::decision_from_wire(&wire), Ok(decision));
    }
}

/// A legal list at its cap: both seats take and never buy.
fn hoarders_list() -> Vec<Decision> {
    let setup = setup_of::<Alhambra>(&Config::default(), 2, 3);
    let seats = SeatCount::new(2).unwrap();
    let mut state = Alhambra::start(&Config::default(), seats, &setup, &mut NoEvents).unwrap();
    let mut legal = Vec::new();
    loop {
        let seat = Alhambra::owing(&state).iter().next().unwrap();
        if Alhambra::legal(&state, seat, &mut legal) == LegalList::Cut {
            return legal;
        }
        assert!(matches!(legal[0], Decision::Take(_)));
        Alhambra::apply(&mut state, seat, &legal[0], &mut NoEvents).unwrap();
    }
}

#[test]
fn a_list_at_its_cap_stays_small_and_survives_the_wire() {
    /// Most bytes of a decision of a long list, on average: a card paid is one byte.
    const MAX_BYTES: usize = 16;
    let legal = hoarders_list();
    assert_eq!(legal.len(), Alhambra::LEGAL_CAP);
    let request = v1::DecisionRequest {
        legal_decisions: legal.iter().map(Alhambra::decision_to_wire).collect(),
        ..Default::default()
    };
    let bytes = request.encoded_len();
    assert!(bytes <= MAX_BYTES * legal.len(), "{bytes} bytes");
    let read = sent(&request).legal_decisions;
    let read: Result<Vec<Decision>, WireError> =
        read.iter().map(Alhambra::decision_from_wire).collect();
    assert_eq!(read, Ok(legal));
}

#[test]
fn malformed_events_name_the_field() {
    let cases = [
        (json!({}), "event", "must be set"),
        (
            json!({ "handDealt": { "seat": 6 } }),
            "hand_dealt.seat",
            "6 is not a seat; 0 to 5 are",
        ),
        (
            json!({ "handDealt": { "cards": [{ "value": 3 }] } }),
            "hand_dealt.cards[0].currency",
            "must be set",
        ),
        (
            json!({ "handDealt": { "cards": vec![blue_7(); 4] } }),
            "hand_dealt.cards",
            "at most 3 of each card",
        ),
        (
            json!({ "dummyDrew": { "buildings": [garden_10(), { "price": 7 }] } }),
            "dummy_drew.buildings[1].category",
            "must be set to one of CATEGORY_PAVILION",
        ),
        (
            json!({ "dummyDrew": { "buildings": vec![garden_10(); 4] } }),
            "dummy_drew.buildings",
            "at most 3 of each building",
        ),
        (
            json!({ "buildingLaid": { "building": garden_10() } }),
            "building_laid.slot",
            "must be set",
        ),
        (
            json!({ "buildingLaid": { "slot": "CURRENCY_BLUE" } }),
            "building_laid.building",
            "must be set",
        ),
        (
            json!({ "buildingLaid": {
                "slot": "CURRENCY_BLUE", "building": { "category": "CATEGORY_GARDEN", "price": 13 },
            } }),
            "building_laid.building.price",
            "13 is not in 6 to 12",
        ),
        (
            json!({ "moneyOpened": {} }),
            "money_opened.card",
            "must be set",
        ),
        (
            json!({ "moneyOpened": { "card": { "currency": 1, "value": 10 } } }),
            "money_opened.card.value",
            "10 is not in 1 to 9",
        ),
        (
            json!({ "turnStarted": { "seat": 256 } }),
            "turn_started.seat",
            "256 is not a seat",
        ),
        (
            json!({ "moneyTaken": { "cards": vec![blue_7(); 5] } }),
            "money_taken.cards",
            "at most 4 entries, found 5",
        ),
        (
            json!({ "bought": { "building": garden_10() } }),
            "bought.purchase",
            "must be set",
        ),
        (
            json!({ "bought": {
                "building": garden_10(), "purchase": { "slot": 1, "payment": [10] },
            } }),
            "bought.purchase.payment[0]",
            "10 is not in 1 to 9",
        ),
        (json!({ "passed": { "seat": 6 } }), "passed.seat", "0 to 5"),
        (
            json!({ "moneyShuffled": {} }),
            "money_shuffled.cards",
            "0 is not in 1 to 108",
        ),
        (
            json!({ "buildingAllotted": { "slot": 4, "building": garden_10(), "seat": 6 } }),
            "building_allotted.seat",
            "0 to 5",
        ),
        (
            json!({ "scored": { "seat": 0, "points": [0, 0, 0, 0, 0, 0] } }),
            "scored.scoring",
            "must be set to one of SCORING_A, SCORING_B, SCORING_C",
        ),
        (
            json!({ "scored": { "scoring": "SCORING_A", "points": [0, 0, 0, 0, 0, 0] } }),
            "scored.owner",
            "seat or dummy must be set",
        ),
        (
            json!({ "scored": { "scoring": "SCORING_A", "seat": 6 } }),
            "scored.seat",
            "0 to 5",
        ),
        (
            json!({ "scored": { "scoring": "SCORING_A", "dummy": {} } }),
            "scored.points",
            "must have 6 entries, found 0",
        ),
        (
            json!({ "scored": {
                "scoring": "SCORING_C", "dummy": {}, "points": [0, 0, 0, 0, 0, 22],
            } }),
            "scored.points[5]",
            "22 is not in 0 to 21",
        ),
    ];
    for (entry, field, detail) in cases {
        refused(event(&entry), field, detail);
    }
}

#[test]
fn malformed_configs_name_the_field() {
    refused(
        config(&json!({ "withoutBuildings": 3 })),
        "without_buildings",
        "3 is not one of WITHOUT_BUILDINGS_NO_PLACE, WITHOUT_BUILDINGS_PLACE",
    );
    refused(
        config(&json!({ "dummyPlaces": -1 })),
        "dummy_places",
        "-1 is not one of DUMMY_PLACES_ALL, DUMMY_PLACES_FIRST_ONLY",
    );
}

#[test]
fn malformed_setups_name_the_field() {
    let config = Config::default();
    let setup = setup_of::<Alhambra>(&config, 6, 5);
    let with = |change: &dyn Fn(&mut wire::Setup)| {
        let mut wire = Alhambra::setup_to_wire(&setup);
        let Some(game_setup::Game::Alhambra(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(entry);
        Alhambra::setup_from_wire(&wire, &config)
    };
    refused(
        with(&|s| s.buildings.truncate(53)),
        "buildings",
        "must have 54 entries, found 53",
    );
    refused(
        with(&|s| s.buildings[53].category = 7),
        "buildings[53].category",
        "7 is not one of",
    );
    refused(
        with(&|s| {
            s.buildings[3] = wire::Building {
                category: 1,
                price: 9,
            }
        }),
        "buildings[3].price",
        "9 is not in 2 to 8",
    );
    refused(
        with(&|s| s.money.push(s.money[0])),
        "money",
        "at most 108 entries, found 109",
    );
    refused(
        with(&|s| s.money[107].value = 0),
        "money[107].value",
        "1 to 9",
    );
    refused(
        with(&|s| s.scoring_a_place = 108),
        "scoring_a_place",
        "108 is not in 0 to 107",
    );
    refused(
        with(&|s| s.scoring_b_place = 256),
        "scoring_b_place",
        "256 is not in 0 to 107",
    );
}

#[test]
fn setups_at_the_ends_of_their_ranges_survive_the_wire() {
    let config = Config::default();
    let drawn = setup_of::<Alhambra>(&config, 2, 7);
    for (scoring_a_place, scoring_b_place) in [(0, 107), (107, 0)] {
        let setup = Setup {
            scoring_a_place,
            scoring_b_place,
            ..drawn.clone()
        };
        let wire: v1::GameSetup = sent(&Alhambra::setup_to_wire(&setup));
        assert_eq!(Alhambra::setup_from_wire(&wire, &config), Ok(setup));
    }
}

#[test]
fn malformed_shuffles_name_the_field() {
    let shuffle = |cards: Vec<wire::MoneyCard>| {
        let entry = Box::new(wire::Shuffle { cards });
        let game = Some(game_chance::Game::Alhambra(entry));
        Alhambra::chance_from_wire(&GameChance { game })
    };
    let card = wire::MoneyCard {
        currency: 1,
        value: 7,
    };
    let bad = wire::MoneyCard {
        currency: 1,
        value: 10,
    };
    refused(shuffle(vec![card, bad]), "cards[1].value", "1 to 9");
    refused(
        shuffle(vec![card; 109]),
        "cards",
        "at most 108 entries, found 109",
    );
    let nothing = Alhambra::chance_from_wire(&GameChance::default());
    assert_eq!(nothing.unwrap_err().field, "alhambra");
}

#[test]
fn shuffles_of_every_length_keep_their_order_on_the_wire() {
    for cards in [0, 1, MONEY_CARDS] {
        let falling = MoneyCard::all()
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .cycle();
        let shuffle = Shuffle {
            cards: falling.take(cards).collect(),
        };
        let wire: GameChance = sent(&Alhambra::chance_to_wire(&shuffle));
        assert_eq!(Alhambra::chance_from_wire(&wire), Ok(shuffle));
    }
}

/// What a spectator sees at the start of a match.
fn start(seats: u8) -> Observation {
    let config = Config::default();
    let setup = setup_of::<Alhambra>(&config, seats, 3);
    let seats = SeatCount::new(seats).unwrap();
    let state = Alhambra::start(&config, seats, &setup, &mut NoEvents).unwrap();
    Alhambra::observe(&state, Viewer::Spectator)
}

#[test]
fn malformed_observations_name_the_field() {
    let with = |change: &dyn Fn(&mut wire::Observation)| {
        let mut wire = Alhambra::observation_to_wire(&start(2));
        let Some(game_observation::Game::Alhambra(entry)) = &mut wire.game else {
            unreachable!()
        };
        change(entry);
        Alhambra::observation_from_wire(&wire, &Config::default())
    };
    refused(
        with(&|o| o.viewer_seat = Some(6)),
        "viewer_seat",
        "6 is not a seat",
    );
    refused(
        with(&|o| o.phase = None),
        "phase",
        "turn, shuffle and over must be set",
    );
    refused(
        with(&|o| o.phase = Some(wire::observation::Phase::Turn(wire::TurnPhase { seat: 9 }))),
        "turn.seat",
        "0 to 5",
    );
    let shuffle = wire::ShufflePhase { seat: 6 };
    refused(
        with(&|o| o.phase = Some(wire::observation::Phase::Shuffle(shuffle))),
        "shuffle.seat",
        "0 to 5",
    );
    refused(
        with(&|o| o.turn_purchases = vec![wire::TurnPurchase::default()]),
        "turn_purchases[0].building",
        "must be set",
    );
    refused(
        with(&|o| {
            let building = wire::Building {
                category: 6,
                price: 13,
            };
            o.turn_purchases = vec![wire::TurnPurchase {
                building: Some(building),
                purchase: Some(wire::Purchase::default()),
            }];
        }),
        "turn_purchases[0].purchase.slot",
        "must be set",
    );
    refused(
        with(&|o| o.turn_purchases = vec![wire::TurnPurchase::default(); 5]),
        "turn_purchases",
        "at most 4 entries, found 5",
    );
    refused(
        with(&|o| o.seats = vec![o.seats[0].clone(); 7]),
        "seats",
        "at most 6 entries, found 7",
    );
    refused(
        with(&|o| o.seats[1].hand = None),
        "seats[1].hand",
        "must be set",
    );
    refused(
        with(&|o| o.seats[1].hand.as_mut().unwrap().yellow = vec![1, 2, 10]),
        "seats[1].hand.yellow[2]",
        "10 is not in 1 to 9",
    );
    refused(
        with(&|o| o.seats[0].buildings.as_mut().unwrap().towers = vec![7, 6]),
        "seats[0].buildings.towers[1]",
        "6 is not in 7 to 13",
    );
    refused(
        with(&|o| o.seats[0].buildings.as_mut().unwrap().gardens = vec![8, 8, 8, 8]),
        "seats[0].buildings.gardens[3]",
        "the box has only 3 of garden 8",
    );
    refused(
        with(&|o| o.seats[0].points.as_mut().unwrap().b = vec![1; 5]),
        "seats[0].points.b",
        "must have 6 entries, found 5",
    );
    refused(
        with(&|o| o.seats[0].points.as_mut().unwrap().c = vec![0, 0, 22, 0, 0, 0]),
        "seats[0].points.c[2]",
        "22 is not in 0 to 21",
    );
    refused(
        with(&|o| o.dummy.as_mut().unwrap().buildings = None),
        "dummy.buildings",
        "must be set",
    );
    refused(with(&|o| o.yard = None), "yard", "must be set");
    refused(
        with(&|o| o.yard.as_mut().unwrap().orange = Some(wire::Building::default())),
        "yard.orange.category",
        "must be set",
    );
    refused(
        with(&|o| o.row.push(o.row[0])),
        "row",
        "at most 4 entries, found 5",
    );
    refused(with(&|o| o.discard = None), "discard", "must be set");
    refused(
        with(&|o| o.unseen_money.as_mut().unwrap().green = vec![1; 4]),
        "unseen_money.green",
        "at most 3 cards of each value",
    );
    refused(
        with(&|o| o.unseen_buildings = None),
        "unseen_buildings",
        "must be set",
    );
    refused(
        with(&|o| o.scoring_card_a.as_mut().unwrap().first = 108),
        "scoring_card_a.first",
        "108 is not in 0 to 107",
    );
    refused(
        with(&|o| o.scoring_card_b.as_mut().unwrap().last = 300),
        "scoring_card_b.last",
        "300 is not in 0 to 107",
    );
    refused(
        with(&|o| o.shuffles = u32::from(MAX_SHUFFLES) + 1),
        "shuffles",
        "55 is not in 0 to 54",
    );
}

#[test]
fn observations_at_the_ends_of_their_ranges_survive_the_wire() {
    let last = Seat::new(5).unwrap();
    let mut observation = start(6);
    observation.viewer = Viewer::Seat(last);
    observation.phase = Phase::Shuffle { seat: last };
    observation.yard = [None; 4];
    observation.row = RowCards::EMPTY;
    let hand = Money::new([ValueCounts::new([3; 9]).unwrap(); 4]);
    observation.seats[5].hand = hand;
    observation.seats[5].buildings = Buildings::ALL;
    observation.seats[5].points = [[MAX_CATEGORY_POINTS; 6]; 3];
    observation.seats[4].points = [[0, 0, 0, 0, 0, 1], [0; 6], [1, 0, 0, 0, 0, 0]];
    observation.discard = hand;
    observation.unseen_money = Money::EMPTY;
    observation.unseen_buildings = Buildings::EMPTY;
    let range = PlaceRange {
        first: 0,
        last: 107,
    };
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
    let wire: GameObservation = sent(&Alhambra::observation_to_wire(&observation));
    let read = Alhambra::observation_from_wire(&wire, &Config::default());
    assert_eq!(read, Ok(observation));
}

#[test]
fn points_may_be_left_out_or_sent_as_zeros() {
    let observation = start(3);
    let mut wire = Alhambra::observation_to_wire(&observation);
    let Some(game_observation::Game::Alhambra(entry)) = &mut wire.game else {
        unreachable!()
    };
    let points = entry.seats[0].points.as_mut().unwrap();
    assert!(points.a.is_empty());
    points.a = vec![0; 6];
    let read = Alhambra::observation_from_wire(&wire, &Config::default());
    assert_eq!(read, Ok(observation));
}

#[test]
fn events_that_random_play_hardly_reaches_survive_the_wire() {
    let seat = Seat::new(5).unwrap();
    let building = Building::new(Category::Tower, 13).unwrap();
    for event in [
        Event::HandDealt {
            seat,
            money: Money::EMPTY,
        },
        Event::HandDealt {
            seat,
            money: Money::new([ValueCounts::new([3; 9]).unwrap(); 4]),
        },
        Event::DummyDrew {
            buildings: Buildings::EMPTY,
        },
        Event::DummyDrew {
            buildings: Buildings::ALL,
        },
        Event::Passed { seat },
        Event::MoneyShuffled { cards: 1 },
        Event::MoneyShuffled {
            cards: MONEY_CARDS as u8,
        },
        Event::YardShort,
        Event::BuildingAllotted {
            slot: Currency::Yellow,
            building,
            seat: None,
        },
        Event::BuildingAllotted {
            slot: Currency::Blue,
            building,
            seat: Some(seat),
        },
        Event::BuildingAllotted {
            slot: Currency::Blue,
            building,
            seat: Seat::new(0),
        },
        Event::Scored {
            scoring: Scoring::A,
            owner: Owner::Dummy,
            points: [0; 6],
        },
        Event::Scored {
            scoring: Scoring::C,
            owner: Owner::Seat(Seat::new(0).unwrap()),
            points: [MAX_CATEGORY_POINTS; 6],
        },
    ] {
        let wire: GameEvent = sent(&Alhambra::event_to_wire(&event));
        assert_eq!(Alhambra::event_from_wire(&wire), Ok(event));
    }
}

impl Wired for Alhambra {
    fn any_config(chance: &mut ChanceStream) -> Config {
        Config {
            without_buildings: match chance.below(2) {
                0 => WithoutBuildings::NoPlace,
                _ => WithoutBuildings::Place,
            },
            dummy_places: match chance.below(2) {
                0 => DummyPlaces::All,
                _ => DummyPlaces::FirstOnly,
            },
        }
    }
}
