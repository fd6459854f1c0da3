//! Descriptions of Alhambra's messages.

use bridgemaster_games::alhambra::{
    Building, CURRENCIES, Category, Config, Currency, Decision, DummyPlaces, DummyView, Event,
    MAX_CATEGORY_POINTS, MAX_PLAYERS, MAX_SHUFFLES, MONEY_CARDS, Observation, Owner, Phase,
    PlaceRange, Points, Purchase, Scoring, SeatView, Setup, Shuffle, TurnPurchase,
    WithoutBuildings,
};

use super::v1;
use crate::games::{
    conversion::{Each, InRange, Optional, SeatBelow, SkipDefault},
    describe::{wire_message, wire_oneof},
    enums::{OrDefault, wire_enum},
};

/// A seat number in this game.
const SEAT: SeatBelow = SeatBelow(MAX_PLAYERS);
/// The number of money cards above another card in the draw pile.
const PLACE: InRange<u8> = InRange(0..=MONEY_CARDS as u8 - 1);
/// The points from one scoring, by category.
const POINTS: Each<InRange<u8>> = Each(InRange(0..=MAX_CATEGORY_POINTS));
/// Points as in [`POINTS`]. The field is omitted if all points are 0.
const SCORED_POINTS: SkipDefault<Each<InRange<u8>>> = SkipDefault(POINTS);

wire_enum! { Currency = v1::Currency { Blue Green Orange Yellow } }
wire_enum! { Category = v1::Category { Pavilion Seraglio Arcades Chambers Garden Tower } }
wire_enum! { Scoring = v1::Scoring { A B C } }
wire_enum! { WithoutBuildings = v1::WithoutBuildings { NoPlace Place } }
wire_enum! { DummyPlaces = v1::DummyPlaces { All FirstOnly } }

wire_message! { Config = v1::Config { without_buildings: OrDefault, dummy_places: OrDefault } }
wire_message! {
    Setup = v1::Setup {
        buildings,
        money,
        scoring_a_place: PLACE,
        scoring_b_place: PLACE,
    }
}
wire_message! { Shuffle = v1::Shuffle { cards } }

wire_message! { Decision = v1::Decision { decision } => decision }
wire_oneof! {
    Decision = v1::decision::Decision {
        Take { cards } => (Self::Take(cards)),
        Buy(purchase),
        Pass {},
    }
}
wire_message! { Purchase = v1::Purchase { slot, payment, give } }

wire_message! { Event = v1::Event { event } => event }
wire_oneof! {
    Event = v1::event::Event {
        HandDealt { seat: SEAT, cards => money },
        DummyDrew { buildings },
        BuildingLaid { slot, building },
        MoneyOpened { card },
        TurnStarted { seat: SEAT },
        MoneyTaken { seat: SEAT, cards },
        Bought { seat: SEAT, building, purchase },
        Passed { seat: SEAT },
        MoneyShuffled { cards: InRange(1..=MONEY_CARDS as u8) },
        YardShort {},
        BuildingAllotted { slot, building, seat: Optional(SEAT) },
        Scored { scoring, owner, points: POINTS },
    }
}
wire_oneof! { Owner = v1::scored::Owner { Seat(seat: SEAT), Dummy {} } }

wire_message! {
    Observation = v1::Observation {
        viewer_seat => viewer: SEAT,
        phase,
        turn_purchases,
        seats,
        dummy,
        yard,
        row,
        discard,
        unseen_money,
        unseen_buildings,
        shuffles: InRange(0..=MAX_SHUFFLES);
        scoring_card_a, scoring_card_b => scoring_cards ([scoring_card_a, scoring_card_b]),
    }
}
wire_oneof! {
    Phase = v1::observation::Phase {
        Turn as TurnPhase { seat: SEAT },
        Shuffle as ShufflePhase { seat: SEAT },
        Over as OverPhase {},
    }
}
wire_message! { TurnPurchase = v1::TurnPurchase { building, purchase } }
wire_message! { SeatView = v1::SeatView { hand, buildings, points } }
wire_message! { DummyView = v1::DummyView { buildings, points } }
wire_message! {
    [Option<Building>; CURRENCIES] = v1::Yard { blue, green, orange, yellow }
        => [blue, green, orange, yellow]
}
wire_message! { PlaceRange = v1::PlaceRange { first: PLACE, last: PLACE } }
wire_message! { Points = v1::Points { a: SCORED_POINTS, b: SCORED_POINTS, c: SCORED_POINTS } => [a, b, c] }
