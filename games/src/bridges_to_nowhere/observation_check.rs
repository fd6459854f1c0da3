//! Checks of an observation from outside: whether a match of a config could have shown it, as far
//! as the rules rely on it.

use super::components::{
    BRIDGE_CARDS, BridgeCard, CARDS_A_DRAFT, Card, Contract, MONUMENTS, OPEN_CARDS, PILLARS,
    PLAYERS, Piece, ROUNDS,
};
use super::config::Config;
use super::edition::Edition;
use super::observation::{
    GameResult, MAX_CATEGORY_POINTS, Observation, Phase, SeatScore, SeatView,
};
use super::setup::{SetupError, seat};
use crate::setup_error::require;
use crate::{Seat, SeatCount, Viewer};

/// Nothing, or what is wrong.
pub(super) type Checked = Result<(), SetupError>;

/// Checks all that does not need the structures.
pub(super) fn check_before_sampling(config: &Config, observation: &Observation) -> Checked {
    if let Some(seats) = SeatCount::new(PLAYERS as u8) {
        config.check(seats)?;
    }
    if let Viewer::Seat(seat) = observation.viewer {
        check_seat("viewer", seat)?;
    }
    check_seat("first_drafter", observation.first_drafter)?;
    check_games(config, observation)?;
    check_contracts(config, observation)?;
    check_phase(observation)?;
    for (number, view) in observation.seats.iter().enumerate() {
        check_seat_view(observation, number, view)?;
    }
    check_counts(observation)?;
    check_cards(observation, &config.edition)
}

fn check_seat(field: &str, seat: Seat) -> Checked {
    let known = seat.index() < PLAYERS;
    require(
        known,
        || field.to_owned(),
        "is a seat that is not at the table",
    )
}

/// The games that are over fit to the config, and the match ends where it must.
fn check_games(config: &Config, observation: &Observation) -> Checked {
    let Observation {
        results,
        game,
        games,
        phase,
        ..
    } = observation;
    require(
        *games == config.games,
        || "games".into(),
        "is not the config's number",
    )?;
    require(game < games, || "game".into(), "is not below games")?;
    let over = *phase == Phase::Over;
    let played = usize::from(*game) + usize::from(over);
    require(
        results.len() == played,
        || "results".into(),
        "must have one entry for each game that is over",
    )?;
    let mut won = [0; PLAYERS];
    let mut decided = false;
    for (i, result) in results.iter().enumerate() {
        require(
            !decided,
            || format!("results[{i}]"),
            "comes after the match was decided",
        )?;
        check_result(i, result)?;
        if let Some(winner) = result.winner {
            won[winner.index()] += 1;
        }
        decided = won.contains(&config.contracts_to_win);
    }
    let last = game + 1 == *games;
    require(
        over == decided || over && last,
        || "phase".into(),
        "does not fit to the games that are over",
    )
}

fn check_result(place: usize, result: &GameResult) -> Checked {
    for (number, score) in result.scores.iter().enumerate() {
        let SeatScore {
            numbers,
            tolls,
            monuments,
            symbols,
            contract,
        } = *score;
        let within = [numbers, tolls, monuments, symbols, contract]
            .iter()
            .all(|&points| points <= MAX_CATEGORY_POINTS);
        if !within {
            let problem = format!("has points that are not in 0 to {MAX_CATEGORY_POINTS}");
            return SetupError::field(format!("results[{place}].scores[{number}]"), problem);
        }
    }
    let [first, second] = result.scores.map(|score| score.total());
    let winner = (first != second).then(|| seat(u8::from(second > first)));
    require(
        result.winner == winner,
        || format!("results[{place}].winner"),
        "is not the seat with more points",
    )
}

/// Each game has a contract of its own, or none has one.
fn check_contracts(config: &Config, observation: &Observation) -> Checked {
    let earlier = &observation.results[..usize::from(observation.game)];
    let mut seen: Vec<Contract> = Vec::new();
    let fields = earlier.iter().enumerate().map(|(i, result)| {
        let field = format!("results[{i}].contract");
        (field, result.contract)
    });
    for (field, contract) in fields.chain([("contract".to_owned(), observation.contract)]) {
        let fits = contract.is_some() == config.contracts;
        require(
            fits,
            || field.clone(),
            "is there exactly when the config plays for contracts",
        )?;
        if let Some(contract) = contract {
            let problem = "is the contract of an earlier game";
            require(!seen.contains(&contract), || field.clone(), problem)?;
            seen.push(contract);
        }
    }
    if let Some(last) = observation.results.get(usize::from(observation.game)) {
        let field = || format!("results[{}].contract", observation.game);
        require(
            last.contract == observation.contract,
            field,
            "is not the contract of the game in play",
        )?;
    }
    Ok(())
}

