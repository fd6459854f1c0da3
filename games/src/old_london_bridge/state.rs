//! The complete state of a match.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::components::{
    BONUS_STACKS, BUILDINGS_PER_KIND, Building, CARD_VALUES, CARDS, Face, KINDS, Kind,
    MARKER_VALUES, MARKERS_PER_VALUE, MAX_PLAYERS, OUTER_SPACES, STARTING_MONEY, TILE_KINDS,
    TileKind,
};
use super::config::{Config, StartLeaders};
use super::decision::{Illegal, PlayedCards};
use super::edition::Edition;
use super::observation::{MAX_TURNS, Pawn, Phase, SeatView, Turn, TurnStep};
use super::setup::{MAX_ROUNDS, Setup, starting_hand};
use crate::{Digest, Digester, Seat, SeatCount, Secret};

/// The part that does not change during a match, including hidden orders. All states of a match
/// share this part.
#[derive(Debug)]
pub(super) struct Fixed {
    pub(super) edition: Arc<Edition>,
    pub(super) seats: SeatCount,
    pub(super) faces: [Face; 4],
    pub(super) start_leaders: StartLeaders,
    /// The ring index of each kind.
    pub(super) ring_index: [u8; KINDS],
    /// The stacks in ring order.
    pub(super) stacks: [Stack<Building, BUILDINGS_PER_KIND>; KINDS],
    /// The bytes that the digest hashes for each stack.
    stack_bytes: [[[u8; BUILDING_BYTES]; BUILDINGS_PER_KIND]; KINDS],
    pub(super) markers: ArrayVec<u8, MAX_ROUNDS>,
    pub(super) bonus_stacks: [Stack<TileKind, TILE_KINDS>; BONUS_STACKS],
}

/// The complete state. A clone copies a few hundred bytes and shares the rest.
#[derive(Clone, Debug)]
pub struct State {
    pub(super) fixed: Arc<Fixed>,
    /// The current round, counted from 0; once the match has ended, the last round that was played.
    pub(super) round: u8,
    pub(super) orientation: u8,
    pub(super) phase: Phase,
    /// The number of buildings taken from each stack, in ring order.
    pub(super) buildings_gone: [u8; KINDS],
    /// The number of tiles taken from each bonus stack.
    pub(super) tiles_gone: [u8; BONUS_STACKS],
    pub(super) supply: [u8; CARD_VALUES],
    /// The public part of each seat. `played` is set at the reveal.
    pub(super) seats: ArrayVec<SeatView, MAX_PLAYERS>,
    /// The cards that are chosen but not yet revealed. Seats have no other hidden information.
    pub(super) chosen: [Secret<PlayedCards>; MAX_PLAYERS],
    /// The seats in order, the chapel leader first.
    pub(super) chapel_order: ArrayVec<Seat, MAX_PLAYERS>,
    /// The seats in order, the gate leader first. Seats on the start space come last, in ascending
    /// order.
    pub(super) gate_order: ArrayVec<Seat, MAX_PLAYERS>,
    pub(super) turns: ArrayVec<Turn, MAX_TURNS>,
}

/// Returns the initial value of [`State::chosen`], in which no seat has chosen.
pub(super) fn no_choices() -> [Secret<PlayedCards>; MAX_PLAYERS] {
    let seat = |number| Seat::new(number as u8).expect("a table has no more seats");
    std::array::from_fn(|number| Secret::new(seat(number)))
}

impl Fixed {
    pub(super) fn new(
        config: &Config,
        seats: SeatCount,
        faces: [Face; 4],
        stacks: [[Building; BUILDINGS_PER_KIND]; KINDS],
        markers: ArrayVec<u8, MAX_ROUNDS>,
        bonus_stacks: [[TileKind; TILE_KINDS]; BONUS_STACKS],
    ) -> Arc<Self> {
        let edition = Arc::clone(&config.edition);
        let mut ring_index = [0; KINDS];
        for (place, kind) in (0..).zip(edition.ring()) {
            ring_index[kind.index()] = place;
        }
        Arc::new(Self {
            edition,
            seats,
            faces,
            start_leaders: config.start_leaders,
            ring_index,
            stacks: stacks.map(Stack::new),
            stack_bytes: stacks.map(|stack| stack.map(building_bytes)),
            markers,
            bonus_stacks: bonus_stacks.map(Stack::new),
        })
    }

    /// Returns `true` if this match uses a face.
    pub(super) fn has_face(&self, face: Face) -> bool {
        self.faces[face.area().index()] == face
    }
}

