//! Conversions for Old London Bridge's messages.

use bridgemaster_games::old_london_bridge::{
    Area, BONUS_STACKS, BRIDGE_SLOTS, BUILDINGS_PER_KIND, BonusStackView, Building, BuildingId,
    CARD_VALUES, CARDS, Coat, Config, Decision, Edition, EditionParts, Event, Face, FaceChoice,
    Kind, MARKERS_PER_VALUE, MAX_HOUSE_NUMBER, MAX_INCOME, MAX_PLAYED, MAX_PLAYERS, MAX_ROUNDS,
    MAX_SPACE_MONEY, MAX_TRACK_SPACES, MAX_TURNS, OUTER_SPACES, Observation, Pawn, Phase,
    Placement, PlayedCards, SeatView, Setup, Spot, StartLeaders, TILE_KINDS, TileKind, Turn,
    TurnStep, TurnTile, TurnView,
};

use super::{
    pieces::{ChoiceFor, FaceOf, TileCounts},
    v1,
};
use crate::games::{
    conversion::{Each, InRange, Optional, OrZero, Plain, SeatBelow, SkipDefault, WithDefault},
    describe::{wire_message, wire_oneof},
    enums::{OrDefault, wire_enum},
    other_form::wire_edition,
};

/// The maximum printed value of a card.
const MAX_CARD: u8 = CARD_VALUES as u8 - 1;
/// The maximum raise for a card: the number of `plus_one` tiles in the box, one in each bonus
/// stack.
const MAX_RAISE: u8 = BONUS_STACKS as u8;

/// A seat number in this game.
const SEAT: SeatBelow = SeatBelow(MAX_PLAYERS);
/// The index of a round in the match.
const ROUND: InRange<u8> = InRange(0..=MAX_ROUNDS as u8 - 1);
/// The index of a turn in its round.
const TURN: InRange<u8> = InRange(0..=MAX_TURNS as u8 - 1);
/// The value of a round marker.
const MARKER: InRange<u8> = InRange(1..=3);
/// An outer space of the rondel, or its orientation.
const OUTER: InRange<u8> = InRange(0..=OUTER_SPACES as u8 - 1);
/// The printed value of a card.
const CARD: InRange<u8> = InRange(0..=MAX_CARD);
/// The number of cards by value.
const CARD_COUNTS: Each<InRange<u8>> = Each(InRange(0..=CARDS[1]));
/// The number by which a played card is raised.
const RAISE: InRange<u8> = InRange(0..=MAX_RAISE);
/// A slot on a bridge, from the left.
const SLOT: InRange<u8> = InRange(0..=BRIDGE_SLOTS as u8 - 1);
const BONUS_STACK: InRange<u8> = InRange(0..=BONUS_STACKS as u8 - 1);
/// A space on a track, or a number of spaces.
const SPACE: InRange<u8> = InRange(0..=MAX_TRACK_SPACES);
/// A space that an edition names.
const EDITION_SPACE: InRange<u8> = InRange(1..=MAX_TRACK_SPACES);
/// An optional house number.
const NUMBER: OrZero = OrZero(MAX_HOUSE_NUMBER);

wire_enum! { Kind = v1::Kind { Chapel Gate Inn Haberdashery Guildhall Park } }
wire_enum! { Coat = v1::Coat { Blue Orange Grey Green } }
wire_enum! {
    TileKind = v1::TileKind {
        Share FreeCentre XSpace Recall ChapelPlus2 GatePlus2 PlusOne TakeA2
    }
}
wire_enum! { TurnTile = v1::TileKind { Recall ChapelPlus2 GatePlus2 } among others }
wire_enum! {
    Face = v1::Face {
        ChapelTrack MostChapels ChapelLeader AheadOfLast MoneyAgain
        GateTrack MostGates GateLeader GateDistance TileTable
        HandSum MostInns HighestCard HandSize CardSets
        MostBuildings LongestSeries LowestNumber LowNumbers FullSets
    }
}
wire_enum! { Spot = v1::Spot { Outer Centre } }
wire_enum! { StartLeaders = v1::StartLeaders { Unpaid Paid } }

wire_message! { Building = v1::Building { kind, number: NUMBER, coat } }
wire_message! { PlayedCards = v1::PlayedCards { first: CARD, second: Optional(CARD) } }
wire_message! { [u8; MAX_PLAYED] = v1::Raises { first: RAISE, second: RAISE } => [first, second] }
wire_message! { Pawn = v1::Pawn { place } => place }
wire_oneof! {
    Pawn = v1::pawn::Place { Off as OffRondel {}, Outer(space: OUTER), Centre {} }
}
wire_message! {
    Turn = v1::Turn {
        seat: SEAT,
        card: CARD,
        value: InRange(0..=MAX_CARD + MAX_RAISE),
    }
}
wire_message! {
    [Face; 4] = v1::Faces {
        chapel: FaceOf(Area::Chapel),
        gate: FaceOf(Area::Gate),
        inn: FaceOf(Area::Inn),
        bridge: FaceOf(Area::Bridge),
    } => [chapel, gate, inn, bridge]
}

