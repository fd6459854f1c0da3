//! The in-memory model of a ladder, which is rebuilt from its stored rows after a restart.

use std::collections::{BTreeMap, HashMap};

use bridgemaster_edge::{
    identity::ConfusableNames, limits::MAX_RATING_POINTS, wall_clock::now_unix_ms,
};
use bridgemaster_ladder::{BotRating, BotVersion, End, Ladder, LadderEntry};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::{self, FaultReason, ForfeitCount, LadderConduct, RatingPoint};

use super::{
    capacity::{CapacityExceeded, EntryTimes, ServerVersionCount},
    rows::{LadderDescription, MatchRow, VersionRow, rating_to_wire},
};

/// The divisor for the interval between rating points of a version: a point is added once the
/// results since the last one make up 1 % of the version's results.
const RATING_POINT_DIVISOR: u64 = 100;
/// The in-memory model of a ladder, which is computed from its stored rows.
pub(super) struct LadderModel {
    pub(super) description: LadderDescription,
    pub(super) ladder: Ladder,
    pub(super) versions: HashMap<BotVersion, VersionRow>,
    pub(super) entered: EntryTimes,
    /// The messages of the organisers' actions, in the order of their numbers.
    pub(super) actions: Vec<v1::LadderAction>,
    /// The names of removed bots.
    pub(super) removed: ConfusableNames<()>,
    /// Faults, forfeits and use of time of each version.
    pub(super) conduct: HashMap<BotVersion, LadderConduct>,
    /// Matches that have not ended, by number.
    pub(super) open: BTreeMap<u64, OpenMatch>,
    /// The rematch of each annulled match, by the number of the annulled match.
    pub(super) rematches: HashMap<u64, Rematch>,
    /// The number of results that the last fit included, even if that fit failed.
    pub(super) fitted_results: u64,
}

/// A match that has not ended.
#[derive(Clone, Debug)]
pub(super) struct OpenMatch {
    pub(super) row: MatchRow,
    /// `None` until the match is created.
    pub(super) match_id: Option<MatchId>,
}

/// A rematch of an annulled match.
#[derive(Clone, Debug)]
pub(super) struct Rematch {
    pub(super) number: u64,
    /// The identifier of the rematch; empty until the rematch has ended.
    pub(super) match_id: String,
}

impl LadderModel {
    /// Creates the model of a ladder without versions and matches.
    pub(super) fn new(description: LadderDescription, ladder: Ladder) -> Self {
        let mut removed = ConfusableNames::default();
        ladder.actions().removed().for_each(|name| removed.insert(name, ()));
        Self {
            description,
            ladder,
            versions: HashMap::new(),
            entered: EntryTimes::default(),
            actions: Vec::new(),
            removed,
            conduct: HashMap::new(),
            open: BTreeMap::new(),
            rematches: HashMap::new(),
            fitted_results: 0,
        }
    }

    /// Applies the pairing of a match.
    pub(super) fn apply_pairing(&mut self, number: u64, row: &MatchRow) {
        self.ladder.record_pairing(&row.pairing);
        if let Some(replaced) = row.pairing.replaces {
            let match_id = String::new();
            let rematch = Rematch { number, match_id };
            self.rematches.insert(replaced, rematch);
        }
    }

    /// Applies the end of a match.
    pub(super) fn apply_end(&mut self, number: u64, row: &MatchRow) {
        let Some(over) = &row.over else {
            return;
        };
        self.ladder.record_end(number, &over.end, row.span());
        if self.annulment(number, row).is_none() {
            self.count_conduct(row);
        }
        let replaced = row.pairing.replaces;
        let rematch = replaced.and_then(|replaced| self.rematches.get_mut(&replaced));
        if let Some(rematch) = rematch.filter(|rematch| rematch.number == number) {
            rematch.match_id.clone_from(&over.match_id);
        }
    }

    /// Returns the number of the action by which an organiser annulled a match with a result.
    pub(super) fn annulment(&self, number: u64, row: &MatchRow) -> Option<usize> {
        let over = row.over.as_ref()?;
        if matches!(over.end, End::Cancelled { .. }) {
            return None;
        }
        self.ladder.actions().annulment(number, &row.pairing.seats)
    }

    /// Returns the ladder's message with the settings that organisers have changed.
    pub(super) fn edited(&self) -> v1::Ladder {
        self.description.edited(self.ladder.actions().settings())
    }