impl State {
    /// Creates the state before the first marker is revealed. `setup` must be valid.
    pub(super) fn new(config: &Config, seats: SeatCount, setup: &Setup) -> Self {
        let building = |id| config.edition.building(id);
        let stacks = setup.stacks.map(|stack| stack.map(building));
        let mut supply = CARDS;
        supply[0] = 0;
        let mut views: ArrayVec<_, MAX_PLAYERS> =
            seats.seats().map(|_| SeatView::default()).collect();
        for (stair, seat) in setup.stairs.iter().enumerate() {
            let view = &mut views[seat.index()];
            view.money = STARTING_MONEY;
            view.hand = starting_hand(stair, seats);
            for (left, dealt) in supply.iter_mut().zip(view.hand).skip(1) {
                *left -= dealt;
            }
        }
        Self {
            fixed: Fixed::new(
                config,
                seats,
                setup.faces,
                stacks,
                setup.markers.clone(),
                setup.bonus_stacks,
            ),
            round: 0,
            orientation: setup.orientation,
            phase: Phase::ChooseCards,
            buildings_gone: [0; KINDS],
            tiles_gone: [0; BONUS_STACKS],
            supply,
            seats: views,
            chosen: no_choices(),
            chapel_order: setup.stairs.clone(),
            gate_order: seats.seats().collect(),
            turns: ArrayVec::new(),
        }
    }

    pub(super) fn seat(&self, seat: Seat) -> &SeatView {
        &self.seats[seat.index()]
    }

    pub(super) fn seat_mut(&mut self, seat: Seat) -> &mut SeatView {
        &mut self.seats[seat.index()]
    }

    /// Returns the building on top of a stack.
    pub(super) fn top(&self, kind: Kind) -> Option<Building> {
        let place = usize::from(self.fixed.ring_index[kind.index()]);
        self.fixed.stacks[place].top(self.buildings_gone[place])
    }

    /// Returns the face-up tile of a bonus stack.
    pub(super) fn face_up(&self, stack: u8) -> Option<TileKind> {
        let place = usize::from(stack);
        self.fixed.bonus_stacks[place].top(self.tiles_gone[place])
    }

    /// Returns the number of tiles left in the bonus stacks.
    pub(super) fn tiles_left(&self) -> u8 {
        (BONUS_STACKS * TILE_KINDS) as u8 - self.tiles_gone.iter().sum::<u8>()
    }

    /// Returns the rondel space, clockwise from the X space, that the stack of this kind faces.
    pub(super) fn space_facing(&self, kind: Kind) -> u8 {
        let spaces = OUTER_SPACES as u8;
        (self.fixed.ring_index[kind.index()] + spaces - self.orientation) % spaces
    }

    /// Returns a seat's index in chapel order, 0 for the leader.
    pub(super) fn chapel_rank(&self, seat: Seat) -> usize {
        let rank = self.chapel_order.iter().position(|&other| other == seat);
        rank.unwrap_or(self.chapel_order.len())
    }

    /// Returns, for each value, the number of markers that no round has revealed.
    pub(super) fn unseen_markers(&self) -> [u8; MARKER_VALUES] {
        let mut unseen = [MARKERS_PER_VALUE; MARKER_VALUES];
        for &marker in &self.fixed.markers[..=usize::from(self.round)] {
            unseen[usize::from(marker) - 1] -= 1;
        }
        unseen
    }

    /// Returns the digest of the state: the fields below in this order, each integer as in
    /// [`Digester`], enum values by index, an absent value as 255.
    ///
    /// * Seat count and the four faces.
    /// * Round, orientation, unrevealed markers by value, the markers of this and later rounds, and
    ///   the phase.
    /// * The rest of each stack in ring order (kind, number, coat), the rest of each bonus stack,
    ///   and the supply.
    /// * Each seat, chapel order, gate order, turns, and a 1 if leaders at the start are paid.
    pub(super) fn digest(&self) -> Digest {
        let Self {
            fixed,
            round,
            orientation,
            phase: _, // below, by its own function
            buildings_gone,
            tiles_gone,
            supply,
            seats,
            chosen,
            chapel_order,
            gate_order,
            turns,
        } = self;
        let Fixed {
            edition: _,
            seats: seat_count,
            faces,
            start_leaders,
            ring_index: _, // follows from the edition
            stacks: _,     // below, by their bytes
            stack_bytes,
            markers,
            bonus_stacks,
        } = &**fixed;
        let mut d = Digester::default();
        d.u8(seat_count.get());
        d.bytes(&faces.map(|face| face as u8));
        d.bytes(&[*round, *orientation]);
        d.bytes(&self.unseen_markers());
        d.list(&markers[usize::from(*round)..]);
        self.digest_phase(&mut d);
        for (stack, &gone) in stack_bytes.iter().zip(buildings_gone) {
            let rest = &stack[usize::from(gone)..];
            d.u8(rest.len() as u8);
            d.bytes(rest.as_flattened());
        }
        for (stack, &gone) in bonus_stacks.iter().zip(tiles_gone) {
            let rest = &stack.items[usize::from(gone)..];
            d.i32(rest.len() as i32);
            rest.iter().for_each(|&tile| d.u8(tile as u8));
        }
        d.bytes(supply);
        for (seat, chosen) in seats.iter().zip(chosen) {
            digest_seat(&mut d, seat);
            digest_cards(&mut d, chosen.for_digest());
        }
        for seat in chapel_order.iter().chain(gate_order) {
            d.u8(seat.number());
        }
        d.u8(turns.len() as u8);
        for turn in turns {
            d.bytes(&[turn.seat.number(), turn.card, turn.value]);
        }
        if *start_leaders == StartLeaders::Paid {
            d.u8(1);
        }
        d.finish()
    }

