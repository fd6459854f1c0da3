//! Invariants after a chaos run. Each violation has its own message.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use bridgemaster_proto::v1::{
    DecidedBy, GameDecision, MatchState, Replay, ScoreLine, SeatState, record,
};
use bridgemaster_replay::{decode, verify};

use super::{
    plan::{Order, Plan, PlannedMatch, Trouble},
    run::{Faults, Played, PlayedMatch},
};
use crate::verdict::Verdict;

/// Judges a run in the storm by the one without.
pub(crate) fn judge(
    order: &Order,
    plan: &Plan,
    undisturbed: &Played,
    disturbed: &Played,
) -> Verdict {
    let mut verdict = Verdict::default();
    let mut listed = Vec::new();
    let mut ended = Vec::new();
    for (run, played) in [("undisturbed", undisturbed), ("disturbed", disturbed)] {
        let problems = listed_once(played).into_iter();
        listed.extend(problems.map(|problem| format!("{run} run: {problem}")));
        for (planned, one) in plan.matches.iter().zip(&played.matches) {
            let of = format!("{run} run, {} of {}", one.match_id, planned.game);
            let problems = ended_well(played, planned, one).into_iter();
            ended.extend(problems.map(|problem| format!("{of}: {problem}")));
        }
    }
    let mut compared = 0;
    let mut different = Vec::new();
    let pairs = undisturbed.matches.iter().zip(&disturbed.matches);
    for (planned, (expected, one)) in plan.matches.iter().zip(pairs) {
        if lost_a_memory(planned, one) {
            continue;
        }
        compared += 1;
        let difference = outcome(&expected.replay).difference(&outcome(&one.replay));
        let ids = format!("{}, undisturbed {}", one.match_id, expected.match_id);
        different.extend(difference.map(|what| format!("{ids} of {}: {what}", planned.game)));
    }
    let spared = plan.matches.iter().filter(|one| one.spares_memory).count();
    if compared < spared.max(1) {
        different.push(format!("only {compared} matches could be compared"));
    }
    add_figures(&mut verdict, plan, undisturbed, disturbed, compared);
    verdict.check("no server panics", disturbed.panics.clone());
    verdict.check("each match is listed once", listed);
    verdict.check(
        "each has one result, a replay that holds and no fault",
        ended,
    );
    verdict.check("each goes as undisturbed", different);
    verdict.check(
        "no fault of the plan is left out",
        left_out(order, plan, disturbed),
    );
    verdict
}

fn add_figures(
    verdict: &mut Verdict,
    plan: &Plan,
    undisturbed: &Played,
    played: &Played,
    compared: usize,
) {
    let mut seats: BTreeMap<String, usize> = BTreeMap::new();
    for player in plan.matches.iter().flat_map(|one| &one.players) {
        *seats.entry(format!("{player:?}")).or_default() += 1;
    }
    let results = played
        .matches
        .iter()
        .filter_map(|one| one.replay.result.as_ref());
    let decisions: u64 = results.clone().map(|one| u64::from(one.decisions)).sum();
    let spoiled = results.filter(|one| one.spoiled_by_referee).count();
    let Faults {
        server_kills,
        kills_while_starting,
        bot_kills,
        cuts,
        missed,
    } = &played.faults;
    verdict.figure(format!(
        "{} matches with {decisions} decisions, {compared} compared with the undisturbed run, \
         {spoiled} spoiled by the referee's lag; seats by bot: {seats:?}",
        played.matches.len()
    ));
    verdict.figure(format!(
        "server: {server_kills} SIGKILLs, {kills_while_starting} of them within 60 ms of a start, \
         {} starts, {} calls to make a match without an answer",
        played.server_starts, played.unanswered_creates
    ));
    verdict.figure(format!(
        "bots: {bot_kills} killed, connections cut: {cuts:?}, {missed} kills and cuts found \
         nobody, {} connections",
        played.connections
    ));
    let [calm_s, stormy_s] = [undisturbed, played].map(|played| played.time.as_secs_f64());
    verdict.figure(format!(
        "undisturbed {calm_s:.1} s, disturbed {stormy_s:.1} s"
    ));
}

/// Checks that besides the matches there are no more than what lost calls may have made.
fn listed_once(played: &Played) -> Vec<String> {
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
    let others = played
        .listed
        .iter()
        .filter(|info| !known.contains(&*info.match_id));
    let lost = played.unanswered_creates;
    if others.clone().count() > lost {
        wrong.push(format!(
            "{} matches are listed that nobody made, and {lost} calls to make one had no answer",
            others.clone().count()
        ));
    }
    for info in others {
        let mut seats = info.seats.iter();
        let is_vacant = seats.all(|seat| seat.state() == SeatState::Vacant);
        if info.state() != MatchState::Waiting || !is_vacant {
            wrong.push(format!(
                "a match that nobody has tickets for was played: {info:?}"
            ));
        }
    }
    wrong
}

