//! Invariants after a chaos run. Each violation has its own message.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_proto::v1::{
    DecidedBy, GameDecision, MatchInfo, MatchState, Replay, ScoreLine, SeatState, record,
};
use bridgemaster_replay::verify;

use crate::{
    plan::{Order, Plan, PlannedMatch, Trouble},
    run::{Played, PlayedMatch},
};

/// All that is wrong; empty when nothing is. The number of matches that were compared with the
/// undisturbed run is the second.
pub(crate) fn judge(
    order: &Order,
    plan: &Plan,
    undisturbed: &Played,
    disturbed: &Played,
) -> (Vec<String>, usize) {
    let mut wrong = disturbed.panics.clone();
    for (what, played) in [("undisturbed", undisturbed), ("disturbed", disturbed)] {
        wrong.extend(listed_once(played).map(|words| format!("{what} run: {words}")));
        for (planned, one) in plan.matches.iter().zip(&played.matches) {
            let prefixed =
                |words| format!("{what} run, {} of {}: {words}", one.match_id, planned.game);
            wrong.extend(ended_well(played, planned, one).into_iter().map(prefixed));
        }
    }
    let mut compared = 0;
    let pairs = undisturbed.matches.iter().zip(&disturbed.matches);
    for (planned, (expected, one)) in plan.matches.iter().zip(pairs) {
        if lost_a_memory(planned, one) {
            continue;
        }
        compared += 1;
        let difference = outcome(&expected.replay).difference(&outcome(&one.replay));
        wrong.extend(difference.map(|words| {
            format!(
                "{} of {}, undisturbed {}: {words}",
                one.match_id, planned.game, expected.match_id
            )
        }));
    }
    let spared = plan.matches.iter().filter(|one| one.spares_memory).count();
    if compared < spared.max(1) {
        wrong.push(format!("only {compared} matches could be compared"));
    }
    wrong.extend(done_as_planned(order, plan, disturbed));
    (wrong, compared)
}

/// Each match is listed once, and besides there is no more than what lost calls may have made.
fn listed_once(played: &Played) -> impl Iterator<Item = String> {
    let mut wrong = Vec::new();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for info in &played.listed {
        *times.entry(&info.match_id).or_default() += 1;
    }
    let known: BTreeSet<&str> = played.matches.iter().map(|one| &*one.match_id).collect();
    if known.len() != played.matches.len() {
        wrong.push("two matches have one identifier".to_owned());
    }
    for match_id in &known {
        let listed = times.get(match_id).copied().unwrap_or(0);
        if listed != 1 {
            wrong.push(format!("{match_id} is listed {listed} times"));
        }
    }
    let others: Vec<&MatchInfo> = played
        .listed
        .iter()
        .filter(|info| !known.contains(&*info.match_id))
        .collect();
    if others.len() > played.unanswered_creates {
        wrong.push(format!(
            "{} matches are listed that nobody made, and {} calls to make one had no answer",
            others.len(),
            played.unanswered_creates
        ));
    }
    for info in others {
        let vacant = info
            .seats
            .iter()
            .all(|seat| seat.state() == SeatState::Vacant);
        if info.state() != MatchState::Waiting || !vacant {
            wrong.push(format!(
                "a match that nobody has tickets for was played: {info:?}"
            ));
        }
    }
    wrong.into_iter()
}

/// The match has one result, told to all alike, and its replay holds.
fn ended_well(played: &Played, planned: &PlannedMatch, one: &PlayedMatch) -> Vec<String> {
    let mut wrong = Vec::new();
    let info = played
        .listed
        .iter()
        .find(|info| info.match_id == one.match_id);
    let Some(result) = info.and_then(|info| info.result.as_ref()) else {
        return vec!["it has no result".to_owned()];
    };
    if info.is_none_or(|info| info.state() != MatchState::Ended) {
        wrong.push("it has a result and has not ended".to_owned());
    }
    if one.replay.result.as_ref() != Some(result) {
        wrong.push("its replay has another result than its listing".to_owned());
    }
    if one.replay != one.first_replay {
        wrong.push("its replay is not what it was at its end".to_owned());
    }
    if let Err(flaw) = verify(&one.replay) {
        wrong.push(format!("its replay is not valid: {flaw}"));
    }
    if one.replay.config.as_ref().and_then(|c| c.seed.as_deref()) != Some(&planned.seed) {
        wrong.push("its replay is of another seed".to_owned());
    }
    if result.seats.len() != planned.players.len() || one.seats.len() != planned.players.len() {
        wrong.push(format!("it has {} seats", result.seats.len()));
    }
    for (seat, played_seat) in result.seats.iter().zip(&one.seats) {
        let place = seat.seat;
        if seat.fault_count > 0 || !seat.faults.is_empty() || seat.house_decisions > 0 {
            wrong.push(format!(
                "seat {place} has {} faults and {} decisions of the house: {:?}",
                seat.fault_count, seat.house_decisions, seat.faults
            ));
        }
        let Some(watch) = &played_seat.watch else {
            continue;
        };
        if watch.ended.as_ref().and_then(|ended| ended.result.as_ref()) != Some(result) {
            wrong.push(format!("seat {place} received another result"));
        }
        let commitment = watch
            .started
            .as_ref()
            .map(|started| &started.seed_commitment);
        if commitment != Some(&one.replay.seed_commitment) {
            wrong.push(format!("seat {place} received another seed commitment"));
        }
        let answered = seat.clock_use.map_or(0, |used| used.answered);
        let by_bot = decisions_by_bot(&one.replay, place);
        if (answered, by_bot) != (watch.requests(), watch.requests()) {
            wrong.push(format!(
                "seat {place} was asked {} times, answered {answered} times by its result, and \
                 decided {by_bot} times by the replay",
                watch.requests()
            ));
        }
    }
    wrong
}