    /// Hashes a tag, and then the phase's fields.
    fn digest_phase(&self, d: &mut Digester) {
        match self.phase {
            Phase::TakeA2 { seat } => d.bytes(&[0, seat.number()]),
            Phase::ChooseCards => d.u8(1),
            Phase::RaiseCards { seat } => d.bytes(&[2, seat.number()]),
            Phase::Turn(view) => {
                d.bytes(&[3, view.turn, u8::from(view.recalled)]);
                match view.step {
                    TurnStep::Place => d.u8(0),
                    TurnStep::Replace { building } => {
                        d.u8(1);
                        d.array(building_bytes(building));
                    }
                    TurnStep::TakeTile { owed, placed } => d.bytes(&[2, owed, u8::from(placed)]),
                    TurnStep::TakeCards { strength } => d.bytes(&[3, strength]),
                    TurnStep::Finish => d.u8(4),
                }
            }
            Phase::Over => d.u8(4),
        }
    }
}

/// The number that is hashed for an absent value.
const ABSENT: u8 = u8::MAX;

/// The number of bytes that are hashed for a building.
const BUILDING_BYTES: usize = 3;

fn building_bytes(building: Building) -> [u8; BUILDING_BYTES] {
    let coat = building.coat.map_or(ABSENT, |coat| coat as u8);
    [building.kind as u8, building.number.unwrap_or(ABSENT), coat]
}

fn digest_cards(d: &mut Digester, cards: Option<PlayedCards>) {
    d.bytes(&cards.map_or([ABSENT; 2], |cards| [cards.first, cards.second.unwrap_or(ABSENT)]));
}

fn digest_seat(d: &mut Digester, seat: &SeatView) {
    let SeatView {
        money,
        hand,
        bridge,
        chapel_position,
        gate_position,
        tiles,
        fresh_tiles,
        pawn,
        has_chosen,
        played,
        raises,
        lowest_built,
    } = seat;
    d.i32(*money);
    d.bytes(hand);
    d.u8(bridge.len() as u8);
    bridge.iter().for_each(|&building| d.array(building_bytes(building)));
    d.bytes(&[*chapel_position, *gate_position]);
    d.bytes(tiles);
    d.bytes(fresh_tiles);
    d.u8(match *pawn {
        Pawn::Off => ABSENT,
        Pawn::Outer(space) => space,
        Pawn::Centre => OUTER_SPACES as u8,
    });
    d.u8(u8::from(*has_chosen));
    digest_cards(d, *played);
    d.bytes(raises);
    d.u8(lowest_built.unwrap_or(ABSENT));
}

impl SeatView {
    /// Returns the number of tiles of this kind that may be used in this round.
    pub(super) fn usable(&self, tile: TileKind) -> u8 {
        self.tiles[tile.index()] - self.fresh_tiles[tile.index()]
    }

    /// Checks that the seat has a usable tile for a field of its decision.
    pub(super) fn check_usable(&self, tile: TileKind, field: &'static str) -> Result<(), Illegal> {
        match self.usable(tile) {
            0 => Err(Illegal::NoUsableTile { field, tile }),
            _ => Ok(()),
        }
    }
}

/// A stack in its order at the start of the match. The caller stores the number of items that were
/// taken.
#[derive(Debug)]
pub(super) struct Stack<T, const N: usize> {
    /// The items in the order in which they are taken.
    pub(super) items: [T; N],
    /// The indices in `items`, sorted by item. Every observation lists unseen items in this order.
    places_in_order: [u8; N],
}

impl<T: Copy + Ord, const N: usize> Stack<T, N> {
    pub(super) fn new(items: [T; N]) -> Self {
        let mut places_in_order = std::array::from_fn(|place| place as u8);
        places_in_order.sort_unstable_by_key(|&place| items[usize::from(place)]);
        Self { items, places_in_order }
    }

    /// Returns the item on top, or `None` if all items have been taken.
    pub(super) fn top(&self, gone: u8) -> Option<T> {
        self.items.get(usize::from(gone)).copied()
    }

    /// Returns the items below the top in ascending order.
    pub(super) fn below_top(&self, gone: u8) -> ArrayVec<T, N> {
        let (mut unseen, mut count) = (self.items, 0);
        for &place in &self.places_in_order {
            // Every item is written; one that does not count is overwritten by the next. This
            // avoids a branch.
            unseen[count] = self.items[usize::from(place)];
            count += usize::from(place > gone);
        }
        let mut unseen = ArrayVec::from(unseen);
        unseen.truncate(count);
        unseen
    }
}
