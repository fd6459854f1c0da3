//! After every decision of random matches the state agrees with a count of the whole map from
//! scratch: features, meeples, open ends, fields and their cities, legal decisions, scores.

use std::collections::HashMap;
use std::sync::Arc;

use bridgemaster_games::carcassonne::{
    Carcassonne, Config, Crossing, Decision, Edition, Event, FeatureId, LaidTile, Meeple,
    Observation, Phase, Placement, Segment, State,
};
use bridgemaster_games::{
    ChanceStream, Game, Rules, Sample, Seat, SeatCount, SeatSet, Seed, Viewer,
};
use proptest::prelude::*;

use crate::carcassonne::edition::CROWDED;
use crate::carcassonne::recount::{Pieces, Recount, majority};

/// Asserts that the feature of each segment is the one that a flood fill finds.
fn check_features(state: &State, view: &Observation, recount: &Recount<'_>) {
    let mut ids: Vec<Option<FeatureId>> = vec![None; recount.features.len()];
    for (tile, segment, feature) in recount.segments() {
        let cell = view.tiles[tile].placement.cell;
        let found = state.feature(cell, segment).unwrap();
        assert_eq!(found.kind, recount.kind(feature), "{segment} of {cell}");
        assert_eq!(found.meeples, recount.features[feature].meeples);
        let id = *ids[feature].get_or_insert(found.id);
        assert_eq!(id, found.id, "{segment} of {cell} is not joined to its feature");
    }
    for (i, id) in ids.iter().enumerate() {
        assert!(!ids[..i].contains(id), "two features are joined");
    }
}

fn expected_decisions(config: &Config, view: &Observation, recount: &Recount<'_>) -> Vec<Decision> {
    let last = view.tiles.len() - 1;
    match &view.phase {
        Phase::PlaceTile { tile } => {
            let fitting = recount.placements(*tile).into_iter();
            let placements = fitting.map(|(cell, rotation)| Placement { cell, rotation });
            placements.map(Decision::Place).collect()
        }
        Phase::PlaceMeeple => {
            let mut features = recount.features_of(last);
            features.retain(|&(segment, feature)| {
                let is_field = matches!(segment, Segment::Field(_));
                let free = recount.features[feature].meeples == [0; 5];
                free && (config.fields || !is_field) && view.seats[view.turn.index()].supply > 0
            });
            let segments = features.into_iter().map(|(segment, _)| Some(segment));
            [None].into_iter().chain(segments).map(Decision::Meeple).collect()
        }
        Phase::Drawbridge { crossings } => {
            let road = Segment::Road(crossings[0].road);
            let road = recount.feature(view.tiles[last].placement.cell, road).unwrap();
            let gates = recount.gates(road).into_iter().map(Some);
            [None].into_iter().chain(gates).map(Decision::Drawbridge).collect()
        }
        Phase::Over => Vec::new(),
    }
}

/// Computes the effect of a placed meeple on points, supply and meeples; returns the crossings.
fn score_by_hand(recount: &Recount<'_>, view: &mut Observation) -> Vec<Crossing> {
    let mut crossings = Vec::new();
    let mut gone = Vec::new();
    for (segment, feature) in recount.completed() {
        let mut meeples = recount.features[feature].meeples;
        let best = majority(&meeples);
        for &seat in &best {
            let points = &mut view.seats[seat].points;
            match segment {
                Segment::Road(_) => points.roads += recount.points(feature),
                Segment::City(_) => points.cities += recount.points(feature),
                _ => points.monasteries += recount.points(feature),
            }
        }
        if let (Segment::Road(road), [seat]) = (segment, best.as_slice())
            && !recount.gates(feature).is_empty()
        {
            crossings.push(Crossing {
                road,
                seat: Seat::new(*seat as u8).unwrap(),
                meeples: std::mem::take(&mut meeples[*seat]),
            });
        }
        for (view, home) in view.seats.iter_mut().zip(meeples) {
            view.supply += home;
        }
        gone.push(feature);
    }
    view.meeples.retain(|meeple| {
        let feature = recount.feature(meeple.cell, meeple.segment).unwrap();
        !gone.contains(&feature)
    });
    crossings
}

/// The sort key of meeples in an observation.
fn order(view: &Observation, meeple: &Meeple) -> (usize, Segment, Seat) {
    let mut tiles = view.tiles.iter();
    let tile = tiles.position(|laid| laid.placement.cell == meeple.cell).unwrap();
    (tile, meeple.segment, meeple.seat)
}

