//! Builds messages about a ladder for clients: standings, matches and CSV exports.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_edge::{identity::Visibility, refusal::Refusal};
use bridgemaster_ladder::{
    BotVersion, End, EntryState, Exclusion, LadderEntry, Purpose, State, Table,
};
use bridgemaster_live::Matches;
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{
    self, Annulment, AnnulmentReason, AttendanceState, ClockUse, FaultAction, FaultReason,
    LadderBotRef, LadderHeadToHead, LadderMatch, LadderVersion, MatchInfo, MatchResult, MatchState,
    SeatInfo, SeatResult, SeatState,
};
use bridgemaster_store::StoredLadderMatch;
use tokio::task::spawn_blocking;

use super::{
    LiveLadder,
    model::LadderModel,
    rows::{MatchRow, VersionRow, purpose_to_wire, rating_to_wire},
};

/// The attendances in a queue, by bot name.
pub type Attendances = HashMap<String, v1::Attendance>;

impl LiveLadder {
    /// Returns the standings: rated versions from the strongest to the weakest, then unrated
    /// versions. Superseded versions are included only with `all_versions`.
    pub fn standings(&self, attendances: &Attendances, all_versions: bool) -> Vec<v1::Standing> {
        self.with_model(|model| {
            let table = model.ladder.table();
            let mut newest: HashMap<&str, &VersionRow> = HashMap::new();
            for version in model.versions.values() {
                let name = &*version.standing.bot.name;
                let other = newest.entry(name).or_insert(version);
                if version.place > other.place {
                    *other = version;
                }
            }
            let is_included = |bot: &BotVersion| {
                let newest = newest.get(&*bot.name);
                let exclusion = model.ladder.actions().exclusion(bot);
                let is_removed = exclusion.is_some_and(|(one, _)| one == Exclusion::Removed);
                let is_newest = newest.is_some_and(|newest| newest.standing.bot == *bot);
                !is_removed && (all_versions || is_newest)
            };
            let mut without: Vec<&VersionRow> = model.versions.values().collect();
            without.retain(|version| table.get(&version.standing.bot).is_none());
            without.sort_by_key(|version| version.place);
            let without = without.into_iter().map(|version| &version.standing.bot);
            let bots = table.ratings().iter().map(|rated| &rated.bot).chain(without);
            let included = bots.filter(|bot| is_included(bot));
            let standings = included.map(|bot| model.standing(bot, &table, attendances));
            let mut standings: Vec<v1::Standing> = standings.collect();
            standings.sort_by_key(|standing| standing.disqualified);
            standings
        })
    }

    /// Returns a bot's versions, newest first; empty if the bot does not exist.
    pub fn bot(&self, name: &str, attendances: &Attendances) -> Vec<LadderVersion> {
        self.with_model(|model| {
            let table = model.ladder.table();
            let messages = model.versions_of(name).into_iter().map(|version| LadderVersion {
                standing: Some(model.standing(&version.standing.bot, &table, attendances)),
                history: version.history.clone(),
                entered_unix_ms: version.entered_unix_ms,
            });
            messages.collect()
        })
    }

    /// Resolves a reference to a bot: to the named version, otherwise to the version that attends,
    /// otherwise to the newest version.
    pub fn version(&self, bot: &LadderBotRef, attendances: &Attendances) -> Option<BotVersion> {
        let version = match (bot.bot_version.as_str(), attendances.get(&bot.bot_name)) {
            ("", Some(attendance)) => attendance.bot_version.as_str(),
            (version, _) => version,
        };
        self.with_model(|model| {
            let of = |version: &str| {
                let bot = BotVersion::new(bot.bot_name.as_str(), version);
                model.versions.contains_key(&bot).then_some(bot)
            };
            let newest = || Some(model.versions_of(&bot.bot_name).first()?.standing.bot.clone());
            match bot.bot_version.as_str() {
                // The version that attends might not have entered yet.
                "" => of(version).or_else(newest),
                version => of(version),
            }
        })
    }

