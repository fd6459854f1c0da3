//! Converts the golden playthroughs to positions, for the web page's tests. Run `cargo run -p
//! bridgemaster-proto --features games --example golden_positions -- GOLDEN OUT`.
//!
//! GOLDEN is `games/tests/golden`. Each playthrough becomes a file `OUT/GAME.NAME.positions` with
//! length-delimited `WatchPositionsResponse` messages, as the page reads them. The first message
//! contains the match. Each position contains the observations of a spectator and of every seat.
//! The page's transcript of the file must equal the playthrough.

#![allow(clippy::unwrap_used)]

use std::env;
use std::fs;
use std::path::Path;

use bridgemaster_games::{
    ChanceStream, GAME_IDS, Seat, SeatCount, Seed, Viewer, resolve_chance, with_game,
};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        Charge, ClockUse, DecidedBy, GameObservation, MatchConfig, MatchInfo, MatchResult,
        MatchState, PlayedDecision, Position, ScoreLine, SeatInfo, SeatResult, SeatState,
        WatchPositionsResponse,
    },
};
use prost::Message;

/// Every seat's initial time bank, in ms.
const BANK_MS: u32 = 60_000;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [golden, out] = &arguments[..] else {
        panic!("expected GOLDEN (folder of playthroughs) and OUT (output folder)");
    };
    fs::create_dir_all(out).unwrap();
    for id in GAME_IDS {
        with_game!(*id, G => write_game::<G>(Path::new(golden), Path::new(out))).unwrap();
    }
}

fn write_game<G: WireGame>(golden: &Path, out: &Path) {
    for file in fs::read_dir(golden.join(G::ID)).unwrap() {
        let file = file.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        if !text.starts_with(&format!("{}, seed ", G::NAME)) {
            continue; // of a test of the game's own, such as a setup
        }
        let mut bytes = Vec::new();
        for message in positions::<G>(&text) {
            message.encode_length_delimited(&mut bytes).unwrap();
        }
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        fs::write(out.join(format!("{}.{name}.positions", G::ID)), bytes).unwrap();
    }
}

/// Reads the options and the number of seats from a playthrough's first lines.
fn rules<G: WireGame>(text: &str) -> (G::Config, SeatCount) {
    let mut config = G::Config::default();
    let (first, rest) = text.split_once('\n').unwrap();
    for line in rest.lines() {
        let Some((name, value)) = line.split_once(' ') else {
            break;
        };
        if !G::options().iter().any(|option| option.name == name) {
            break;
        }
        G::set_option(&mut config, name, value).unwrap();
    }
    let seats: Vec<&str> = first.split(' ').collect();
    let count = SeatCount::new(seats[seats.len() - 2].parse().unwrap()).unwrap();
    (config, count)
}