/// The expected events of the features completed by the last tile, in order.
fn completed_by_hand(recount: &Recount<'_>, view: &Observation) -> Vec<Event> {
    let cell = |tile: usize| view.tiles[tile].placement.cell;
    let events = recount.completed().into_iter().map(|(segment, feature)| {
        let counted = &recount.features[feature];
        Event::Scored {
            cell: match segment {
                Segment::Monastery => cell(*counted.tiles.first().unwrap()),
                _ => cell(view.tiles.len() - 1),
            },
            segment,
            completed: true,
            points: recount.points(feature),
            seats: seats_of(majority(&counted.meeples)),
        }
    });
    events.collect()
}

fn seats_of(numbers: Vec<usize>) -> SeatSet {
    let seats = numbers.into_iter().map(|number| number as u8);
    seats.map(|number| Seat::new(number).unwrap()).collect()
}

/// Applies `decision` to seats, meeples and crossings of `view`; returns the expected events of
/// completed features.
fn after_by_hand(
    pieces: &Pieces,
    view: &Observation,
    decision: &Decision,
) -> (Observation, Vec<Crossing>, Vec<Event>) {
    let mut after = view.clone();
    let add = |after: &mut Observation, seat: Seat, cell, segment| {
        let meeple = Meeple { seat, cell, segment };
        after.meeples.push(meeple);
        let place = |meeple: &Meeple| order(view, meeple);
        after.meeples.sort_by_key(place);
    };
    match (decision, &view.phase) {
        (Decision::Meeple(segment), _) => {
            if let Some(segment) = *segment {
                let cell = view.tiles.last().unwrap().placement.cell;
                add(&mut after, view.turn, cell, segment);
                after.seats[view.turn.index()].supply -= 1;
            }
            let placed = after.clone();
            let recount = Recount::new(pieces, &placed);
            let events = completed_by_hand(&recount, &placed);
            let crossings = score_by_hand(&recount, &mut after);
            (after, crossings, events)
        }
        (Decision::Drawbridge(gate), Phase::Drawbridge { crossings }) => {
            let mut crossings = crossings.to_vec();
            let seat = crossings[0].seat;
            match gate {
                Some(gate) => add(&mut after, seat, gate.cell, Segment::City(gate.city)),
                None => after.seats[seat.index()].supply += 1,
            }
            crossings[0].meeples -= 1;
            crossings.retain(|crossing| crossing.meeples > 0);
            (after, crossings, Vec::new())
        }
        _ => (after, Vec::new(), Vec::new()),
    }
}

