//! What is told of a ladder.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_ladder::{BotVersion, End, Purpose, Standing, StandingState, State, Table};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{
    self, Annulment, AnnulmentReason, AttendanceState, LadderBotRef, LadderHeadToHead, LadderMatch,
    LadderVersion, MatchInfo, MatchResult, MatchState, SeatInfo, SeatResult, SeatState,
};
use bridgemaster_store::StoredLadderMatch;
use tokio::task::spawn_blocking;

use super::{
    LiveLadder,
    known::Known,
    rows::{MatchRow, Version, purpose_to_wire, rating_to_wire},
};
use crate::{
    hosting::{Matches, Seen},
    journal::NotStored,
    refusal::Refusal,
};

/// How the bots of a queue attend, by their names.
pub(crate) type Attending = HashMap<String, v1::Attendance>;

impl LiveLadder {
    /// The bots, the strongest first, and those without a result behind them; old versions only if
    /// they are asked for.
    pub(crate) fn standings(&self, attending: &Attending, all_versions: bool) -> Vec<v1::Standing> {
        self.with(|known| {
            let table = known.ladder.table();
            let mut newest: HashMap<&str, &Version> = HashMap::new();
            for version in known.versions.values() {
                let name = &*version.standing.bot.name;
                let other = newest.entry(name).or_insert(version);
                if version.place > other.place {
                    *other = version;
                }
            }
            let is_shown = |bot: &BotVersion| {
                let newest = newest.get(&*bot.name);
                all_versions || newest.is_some_and(|newest| newest.standing.bot == *bot)
            };
            let mut without: Vec<&Version> = known.versions.values().collect();
            without.retain(|version| table.get(&version.standing.bot).is_none());
            without.sort_by_key(|version| version.place);
            let without = without.into_iter().map(|version| &version.standing.bot);
            let bots = table.rated().iter().map(|rated| &rated.bot).chain(without);
            let shown = bots.filter(|bot| is_shown(bot));
            shown
                .map(|bot| known.standing(bot, &table, attending))
                .collect()
        })
    }

    /// The versions of a bot, the newest first; none if there is no such bot.
    pub(crate) fn bot(&self, name: &str, attending: &Attending) -> Vec<LadderVersion> {
        self.with(|known| {
            let table = known.ladder.table();
            let versions = known.versions.values();
            let mut versions: Vec<_> = versions
                .filter(|version| version.standing.bot.name == name)
                .collect();
            versions.sort_by_key(|version| std::cmp::Reverse(version.place));
            let shown = versions.into_iter().map(|version| LadderVersion {
                standing: Some(known.standing(&version.standing.bot, &table, attending)),
                history: version.history.clone(),
                entered_unix_ms: version.entered_unix_ms,
            });
            shown.collect()
        })
    }

    /// The version of a bot that is meant: the named one; else the one that attends, or the newest
    /// of a bot that does not.
    pub(crate) fn version(&self, bot: &LadderBotRef, attending: &Attending) -> Option<BotVersion> {
        let wanted = match (bot.bot_version.as_str(), attending.get(&bot.bot_name)) {
            ("", Some(there)) => there.bot_version.as_str(),
            (wanted, _) => wanted,
        };
        self.with(|known| {
            let of = |version: &str| {
                let bot = BotVersion::new(bot.bot_name.as_str(), version);
                known.versions.contains_key(&bot).then_some(bot)
            };
            let newest = || {
                let own = known.versions.values();
                let own = own.filter(|version| version.standing.bot.name == bot.bot_name);
                let newest = own.max_by_key(|version| version.place)?;
                Some(newest.standing.bot.clone())
            };
            match bot.bot_version.as_str() {
                // The one that attends may not have entered.
                "" => of(wanted).or_else(newest),
                wanted => of(wanted),
            }
        })
    }

    /// How one version stands.
    pub(crate) fn standing(&self, bot: &BotVersion, attending: &Attending) -> v1::Standing {
        self.with(|known| {
            let table = known.ladder.table();
            known.standing(bot, &table, attending)
        })
    }