/// Checks that the match has one result, the same for everyone, and a replay and a file that hold.
fn ended_well(played: &Played, planned: &PlannedMatch, one: &PlayedMatch) -> Vec<String> {
    let mut wrong = Vec::new();
    let info = played
        .listed
        .iter()
        .find(|info| info.match_id == one.match_id);
    let Some((info, result)) = info.and_then(|info| Some((info, info.result.as_ref()?))) else {
        return vec!["it has no result".to_owned()];
    };
    let file = played
        .replay_files
        .join(format!("{}.replay.binpb", one.match_id));
    let file = fs::read(file).ok().and_then(|bytes| decode(&bytes).ok());
    let seed = one
        .replay
        .config
        .as_ref()
        .and_then(|config| config.seed.as_ref());
    let seats = [result.seats.len(), one.seats.len()];
    for (holds, problem) in [
        (
            info.state() == MatchState::Ended,
            "it has a result and has not ended",
        ),
        (
            one.replay.result.as_ref() == Some(result),
            "its replay has another result than its listing",
        ),
        (
            one.replay == one.first_replay,
            "its replay is not what it was at its end",
        ),
        (seed == Some(&planned.seed), "its replay is of another seed"),
        (
            seats == [planned.players.len(); 2],
            "it has another number of seats",
        ),
        (
            file.is_some_and(|file| file.replay == one.replay),
            "its replay is not in a file",
        ),
    ] {
        wrong.extend((!holds).then(|| problem.to_owned()));
    }
    if let Err(flaw) = verify(&one.replay) {
        wrong.push(format!("its replay is not valid: {flaw}"));
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
        let started = watch.started.as_ref();
        if started.map(|one| &one.seed_commitment) != Some(&one.replay.seed_commitment) {
            wrong.push(format!("seat {place} received another seed commitment"));
        }
        let asked = watch.requests();
        let answered = seat.clock_use.map_or(0, |used| used.answered);
        let by_bot = decisions_by_bot(&one.replay, place);
        if (answered, by_bot) != (asked, asked) {
            wrong.push(format!(
                "seat {place} was asked {asked} times, answered {answered} times by its result, \
                 and decided {by_bot} times by the replay"
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
    let mut seats = planned.players.iter().zip(&one.seats);
    seats.any(|(player, seat)| player.remembers(planned.game) && seat.kills > 0)
}

/// Results that must not depend on the faults of a run.
struct Outcome {
    /// Each seat's place, score and score lines.
    table: Vec<(u32, i32, Vec<ScoreLine>)>,
    /// The decisions of each seat, in order; seats that decide at once have no order among them.
    decisions: BTreeMap<u32, Vec<GameDecision>>,
    /// The digest of the last state.
    digest: Option<u64>,
}

impl Outcome {
    /// The first difference.
    fn difference(&self, other: &Self) -> Option<String> {
        for (seat, decisions) in &self.decisions {
            let others = other.decisions.get(seat).map_or(&[][..], Vec::as_slice);
            let same = decisions
                .iter()
                .zip(others)
                .take_while(|(a, b)| a == b)
                .count();
            if same < decisions.len().max(others.len()) {
                let (found, expected) = (others.get(same), decisions.get(same));
                let at = same + 1;
                return Some(format!(
                    "decision {at} of seat {seat} is {found:?} instead of {expected:?}"
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
    let table = seats.map(|seat| (seat.place, seat.score, seat.breakdown.clone()));
    Outcome {
        table: table.collect(),
        decisions,
        digest,
    }
}

/// Planned faults that were not injected, and leftover files of unfinished replays.
fn left_out(order: &Order, plan: &Plan, played: &Played) -> Vec<String> {
    let mut wrong = Vec::new();
    let faults = &played.faults;
    if faults.server_kills != order.server_kills {
        let (done, planned) = (faults.server_kills, order.server_kills);
        wrong.push(format!("the server was killed {done} times, not {planned}"));
    }
    // The first one, one for each kill, and one for the kill after the end.
    if played.server_starts != order.server_kills + 2 {
        wrong.push(format!("{} servers were started", played.server_starts));
    }
    let is_of_bot = |trouble: &Trouble| !matches!(trouble, Trouble::KillServer { .. });
    let of_bots = plan
        .disturbances
        .iter()
        .filter(|one| is_of_bot(&one.what))
        .count();
    let done = faults.bot_kills + faults.cuts.values().sum::<usize>();
    let missed = faults.missed;
    if done + missed != of_bots || missed > of_bots / 4 {
        wrong.push(format!(
            "of {of_bots} kills and cuts of bots {done} were done and {missed} found nobody"
        ));
    }
    let files = fs::read_dir(&played.replay_files)
        .into_iter()
        .flatten()
        .flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let unfinished = names.filter(|name| name.ends_with(".unfinished"));
    wrong.extend(unfinished.map(|name| format!("the file {name} is left")));
    wrong
}