wire_message! {
    Config = v1::Config {
        faces: WithDefault(|| Config::default().faces, Plain),
        edition,
        start_leaders: OrDefault,
    }
}
wire_message! {
    [FaceChoice; 4] = v1::FaceChoices {
        chapel: ChoiceFor(Area::Chapel),
        gate: ChoiceFor(Area::Gate),
        inn: ChoiceFor(Area::Inn),
        bridge: ChoiceFor(Area::Bridge),
    } => [chapel, gate, inn, bridge]
}
wire_message! { FaceChoice = v1::FaceChoice { choice } => choice }
wire_oneof! {
    FaceChoice = v1::face_choice::Choice { Face(face), Random as RandomFace {} }
}
// The rules use the names from the edition file, in which the rondel has another form.
wire_edition! {
    Edition = v1::Edition as EditionParts,
    errors by |error: FieldError| FieldError {
        field: error.field.replace("rondel", "rondel_incomes"),
        ..error
    }
}
wire_message! {
    EditionParts = v1::Edition {
        name,
        ring,
        rondel_incomes => rondel: Each(OrZero(MAX_INCOME)),
        chapel_last_space: EDITION_SPACE,
        chapel_money,
        gate_last_space: EDITION_SPACE,
        gate_bonus: Each(EDITION_SPACE),
        bonus_stacks,
        buildings,
    }
}
wire_message! {
    (u8, u8) = v1::MoneySpace { space: EDITION_SPACE, money: InRange(1..=MAX_SPACE_MONEY) }
        => (space, money)
}
wire_message! { Vec<TileKind> = v1::BonusTiles { tiles } => tiles }

wire_message! {
    Setup = v1::Setup {
        orientation: OUTER,
        stacks,
        markers: Each(MARKER),
        bonus_stacks,
        stairs: Each(SEAT),
        faces,
    }
}
wire_message! { [BuildingId; BUILDINGS_PER_KIND] = v1::BuildingOrder { buildings } => buildings }
wire_message! { [TileKind; TILE_KINDS] = v1::BonusTiles { tiles } => tiles }

wire_message! { Decision = v1::Decision { decision } => decision }
wire_oneof! {
    Decision = v1::decision::Decision {
        TakeA2 { used } => (Self::TakeA2(used)),
        PlayCards(cards),
        RaiseCards(raises),
        Place(placement),
        Replace { slot: SLOT } => (Self::Replace(slot)),
        TakeTile { bonus_stack: BONUS_STACK } => (Self::TakeTile(bonus_stack)),
        TakeCards { cards: CARD_COUNTS } => (Self::TakeCards(cards)),
        UseTile { tile } => (Self::UseTile(tile)),
        End as EndTurn {},
    }
}
wire_message! { Placement = v1::Place { spot, stack, share, opening } }

wire_message! { Event = v1::Event { event } => event }
wire_oneof! {
    Event = v1::event::Event {
        RoundStarted { round: ROUND, marker: MARKER, orientation: OUTER },
        TakeA2Answered { seat: SEAT, used },
        CardsChosen { seat: SEAT },
        CardsRevealed { seat: SEAT, cards },
        CardsRaised { seat: SEAT, raises },
        OrderFixed { turns },
        TurnStarted { turn: TURN, seat: SEAT, card: CARD },
        Placed { seat: SEAT, pawn, stack, money, share, opening },
        TurnSkipped { seat: SEAT },
        Built {
            seat: SEAT,
            building,
            slot: SLOT,
            replaced,
            strength: InRange(0..=BRIDGE_SLOTS as u8),
        },
        StackRevealed { stack, top },
        ChapelAdvanced { seat: SEAT, from_space => from: SPACE, to_space => to: SPACE, money },
        GateAdvanced {
            seat: SEAT,
            from_space => from: SPACE,
            to_space => to: SPACE,
            tiles: SPACE,
            money,
        },
        TileTaken { seat: SEAT, bonus_stack => stack: BONUS_STACK, tile, revealed },
        CardsTaken { seat: SEAT, cards: CARD_COUNTS },
        HaberdasheryPaid { seat: SEAT, money },
        CardRecalled { seat: SEAT, card: CARD },
        TileUsed { seat: SEAT, tile },
        FacePaid { seat: SEAT, face, money },
        RoundEnded { round: ROUND },
        GameEnded { early },
    }
}

wire_message! {
    Observation = v1::Observation {
        viewer_seat => viewer: SEAT,
        faces,
        rounds: InRange(1..=MAX_ROUNDS as u8),
        round: ROUND,
        marker: MARKER,
        orientation: OUTER,
        phase,
        stacks,
        unseen_markers: Each(InRange(0..=MARKERS_PER_VALUE)),
        supply: CARD_COUNTS,
        bonus_stacks,
        seats,
        chapel_order: Each(SEAT),
        gate_order: Each(SEAT),
        turns,
    }
}
wire_oneof! {
    Phase = v1::observation::Phase {
        TakeA2 as TakeA2Phase { seat: SEAT },
        ChooseCards as ChooseCardsPhase {},
        RaiseCards as RaiseCardsPhase { seat: SEAT },
        Turn(turn),
        Over as OverPhase {},
    }
}
wire_message! { TurnView = v1::TurnPhase { turn: TURN, recalled, step } }
wire_oneof! {
    TurnStep = v1::turn_phase::Step {
        Place as PlaceStep {},
        Replace as ReplaceStep { building },
        TakeTile as TakeTileStep {
            owed: InRange(1..=(BONUS_STACKS * TILE_KINDS) as u8),
            placed,
        },
        TakeCards as TakeCardsStep { strength: InRange(1..=BRIDGE_SLOTS as u8) },
        Finish as FinishStep {},
    }
}
wire_message! { BonusStackView = v1::BonusStackView { face_up, unseen } }
wire_message! {
    SeatView = v1::SeatView {
        money,
        hand: CARD_COUNTS,
        bridge,
        chapel_position: SPACE,
        gate_position: SPACE,
        tiles: TileCounts,
        fresh_tiles: TileCounts,
        pawn,
        has_chosen,
        played,
        raises: SkipDefault(Plain),
        lowest_built: NUMBER,
    }
}