/// The points of each seat by category, counted by hand as if the match ended now.
fn points_by_hand(view: &Observation, recount: &Recount<'_>) -> Vec<HashMap<&'static str, i32>> {
    let seats = view.seats.iter().map(|seat| {
        let points = seat.points;
        HashMap::from([
            ("roads", points.roads.into()),
            ("cities", points.cities.into()),
            ("monasteries", points.monasteries.into()),
        ])
    });
    let mut by_hand: Vec<HashMap<_, i32>> = seats.collect();
    let mut scored = vec![false; recount.features.len()];
    for (_, segment, feature) in recount.segments() {
        if std::mem::replace(&mut scored[feature], true) {
            continue;
        }
        let category = match segment {
            Segment::Road(_) => "open_roads",
            Segment::City(_) => "open_cities",
            Segment::Monastery => "open_monasteries",
            Segment::Field(_) => "fields",
        };
        for seat in majority(&recount.features[feature].meeples) {
            *by_hand[seat].entry(category).or_default() += i32::from(recount.points(feature));
        }
    }
    by_hand
}

/// Asserts the scores if the match ended now and, at its end, the outcome.
fn check_scores(state: &State, view: &Observation, recount: &Recount<'_>) {
    let by_hand = points_by_hand(view, recount);
    let totals: Vec<i32> = by_hand.iter().map(|seat| seat.values().sum()).collect();
    let now = state.scores_if_ended().into_iter().map(i32::from);
    let open: Vec<i32> = now.take(totals.len()).collect();
    assert_eq!(open, totals);
    let Some(outcome) = Carcassonne::outcome(state) else {
        return;
    };
    for (seat, result) in outcome.seats.iter().enumerate() {
        let better = totals.iter().filter(|&&total| total > totals[seat]);
        let expected = (totals[seat], better.count() as u8 + 1);
        assert_eq!((result.score, result.place), expected, "seat {seat}");
        for line in &result.breakdown {
            let points = by_hand[seat].get(line.category).copied().unwrap_or(0);
            assert_eq!(line.points, points, "{} of seat {seat}", line.category);
        }
    }
}

/// The expected events: those of the decision, of completed features, of drawbridges, and of the
/// turn or the end that follows.
fn expected_events(
    pieces: &Pieces,
    before: &Observation,
    decision: &Decision,
    (crossings, completed): (&[Crossing], Vec<Event>),
    after: &Observation,
) -> Vec<Event> {
    let seat = before.turn;
    let cell = before.tiles[before.tiles.len() - 1].placement.cell;
    let mut expected = vec![match (*decision, &before.phase) {
        (Decision::Place(placement), Phase::PlaceTile { tile }) => {
            Event::TilePlaced { seat, tile: *tile, placement }
        }
        (Decision::Meeple(Some(segment)), _) => Event::MeeplePlaced { seat, cell, segment },
        (Decision::Meeple(None), _) => Event::MeepleKept { seat },
        (Decision::Drawbridge(gate), Phase::Drawbridge { crossings }) => match gate {
            Some(gate) => Event::MeepleSent { seat: crossings[0].seat, gate },
            None => Event::MeepleTakenHome { seat: crossings[0].seat },
        },
        (decision, phase) => panic!("{decision} in {phase:?}"),
    }];
    expected.extend(completed);
    if matches!(decision, Decision::Meeple(_)) {
        expected.extend(crossings.iter().map(|crossing| Event::DrawbridgeDown {
            seat: crossing.seat,
            cell,
            road: crossing.road,
            meeples: crossing.meeples,
        }));
    }
    let seat = after.turn;
    let removed = after.removed[before.removed.len()..].iter();
    expected.extend(removed.map(|&tile| Event::TileRemoved { seat, tile }));
    match after.phase {
        Phase::PlaceTile { tile } => expected.push(Event::TileDrawn { seat, tile }),
        Phase::Over => expected.extend(final_events(pieces, after)),
        Phase::PlaceMeeple | Phase::Drawbridge { .. } => {}
    }
    expected
}

/// The end, and then every feature with meeples once.
fn final_events(pieces: &Pieces, after: &Observation) -> Vec<Event> {
    let recount = Recount::new(pieces, after);
    let mut expected = vec![Event::GameEnded];
    let mut scored = Vec::new();
    for &Meeple { cell, segment, .. } in &after.meeples {
        let feature = recount.feature(cell, segment).unwrap();
        if !scored.contains(&feature) {
            scored.push(feature);
            expected.push(Event::Scored {
                cell,
                segment,
                completed: false,
                points: recount.points(feature),
                seats: seats_of(majority(&recount.features[feature].meeples)),
            });
        }
    }
    expected
}

/// Asserts that seats take turns, each with a tile that fits, and that tiles that fit nowhere leave
/// the game.
fn check_turn(pieces: &Pieces, before: &Observation, after: &Observation) {
    let unseen =
        |view: &Observation| -> usize { view.unseen.iter().map(|&n| usize::from(n)).sum() };
    let recount = Recount::new(pieces, after);
    let removed = &after.removed[before.removed.len()..];
    for &tile in removed {
        assert!(recount.placements(tile).is_empty(), "{tile} fits");
    }
    let is_new_turn = matches!(after.phase, Phase::PlaceTile { .. } | Phase::Over);
    let drawn = match after.phase {
        Phase::PlaceTile { tile } => {
            assert!(!recount.placements(tile).is_empty(), "{tile} fits nowhere");
            1
        }
        Phase::Over => {
            assert_eq!(unseen(after), 0);
            0
        }
        _ => 0,
    };
    assert_eq!(unseen(before) - unseen(after), removed.len() + drawn);
    let seats = before.seats.len();
    let passes = is_new_turn && unseen(before) > 0;
    let expected = (before.turn.index() + usize::from(passes)) % seats;
    assert_eq!(after.turn.index(), expected, "whose turn it is");
}

/// Chooses like a random bot, but completes features a little more often: of a few random
/// placements it takes the one with the most neighbours.
fn choose(list: &[Decision], view: &Observation, chance: &mut ChanceStream) -> Decision {
    let mut any = || list[chance.below(list.len() as u32) as usize];
    let neighbours = |decision: &Decision| match decision {
        Decision::Place(placement) => {
            let near = |laid: &&LaidTile| {
                let other = laid.placement.cell;
                let (dx, dy) =
                    (other.x.abs_diff(placement.cell.x), other.y.abs_diff(placement.cell.y));
                dx <= 1 && dy <= 1
            };
            view.tiles.iter().filter(near).count()
        }
        _ => 0,
    };
    let first = any();
    match first {
        Decision::Place(_) => {
            let (second, third) = (any(), any());
            [first, second, third].into_iter().max_by_key(neighbours).unwrap()
        }
        _ => first,
    }
}

/// Rare situations, and the number of positions that have them.
type Seen = HashMap<&'static str, u32>;

fn note_rare(view: &Observation, recount: &Recount<'_>, seen: &mut Seen) {
    let last = view.tiles.len() - 1;
    let mut note = |what, is_there: bool| *seen.entry(what).or_default() += u32::from(is_there);
    let completed = recount.completed().into_iter();
    let meeples = completed.map(|(_, feature)| recount.features[feature].meeples);
    let is_meeple_phase = view.phase == Phase::PlaceMeeple;
    let is_shared = meeples.map(|meeples| majority(&meeples).len()).any(|best| best > 1);
    note("shared majority", is_meeple_phase && is_shared);
    let is_joined = recount.features_of(last).len() < recount.piece(last).parts.len();
    note("two segments of one feature", is_meeple_phase && is_joined);
    let supply = view.seats[view.turn.index()].supply;
    note("no meeple left", is_meeple_phase && supply == 0);
    note("tile removed", !view.removed.is_empty());
    if let Phase::Drawbridge { crossings } = &view.phase {
        let cell = view.tiles[last].placement.cell;
        let road = Segment::Road(crossings[0].road);
        let gates = recount.gates(recount.feature(cell, road).unwrap());
        note("several gates", gates.len() > 1);
        note("several meeples", crossings[0].meeples > 1);
        note("several roads", crossings.len() > 1);
        note("road of another seat", crossings[0].seat != view.turn);
        note("crossing after the last tile", view.unseen.iter().all(|&left| left == 0));
    }
}

/// Returns the rare situations of the match.
fn check_match(config: &Config, seats: u8, seed: u64) -> Seen {
    let mut seen = Seen::new();
    let pieces = Pieces::new(config);
    let (seats, seed) = (SeatCount::new(seats).unwrap(), Seed::from(seed));
    let setup = Carcassonne::draw_setup(config, seats, &seed).unwrap();
    let mut events = Vec::new();
    let mut state = Carcassonne::start(config, seats, &setup, &mut events).unwrap();
    let mut chance = ChanceStream::new(&seed, 1_000_000);
    let mut list = Vec::new();
    loop {
        let view = Carcassonne::observe(&state, Viewer::Spectator);
        let recount = Recount::new(&pieces, &view);
        check_features(&state, &view, &recount);
        check_scores(&state, &view, &recount);
        note_rare(&view, &recount, &mut seen);
        let Some(seat) = Carcassonne::seats_to_decide(&state).iter().next() else {
            return seen;
        };
        Carcassonne::legal(&state, seat, &mut list);
        assert_eq!(list, expected_decisions(config, &view, &recount));
        let decision = choose(&list, &view, &mut chance);
        let (by_hand, crossings, completed) = after_by_hand(&pieces, &view, &decision);
        events.clear();
        Carcassonne::apply(&mut state, seat, &decision, &mut events).unwrap();
        let after = Carcassonne::observe(&state, Viewer::Spectator);
        assert_eq!(after.seats, by_hand.seats, "{decision}");
        assert_eq!(after.meeples, by_hand.meeples, "{decision}");
        match &after.phase {
            Phase::Drawbridge { crossings: waiting } => assert_eq!(waiting[..], crossings),
            _ => assert_eq!(crossings, [], "{decision}"),
        }
        let followed = (crossings.as_slice(), completed);
        let expected = expected_events(&pieces, &view, &decision, followed, &after);
        assert_eq!(events, expected, "{decision}");
        check_turn(&pieces, &view, &after);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_state_agrees_with_a_flood_fill_after_every_decision(
        seats in 2u8..=5,
        seed: u64,
        drawbridges in prop::bool::weighted(0.9),
        fields in prop::bool::weighted(0.9),
        crowded in prop::bool::weighted(0.3),
    ) {
        let mut config = Config {
            drawbridges,
            fields,
            ..Config::default()
        };
        if crowded {
            config.edition = Arc::new(Edition::from_toml(CROWDED).unwrap());
        }
        check_match(&config, seats, seed);
    }
}

#[test]
fn the_recounted_matches_reach_rare_situations() {
    let config =
        Config { edition: Arc::new(Edition::from_toml(CROWDED).unwrap()), ..Config::default() };
    let mut all = Seen::new();
    for seed in 0..200 {
        for (what, count) in check_match(&config, 2 + (seed % 4) as u8, seed) {
            *all.entry(what).or_default() += count;
        }
    }
    assert!(all.len() == 9 && all.values().all(|&count| count > 0), "{all:?}");
}
