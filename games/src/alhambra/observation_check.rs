//! Checks of an observation from outside: whether a match of a config could have shown it, as far
//! as the rules rely on it.

use super::building::Building;
use super::components::{CURRENCIES, Category, Currency, MAX_SHUFFLES, ROW_CARDS, Scoring};
use super::config::Config;
use super::money::{Money, MoneyCard};
use super::observation::{Observation, Phase, PlaceRange, Points};
use super::setup::{SetupError, copies};
use crate::setup_error::require;
use crate::{Seat, SeatCount, Viewer};

/// Nothing, or what is wrong.
type Checked = Result<(), SetupError>;

/// Checks an observation. Returns the number of seats.
pub(super) fn check(config: &Config, observation: &Observation) -> Result<SeatCount, SetupError> {
    let Some(seats) = SeatCount::new(observation.seats.len() as u8) else {
        return SetupError::field("seats", "is empty");
    };
    config.check(seats)?;
    let at_table = |seat: Seat, field: &str| {
        let problem = "is a seat that is not at the table";
        require(seats.contains(seat), || field.into(), problem)
    };
    if let Viewer::Seat(seat) = observation.viewer {
        at_table(seat, "viewer")?;
    }
    if let Phase::Turn { seat } | Phase::Shuffle { seat } = observation.phase {
        at_table(seat, "phase.seat")?;
    }
    let has_dummy = observation.dummy.is_some() == (seats.get() == 2);
    require(
        has_dummy,
        || "dummy".into(),
        "is there at a table of two, and only there",
    )?;
    check_money(observation, seats)?;
    check_buildings(observation)?;
    check_yard(observation)?;
    check_turn_purchases(observation)?;
    check_row(observation)?;
    check_scoring_cards(observation)?;
    check_points(observation)?;
    Ok(seats)
}

/// Every money card of the match is in one place.
fn check_money(observation: &Observation, seats: SeatCount) -> Checked {
    let hands = observation.seats.iter().map(|seat| &seat.hand);
    let piles = [&observation.discard, &observation.unseen_money];
    let copies = copies(seats);
    for card in MoneyCard::all() {
        let held: u8 = hands
            .clone()
            .chain(piles)
            .map(|money| money.count(card))
            .sum();
        let open = observation
            .row
            .cards()
            .filter(|other| *other == card)
            .count() as u8;
        if held + open != copies {
            let found = held + open;
            let problem = format!(
                "with hands, open row and discard there are {found} of {card} instead of {copies}"
            );
            return SetupError::field("unseen_money", problem);
        }
    }
    Ok(())
}

/// Every building is in one place.
fn check_buildings(observation: &Observation) -> Checked {
    let seats = observation.seats.iter().map(|seat| seat.buildings);
    let dummy = observation.dummy.iter().map(|dummy| dummy.buildings);
    let all = seats.chain(dummy).chain([observation.unseen_buildings]);
    for building in Building::all() {
        let held: u8 = all.clone().map(|buildings| buildings.count(building)).sum();
        let open = observation.yard.iter().flatten();
        let found = held + open.filter(|other| **other == building).count() as u8;
        if found != building.copies() {
            let problem = format!(
                "with owners and yard there are {found} of {building} instead of {}",
                building.copies()
            );
            return SetupError::field("unseen_buildings", problem);
        }
    }
    Ok(())
}

/// The yard is full but for what was bought in this turn; at the end it cannot be.
fn check_yard(observation: &Observation) -> Checked {
    let empty = observation
        .yard
        .iter()
        .filter(|slot| slot.is_none())
        .count();
    if observation.phase == Phase::Over {
        let ended = empty > 0 && observation.unseen_buildings.is_empty();
        return require(
            ended,
            || "phase".into(),
            "is over, but there are buildings to fill the yard",
        );
    }
    require(
        empty == observation.turn_purchases.len(),
        || "yard".into(),
        "must be full but for the slots bought from in this turn",
    )
}