    /// What a version did against the others, of one name or of all. It is summed up beside the
    /// ladder, on a thread of its own.
    pub(crate) async fn head_to_heads(
        &self,
        bot: &BotVersion,
        against: &str,
    ) -> Vec<LadderHeadToHead> {
        let meetings = self.with(|known| known.ladder.results().meetings(bot));
        let met = spawn_blocking(move || meetings.head_to_heads()).await;
        // It fails only where the server is going down.
        let met = met.unwrap_or_default().into_iter();
        met.filter(|(other, _)| against.is_empty() || other.name == against)
            .map(|(other, met)| LadderHeadToHead {
                against: Some(LadderBotRef {
                    bot_name: other.name,
                    bot_version: other.version,
                }),
                head_to_head: Some(v1::HeadToHead {
                    matches: met.matches,
                    first_ahead: met.first_ahead,
                    ties: met.ties,
                    mean_score_margin: met.mean_score_margin,
                }),
            })
            .collect()
    }

    /// A match of its on the wire: as the server knows it, or else what the ladder has of it.
    pub(super) async fn match_shown(
        &self,
        matches: &Arc<Matches>,
        number: u64,
        row: &MatchRow,
        seen: Seen<'_>,
    ) -> Result<LadderMatch, Refusal> {
        let match_id = match &row.over {
            Some(over) => Some(over.match_id.clone()).filter(|id| !id.is_empty()),
            None => self.with(|known| {
                let open = known.open.get(&number)?;
                open.match_id.as_ref().map(MatchId::to_string)
            }),
        };
        let mut info = None;
        let is_seen = match seen {
            Seen::All => true,
            Seen::Of(name) => {
                let mut bots = row.pairing.seats.iter();
                bots.any(|bot| bot.name == name.as_str())
            }
            Seen::Nothing => false,
        };
        if let Some(id) = match_id.as_ref().filter(|_| is_seen)
            && let Ok(id) = MatchId::new(id.as_str())
            && let Ok(Some(hosted)) = matches.known(&id).await
        {
            let shown = hosted.info().shown().await;
            info = Some(shown.map_err(|NotStored| Refusal::storage_failed())?);
        }
        let mut info = info.unwrap_or_else(|| self.info_of(row, match_id.unwrap_or_default()));
        let replaced = self.with(|known| known.replaced_by(number));
        if let (Some(annulment), Some(replaced)) = (&mut info.annulment, replaced) {
            annulment.replaced_by_match_id = replaced;
        }
        for seat in info.result.iter_mut().flat_map(|result| &mut result.seats) {
            seat.faults.clear();
        }
        // Who has not come to its seat yet is known all the same.
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

    /// What the ladder itself knows of a match.
    fn info_of(&self, row: &MatchRow, match_id: String) -> MatchInfo {
        let config = self.with(|known| known.description.ladder.config.clone());
        let over = row.over.as_ref();
        let bots = (0..).zip(&row.pairing.seats);
        let seats = bots.clone().map(|(seat, bot)| SeatInfo {
            seat,
            state: over
                .map_or(SeatState::Unspecified, |over| seat_state(&over.end, seat))
                .into(),
            bot_name: bot.name.clone(),
            bot_version: bot.version.clone(),
            ..SeatInfo::default()
        });
        let ends = over.and_then(|over| match &over.end {
            End::Played(ends) | End::Annulled(ends) => Some(ends),
            End::Cancelled { .. } => None,
        });
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
            annulment: annulled_for.map(|reason| Annulment {
                reason: reason.into(),
                ..Annulment::default()
            }),
            match_id,
            ..MatchInfo::default()
        }
    }
}

