//! Verification of the result against the rules and the records.

use crate::wire::{clock_use_from_wire, reason_to_wire};
use bridgemaster_games::{Game, Outcome, Seat, SeatOutcome};
use bridgemaster_proto::{
    games::FieldError,
    v1::{Fault, Replay, SeatResult},
};
use bridgemaster_referee::{
    ClockUse, FaultReason, MAX_RECORDED_FAULTS, MAX_SEAT_RECORDS, MatchRules, places,
};

use super::charges::{check_clock_use, check_referee_lag};
use crate::opening::{below, expect_equal, invalid_field};

/// One seat's totals over all records.
#[derive(Default)]
pub(super) struct SeatTotals {
    pub(super) forced_decisions: u32,
    pub(super) house_decisions: u32,
    /// The number of decisions that were copied from the original match.
    pub(super) copied_decisions: u32,
    /// The number of the seat's answers, and the sums of their charges.
    pub(super) clock_use: ClockUse,
    pub(super) last_request_id: u32,
    pub(super) strikes: u32,
    pub(super) faults: Vec<Fault>,
    pub(super) forfeit: Option<FaultReason>,
    pub(super) seat_records: u32,
    /// The last bot's name and version; empty if none connected.
    pub(super) bot: (String, String),
}

impl SeatTotals {
    /// The number of all the seat's decisions.
    pub(super) fn decisions(&self) -> u32 {
        self.clock_use.answered
            + self.forced_decisions
            + self.house_decisions
            + self.copied_decisions
    }
}

/// Verifies a replay's result.
pub(super) fn check_result<G: Game>(
    replay: &Replay,
    outcome: &Outcome,
    rules: &MatchRules<G>,
    totals: &[SeatTotals],
    last_at_ms: u64,
) -> Result<(), FieldError> {
    let Some(result) = &replay.result else {
        return invalid_field("seats", "the result is missing");
    };
    expect_equal("match_id", &result.match_id, &replay.match_id)?;
    let decisions = totals.iter().map(SeatTotals::decisions).sum();
    expect_equal("decisions", &result.decisions, &decisions)?;
    if result.duration_ms < last_at_ms {
        let problem =
            format!("{} is before the time of the last record, {last_at_ms}", result.duration_ms);
        return invalid_field("duration_ms", problem);
    }
    expect_equal("seats (their number)", &result.seats.len(), &outcome.seats.len())?;
    let places = places(outcome, |seat| totals[seat].forfeit.is_some());
    for (number, seat) in result.seats.iter().enumerate() {
        let parent = format!("seats[{number}]");
        let at = below(&parent);
        expect_equal("seat", &(seat.seat as usize), &number).map_err(&at)?;
        expect_equal("place", &seat.place, &places[number].into()).map_err(&at)?;
        check_score(seat, &outcome.seats[number]).map_err(&at)?;
        check_totals(seat, &totals[number]).map_err(&at)?;
        let clock_use = clock_use_from_wire(&seat.clock_use.unwrap_or_default());
        let owner = u8::try_from(number).ok().and_then(Seat::new);
        let clock = owner.map_or(rules.clock, |seat| rules.clock_of(seat));
        check_clock_use(&clock_use, &totals[number].clock_use, &clock).map_err(&at)?;
    }
    check_referee_lag(result, &rules.clock)
}

fn check_score(seat: &SeatResult, outcome: &SeatOutcome) -> Result<(), FieldError> {
    expect_equal("place_by_score", &seat.place_by_score, &outcome.place.into())?;
    expect_equal("score", &seat.score, &outcome.score)?;
    expect_equal("breakdown (its lines)", &seat.breakdown.len(), &outcome.breakdown.len())?;
    for (line, expected) in seat.breakdown.iter().zip(&outcome.breakdown) {
        expect_equal("breakdown.category", &line.category.as_str(), &expected.category)?;
        expect_equal(&format!("breakdown.{}", line.category), &line.points, &expected.points)?;
    }
    Ok(())
}

fn check_totals(seat: &SeatResult, totals: &SeatTotals) -> Result<(), FieldError> {
    expect_equal(
        "forfeit",
        &seat.forfeit().as_str_name(),
        &reason_to_wire(totals.forfeit).as_str_name(),
    )?;
    if seat.faults != totals.faults {
        return invalid_field("faults", "expected the faults of the records");
    }
    let recorded = totals.faults.len() as u32;
    let may_have_more = totals.faults.len() >= MAX_RECORDED_FAULTS;
    if seat.fault_count < recorded || (seat.fault_count > recorded && !may_have_more) {
        let stated = seat.fault_count;
        let problem = format!("{stated} contradicts the {recorded} recorded faults");
        return invalid_field("fault_count", problem);
    }
    let (forced, house) = (totals.forced_decisions, totals.house_decisions);
    expect_equal("forced_decisions", &seat.forced_decisions, &forced)?;
    expect_equal("house_decisions", &seat.house_decisions, &house)?;
    if totals.seat_records < MAX_SEAT_RECORDS {
        expect_equal("bot_name", &seat.bot_name, &totals.bot.0)?;
        expect_equal("bot_version", &seat.bot_version, &totals.bot.1)?;
    }
    Ok(())
}
