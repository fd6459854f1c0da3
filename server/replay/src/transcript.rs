//! Rendering of a replay as text, in its game's notation.

use std::fmt::{self, Write};

use bridgemaster_games::{Viewer, with_game};
use bridgemaster_proto::{
    escape::Escaped,
    games::{FieldError, WireGame},
    v1::{
        ChanceRecord, DecidedBy, DecisionRecord, Fault, ForkChance, ForkOrigin, GameEvent, Record,
        Replay, SeatInfo, record,
    },
};
use bridgemaster_referee::MatchRules;
use thiserror::Error;

use crate::{
    opening::{Opening, below, chance_of, decision_of, invalid_field, open, unknown_game},
    wire::rules_to_wire,
};

/// The reason why a replay cannot be rendered.
#[derive(Debug, Error)]
pub enum TranscriptError {
    /// A field of the replay is missing or invalid.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The text could not be written.
    #[error(transparent)]
    Write(#[from] fmt::Error),
}

/// Writes a replay as text, without its result. The text has the rules, the initial table, and one
/// line per record. Each record's events follow its line.
///
/// # Errors
/// Returns an error that names the first invalid field. The text before this field is already
/// written.
pub fn write_transcript(replay: &Replay, text: &mut impl Write) -> Result<(), TranscriptError> {
    with_game!(replay.game_id.as_str(), G => write_game::<G>(replay, text))
        .unwrap_or_else(|| Err(unknown_game(&replay.game_id).into()))
}

fn write_game<G: WireGame>(replay: &Replay, text: &mut impl Write) -> Result<(), TranscriptError> {
    write_head::<G>(replay, text)?;
    for event in events::<G>("opening_events", &replay.opening_events) {
        writeln!(text, "      {}", event?)?;
    }
    for (position, record) in replay.records.iter().enumerate() {
        let at = format!("records[{position}]");
        write_record::<G>(record, &at, text)?;
    }
    Ok(())
}

fn write_head<G: WireGame>(replay: &Replay, text: &mut impl Write) -> Result<(), TranscriptError> {
    let Opening { rules, state, .. } = open::<G>(replay)?;
    writeln!(
        text,
        "match {}, refereed by Bridgemaster {}",
        Escaped(&replay.match_id),
        Escaped(&replay.server_version)
    )?;
    writeln!(text, "game {}, rules version {}", G::NAME, replay.rules_version)?;
    for note in &replay.data_notes {
        writeln!(text, "note: {}", Escaped(note))?;
    }
    writeln!(text, "seats {}", rules.seats)?;
    match replay.config.as_ref().and_then(|config| config.seed.as_ref()) {
        Some(seed) => writeln!(text, "seed {}", Escaped(seed))?,
        None => writeln!(text, "seed not stored")?,
    }
    if !replay.seed_commitment.is_empty() {
        let (commitment, salt) = (Escaped(&replay.seed_commitment), Escaped(&replay.seed_salt));
        writeln!(text, "seed commitment {commitment}\nseed salt {salt}")?;
    }
    if let Some(origin) = &replay.fork {
        write_fork(origin, text)?;
    }
    write_clock_and_faults(&rules, text)?;
    writeln!(text)?;
    G::render(&rules.config, &G::observe(&state, Viewer::Spectator), text)?;
    writeln!(text)?;
    Ok(())
}

/// Writes the origin of a forked match.
fn write_fork(origin: &ForkOrigin, text: &mut impl Write) -> fmt::Result {
    let chance = match origin.chance() {
        ForkChance::Redraw => "with hidden facts redrawn for seat",
        ForkChance::Keep | ForkChance::Unspecified => "with the original chance",
    };
    let knowing: Vec<String> = origin.knowing_seats.iter().map(u32::to_string).collect();
    writeln!(
        text,
        "forked from match {} after {} decisions, {chance} {}",
        Escaped(&origin.match_id),
        origin.decisions,
        knowing.join(", ")
    )
}

fn write_clock_and_faults<G: WireGame>(
    rules: &MatchRules<G>,
    text: &mut impl Write,
) -> fmt::Result {
    let clock = &rules.clock;
    writeln!(
        text,
        "clock: {} s, start-up {} ms, reconnect {} ms, round-trip credit {} ms, referee lag limit \
         {} ms",
        clock.time_control,
        clock.startup_ms,
        clock.reconnect_ms,
        clock.round_trip_credit_ms,
        clock.referee_lag_limit_ms
    )?;
    for odds in &rules.odds {
        writeln!(text, "clock of seat {}: {} s", odds.seat, odds.time_control)?;
    }
    let faults = rules_to_wire(rules, false).faults.unwrap_or_default();
    writeln!(
        text,
        "faults: illegal {}, late {}, disconnected {}, never connected {}, flood {}, garbage {}, \
         forfeit at {} strikes",
        short_name(faults.illegal().as_str_name()),
        short_name(faults.late().as_str_name()),
        short_name(faults.disconnected().as_str_name()),
        short_name(faults.never_connected().as_str_name()),
        short_name(faults.flood().as_str_name()),
        short_name(faults.garbage().as_str_name()),
        rules.faults.strikes_to_forfeit
    )
}

fn write_record<G: WireGame>(
    record: &Record,
    at: &str,
    text: &mut impl Write,
) -> Result<(), TranscriptError> {
    let (seconds, ms) = (record.at_ms / 1000, record.at_ms % 1000);
    write!(text, "{:>4} {seconds:>4}.{ms:03} s  ", record.number)?;
    match &record.record {
        Some(record::Record::Decision(decision)) => {
            write_decision::<G>(decision, at, text)?;
            if !decision.note.is_empty() {
                writeln!(text, "      note: {}", Escaped(&decision.note))?;
            }
            for event in events::<G>(&format!("{at}.decision.events"), &decision.events) {
                writeln!(text, "      {}", event?)?;
            }
        }
        Some(record::Record::Chance(chance)) => {
            write_chance::<G>(chance, at, text)?;
            for event in events::<G>(&format!("{at}.chance.events"), &chance.events) {
                writeln!(text, "      {}", event?)?;
            }
        }
        Some(record::Record::Fault(fault)) => {
            write_fault(fault.seat, &fault.fault.clone().unwrap_or_default(), text)?;
        }
        Some(record::Record::Seat(seat)) => {
            write_seat(&seat.seat.clone().unwrap_or_default(), text)?
        }
        None => return Ok(invalid_field(format!("{at}.record"), "is missing")?),
    }
    Ok(())
}

fn write_decision<G: WireGame>(
    record: &DecisionRecord,
    at: &str,
    text: &mut impl Write,
) -> Result<(), TranscriptError> {
    let decision = decision_of::<G>(record).map_err(below(at))?;
    write!(text, "seat {}: {decision}", record.seat)?;
    match record.decided_by() {
        DecidedBy::Bot => {
            let charge = record.charge.unwrap_or_default();
            let (ms, us) = (charge.thinking_us() / 1000, charge.thinking_us() % 1000);
            write!(text, "  (request {}, {ms}.{us:03} ms", record.request_id)?;
            if charge.referee_lag_us > 0 {
                write!(text, ", referee lag {} ms", charge.referee_lag_us / 1000)?;
            }
            writeln!(text, ")")?;
        }
        DecidedBy::Referee => writeln!(text, "  (forced)")?,
        DecidedBy::House => writeln!(text, "  (by the house)")?,
        DecidedBy::Replay => writeln!(text, "  (from the replay)")?,
        DecidedBy::Unspecified => writeln!(text, "  (unknown)")?,
    }
    Ok(())
}

fn write_chance<G: WireGame>(
    record: &ChanceRecord,
    at: &str,
    text: &mut impl Write,
) -> Result<(), TranscriptError> {
    let chance = chance_of::<G>(record).map_err(below(at))?;
    writeln!(text, "chance: {chance}  (stream {})", record.stream)?;
    Ok(())
}

fn write_fault(seat: u32, fault: &Fault, text: &mut impl Write) -> fmt::Result {
    let reason = short_name(fault.reason().as_str_name());
    let action = short_name(fault.action().as_str_name());
    writeln!(text, "seat {seat}: FAULT {reason}, costs {action}: {}", Escaped(&fault.detail))
}

fn write_seat(info: &SeatInfo, text: &mut impl Write) -> fmt::Result {
    let state = short_name(info.state().as_str_name());
    writeln!(
        text,
        "seat {}: bot {} {} {state}",
        info.seat,
        Escaped(&info.bot_name),
        Escaped(&info.bot_version)
    )
}

/// An enum value's name without its prefix, in lower case.
fn short_name(name: &str) -> String {
    const PREFIXES: [&str; 3] = ["FAULT_REASON_", "FAULT_ACTION_", "SEAT_STATE_"];
    let rest = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.unwrap_or(name).to_lowercase().replace('_', " ")
}

fn events<'a, G: WireGame>(
    field: &'a str,
    events: &'a [GameEvent],
) -> impl Iterator<Item = Result<G::Event, FieldError>> + 'a {
    events.iter().enumerate().map(move |(number, event)| {
        let read = G::event_from_wire(event);
        read.map_err(|error| below(&format!("{field}[{number}]"))(error))
    })
}
