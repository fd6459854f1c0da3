//! Conversions for Bridges to Nowhere's messages.

use bridgemaster_games::bridges_to_nowhere::{
    BridgeCard, CONTRACTS_TO_WIN, Card, Cell, Config, Contract, Deal, Decision, Edition,
    EditionParts, Event, GAMES, GameResult, LEVELS, MAX_CATEGORY_POINTS, MAX_COLUMN, MAX_GAMES,
    MAX_NUMBER, MONUMENTS, NextCards, Observation, PLAYERS, Phase, Piece, Placement, ROUNDS,
    SeatScore, Setup, Style, Symbol,
};

use super::v1;
use crate::games::{
    conversion::{InRange, Optional, OptionalList, OrZero, Plain, SeatBelow, WithDefault},
    describe::{wire_message, wire_oneof},
    enums::{OrDefault, wire_enum},
    other_form::wire_edition,
};

/// A seat number in this game.
const SEAT: SeatBelow = SeatBelow(PLAYERS);
/// The index of a game in the match.
const GAME: InRange<u8> = InRange(0..=MAX_GAMES as u8 - 1);
/// The index of a round in a game.
const ROUND: InRange<u8> = InRange(0..=ROUNDS - 1);
const POINTS: InRange<u16> = InRange(0..=MAX_CATEGORY_POINTS);

wire_enum! { Style = v1::Style { Suspension Truss Cable } }
wire_enum! { Symbol = v1::Symbol { Fish Bird Boat } }
wire_enum! {
    Contract = v1::Contract {
        Triple SpiceOfLife LongestMile SpanningTheDivide TrialOfTheSea Double
    }
}

wire_enum! { NextCards = v1::NextCards { BeforeBuilding AfterBuilding } }

wire_message! { BridgeCard = v1::BridgeCard { style, number: OrZero(MAX_NUMBER), left, right } }
wire_message! { Card = v1::Card { card } => card }
wire_oneof! {
    Card = v1::card::Card {
        BridgeCard(card) => (Self::Bridge(card)),
        Monument {},
    }
}
wire_message! {
    Placement = v1::Placement {
        piece;
        level: InRange(1..=LEVELS as u8), column: InRange(-MAX_COLUMN..=MAX_COLUMN)
            => cell (Cell { level, column }),
    }
}
wire_oneof! {
    Piece = v1::placement::Piece {
        BridgeCard(card) => (Self::Card(Card::Bridge(card))),
        Monument {} => (Self::Card(Card::Monument)),
        Pillar {},
    }
}
wire_message! {
    SeatScore = v1::SeatScore {
        numbers: POINTS,
        tolls: POINTS,
        monuments: POINTS,
        symbols: POINTS,
        contract: POINTS,
    }
}

wire_message! {
    Config = v1::Config {
        contracts: WithDefault(|| Config::default().contracts, Plain),
        contracts_to_win: WithDefault(
            || Config::default().contracts_to_win,
            InRange(CONTRACTS_TO_WIN)
        ),
        games: WithDefault(|| Config::default().games, InRange(GAMES)),
        next_cards: OrDefault,
        edition,
    }
}
wire_edition! { Edition = v1::Edition as EditionParts }
wire_message! { EditionParts = v1::Edition { name, cards } }

wire_message! { Setup = v1::Setup { contracts: OptionalList(Plain), deals } }
wire_message! { Deal = v1::Deal { first_drafter: SEAT, deck } }

wire_message! { Decision = v1::Decision { decision } => decision }
wire_oneof! {
    Decision = v1::decision::Decision {
        Take(card),
        Place(placement),
        End as EndBuilding {},
    }
}

wire_message! { Event = v1::Event { event } => event }
wire_oneof! {
    Event = v1::event::Event {
        GameStarted { game: GAME, contract },
        RoundStarted { round: ROUND, first_drafter: SEAT, opened },
        Taken { seat: SEAT, card },
        DraftEnded { discarded, next_cards },
        Placed { seat: SEAT, placement },
        BuildingEnded { seat: SEAT, discarded },
        Scored { seat: SEAT, score },
        GameEnded { game: GAME, winner: Optional(SEAT) },
        MatchEnded {},
    }
}

wire_message! {
    Observation = v1::Observation {
        viewer_seat => viewer: SEAT,
        results,
        game: GAME,
        contract,
        round: ROUND,
        first_drafter: SEAT,
        phase,
        open,
        monuments: InRange(0..=MONUMENTS),
        unseen,
        seats,
    } with games = 0
}
wire_oneof! {
    Phase = v1::observation::Phase {
        Draft as DraftPhase { seat: SEAT },
        Build as BuildPhase {},
        Over as OverPhase {},
    }
}
wire_message! { GameResult = v1::GameResult { contract, winner: Optional(SEAT), scores } }
