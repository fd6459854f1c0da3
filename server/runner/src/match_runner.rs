//! Runs one match: creates it, plays it to its end, and returns its row.

use std::{collections::HashSet, sync::Arc, time::Duration};

use bridgemaster_bot_process::{CpuQuota, machine_hint};
use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_proto::v1::{
    AnnulmentReason, FaultReason, MatchConfig, MatchInfo, MatchResult, MatchState, SeatInfo,
    SeatState, SeatTicket,
};
use parking_lot::Mutex;
use tokio::time::sleep;

use crate::{
    Annulment, AnnulmentCause, BotEnd, ContestSpec, ExitReason, FaultCounting, MatchNumber,
    MatchRow, OwnServer, SeatRow,
    bot_watch::{BotWatch, names},
    built_in::BuiltInSeats,
    cpu::Throttling,
    folder::Folder,
    fork::ForkSource,
    launch::Launch,
    match_bots::{BotStatus, MatchBots},
    match_client::MatchClient,
    memory_size::memory_size,
    row::{fault_name, fill_seat},
    run_error::PlayError,
    running_bots::ReusedBots,
    stderr_files::StderrFiles,
};

/// Interval between attempts to expire the seat of a bot that has exited, while the server still
/// has the bot's stream.
const EXPIRE_RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Advice for a bot that was started with `--reuse` and does not attend its queue.
const REUSE_HINT: &str = "; with --reuse, a bot attends the queue in BRIDGEMASTER_QUEUE, as bots \
                          of the SDKs do, and exits when the queue is closed";

/// Runs a contest's matches.
pub(crate) struct MatchRunner {
    pub(crate) spec: ContestSpec,
    /// The config shared by all matches that are not forked.
    pub(crate) config: MatchConfig,
    pub(crate) folder: Arc<Folder>,
    pub(crate) client: MatchClient,
    pub(crate) launch: Launch,
    pub(crate) watch: BotWatch,
    pub(crate) stderr: StderrFiles,
    pub(crate) built_in: BuiltInSeats,
    pub(crate) reused_bots: ReusedBots,
    pub(crate) server_url: String,
    /// The server, if it serves only this contest; `None` for a server that has other users.
    pub(crate) own_server: Option<Arc<dyn OwnServer>>,
    /// The position that every match starts from, in a fork.
    pub(crate) forked: Option<ForkSource>,
    /// Bots that have taken a seat in at least one match, which proves that they can start and
    /// connect.
    pub(crate) working_bots: Mutex<HashSet<BotNumber>>,
    /// The CPU quota of the contest's own server, if any.
    pub(crate) quota: Option<CpuQuota>,
}

/// A match to be played.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) of: MatchNumber,
    pub(crate) attempt: u32,
    pub(crate) seed: String,
    pub(crate) seating: Vec<BotNumber>,
    /// The number of matches in this match's group.
    pub(crate) group_matches: usize,
    /// The match's slot among the concurrent matches, from 0.
    pub(crate) slot: usize,
}

impl MatchRunner {
    /// Plays a match to its end. Dropping the future kills the match's bots.
    pub(crate) async fn play(self: Arc<Self>, assigned: Assignment) -> Result<MatchRow, PlayError> {
        self.check_files(&assigned).await?;
        let throttling = self.quota.as_ref().map(Throttling::since_now);
        let created = self.create_match(&assigned).await?;
        let (match_id, tickets) = (created.match_id, created.tickets);
        let mut bots = self.start(&assigned, &tickets, created.reused).await?;
        let ended = self.until_ended(&assigned, (&match_id, &tickets), &mut bots);
        let info = match ended.await {
            Ok(info) => info,
            Err(PlayError::Call(error)) if error.is_unknown_match() => {
                let annulled = Annulment {
                    because: AnnulmentCause::ServerCrash,
                    detail: "the server has lost the match".to_owned(),
                };
                return self.annulled(&assigned, match_id, annulled, bots).await;
            }
            Err(error) => return Err(error),
        };
        if info.state() == MatchState::Cancelled && self.attends(&assigned) {
            let annulled = Annulment {
                because: AnnulmentCause::Declined,
                detail: info.cancellation.unwrap_or_default().reason,
            };
            return self.annulled(&assigned, match_id, annulled, bots).await;
        }
        if info.state() == MatchState::Cancelled {
            return Err(PlayError::Server(format!("cancelled match {match_id}")));
        }
        bots.shut_down().await;
        let reused = bots.take_reused();
        let mut row = self.row(&assigned, info, bots).await?;
        for (seat, bot) in reused {
            self.release(bot, !row.seats[seat].has_lost_its_seat()).await?;
        }
        if let (Some(throttling), Some(annulled)) = (throttling, &mut row.annulled) {
            throttling.explain(annulled);
        }
        Ok(row)
    }

