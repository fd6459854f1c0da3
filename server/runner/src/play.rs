//! One match: made, played by fresh processes, and told as a row.

use std::{collections::HashSet, sync::Arc, time::Duration};

use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_proto::v1::{
    AnnulmentReason, CreateMatchRequest, FaultReason, MatchConfig, MatchInfo, MatchResult,
    MatchState, SeatInfo, SeatReservation, SeatState, SeatTicket,
};
use parking_lot::Mutex;
use tokio::time::sleep;

use crate::{
    Annulled, AnnulledBecause, BotEnd, ContestSpec, FaultCounting, MatchNumber, MatchRow,
    PlayError, SeatRow,
    desk::{Desk, LOOK_INTERVAL},
    folder::Folder,
    fork::Forked,
    held_back,
    launch::Launch,
    memory_size::memory_size,
    processes::{Bots, Ended},
    told_seat::{fill, name_of},
};

/// Time between two looks at a match that a bot has left: it has ended, or the house plays on.
const SHORT_LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// What all matches of a contest share.
pub(crate) struct Court {
    pub(crate) spec: ContestSpec,
    /// The rules of every match that is not forked, but for what is its own.
    pub(crate) config: MatchConfig,
    pub(crate) folder: Arc<Folder>,
    pub(crate) desk: Desk,
    pub(crate) launch: Launch,
    pub(crate) server_url: String,
    /// The position that every match goes on from.
    pub(crate) forked: Option<Forked>,
    /// Bots that have taken a seat in some match: they can be started and connect.
    pub(crate) known: Mutex<HashSet<BotNumber>>,
}

/// A match that is to be played.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) of: MatchNumber,
    pub(crate) attempt: u32,
    pub(crate) seed: String,
    pub(crate) seating: Vec<BotNumber>,
    /// Matches of its group.
    pub(crate) of_matches: usize,
    /// Its place among the matches that are played at once, from 0.
    pub(crate) place: usize,
}

impl Court {
    /// Plays a match to its end. Dropped, it kills the bots.
    pub(crate) async fn play(self: Arc<Self>, assigned: Assignment) -> Result<MatchRow, PlayError> {
        let contest = self.folder.id();
        let place = held_back::place(contest, assigned.of, assigned.of_matches);
        let config = MatchConfig {
            group: Some(place),
            ..match &self.forked {
                Some(forked) => forked.config(&assigned.seed),
                None => MatchConfig {
                    seed: Some(assigned.seed.clone()),
                    seat_clocks: self.spec.seat_clocks(&assigned.seating),
                    ..self.config.clone()
                },
            }
        };
        let request = CreateMatchRequest {
            config: Some(config),
            rules_version: self.spec.rules.rules_version,
            seat_reservations: self.offered(&assigned),
            fork: self.forked.as_ref().map(Forked::message),
            ..CreateMatchRequest::default()
        };
        let created = self.desk.create(contest, request).await?;
        let match_id = created
            .r#match
            .map(|info| info.match_id)
            .ok_or_else(|| PlayError::Server("made no match".to_owned()))?;
        let tickets = created.tickets;
        let mut bots = self.start(&assigned, &tickets)?;
        let ended = self.until_ended(&assigned, (&match_id, &tickets), &mut bots);
        let info = match ended.await {
            Ok(info) => info,
            Err(PlayError::Desk(error)) if error.is_unknown_match() => {
                bots.leave().await;
                let why = Annulled {
                    because: AnnulledBecause::ServerCrash,
                    detail: "the server does not know the match any more".to_owned(),
                };
                return Ok(self.annulled(&assigned, match_id, why, bots));
            }
            Err(error) => return Err(error),
        };
        if info.state() == MatchState::Cancelled && self.attends(&assigned) {
            bots.leave().await;
            let why = Annulled {
                because: AnnulledBecause::Declined,
                detail: info.cancellation.unwrap_or_default().reason,
            };
            return Ok(self.annulled(&assigned, match_id, why, bots));
        }
        if info.state() == MatchState::Cancelled {
            return Err(PlayError::Server(format!("cancelled match {match_id}")));
        }
        bots.leave().await;
        self.row(&assigned, info, bots).await
    }

    /// Whether a bot of a match attends by itself.
    fn attends(&self, assigned: &Assignment) -> bool {
        let mut seated = assigned.seating.iter();
        seated.any(|bot| self.launch.attends(*bot).is_some())
    }

    /// The seats of a match that are offered to bots which attend.
    fn offered(&self, assigned: &Assignment) -> Vec<SeatReservation> {
        let seats = (0..).zip(&assigned.seating);
        let offered = seats.filter_map(|(seat, bot)| {
            Some(SeatReservation {
                seat,
                key_name: self.launch.attends(*bot)?.to_owned(),
                queue_id: self.spec.queue().to_owned(),
            })
        });
        offered.collect()
    }

