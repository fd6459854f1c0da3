//! The result: by the rules, and by what the records add up to.

use bridgemaster_games::{Game, Outcome, Seat, SeatOutcome};
use bridgemaster_proto::v1::{Fault, Replay, SeatResult};
use bridgemaster_referee::{
    ClockUse, FaultReason, MAX_FAULTS_KEPT, MAX_SEAT_RECORDS, MatchRules, places,
};
use bridgemaster_wire::{clock_use_from_wire, reason_to_wire};

use super::charges::{check_clock_use, check_referee_lag};
use crate::opening::{BadField, bad, equal};

/// What the records say of one seat.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) forced_decisions: u32,
    pub(super) house_decisions: u32,
    /// Decisions that were taken over from another match.
    pub(super) taken_over: u32,
    /// Its answers and their charges.
    pub(super) clock_use: ClockUse,
    pub(super) last_request_id: u32,
    pub(super) strikes: u32,
    pub(super) faults: Vec<Fault>,
    pub(super) forfeit: Option<FaultReason>,
    pub(super) seat_records: u32,
    /// Name and version of the bot that came last; empty when none came.
    pub(super) bot: (String, String),
}

impl Tally {
    /// All decisions of the seat.
    pub(super) fn decisions(&self) -> u32 {
        self.clock_use.answered + self.forced_decisions + self.house_decisions + self.taken_over
    }
}

/// Checks the result of a replay.
pub(super) fn check_result<G: Game>(
    replay: &Replay,
    outcome: &Outcome,
    rules: &MatchRules<G>,
    tallies: &[Tally],
    last_at_ms: u64,
) -> Result<(), BadField> {
    let Some(result) = &replay.result else {
        return bad("seats", "the result is missing");
    };
    equal("match_id", &result.match_id, &replay.match_id)?;
    equal(
        "decisions",
        &result.decisions,
        &tallies.iter().map(Tally::decisions).sum(),
    )?;
    if result.duration_ms < last_at_ms {
        let problem = format!(
            "is {}, before the last record's {last_at_ms}",
            result.duration_ms
        );
        return bad("duration_ms", problem);
    }
    equal(
        "seats (their number)",
        &result.seats.len(),
        &outcome.seats.len(),
    )?;
    let places = places(outcome, |seat| tallies[seat].forfeit.is_some());
    for (number, seat) in result.seats.iter().enumerate() {
        let at = |BadField { field, problem }| BadField {
            field: format!("seats[{number}].{field}"),
            problem,
        };
        equal("seat", &(seat.seat as usize), &number).map_err(at)?;
        equal("place", &seat.place, &places[number].into()).map_err(at)?;
        check_score(seat, &outcome.seats[number]).map_err(at)?;
        check_tally(seat, &tallies[number]).map_err(at)?;
        let clock_use = clock_use_from_wire(&seat.clock_use.unwrap_or_default());
        let owner = u8::try_from(number).ok().and_then(Seat::new);
        let clock = owner.map_or(rules.clock, |seat| rules.clock_of(seat));
        check_clock_use(&clock_use, &tallies[number].clock_use, &clock).map_err(at)?;
    }
    check_referee_lag(result, &rules.clock)
}

fn check_score(seat: &SeatResult, outcome: &SeatOutcome) -> Result<(), BadField> {
    equal(
        "place_by_score",
        &seat.place_by_score,
        &outcome.place.into(),
    )?;
    equal("score", &seat.score, &outcome.score)?;
    equal(
        "breakdown (its lines)",
        &seat.breakdown.len(),
        &outcome.breakdown.len(),
    )?;
    for (line, expected) in seat.breakdown.iter().zip(&outcome.breakdown) {
        equal(
            "breakdown.category",
            &line.category.as_str(),
            &expected.category,
        )?;
        equal(
            &format!("breakdown.{}", line.category),
            &line.points,
            &expected.points,
        )?;
    }
    Ok(())
}

fn check_tally(seat: &SeatResult, tally: &Tally) -> Result<(), BadField> {
    equal(
        "forfeit",
        &seat.forfeit().as_str_name(),
        &reason_to_wire(tally.forfeit).as_str_name(),
    )?;
    if seat.faults != tally.faults {
        return bad("faults", "are not those of the records");
    }
    let recorded = tally.faults.len() as u32;
    let may_have_more = tally.faults.len() >= MAX_FAULTS_KEPT;
    if seat.fault_count < recorded || (seat.fault_count > recorded && !may_have_more) {
        return bad(
            "fault_count",
            format!("is {}, the records have {recorded}", seat.fault_count),
        );
    }
    equal(
        "forced_decisions",
        &seat.forced_decisions,
        &tally.forced_decisions,
    )?;
    equal(
        "house_decisions",
        &seat.house_decisions,
        &tally.house_decisions,
    )?;
    if tally.seat_records < MAX_SEAT_RECORDS {
        equal("bot_name", &seat.bot_name, &tally.bot.0)?;
        equal("bot_version", &seat.bot_version, &tally.bot.1)?;
    }
    Ok(())
}