    /// Checks that the files of a match's bots have not changed.
    async fn check_files(&self, assigned: &Assignment) -> Result<(), PlayError> {
        let names = names(&self.spec, &assigned.seating);
        self.watch.check(&names, assigned.of).await
    }

    /// Returns whether any of the match's bots attends a queue.
    fn attends(&self, assigned: &Assignment) -> bool {
        let mut seated = assigned.seating.iter();
        seated.any(|bot| self.launch.attends(*bot).is_some() || self.launch.is_reused(*bot))
    }

    /// Waits for the end of a match and returns its info. A bot that dies before the end is
    /// restarted, or its seat is expired.
    async fn until_ended(
        &self,
        assigned: &Assignment,
        (match_id, tickets): (&str, &[SeatTicket]),
        bots: &mut MatchBots,
    ) -> Result<MatchInfo, PlayError> {
        loop {
            let expires_seats = bots.status.iter().any(BotStatus::must_be_expired);
            let (ended_seat, info) = tokio::select! {
                biased;
                info = self.client.get_at_end(match_id), if !expires_seats => (None, info?),
                Some(seat) = bots.next() => (Some(seat), self.client.get(match_id).await?),
                () = sleep(EXPIRE_RETRY_INTERVAL), if expires_seats => {
                    (None, self.client.get(match_id).await?)
                }
            };
            self.mark_seated(assigned, &info);
            if matches!(info.state(), MatchState::Ended | MatchState::Cancelled) {
                return Ok(info);
            }
            if let Some(seat) = ended_seat {
                self.check_took_seat(assigned, &info, seat, bots)?;
                self.check_files(assigned).await?;
                self.restart_bot(assigned, tickets, &info, bots, seat).await?;
            }
            self.expire_seats(match_id, &info, bots).await?;
        }
    }

    /// Records which bots have taken a seat.
    fn mark_seated(&self, assigned: &Assignment, info: &MatchInfo) {
        let mut working_bots = self.working_bots.lock();
        for seat in &info.seats {
            if seat.state() != SeatState::Vacant
                && !seat.bot_name.is_empty()
                && let Some(bot) = assigned.seating.get(seat.seat as usize)
            {
                working_bots.insert(*bot);
            }
        }
    }

    /// Returns an error if a bot has exited without ever taking a seat, since it would exit in the
    /// next match too.
    fn check_took_seat(
        &self,
        assigned: &Assignment,
        info: &MatchInfo,
        seat: usize,
        bots: &MatchBots,
    ) -> Result<(), PlayError> {
        let is_vacant =
            |info: &SeatInfo| info.seat as usize == seat && info.state() == SeatState::Vacant;
        let Some(&bot) = assigned.seating.get(seat) else {
            return Ok(());
        };
        if info.state() != MatchState::Waiting
            || !info.seats.iter().any(is_vacant)
            || self.working_bots.lock().contains(&bot)
        {
            return Ok(());
        }
        let ended = &bots.status[seat];
        Err(self.ended_early(bot, ended.end.as_ref(), &ended.tail))
    }