    /// Returns the standing of one version.
    pub fn standing(&self, bot: &BotVersion, attendances: &Attendances) -> v1::Standing {
        self.with_model(|model| {
            let table = model.ladder.table();
            model.standing(bot, &table, attendances)
        })
    }

    /// Computes the results of a version against the versions of one bot, or of all bots, on a
    /// blocking thread.
    pub async fn head_to_heads(&self, bot: &BotVersion, against: &str) -> Vec<LadderHeadToHead> {
        let meetings = self.with_model(|model| model.ladder.results().meetings(bot));
        let met = spawn_blocking(move || meetings.head_to_heads()).await;
        // The task fails only if the runtime is shutting down.
        let met = met.unwrap_or_default().into_iter();
        met.filter(|(other, _)| against.is_empty() || other.name == against)
            .map(|(other, met)| LadderHeadToHead {
                against: Some(LadderBotRef { bot_name: other.name, bot_version: other.version }),
                head_to_head: Some(v1::HeadToHead {
                    matches: met.matches,
                    first_ahead: met.first_ahead,
                    ties: met.ties,
                    mean_score_margin: met.mean_score_margin,
                }),
            })
            .collect()
    }

    /// Builds the message of a match: from the live or stored match if it is found, otherwise from
    /// the ladder's row.
    pub(super) async fn match_message(
        &self,
        matches: &Arc<Matches>,
        number: u64,
        row: &MatchRow,
        visibility: Visibility<'_>,
    ) -> Result<LadderMatch, Refusal> {
        let match_id = match &row.over {
            Some(over) => Some(over.match_id.clone()).filter(|id| !id.is_empty()),
            None => self.with_model(|model| {
                let open = model.open.get(&number)?;
                open.match_id.as_ref().map(MatchId::to_string)
            }),
        };
        let mut info = None;
        let is_visible = match visibility {
            Visibility::All => true,
            Visibility::Of(name) => {
                let mut bots = row.pairing.seats.iter();
                bots.any(|bot| bot.name == name.as_str())
            }
            Visibility::None => false,
        };
        if let Some(id) = match_id.as_ref().filter(|_| is_visible)
            && let Ok(id) = MatchId::new(id.as_str())
            && let Ok(Some(hosted)) = matches.get_or_load(&id).await
        {
            info = Some(hosted.info().committed().await?);
        }
        let mut info = info.unwrap_or_else(|| self.info_of(row, match_id.unwrap_or_default()));
        let (replaced, voided) = self.with_model(|model| {
            let voided = model.annulment(number, row);
            let voided = voided.map(|action| model.ladder.actions().attribution(action));
            (model.replaced_by(number), voided)
        });
        if let Some(detail) = voided {
            let reason = AnnulmentReason::Organizer.into();
            info.annulment = Some(Annulment { reason, detail, ..Annulment::default() });
        }
        if let (Some(annulment), Some(replaced)) = (&mut info.annulment, replaced) {
            annulment.replaced_by_match_id = replaced;
        }
        for seat in info.result.iter_mut().flat_map(|result| &mut result.seats) {
            seat.faults.retain(|fault| fault.action() == FaultAction::Forfeit);
            seat.faults.truncate(1);
        }
        // Names the paired bots in seats that they have not joined yet.
        let seats = info.seats.iter_mut().zip(&row.pairing.seats);
        for (seat, bot) in seats.filter(|(seat, _)| seat.bot_name.is_empty()) {
            seat.bot_name.clone_from(&bot.name);
            seat.bot_version.clone_from(&bot.version);
        }
        Ok(LadderMatch {
            r#match: Some(info),
            purpose: purpose_to_wire(row.pairing.purpose).into(),
        })
    }