    /// Waits for the end of a match, and tells of it as the server does. Bots end with their match,
    /// so that is when the server is asked. Those that die before are started again.
    async fn until_ended(
        &self,
        assigned: &Assignment,
        (match_id, tickets): (&str, &[SeatTicket]),
        bots: &mut Bots,
    ) -> Result<MatchInfo, PlayError> {
        let mut pause = LOOK_INTERVAL;
        loop {
            let (left, info) = match bots.are_running() {
                // Nothing tells of the end but the server.
                false => (None, self.desk.get_at_end(match_id).await?),
                true => {
                    let left = tokio::select! {
                        Some(left) = bots.next() => Some(left),
                        () = sleep(pause) => None,
                    };
                    (left, self.desk.get(match_id).await?)
                }
            };
            self.note_seated(assigned, &info);
            if matches!(info.state(), MatchState::Ended | MatchState::Cancelled) {
                return Ok(info);
            }
            if let Some(seat) = left {
                self.check_that_it_played(assigned, &info, seat, bots)?;
                self.start_again(assigned, tickets, &info, bots, seat)?;
            }
            pause = match bots.ends.iter().any(Ended::has_left) {
                true => (pause * 2).clamp(SHORT_LOOK_INTERVAL, LOOK_INTERVAL),
                false => LOOK_INTERVAL,
            };
            if left.is_some() {
                pause = SHORT_LOOK_INTERVAL;
            }
        }
    }

    /// Remembers bots that have a seat, or had one and played.
    fn note_seated(&self, assigned: &Assignment, info: &MatchInfo) {
        let mut known = self.known.lock();
        for seat in &info.seats {
            if seat.state() != SeatState::Vacant
                && !seat.bot_name.is_empty()
                && let Some(bot) = assigned.seating.get(seat.seat as usize)
            {
                known.insert(*bot);
            }
        }
    }

    /// Fails when a bot that never played ended before it took its seat: it would do so again.
    fn check_that_it_played(
        &self,
        assigned: &Assignment,
        info: &MatchInfo,
        seat: usize,
        bots: &Bots,
    ) -> Result<(), PlayError> {
        let is_vacant =
            |info: &SeatInfo| info.seat as usize == seat && info.state() == SeatState::Vacant;
        let Some(&bot) = assigned.seating.get(seat) else {
            return Ok(());
        };
        if info.state() != MatchState::Waiting
            || !info.seats.iter().any(is_vacant)
            || self.known.lock().contains(&bot)
        {
            return Ok(());
        }
        let end = &bots.ends[seat];
        if let (Some(BotEnd::OutOfMemory), Some(bytes)) = (&end.end, self.spec.bot_memory_bytes) {
            return Err(PlayError::OutOfMemory {
                bot: self.launch.name(bot).to_owned(),
                allowed: memory_size(bytes),
                hint: quoted(&end.tail),
            });
        }
        let how = match &end.end {
            Some(BotEnd::Done) => "exit code 0".to_owned(),
            Some(BotEnd::Exited { code }) => format!("exit code {code}"),
            Some(BotEnd::Signalled { signal }) => format!("signal {signal}"),
            _ => "nobody knows how".to_owned(),
        };
        let hint = quoted(&end.tail);
        if end.tail.contains("GAME_NOT_PLAYED") {
            return Err(PlayError::OtherGame {
                bot: self.launch.name(bot).to_owned(),
                game: self.spec.rules.game.clone(),
                hint,
            });
        }
        Err(PlayError::Left {
            bot: self.launch.name(bot).to_owned(),
            how,
            hint,
        })
    }

    async fn row(
        &self,
        assigned: &Assignment,
        info: MatchInfo,
        bots: Bots,
    ) -> Result<MatchRow, PlayError> {
        let result = info
            .result
            .as_ref()
            .filter(|result| result.seats.len() == assigned.seating.len())
            .ok_or_else(|| {
                PlayError::Server(format!("ended match {} without a result", info.match_id))
            })?;
        let mut row = self.seats(assigned, info.match_id.clone(), bots);
        row.rules_version = info.rules_version;
        row.decisions = result.decisions;
        row.duration_ms = result.duration_ms;
        row.longest_referee_lag_us = result.longest_referee_lag_us;
        for (seat, told) in row.seats.iter_mut().zip(&result.seats) {
            fill(seat, told);
        }
        if let Some(seat) = self.never_came(&row) {
            return Err(PlayError::NeverConnected {
                bot: self.launch.name(seat.bot).to_owned(),
                startup_ms: self.desk.startup_ms(&info.match_id).await,
                hint: quoted(&seat.stderr_tail),
            });
        }
        row.annulled = self.annulment(&info, result, &row);
        let outcome = self.outcome(&row);
        let name = Folder::replay_name(assigned.of, assigned.attempt, outcome);
        row.replay = Some(name);
        Ok(row)
    }