fn check_turn_purchases(observation: &Observation) -> Checked {
    let (mut payments, mut bought) = (Money::EMPTY, [false; CURRENCIES]);
    let dummy = observation.dummy.map(|dummy| dummy.buildings);
    for (i, entry) in observation.turn_purchases.iter().enumerate() {
        let field = |name: &str| format!("turn_purchases[{i}].{name}");
        let Phase::Turn { seat } = observation.phase else {
            return SetupError::field(field("slot"), "no turn is in play");
        };
        let (building, purchase) = (entry.building, entry.purchase);
        let slot = purchase.slot.index();
        let is_empty = observation.yard[slot].is_none() && !bought[slot];
        require(
            is_empty,
            || field("slot"),
            "is not empty, or bought from twice",
        )?;
        bought[slot] = true;
        let exact = purchase.payment.total() == building.price();
        require(exact, || field("payment"), "is not exactly the price")?;
        payments.insert_all(purchase.slot, purchase.payment);
        let owner = match purchase.give {
            true => dummy,
            false => Some(observation.seats[seat.index()].buildings),
        };
        let same = observation.turn_purchases[..=i].iter();
        let same = same.filter(|e| e.building == building && e.purchase.give == purchase.give);
        let owns = owner.is_some_and(|owned| usize::from(owned.count(building)) >= same.count());
        require(
            owns,
            || field("building"),
            "is not among those of its owner",
        )?;
    }
    let is_paid = Currency::ALL.into_iter().all(|currency| {
        let discard = observation.discard.of_currency(currency);
        discard.contains(payments.of_currency(currency))
    });
    require(
        is_paid,
        || "discard".into(),
        "does not have what was paid in this turn",
    )
}

/// The open row is full unless there was no money to draw.
fn check_row(observation: &Observation) -> Checked {
    let is_full = observation.row.len() == ROW_CARDS;
    let pile_is_empty = observation.unseen_money.is_empty();
    let shuffles = observation.shuffles;
    require(
        shuffles <= MAX_SHUFFLES,
        || "shuffles".into(),
        "is above the number of buildings",
    )?;
    match observation.phase {
        Phase::Over => Ok(()),
        Phase::Shuffle { .. } => {
            let is_due = !is_full && pile_is_empty && !observation.discard.is_empty();
            require(
                is_due && shuffles < MAX_SHUFFLES,
                || "phase".into(),
                "a shuffle is due only when the row is short, the pile empty and the discard not",
            )
        }
        Phase::Turn { .. } => {
            let paid = observation.turn_purchases.iter();
            let paid: usize = paid.map(|entry| entry.purchase.payment.len()).sum();
            let had_none = pile_is_empty && observation.discard.len() == paid;
            require(
                is_full || had_none,
                || "row".into(),
                "is short although there was money to draw",
            )
        }
    }
}

/// A is above B, neither is the last card of the pile, and a pile that was shuffled has none.
fn check_scoring_cards(observation: &Observation) -> Checked {
    let [a, b] = observation.scoring_cards;
    let pile = observation.unseen_money.len();
    for (i, range) in observation.scoring_cards.into_iter().enumerate() {
        let Some(PlaceRange { first, last }) = range else {
            continue;
        };
        let field = || format!("scoring_cards[{i}]");
        require(first <= last, field, "has its first place after its last")?;
        let inside = usize::from(last) < pile;
        require(inside, field, "can lie below the whole pile")?;
        let unshuffled = observation.shuffles == 0;
        require(unshuffled, field, "is in a pile that was shuffled")?;
    }
    let in_order = match (a, b) {
        (Some(a), Some(b)) => a.last < b.first,
        (Some(_), None) => false,
        (None, _) => true,
    };
    require(in_order, || "scoring_cards".into(), "A must lie above B")
}

/// Nobody has more points of a category than a scoring pays, and none for a scoring to come.
fn check_points(observation: &Observation) -> Checked {
    let [a, b] = observation.scoring_cards;
    let is_held = [a.is_none(), b.is_none(), observation.phase == Phase::Over];
    let seats = observation.seats.iter().map(|seat| &seat.points);
    let dummy = observation.dummy.iter().map(|dummy| &dummy.points);
    let owners: Vec<&Points> = seats.chain(dummy).collect();
    for (scoring, is_held) in Scoring::ALL.into_iter().zip(is_held) {
        for category in Category::ALL {
            let places = scoring.place_points(category);
            let most: u32 = match is_held {
                true => places.iter().map(|&points| u32::from(points)).sum(),
                false => 0,
            };
            let own = owners
                .iter()
                .map(|own| own[scoring.index()][category.index()]);
            let paid: u32 = own.clone().map(u32::from).sum();
            let field = || format!("points of {category} in scoring {scoring}");
            require(paid <= most, field, "are more than the scoring paid so far")?;
            let highest = own.max().unwrap_or(0);
            require(highest <= places[0], field, "are above the first place")?;
        }
    }
    Ok(())
}