    /// Builds the message of a match from the ladder's row.
    fn info_of(&self, row: &MatchRow, match_id: String) -> MatchInfo {
        let config = self.with_model(|model| model.description.ladder.config.clone());
        let over = row.over.as_ref();
        let bots = (0..).zip(&row.pairing.seats);
        let seats = bots.clone().map(|(seat, bot)| SeatInfo {
            seat,
            state: over.map_or(SeatState::Unspecified, |over| seat_state(&over.end, seat)).into(),
            bot_name: bot.name.clone(),
            bot_version: bot.version.clone(),
            ..SeatInfo::default()
        });
        let ends = over.and_then(|over| match &over.end {
            End::Played(ends) | End::Annulled(ends) => Some(ends),
            End::Cancelled { .. } | End::Voided => None,
        });
        let conduct = |seat: u32| {
            let conduct = over.and_then(|over| over.conduct.get(usize::try_from(seat).ok()?));
            conduct.copied().unwrap_or_default()
        };
        let result = ends.map(|ends| MatchResult {
            match_id: match_id.clone(),
            seats: bots
                .zip(ends)
                .map(|((seat, bot), end)| SeatResult {
                    seat,
                    place: end.place,
                    score: end.score,
                    bot_name: bot.name.clone(),
                    bot_version: bot.version.clone(),
                    forfeit: conduct(seat).forfeit.into(),
                    fault_count: conduct(seat).faults,
                    clock_use: conduct(seat).thinking_ms.map(|ms| ClockUse {
                        charged_us: ms.saturating_mul(1_000),
                        ..ClockUse::default()
                    }),
                    ..SeatResult::default()
                })
                .collect(),
            ..MatchResult::default()
        });
        let annulled_for = over.map(|over| over.annulled_for);
        let annulled_for = annulled_for.filter(|reason| *reason != AnnulmentReason::Unspecified);
        let state = match (over, &result) {
            (None, _) => MatchState::Waiting,
            (Some(_), Some(_)) => MatchState::Ended,
            (Some(_), None) => MatchState::Cancelled,
        };
        MatchInfo {
            state: state.into(),
            config,
            seats: seats.collect(),
            result,
            created_unix_ms: row.paired_unix_ms,
            ended_unix_ms: over.map_or(0, |over| over.ended_unix_ms),
            annulment: annulled_for
                .map(|reason| Annulment { reason: reason.into(), ..Annulment::default() }),
            match_id,
            ..MatchInfo::default()
        }
    }
}

impl LadderModel {
    fn standing(&self, bot: &BotVersion, table: &Table, attendances: &Attendances) -> v1::Standing {
        let stored = self.ladder.entry(bot);
        let exclusion = self.ladder.actions().exclusion(bot);
        let is_excluded = |least| exclusion.is_some_and(|(exclusion, _)| exclusion >= least);
        let is_disqualified = is_excluded(Exclusion::Disqualified);
        let mut rating = table.get(bot).map(rating_to_wire);
        if let Some(rating) = rating.as_mut().filter(|_| is_disqualified) {
            (rating.rank_best, rating.rank_worst) = (0, 0);
        }
        let attendance = attendances.get(&bot.name);
        let attendance = attendance.filter(|attendance| attendance.bot_version == bot.version);
        let (state, detail) = match (stored.map(|stored| stored.state()), attendance) {
            (Some(EntryState::Benched(why)), _) => (AttendanceState::Benched, why.to_owned()),
            (None, Some(_)) if self.ladder.state() != State::Open => (
                AttendanceState::Paused,
                "the ladder is frozen, and accepts no new versions".to_owned(),
            ),
            (_, None) => (AttendanceState::Absent, absence_detail(stored)),
            (_, Some(attendance)) => (attendance.state(), attendance.detail.clone()),
        };
        v1::Standing {
            bot_name: bot.name.clone(),
            bot_version: bot.version.clone(),
            owner: stored.map(|stored| stored.owner.clone()).unwrap_or_default(),
            rating,
            state: state.into(),
            detail,
            changed: table.has_changed(bot),
            annulled_matches: self.ladder.annulled_matches_of(bot),
            is_house_bot: self.ladder.rules().house_bots.contains(&bot.name),
            disqualified: is_disqualified,
            conduct: self.conduct.get(bot).cloned(),
            removed: is_excluded(Exclusion::Removed),
        }
    }
}