fn decisions_by_bot(replay: &Replay, seat: u32) -> u32 {
    let decided = replay.records.iter().filter(|entry| {
        matches!(&entry.record, Some(record::Record::Decision(decision))
            if decision.seat == seat && decision.decided_by() == DecidedBy::Bot)
    });
    decided.count() as u32
}

/// Returns whether a bot was killed whose decisions depend on its memory.
fn lost_a_memory(planned: &PlannedMatch, one: &PlayedMatch) -> bool {
    let seats = planned.players.iter().zip(&one.seats);
    seats
        .filter(|(player, _)| player.remembers(planned.game))
        .any(|(_, seat)| seat.kills > 0)
}

/// Results that must not depend on the faults of a run.
struct Outcome {
    /// Place, score and what it is made of, of each seat.
    table: Vec<(u32, i32, Vec<ScoreLine>)>,
    /// The decisions of each seat, in order; seats that decide at once have no order among them.
    decisions: BTreeMap<u32, Vec<GameDecision>>,
    /// The digest of the last state.
    digest: Option<u64>,
}

impl Outcome {
    /// The first difference, in words.
    fn difference(&self, other: &Self) -> Option<String> {
        for (seat, decisions) in &self.decisions {
            let others = other.decisions.get(seat).map_or(&[][..], Vec::as_slice);
            let same = decisions.iter().zip(others).take_while(|(a, b)| a == b);
            let same = same.count();
            if same < decisions.len().max(others.len()) {
                return Some(format!(
                    "seat {seat} went another way from its decision {} on: {:?} instead of {:?}",
                    same + 1,
                    others.get(same),
                    decisions.get(same)
                ));
            }
        }
        if self.table != other.table {
            let (table, expected) = (&other.table, &self.table);
            return Some(format!("another table: {table:?} instead of {expected:?}"));
        }
        (self.digest != other.digest).then(|| "another last state".to_owned())
    }
}

fn outcome(replay: &Replay) -> Outcome {
    let mut decisions: BTreeMap<u32, Vec<GameDecision>> = BTreeMap::new();
    let mut digest = None;
    for entry in replay.records.iter().filter_map(|r| r.record.as_ref()) {
        match entry {
            record::Record::Decision(decision) => {
                digest = Some(decision.digest);
                let of_seat = decisions.entry(decision.seat).or_default();
                of_seat.extend(decision.decision.clone());
            }
            record::Record::Chance(chance) => digest = Some(chance.digest),
            record::Record::Fault(_) | record::Record::Seat(_) => {}
        }
    }
    let seats = replay.result.iter().flat_map(|result| &result.seats);
    Outcome {
        table: seats
            .map(|seat| (seat.place, seat.score, seat.breakdown.clone()))
            .collect(),
        decisions,
        digest,
    }
}

/// Nothing that was planned was left out.
fn done_as_planned(order: &Order, plan: &Plan, played: &Played) -> Vec<String> {
    let mut wrong = Vec::new();
    let damage = &played.damage;
    if damage.server_kills != order.server_kills {
        wrong.push(format!(
            "the server was killed {} times, not {}",
            damage.server_kills, order.server_kills
        ));
    }
    // The first one, one for each kill, and one for the kill after the end.
    if played.server_starts as usize != order.server_kills + 2 {
        wrong.push(format!("{} servers were started", played.server_starts));
    }
    let planned = |kind: fn(&Trouble) -> bool| {
        let all = plan.disturbances.iter();
        all.filter(|disturbance| kind(&disturbance.what)).count()
    };
    let bots = planned(|trouble| matches!(trouble, Trouble::KillBot { .. }));
    let cuts = planned(|trouble| matches!(trouble, Trouble::Cut { .. }));
    let done = damage.bot_kills + damage.cuts.values().sum::<usize>();
    if done + damage.missed != bots + cuts || damage.missed > (bots + cuts) / 4 {
        wrong.push(format!(
            "of {} kills and cuts of bots {done} were done and {} found nobody",
            bots + cuts,
            damage.missed
        ));
    }
    wrong
}