    /// The seat of a bot that never played and did not come in time: it would not come again.
    fn never_came<'a>(&self, row: &'a MatchRow) -> Option<&'a SeatRow> {
        let mut known = self.known.lock();
        for seat in &row.seats {
            let stayed_away = seat
                .faults
                .iter()
                .any(|fault| fault.reason == name_of(FaultReason::NeverConnected));
            if !stayed_away {
                known.insert(seat.bot);
            } else if !known.contains(&seat.bot) && self.launch.attends(seat.bot).is_none() {
                return Some(seat);
            }
        }
        None
    }

    fn annulment(
        &self,
        info: &MatchInfo,
        result: &MatchResult,
        row: &MatchRow,
    ) -> Option<Annulled> {
        if let Some(annulment) = &info.annulment {
            let because = match annulment.reason() {
                AnnulmentReason::RefereeLag => AnnulledBecause::RefereeLag,
                _ => AnnulledBecause::ServerCrash,
            };
            return Some(Annulled {
                because,
                detail: annulment.detail.clone(),
            });
        }
        if result.spoiled_by_referee {
            let lag_ms = result.longest_referee_lag_us / 1000;
            return Some(Annulled {
                because: AnnulledBecause::RefereeLag,
                detail: format!("the referee lagged {lag_ms} ms in one request"),
            });
        }
        let is_excluded = self.spec.faults == FaultCounting::Exclude && row.has_fault();
        is_excluded.then(|| Annulled {
            because: AnnulledBecause::BotFault,
            detail: "a bot had a fault".to_owned(),
        })
    }

    /// The beginning of the name of a replay: lost matches of the candidate sort first.
    fn outcome(&self, row: &MatchRow) -> &'static str {
        if row.annulled.is_some() {
            return "x-annulled-";
        }
        let candidate = self.spec.candidate();
        let seat = row.seats.iter().find(|seat| Some(seat.bot) == candidate);
        let first = row.seats.iter().filter(|seat| seat.place == 1).count();
        match seat.map(|seat| seat.place) {
            None => "",
            Some(1) if first == 1 => "won-",
            Some(1) => "tied-",
            Some(_) => "lost-",
        }
    }

    fn annulled(
        &self,
        assigned: &Assignment,
        match_id: String,
        why: Annulled,
        bots: Bots,
    ) -> MatchRow {
        let mut row = self.seats(assigned, match_id, bots);
        row.annulled = Some(why);
        row
    }

    /// A row with what is known of the processes.
    fn seats(&self, assigned: &Assignment, match_id: String, bots: Bots) -> MatchRow {
        let seats = assigned.seating.iter().zip(bots.ends);
        let seats = seats.map(|(&bot, ended)| {
            let used = ended.used();
            let end = ended.end.unwrap_or(BotEnd::Stopped);
            let cpu_time_ms = used.cpu_time.map(|time| time.as_millis());
            let has_stderr = !ended.stderr.is_empty() && self.folder.path(&ended.stderr).exists();
            SeatRow {
                bot,
                place: 0,
                place_by_score: 0,
                score: 0,
                forfeit: None,
                fault_count: 0,
                faults: Vec::new(),
                answered: 0,
                charged_us: 0,
                longest_us: 0,
                bank_left_ms: 0,
                house_decisions: 0,
                stderr_tail: match end.is_well() && ended.restarts == 0 {
                    true => String::new(),
                    false => ended.tail,
                },
                end,
                restarts: ended.restarts,
                stderr: has_stderr.then_some(ended.stderr),
                peak_memory_bytes: used.peak_memory_bytes,
                cpu_time_ms: cpu_time_ms.and_then(|ms| ms.try_into().ok()),
            }
        });
        MatchRow {
            of: assigned.of,
            attempt: assigned.attempt,
            match_id,
            seed: assigned.seed.clone(),
            seats: seats.collect(),
            decisions: 0,
            duration_ms: 0,
            longest_referee_lag_us: 0,
            replay: None,
            annulled: None,
            rules_version: 0,
            elapsed_ms: 0,
        }
    }
}

/// The end of a standard error, as the end of a sentence.
fn quoted(tail: &str) -> String {
    match tail.is_empty() {
        true => "; it wrote nothing to its standard error".to_owned(),
        false => format!("; the end of its standard error:\n{tail}"),
    }
}