/// The human-readable status detail of a version that does not attend.
fn absence_detail(stored: Option<&LadderEntry>) -> String {
    let failed = stored.and_then(|stored| stored.failed_validation.as_ref());
    match failed {
        Some(failed) => {
            format!("the version does not attend; it failed its validation in {failed}")
        }
        None => "the version does not attend".to_owned(),
    }
}

/// Returns a seat's state in a finished match, from the ladder's row.
fn seat_state(end: &End, seat: u32) -> SeatState {
    let seat = usize::try_from(seat).unwrap_or(usize::MAX);
    match end {
        End::Played(ends) | End::Annulled(ends) => match ends.get(seat) {
            Some(end) if end.forfeited => SeatState::Forfeited,
            _ => SeatState::Unspecified,
        },
        End::Cancelled { absent } if absent.contains(&seat) => SeatState::Vacant,
        End::Cancelled { .. } | End::Voided => SeatState::Unspecified,
    }
}

/// The header line of the CSV results file.
pub const CSV_HEAD: &str = "number,match_id,purpose,outcome,replaces,paired_unix_ms,ended_unix_ms,seat,bot_name,\
     bot_version,place,score,forfeited,absent,disqualified,forfeit,faults,thinking_ms\n";

impl LiveLadder {
    /// Returns a match's CSV lines, one per seat; empty until the match has ended.
    pub fn csv_rows(&self, stored: &StoredLadderMatch) -> Result<String, String> {
        let row = MatchRow::read(stored)?;
        Ok(self.with_model(|model| csv_rows(model, stored.number, &row)))
    }
}

fn csv_rows(model: &LadderModel, number: u64, row: &MatchRow) -> String {
    let Some(over) = &row.over else {
        return String::new();
    };
    let is_disqualified = |bot: &BotVersion| {
        let exclusion = model.ladder.actions().exclusion(bot);
        exclusion.is_some_and(|(exclusion, _)| exclusion == Exclusion::Disqualified)
    };
    let purpose = match row.pairing.purpose {
        Purpose::Rated => "rated",
        Purpose::Validation => "validation",
        Purpose::Requested => "requested",
    };
    let (outcome, ends, absent) = match &over.end {
        End::Played(ends) if model.annulment(number, row).is_none() => {
            ("played", &ends[..], &[][..])
        }
        End::Played(ends) => ("annulled", &ends[..], &[][..]),
        End::Annulled(ends) => ("annulled", &ends[..], &[][..]),
        End::Voided => ("annulled", &[][..], &[][..]),
        End::Cancelled { absent } => ("cancelled", &[][..], &absent[..]),
    };
    let mut lines = String::new();
    for (seat, bot) in row.pairing.seats.iter().enumerate() {
        let end = ends.get(seat);
        let conduct = over.conduct.get(seat).copied().unwrap_or_default();
        let (place, score) =
            end.map_or_else(Default::default, |end| (end.place.to_string(), end.score.to_string()));
        let fields = [
            number.to_string(),
            over.match_id.clone(),
            purpose.to_owned(),
            outcome.to_owned(),
            row.pairing.replaces.map_or_else(String::new, |it| it.to_string()),
            row.paired_unix_ms.to_string(),
            over.ended_unix_ms.to_string(),
            seat.to_string(),
            csv_field(&bot.name),
            csv_field(&bot.version),
            place,
            score,
            end.is_some_and(|end| end.forfeited).to_string(),
            absent.contains(&seat).to_string(),
            is_disqualified(bot).to_string(),
            match conduct.forfeit {
                FaultReason::Unspecified => String::new(),
                reason => reason.as_str_name().replace("FAULT_REASON_", "").to_lowercase(),
            },
            conduct.faults.to_string(),
            conduct.thinking_ms.map_or_else(String::new, |ms| ms.to_string()),
        ];
        lines.push_str(&fields.join(","));
        lines.push('\n');
    }
    lines
}

/// Quotes a field of a CSV file if necessary (RFC 4180).
fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