/// Rounds, the table and whose turn it is.
fn check_phase(observation: &Observation) -> Checked {
    let Observation {
        round, phase, open, ..
    } = observation;
    require(*round < ROUNDS, || "round".into(), "is not in 0 to 3")?;
    if *phase == Phase::Over {
        let last = *round + 1 == ROUNDS;
        require(last, || "round".into(), "is not the last one")?;
    }
    let Phase::Draft { seat: asked } = *phase else {
        return require(
            open.is_empty(),
            || "open".into(),
            "must be empty outside a draft",
        );
    };
    check_seat("phase.seat", asked)?;
    let first = observation.first_drafter;
    let held = |seat: Seat| observation.seats[seat.index()].cards.len();
    let (own, ahead) = (held(asked), usize::from(asked != first));
    let others: usize = observation.seats.iter().map(|view| view.cards.len()).sum();
    require(
        own < CARDS_A_DRAFT && others == 2 * own + ahead,
        || "phase.seat".into(),
        "is not the seat whose turn follows from the cards that were taken",
    )
}

/// What a seat has fits to the phase.
fn check_seat_view(observation: &Observation, number: usize, view: &SeatView) -> Checked {
    let field = |name: &str| format!("seats[{number}].{name}");
    let builds = observation.phase == Phase::Build;
    let secret = builds && observation.viewer == Viewer::Seat(seat(number as u8));
    require(
        secret || view.placed.is_empty(),
        || field("placed"),
        "is known to the seat itself only, while a phase is built",
    )?;
    require(
        secret || !view.has_ended,
        || field("has_ended"),
        "is known to the seat itself only, while a phase is built",
    )?;
    require(
        view.placed
            .iter()
            .all(|placed| view.structure.contains(placed)),
        || field("placed"),
        "has a piece that is not in the structure",
    )?;
    let is_card = |piece: Piece| piece != Piece::Pillar;
    let placed_cards = view.placed.iter().filter(|placed| is_card(placed.piece));
    let placed_cards = placed_cards.count();
    let held = view.cards.len() + placed_cards;
    match observation.phase {
        Phase::Draft { .. } => {}
        Phase::Build => require(
            held == CARDS_A_DRAFT,
            || field("cards"),
            "with those placed in this phase are not three",
        )?,
        Phase::Over => require(held == 0, || field("cards"), "must be empty")?,
    }
    let cards = view.structure.iter().filter(|placed| is_card(placed.piece));
    let cards = cards.count();
    let rounds_built =
        usize::from(observation.round) + usize::from(observation.phase == Phase::Over);
    require(
        cards <= rounds_built * CARDS_A_DRAFT + placed_cards,
        || field("structure"),
        "has more cards than the seat has taken",
    )?;
    let pillars = view.structure.len() - cards;
    require(
        pillars + usize::from(view.pillars) == usize::from(PILLARS),
        || field("pillars"),
        "with those in the structure are not six",
    )
}

/// As many cards are unseen, on the table and in hands as the round and the draft leave.
fn check_counts(observation: &Observation) -> Checked {
    let to_come = usize::from(ROUNDS - 1 - observation.round);
    require(
        observation.unseen.len() == to_come * OPEN_CARDS,
        || "unseen".into(),
        "does not have six cards for each round to come",
    )?;
    let held = || observation.seats.iter().flat_map(|view| &view.cards);
    if matches!(observation.phase, Phase::Draft { .. }) {
        let taken = held().filter(|card| **card != Card::Monument).count();
        require(
            observation.open.len() + taken == OPEN_CARDS,
            || "open".into(),
            "with those taken in this round are not six",
        )?;
    }
    let placed = observation.seats.iter().flat_map(|view| &view.structure);
    let placed = placed.filter(|placed| placed.piece == Piece::Card(Card::Monument));
    let monuments = held().filter(|card| **card == Card::Monument).count() + placed.count();
    require(
        monuments + usize::from(observation.monuments) <= usize::from(MONUMENTS),
        || "monuments".into(),
        "with those of the seats are more than three",
    )
}

/// No bridge card is in two places.
fn check_cards(observation: &Observation, edition: &Edition) -> Checked {
    let mut used = [0; BRIDGE_CARDS];
    let mut place = |card: BridgeCard, field: &dyn Fn() -> String| {
        let Some(id) = edition.find(card) else {
            return SetupError::field(field(), format!("{card} is not in the edition"));
        };
        let used = &mut used[usize::from(id.number())];
        *used += 1;
        let copies = edition.cards().iter().filter(|other| **other == card);
        require(*used <= copies.count(), field, "is there too often")
    };
    for (name, cards) in [
        ("open", &observation.open[..]),
        ("unseen", &observation.unseen),
    ] {
        for (i, &card) in cards.iter().enumerate() {
            place(card, &|| format!("{name}[{i}]"))?;
        }
    }
    for (number, view) in observation.seats.iter().enumerate() {
        for (i, card) in view.cards.iter().enumerate() {
            if let Card::Bridge(card) = *card {
                place(card, &|| format!("seats[{number}].cards[{i}]"))?;
            }
        }
        for (i, placed) in view.structure.iter().enumerate() {
            if let Piece::Card(Card::Bridge(card)) = placed.piece {
                place(card, &|| format!("seats[{number}].structure[{i}]"))?;
            }
        }
    }
    Ok(())
}
