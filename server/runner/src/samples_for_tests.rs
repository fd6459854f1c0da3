//! Sample specs and rows for tests.

use crate::{
    BotEnd, BotSpec, ContestSpec, Format, GroupNumber, MatchNumber, MatchRow, MatchRules, SeatRow,
    TestSpec,
};

/// Returns a contest in the `series` format between two built-in bots.
pub(crate) fn spec(test: TestSpec) -> ContestSpec {
    let rules = MatchRules { game: "carcassonne".to_owned(), seats: 2, ..MatchRules::default() };
    let bots = ["greedy", "random"].map(BotSpec::built_in).to_vec();
    ContestSpec { test: Some(test), ..ContestSpec::new(rules, bots, Format::Series) }
}

/// Returns a contest between `bots` bots that are started by commands. Its matches have `seats`
/// seats.
pub(crate) fn spec_of(bots: usize, seats: u8, format: Format) -> ContestSpec {
    let rules = MatchRules { game: "carcassonne".to_owned(), seats, ..MatchRules::default() };
    let bots = (0..bots).map(|bot| BotSpec::from_command(format!("bot{bot}"), "bot"));
    ContestSpec::new(rules, bots.collect(), format)
}

/// Returns a match with these bots and places, in seat order.
pub(crate) fn row(group: u64, number: u32, bots: &[usize], places: &[u32]) -> MatchRow {
    let seats = bots.iter().zip(places).map(|(&bot, &place)| SeatRow {
        bot,
        place,
        place_by_score: place,
        score: 100 - i32::try_from(place).unwrap_or(0),
        answered: 10,
        charged_us: 1000,
        longest_us: 200,
        bank_left_ms: 50_000,
        end: BotEnd::Done,
        ..SeatRow::default()
    });
    MatchRow {
        of: MatchNumber { group: GroupNumber(group), number },
        match_id: format!("m{group}-{number}"),
        seed: format!("s{group}"),
        seats: seats.collect(),
        decisions: 20,
        duration_ms: 12,
        rules_version: 1,
        elapsed_ms: 100,
        ..MatchRow::default()
    }
}