    /// Adds the faults, forfeits and use of time in a finished match.
    fn count_conduct(&mut self, row: &MatchRow) {
        let Some(over) = &row.over else {
            return;
        };
        for (seat, bot) in row.pairing.seats.iter().enumerate() {
            let seat_conduct = over.conduct.get(seat).copied().unwrap_or_default();
            let total = self.conduct.entry(bot.clone()).or_default();
            total.faults += seat_conduct.faults;
            total.timed_matches += u32::from(seat_conduct.thinking_ms.is_some());
            total.thinking_ms += seat_conduct.thinking_ms.unwrap_or_default();
            let forfeit = match &over.end {
                End::Played(ends) | End::Annulled(ends) => {
                    let has_forfeited = ends.get(seat).is_some_and(|end| end.forfeited);
                    has_forfeited.then_some(seat_conduct.forfeit)
                }
                End::Cancelled { absent } => {
                    absent.contains(&seat).then_some(FaultReason::NeverConnected)
                }
                End::Voided => None,
            };
            let Some(reason) = forfeit else {
                continue;
            };
            match total.forfeits.iter_mut().find(|one| one.reason() == reason) {
                Some(one) => one.count += 1,
                None => total.forfeits.push(ForfeitCount { reason: reason.into(), count: 1 }),
            }
            total.forfeits.sort_by_key(|one| std::cmp::Reverse(one.count));
        }
    }

    /// Returns the identifier of the rematch of an annulled match, or `None` if there is no
    /// rematch.
    pub(super) fn replaced_by(&self, number: u64) -> Option<String> {
        let rematch = self.rematches.get(&number)?;
        match self.open.get(&rematch.number) {
            Some(open) => open.match_id.as_ref().map(MatchId::to_string),
            None => Some(rematch.match_id.clone()),
        }
    }

    /// Builds the row of a version with this standing.
    pub(super) fn version_row(&self, standing: LadderEntry) -> VersionRow {
        match self.versions.get(&standing.bot) {
            Some(version) => VersionRow { standing, ..version.clone() },
            None => VersionRow {
                standing,
                entered_unix_ms: now_unix_ms().unsigned_abs(),
                place: u32::try_from(self.versions.len()).unwrap_or(u32::MAX),
                history: Vec::new(),
            },
        }
    }

    /// Returns a bot's versions, newest first.
    pub(super) fn versions_of(&self, name: &str) -> Vec<&VersionRow> {
        let versions = self.versions.values();
        let mut versions: Vec<_> =
            versions.filter(|version| version.standing.bot.name == name).collect();
        versions.sort_by_key(|version| std::cmp::Reverse(version.place));
        versions
    }

    /// Checks the capacity for a new version.
    pub(super) fn check_capacity(
        &self,
        bot: &BotVersion,
        quota: &ServerVersionCount,
    ) -> Result<(), CapacityExceeded> {
        let now = now_unix_ms().unsigned_abs();
        self.entered.check(bot, self.versions.len(), quota, now)
    }

    /// Applies the row of a version.
    pub(super) fn apply_version(&mut self, version: VersionRow) {
        self.ladder.store_entry(version.standing.clone());
        let bot = version.standing.bot.clone();
        let entered_unix_ms = version.entered_unix_ms;
        let before = self.versions.insert(bot.clone(), version);
        if before.is_none() {
            self.entered.record(&bot.name, entered_unix_ms);
        }
    }

    /// Returns the versions that are due for a rating point from the last fit.
    pub(super) fn due_rating_points(&self) -> Vec<VersionRow> {
        let table = self.ladder.table();
        let due = table.ratings().iter().filter_map(|rated| {
            let version = self.versions.get(&rated.bot)?;
            with_rating_point(version, rated)
        });
        due.collect()
    }
}

/// Returns the version with one more point in its rating history, or `None` if it has played too
/// few matches since the last point.
fn with_rating_point(version: &VersionRow, rated: &BotRating) -> Option<VersionRow> {
    let last = version.history.last();
    let last = last.and_then(|point| point.rating.as_ref());
    let last = last.map_or(0, |rating| u64::from(rating.matches));
    if rated.matches < last + 1 + rated.matches / RATING_POINT_DIVISOR {
        return None;
    }
    let mut version = version.clone();
    if version.history.len() >= MAX_RATING_POINTS {
        // Keeps every other point.
        let mut number = 0;
        version.history.retain(|_| {
            number += 1;
            number % 2 == 0
        });
    }
    version.history.push(RatingPoint {
        at_unix_ms: now_unix_ms().unsigned_abs(),
        rating: Some(rating_to_wire(rated)),
    });
    Some(version)
}