/// Plays a playthrough's match as `games/tests/golden/main.rs` does.
fn positions<G: WireGame>(text: &str) -> Vec<WatchPositionsResponse> {
    let (config, count) = rules::<G>(text);
    let seed: Seed = "golden".parse().unwrap();
    let setup = G::draw_setup(&config, count, &seed).unwrap();
    let mut events = Vec::new();
    let mut state = G::start(&config, count, &setup, &mut events).unwrap();
    let mut chance = ChanceStream::new(&seed, 1_000_000);
    let mut bank_left_ms = vec![BANK_MS; usize::from(count.get())];
    let mut played: Option<PlayedDecision> = None;
    let (mut messages, mut at_ms) = (Vec::new(), 0);
    for number in 0.. {
        resolve_chance::<G>(&mut state, &mut chance, &mut events);
        let position = Position {
            number,
            played: played.take(),
            observations: observations::<G>(&state, count),
            lines: events.iter().map(ToString::to_string).collect(),
            events: events.drain(..).map(|event| G::event_to_wire(&event)).collect(),
            faults: Vec::new(),
            bank_left_ms: bank_left_ms.clone(),
            at_ms,
        };
        messages.push(WatchPositionsResponse { position: Some(position), r#match: None });
        let seats_to_decide: Vec<_> = G::seats_to_decide(&state).iter().collect();
        if seats_to_decide.is_empty() {
            break;
        }
        let seat = seats_to_decide[chance.below(seats_to_decide.len() as u32) as usize];
        let mut legal = Vec::new();
        G::legal(&state, seat, &mut legal);
        let decision = legal[chance.below(legal.len() as u32) as usize].clone();
        // An arbitrary charge that differs between decisions.
        let charged_us = u64::from(number) * 7919 % 90_000 + legal.len() as u64 * 400;
        at_ms += charged_us / 1000;
        let bank = &mut bank_left_ms[seat.index()];
        *bank = bank.saturating_sub((charged_us / 1000) as u32);
        played = Some(played_decision::<G>(seat, &decision, &legal, charged_us));
        G::apply(&mut state, seat, &decision, &mut events).unwrap();
    }
    let decisions = messages.len() as u32 - 1;
    messages[0].r#match = Some(match_info::<G>(&state, &config, count, decisions, &bank_left_ms));
    messages
}

fn played_decision<G: WireGame>(
    seat: Seat,
    decision: &G::Decision,
    legal: &[G::Decision],
    charged_us: u64,
) -> PlayedDecision {
    PlayedDecision {
        seat: u32::from(seat.number()),
        decision: Some(G::decision_to_wire(decision)),
        notation: decision.to_string(),
        decided_by: DecidedBy::Bot.into(),
        charge: Some(Charge {
            elapsed_us: charged_us,
            credit_us: 0,
            charged_us,
            uncharged_us: 0,
            referee_lag_us: 0,
        }),
        note: String::new(),
        legal_decisions: legal.iter().map(G::decision_to_wire).collect(),
        legal_decisions_cut: false,
    }
}

/// Returns the spectator's observation and each seat's observation.
fn observations<G: WireGame>(state: &G::State, count: SeatCount) -> Vec<GameObservation> {
    let viewers = std::iter::once(Viewer::Spectator).chain(count.seats().map(Viewer::Seat));
    viewers.map(|viewer| G::observation_to_wire(&G::observe(state, viewer))).collect()
}

fn bot_name(seat: usize) -> String {
    format!("golden-{seat}")
}

fn seat_results<G: WireGame>(state: &G::State, bank_left_ms: &[u32]) -> Vec<SeatResult> {
    let outcome = G::outcome(state).unwrap();
    let seats = outcome.seats.iter().enumerate();
    let results = seats.map(|(seat, outcome)| {
        let breakdown = outcome
            .breakdown
            .iter()
            .map(|line| ScoreLine { category: line.category.to_string(), points: line.points });
        SeatResult {
            seat: seat as u32,
            place: u32::from(outcome.place),
            place_by_score: u32::from(outcome.place),
            score: outcome.score,
            breakdown: breakdown.collect(),
            bot_name: bot_name(seat),
            bot_version: "1".to_owned(),
            clock_use: Some(ClockUse { bank_left_ms: bank_left_ms[seat], ..ClockUse::default() }),
            ..SeatResult::default()
        }
    });
    results.collect()
}

fn match_info<G: WireGame>(
    state: &G::State,
    config: &G::Config,
    count: SeatCount,
    decisions: u32,
    bank_left_ms: &[u32],
) -> MatchInfo {
    MatchInfo {
        match_id: "golden".to_owned(),
        state: MatchState::Ended.into(),
        config: Some(MatchConfig {
            game: Some(G::config_to_wire(config)),
            seats: u32::from(count.get()),
            seed: Some("golden".to_owned()),
            ..MatchConfig::default()
        }),
        seats: (0..usize::from(count.get()))
            .map(|seat| SeatInfo {
                seat: seat as u32,
                state: SeatState::Connected.into(),
                bot_name: bot_name(seat),
                bot_version: "1".to_owned(),
                ..SeatInfo::default()
            })
            .collect(),
        decisions,
        result: Some(MatchResult {
            match_id: "golden".to_owned(),
            seats: seat_results::<G>(state, bank_left_ms),
            decisions,
            ..MatchResult::default()
        }),
        rules_version: G::RULES_VERSION,
        ..MatchInfo::default()
    }
}
