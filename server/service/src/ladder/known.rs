//! What a server knows of a ladder, and what follows from it.

use std::collections::{BTreeMap, HashMap};

use bridgemaster_ladder::{BotVersion, Ladder, Rated, Standing};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::RatingPoint;

use super::{
    entering::{AllVersions, Entered, NoRoom},
    rows::{Description, MatchRow, Version, rating_to_wire},
};
use crate::{limits::MAX_RATING_POINTS, wall_clock::now_unix_ms};

/// A point for so many matches, at least: one for each hundredth of all.
const POINTS_FOR_ALL: u64 = 100;
/// What is known of a ladder.
pub(super) struct Known {
    pub(super) description: Description,
    pub(super) ladder: Ladder,
    pub(super) versions: HashMap<BotVersion, Version>,
    pub(super) entered: Entered,
    /// Matches that are not over, by number.
    pub(super) open: BTreeMap<u64, OpenMatch>,
    /// Which match plays an annulled one again, by the number of that.
    pub(super) played_again: HashMap<u64, PlayedAgain>,
    /// Of so many results ratings have been fitted, if they could be, and are on record.
    pub(super) fitted: u64,
}

/// A match that is not over.
#[derive(Clone, Debug)]
pub(super) struct OpenMatch {
    pub(super) row: MatchRow,
    /// `None` until it is made.
    pub(super) match_id: Option<MatchId>,
}

/// A match that plays an annulled one again.
#[derive(Clone, Debug)]
pub(super) struct PlayedAgain {
    pub(super) number: u64,
    /// Empty while it is not over.
    pub(super) match_id: String,
}

impl Known {
    /// A ladder without versions and matches.
    pub(super) fn new(description: Description, ladder: Ladder) -> Self {
        Self {
            description,
            ladder,
            versions: HashMap::new(),
            entered: Entered::default(),
            open: BTreeMap::new(),
            played_again: HashMap::new(),
            fitted: 0,
        }
    }

    /// Takes in a match that is paired.
    pub(super) fn paired(&mut self, number: u64, row: &MatchRow) {
        self.ladder.paired(&row.pairing);
        if let Some(replaced) = row.pairing.replaces {
            let match_id = String::new();
            let again = PlayedAgain { number, match_id };
            self.played_again.insert(replaced, again);
        }
    }

    /// Takes in a match that is over.
    pub(super) fn ended(&mut self, number: u64, row: &MatchRow) {
        let Some(over) = &row.over else {
            return;
        };
        self.ladder.ended(number, &over.end, row.span());
        let replaced = row.pairing.replaces;
        let again = replaced.and_then(|replaced| self.played_again.get_mut(&replaced));
        if let Some(again) = again.filter(|again| again.number == number) {
            again.match_id.clone_from(&over.match_id);
        }
    }

    /// The match that is played instead of an annulled one; `None` while there is none.
    pub(super) fn replaced_by(&self, number: u64) -> Option<String> {
        let again = self.played_again.get(&number)?;
        match self.open.get(&again.number) {
            Some(open) => open.match_id.as_ref().map(MatchId::to_string),
            None => Some(again.match_id.clone()),
        }
    }

    /// What is to be kept of a version that stands so now.
    pub(super) fn row_of(&self, standing: Standing) -> Version {
        match self.versions.get(&standing.bot) {
            Some(version) => Version {
                standing,
                ..version.clone()
            },
            None => Version {
                standing,
                entered_unix_ms: now_unix_ms().unsigned_abs(),
                place: u32::try_from(self.versions.len()).unwrap_or(u32::MAX),
                history: Vec::new(),
            },
        }
    }

    /// Makes sure that there is room for a new version.
    pub(super) fn check_room(&self, bot: &BotVersion, all: &AllVersions) -> Result<(), NoRoom> {
        let now = now_unix_ms().unsigned_abs();
        self.entered.check(bot, self.versions.len(), all, now)
    }

    /// Takes in what is kept of a version.
    pub(super) fn keep(&mut self, version: Version) {
        self.ladder.keep(version.standing.clone());
        let bot = version.standing.bot.clone();
        let entered_unix_ms = version.entered_unix_ms;
        let before = self.versions.insert(bot.clone(), version);
        if before.is_none() {
            self.entered.note(&bot.name, entered_unix_ms);
        }
    }

    /// The versions whose ratings go on record now, by the last fit.
    pub(super) fn points(&self) -> Vec<Version> {
        let table = self.ladder.table();
        let noted = table.rated().iter().filter_map(|rated| {
            let version = self.versions.get(&rated.bot)?;
            with_point(version, rated)
        });
        noted.collect()
    }
}

/// A version with one more point of how its rating went; `None` if it has not played enough since
/// the last.
fn with_point(version: &Version, rated: &Rated) -> Option<Version> {
    let last = version.history.last();
    let last = last.and_then(|point| point.rating.as_ref());
    let last = last.map_or(0, |rating| u64::from(rating.matches));
    if rated.matches < last + 1 + rated.matches / POINTS_FOR_ALL {
        return None;
    }
    let mut version = version.clone();
    if version.history.len() >= MAX_RATING_POINTS {
        // Every other one stays.
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