    /// Returns the error for a bot that has exited without ever taking a seat.
    pub(crate) fn ended_early(
        &self,
        bot: BotNumber,
        end: Option<&BotEnd>,
        tail: &str,
    ) -> PlayError {
        let hint = quoted(tail);
        let name = self.launch.name(bot);
        if let (Some(BotEnd::OutOfMemory), Some(bytes)) = (end, self.spec.bot_memory_bytes) {
            let allowed = memory_size(bytes);
            return PlayError::bot_exit(
                ExitReason::BotOutOfMemory,
                name,
                &format!(
                    "ran out of memory before it took its seat; --bot-memory allows \
                     {allowed}; raise it, or reduce the memory that the bot needs at startup{hint}"
                ),
            );
        }
        let status = match end {
            Some(BotEnd::Done) => "exit code 0".to_owned(),
            Some(BotEnd::Exited { code }) => format!("exit code {code}"),
            Some(BotEnd::Signalled { signal }) => format!("signal {signal}"),
            Some(BotEnd::Failed) => "an error".to_owned(),
            _ => "unknown exit status".to_owned(),
        };
        // Shells and `env` use the exit codes 126 and 127 if they cannot run a program.
        if matches!(end, Some(BotEnd::Exited { code: 126 | 127 }))
            && let Some(error) = self.launch.windows_line_endings(bot)
        {
            return PlayError::not_started(name, &error);
        }
        if tail.contains("GAME_NOT_PLAYED") {
            let game = &self.spec.rules.game;
            return PlayError::bot_exit(
                ExitReason::BotOfOtherGames,
                name,
                &format!(
                    "does not play {game}: the `games` of its Hello do not list it; pass \
                     another game with --game, or another bot{hint}"
                ),
            );
        }
        let reuse = if self.launch.is_reused(bot) { REUSE_HINT } else { "" };
        let cause = machine_hint(tail).map(|advice| format!("; possible cause: {advice}"));
        let cause = cause.unwrap_or_default();
        PlayError::bot_exit(
            ExitReason::BotEnded,
            name,
            &format!("exited before it took its seat ({status}){reuse}{cause}{hint}"),
        )
    }

    async fn row(
        &self,
        assigned: &Assignment,
        info: MatchInfo,
        bots: MatchBots,
    ) -> Result<MatchRow, PlayError> {
        let result = info
            .result
            .as_ref()
            .filter(|result| result.seats.len() == assigned.seating.len())
            .ok_or_else(|| {
                PlayError::Server(format!("finished match {} without a result", info.match_id))
            })?;
        let mut row = self.row_of_bots(assigned, info.match_id.clone(), bots);
        row.rules_version = info.rules_version;
        row.decisions = result.decisions;
        row.duration_ms = result.duration_ms;
        row.longest_referee_lag_us = result.longest_referee_lag_us;
        for (seat, seat_result) in row.seats.iter_mut().zip(&result.seats) {
            fill_seat(seat, seat_result);
        }
        if let Some(seat) = self.never_connected_seat(&row) {
            let startup_ms = self.client.startup_ms(&info.match_id).await;
            return Err(PlayError::bot_exit(
                ExitReason::BotNeverConnected,
                self.launch.name(seat.bot),
                &format!(
                    "did not connect within {startup_ms} ms of its start. A bot connects to \
                     BRIDGEMASTER_SERVER with the ticket in BRIDGEMASTER_TICKET; `bridgemaster \
                     check-bot` shows which step fails{}",
                    quoted(&seat.stderr_tail)
                ),
            ));
        }
        row.annulled = self.annulment(&info, result, &row);
        let prefix = self.replay_prefix(&row);
        let name = Folder::replay_name(assigned.of, assigned.attempt, prefix);
        row.replay = Some(name);
        self.trim_stderr(&mut row);
        Ok(row)
    }

    /// Truncates a match's output files to their budget. A reused process's file is truncated when
    /// the process ends.
    fn trim_stderr(&self, row: &mut MatchRow) {
        let candidate = self.spec.candidate();
        let had_fault = |seat: &SeatRow| seat.fault_count > 0 || !seat.end.is_regular();
        let mut seats = row.seats.iter();
        let is_important = seats.any(|seat| Some(seat.bot) == candidate && had_fault(seat));
        let seats = row.seats.iter_mut();
        for seat in seats.filter(|seat| !self.launch.is_reused(seat.bot)) {
            let name = seat.stderr.take();
            seat.stderr =
                name.filter(|name| self.stderr.trim(&self.folder.path(name), is_important));
        }
    }

