//! Judges fair matches by the records of the server and the logs of their bots.

use std::{
    collections::BTreeMap,
    fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use bridgemaster_proto::v1::{Fault, FaultReason, MatchInfo, Replay, SeatResult, record::Record};
use prost::Message as _;

use super::{
    fair_bot::{Answered, BotLine},
    machine::Moments,
};

/// Maximum time from reading a request to answering it for which the bot counts as prompt. This
/// includes the time in which the machine gave it no CPU, which the server cannot measure.
const PROMPT_US: u64 = 150_000;
/// Longest wait of the server or of a caller in these tests.
pub(crate) const LONGEST_PATIENCE: Duration = Duration::from_secs(10);
/// Lag during one request that spoils a match, with the default clock.
const SPOILING_LAG_US: u64 = 100_000;

/// A match that was played to its end.
pub(crate) struct PlayedMatch {
    pub(crate) info: MatchInfo,
    /// Logs of the bots, by seat.
    pub(crate) said: Vec<Vec<BotLine>>,
    pub(crate) ended_at: SystemTime,
}

/// Outcomes of matches.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) match_ids: Vec<String>,
    pub(crate) decisions: usize,
    /// The number of bots' answers, and of prompt ones.
    pub(crate) answers: usize,
    pub(crate) prompt_answers: usize,
    /// Seats that were late with an answer although their bot answered promptly or never read the
    /// request.
    pub(crate) late: Vec<Suspect>,
    /// Number of seats that were late according to their own bots too.
    pub(crate) rightly_late: usize,
    /// Forfeited seats, except those forfeited for lateness, since each late answer is judged
    /// separately.
    pub(crate) forfeited: Vec<Suspect>,
    /// Streams that bots lost or were refused.
    pub(crate) lost: Vec<Suspect>,
    /// Matches that were spoiled by lag of the server, with their end times.
    pub(crate) spoiled: Vec<(String, SystemTime)>,
    /// The longest lag of the server during one open request.
    pub(crate) longest_lag_us: u64,
    /// Other problems.
    pub(crate) wrong: Vec<String>,
}

/// A problem that the server might have caused, with its time span.
#[derive(Debug)]
pub(crate) struct Suspect {
    pub(crate) words: String,
    pub(crate) from: SystemTime,
    pub(crate) to: SystemTime,
}

/// The times at which the server was not the cause of a delay.
pub(crate) struct Excuses {
    /// The server was ready to run, but got no CPU.
    pub(crate) processor: Moments,
    /// The server's disk was slow.
    pub(crate) disk: Moments,
}

/// A cause of a delay that excuses the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excuse {
    /// The machine gave the server no CPU.
    Processor,
    /// A commit took long.
    Disk,
}

impl Played {
    pub(crate) fn add(&mut self, other: Self) {
        self.match_ids.extend(other.match_ids);
        self.decisions += other.decisions;
        self.answers += other.answers;
        self.prompt_answers += other.prompt_answers;
        self.late.extend(other.late);
        self.rightly_late += other.rightly_late;
        self.forfeited.extend(other.forfeited);
        self.lost.extend(other.lost);
        self.spoiled.extend(other.spoiled);
        self.longest_lag_us = self.longest_lag_us.max(other.longest_lag_us);
        self.wrong.extend(other.wrong);
    }

    pub(crate) fn judge(&mut self, played: &PlayedMatch) {
        let info = &played.info;
        let Some(result) = &info.result else {
            self.wrong.push(format!("{} has no result", info.match_id));
            return;
        };
        self.match_ids.push(info.match_id.clone());
        self.decisions += result.decisions as usize;
        self.longest_lag_us = self.longest_lag_us.max(result.longest_referee_lag_us);
        if result.spoiled_by_referee {
            self.spoiled.push((info.match_id.clone(), played.ended_at));
        }
        let began_at = played.ended_at - Duration::from_millis(result.duration_ms);
        for (seat, said) in result.seats.iter().zip(&played.said) {
            self.judge_seat(&info.match_id, seat, said, began_at..=played.ended_at);
        }
    }