impl Known {
    fn standing(&self, bot: &BotVersion, table: &Table, attending: &Attending) -> v1::Standing {
        let kept = self.versions.get(bot).map(|version| &version.standing);
        let rated = table.get(bot);
        let there = attending.get(&bot.name);
        let there = there.filter(|there| there.bot_version == bot.version);
        let (state, detail) = match (kept.map(|kept| kept.state()), there) {
            (Some(StandingState::Benched(why)), _) => (AttendanceState::Benched, why.to_owned()),
            (None, Some(_)) if self.ladder.state() != State::Open => (
                AttendanceState::Paused,
                "the ladder is frozen, and this version had not entered".to_owned(),
            ),
            (_, None) => (AttendanceState::Absent, absent(kept)),
            (_, Some(there)) => (there.state(), there.detail.clone()),
        };
        v1::Standing {
            bot_name: bot.name.clone(),
            bot_version: bot.version.clone(),
            owner: kept.map(|kept| kept.owner.clone()).unwrap_or_default(),
            rating: rated.map(rating_to_wire),
            state: state.into(),
            detail,
            changed: table.has_changed(bot),
            annulled_matches: self.ladder.annulled_of(bot),
            is_house_bot: self.ladder.rules().house_bots.contains(&bot.name),
        }
    }
}

/// What is told of a version that does not attend.
fn absent(kept: Option<&Standing>) -> String {
    let failed = kept.and_then(|kept| kept.failed_validation.as_ref());
    match failed {
        Some(failed) => format!("it does not attend; it failed its validation in {failed}"),
        None => "it does not attend".to_owned(),
    }
}

/// What the ladder knows of a seat of a match that is over: whether its bot came, and whether it
/// forfeited.
fn seat_state(end: &End, seat: u32) -> SeatState {
    let seat = usize::try_from(seat).unwrap_or(usize::MAX);
    match end {
        End::Played(ends) | End::Annulled(ends) => match ends.get(seat) {
            Some(end) if end.forfeited => SeatState::Forfeited,
            _ => SeatState::Unspecified,
        },
        End::Cancelled { absent } if absent.contains(&seat) => SeatState::Vacant,
        End::Cancelled { .. } => SeatState::Unspecified,
    }
}

/// The first line of the CSV file of results.
pub(crate) const CSV_HEAD: &str = "number,match_id,purpose,outcome,replaces,paired_unix_ms,ended_unix_ms,seat,bot_name,\
     bot_version,place,score,forfeited,absent\n";

/// The lines of a match that is over in the CSV file of results, one a seat; none while it is not.
pub(crate) fn csv_of(stored: &StoredLadderMatch) -> Result<String, String> {
    let row = MatchRow::read(stored)?;
    let Some(over) = &row.over else {
        return Ok(String::new());
    };
    let purpose = match row.pairing.purpose {
        Purpose::Rated => "rated",
        Purpose::Validation => "validation",
        Purpose::Requested => "requested",
    };
    let (outcome, ends, absent) = match &over.end {
        End::Played(ends) => ("played", &ends[..], &[][..]),
        End::Annulled(ends) => ("annulled", &ends[..], &[][..]),
        End::Cancelled { absent } => ("cancelled", &[][..], &absent[..]),
    };
    let mut lines = String::new();
    for (seat, bot) in row.pairing.seats.iter().enumerate() {
        let end = ends.get(seat);
        let (place, score) = end.map_or_else(Default::default, |end| {
            (end.place.to_string(), end.score.to_string())
        });
        let fields = [
            stored.number.to_string(),
            over.match_id.clone(),
            purpose.to_owned(),
            outcome.to_owned(),
            row.pairing
                .replaces
                .map_or_else(String::new, |it| it.to_string()),
            row.paired_unix_ms.to_string(),
            over.ended_unix_ms.to_string(),
            seat.to_string(),
            quoted(&bot.name),
            quoted(&bot.version),
            place,
            score,
            end.is_some_and(|end| end.forfeited).to_string(),
            absent.contains(&seat).to_string(),
        ];
        lines.push_str(&fields.join(","));
        lines.push('\n');
    }
    Ok(lines)
}

/// A text as a field of a CSV file (RFC 4180).
fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