    /// Returns the seat of a bot that did not connect in time and has never taken a seat. Such a
    /// bot would not connect in another match either.
    fn never_connected_seat<'a>(&self, row: &'a MatchRow) -> Option<&'a SeatRow> {
        let mut working_bots = self.working_bots.lock();
        for seat in &row.seats {
            let is_absent = seat
                .faults
                .iter()
                .any(|fault| fault.reason == fault_name(FaultReason::NeverConnected));
            if !is_absent {
                working_bots.insert(seat.bot);
            } else if !working_bots.contains(&seat.bot) && self.launch.attends(seat.bot).is_none() {
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
    ) -> Option<Annulment> {
        if let Some(annulment) = &info.annulment {
            let because = match annulment.reason() {
                AnnulmentReason::RefereeLag => AnnulmentCause::RefereeLag,
                _ => AnnulmentCause::ServerCrash,
            };
            return Some(Annulment { because, detail: annulment.detail.clone() });
        }
        if result.spoiled_by_referee {
            let lag_ms = result.longest_referee_lag_us / 1000;
            return Some(Annulment {
                because: AnnulmentCause::RefereeLag,
                detail: format!("the referee lagged {lag_ms} ms in one request"),
            });
        }
        let is_excluded = self.spec.faults == FaultCounting::Exclude && row.has_fault();
        is_excluded.then(|| Annulment {
            because: AnnulmentCause::BotFault,
            detail: "a bot had a fault".to_owned(),
        })
    }

    /// Returns the prefix of the replay's file name. It sorts the candidate's lost matches before
    /// all other matches.
    fn replay_prefix(&self, row: &MatchRow) -> &'static str {
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

    /// Returns the row for a match that was not played to its end.
    async fn annulled(
        &self,
        assigned: &Assignment,
        match_id: String,
        annulled: Annulment,
        mut bots: MatchBots,
    ) -> Result<MatchRow, PlayError> {
        bots.shut_down().await;
        for (_, bot) in bots.take_reused() {
            self.release(bot, true).await?;
        }
        let mut row = self.row_of_bots(assigned, match_id, bots);
        row.annulled = Some(annulled);
        self.trim_stderr(&mut row);
        Ok(row)
    }

    /// Returns a row with the bots' data, but without results.
    fn row_of_bots(&self, assigned: &Assignment, match_id: String, bots: MatchBots) -> MatchRow {
        let seats = assigned.seating.iter().zip(bots.status);
        let seats = seats.map(|(&bot, mut ended)| {
            let used = ended.used();
            let end = ended.end.unwrap_or(BotEnd::Stopped);
            let cpu_time_ms = used.cpu_time.map(|time| time.as_millis());
            let has_stderr = !ended.stderr.is_empty() && self.folder.path(&ended.stderr).exists();
            SeatRow {
                bot,
                stderr_tail: if end.is_regular() && ended.restarts == 0 {
                    String::new()
                } else {
                    ended.tail
                },
                end,
                restarts: ended.restarts,
                stderr: has_stderr.then_some(ended.stderr),
                peak_memory_bytes: used.peak_memory_bytes,
                cpu_time_ms: cpu_time_ms.and_then(|ms| ms.try_into().ok()),
                isolation: ended.isolation,
                ..SeatRow::default()
            }
        });
        let own_server = self.own_server.as_ref();
        let refused_calls =
            own_server.map_or_else(Vec::new, |own| own.take_refused_calls(&match_id));
        MatchRow {
            of: assigned.of,
            attempt: assigned.attempt,
            match_id,
            seed: assigned.seed.clone(),
            seats: seats.collect(),
            refused_calls,
            ..MatchRow::default()
        }
    }
}

/// Formats the last lines of standard error, to be appended to a message.
fn quoted(tail: &str) -> String {
    if tail.is_empty() {
        "; its standard error is empty".to_owned()
    } else {
        format!("; the end of its standard error:\n{tail}")
    }
}