    fn judge_seat(
        &mut self,
        match_id: &str,
        seat: &SeatResult,
        said: &[BotLine],
        time: RangeInclusive<SystemTime>,
    ) {
        let who = format!("{match_id} seat {}", seat.seat);
        let mut answers = BTreeMap::new();
        for said in said {
            match said {
                BotLine::Answered(answered) if answered.match_id == match_id => {
                    self.answers += 1;
                    self.prompt_answers += usize::from(is_prompt(answered));
                    answers.insert(answered.request_id, answered);
                }
                BotLine::Lost(at_us, why) => {
                    let at = SystemTime::UNIX_EPOCH + Duration::from_micros(*at_us);
                    self.lost.push(Suspect {
                        words: format!("{who}: {why}"),
                        from: at - LONGEST_PATIENCE,
                        to: at,
                    });
                }
                other => self.wrong.push(format!("{who}: unexpected record {other:?}")),
            }
        }
        // The cause of an event precedes the event.
        let until = |at_ms| {
            let to = *time.start() + Duration::from_millis(at_ms);
            (*time.start()).max(to - LONGEST_PATIENCE)..=to.min(*time.end())
        };
        let time_of_match = &time;
        for fault in &seat.faults {
            let time = until(fault.at_ms);
            let request = format!("{who} request {}", fault.request_id);
            match (fault.reason(), answers.get(&fault.request_id)) {
                (FaultReason::Late, Some(answered)) if is_prompt(answered) => {
                    let read_at = Duration::from_micros(answered.read_at_us);
                    let from = SystemTime::UNIX_EPOCH + read_at;
                    // This compares two clocks of one machine, so it is only a hint.
                    let began_at = time_of_match.start();
                    let read_at_ms = from.duration_since(*began_at).unwrap_or_default();
                    self.late.push(Suspect {
                        words: format!(
                            "{request}: its bot took {} us, {} of them without a CPU; it read \
                             the request at {} ms of the match, and was late at {} ms",
                            answered.took_us,
                            answered.waited_us,
                            read_at_ms.as_millis(),
                            fault.at_ms
                        ),
                        from,
                        to: from + Duration::from_micros(answered.took_us),
                    });
                }
                (FaultReason::Late, Some(_)) => self.rightly_late += 1,
                (FaultReason::Late, None) => self.late.push(Suspect {
                    words: format!("{request}: its bot never read it"),
                    from: *time.start(),
                    to: *time.end(),
                }),
                (FaultReason::Disconnected, _) => self.lost.push(Suspect {
                    words: format!("{request}: {}", fault.detail),
                    from: *time.start(),
                    to: *time.end(),
                }),
                (other, _) => {
                    let wrong = format!("{request}: {other:?} {}", fault.detail);
                    self.wrong.push(wrong);
                }
            }
        }
        let was_late = |fault: &Fault| fault.reason() == FaultReason::Late;
        match seat.forfeit() {
            FaultReason::Unspecified => {}
            FaultReason::Late if seat.faults.iter().any(was_late) => {}
            why => {
                let time = until(seat.faults.last().map_or(0, |fault| fault.at_ms));
                self.forfeited.push(Suspect {
                    words: format!("{who}: {why:?}"),
                    from: *time.start(),
                    to: *time.end(),
                });
            }
        }
    }

    /// Returns the requests that were spoiled by lag of the server, according to the replays of
    /// their matches.
    pub(crate) fn spoiled_requests(&self, replay_file: impl Fn(&str) -> PathBuf) -> Vec<Suspect> {
        let mut all = Vec::new();
        for (match_id, ended_at) in &self.spoiled {
            let unread = |why| {
                vec![Suspect {
                    words: format!("{match_id}: {why}"),
                    from: *ended_at,
                    to: *ended_at,
                }]
            };
            let requests = spoiled_in(&replay_file(match_id), *ended_at);
            all.extend(requests.unwrap_or_else(unread));
        }
        all
    }
}

impl Excuses {
    pub(crate) fn of(&self, suspect: &Suspect) -> Option<Excuse> {
        let Suspect { from, to, .. } = *suspect;
        match () {
            () if self.processor.explain(from, to) => Some(Excuse::Processor),
            () if self.disk.explain(from, to) => Some(Excuse::Disk),
            () => None,
        }
    }
}

fn is_prompt(answered: &Answered) -> bool {
    answered.took_us + answered.waited_us <= PROMPT_US
}

/// Returns the spoiled requests according to the replay of a match that ended at `ended_at`.
fn spoiled_in(replay: &Path, ended_at: SystemTime) -> Result<Vec<Suspect>, String> {
    let bytes = fs::read(replay).map_err(|error| format!("no replay: {error}"))?;
    let replay = Replay::decode(&*bytes).map_err(|error| format!("no replay: {error}"))?;
    let duration_ms = replay.result.map_or(0, |result| result.duration_ms);
    let mut spoiled = Vec::new();
    for record in replay.records {
        let Some(Record::Decision(decision)) = record.record else {
            continue;
        };
        let Some(charge) = decision.charge.filter(|c| c.referee_lag_us > SPOILING_LAG_US) else {
            continue;
        };
        let before_end = Duration::from_millis(duration_ms.saturating_sub(record.at_ms));
        let to = ended_at - before_end;
        let words = format!(
            "{} seat {} request {}: {} ms of lag",
            replay.match_id,
            decision.seat,
            decision.request_id,
            charge.referee_lag_us / 1_000
        );
        let from = to - Duration::from_micros(charge.elapsed_us);
        spoiled.push(Suspect { words, from, to });
    }
    if spoiled.is_empty() {
        // No seat is charged for a request without an answer.
        let words = format!("{}: a request without an answer", replay.match_id);
        let from = ended_at - Duration::from_millis(duration_ms);
        let to = ended_at;
        spoiled.push(Suspect { words, from, to });
    }
    Ok(spoiled)
}
