//! What a server knows of a ladder, and what follows from it.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use bridgemaster_ladder::{BotVersion, Ladder, Rated, Standing};
use bridgemaster_match::MatchId;
use bridgemaster_proto::v1::RatingPoint;
use tracing::warn;

use super::rows::{Description, MatchRow, Version, rating_to_wire};
use crate::wall_clock::now_unix_ms;

/// Of so many bots more, one result more is waited for before ratings go on record.
const BOTS_A_POINT: u64 = 10;
/// Most points of how a rating went.
const MAX_POINTS: usize = 200;
/// A point for so many matches, at least: one for each hundredth of all.
const POINTS_FOR_ALL: u64 = 100;
/// The best whose order is to hold for a ladder to be settled, and how surely.
const SETTLED: (usize, f64) = (10, 0.95);

/// What is known of a ladder.
pub(super) struct Known {
    pub(super) description: Description,
    pub(super) ladder: Ladder,
    pub(super) versions: HashMap<BotVersion, Version>,
    /// Matches that are not over, by number.
    pub(super) open: BTreeMap<u64, OpenMatch>,
    /// Which match plays an annulled one again, by their numbers.
    pub(super) replaced: HashMap<u64, u64>,
    table: Option<Table>,
}

/// A match that is not over.
#[derive(Clone, Debug)]
pub(super) struct OpenMatch {
    pub(super) row: MatchRow,
    /// `None` until it is made.
    pub(super) match_id: Option<MatchId>,
}

/// The ratings of so many results.
#[derive(Clone)]
pub(super) struct Table {
    results: u64,
    pub(super) rated: Arc<Vec<Rated>>,
    pub(super) is_settled: bool,
}

impl Known {
    /// A ladder without versions and matches.
    pub(super) fn new(description: Description, ladder: Ladder) -> Self {
        Self {
            description,
            ladder,
            versions: HashMap::new(),
            open: BTreeMap::new(),
            replaced: HashMap::new(),
            table: None,
        }
    }

    /// The ratings of all results.
    pub(super) fn table(&mut self) -> Table {
        let results = self.ladder.counts().counted;
        if let Some(table) = self.table.as_ref().filter(|table| table.results == results) {
            return table.clone();
        }
        let (best, confidence) = SETTLED;
        let fitted = self.ladder.ratings_and_order(best, confidence);
        let (rated, is_settled) = fitted.unwrap_or_else(|error| {
            warn!(%error, "the ratings cannot be fitted");
            (Vec::new(), false)
        });
        let table = Table {
            results,
            rated: Arc::new(rated),
            is_settled,
        };
        self.table.insert(table).clone()
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

    /// Takes in what is kept of a version.
    pub(super) fn keep(&mut self, version: Version) {
        self.ladder.keep(version.standing.clone());
        self.versions.insert(version.standing.bot.clone(), version);
    }

    /// The versions of a match whose ratings go on record now.
    pub(super) fn points(&mut self, row: &MatchRow) -> Vec<Version> {
        // A fit takes longer with more bots, and each result says less of it.
        let every = 1 + self.versions.len() as u64 / BOTS_A_POINT;
        if !self.ladder.counts().counted.is_multiple_of(every) {
            return Vec::new();
        }
        let table = self.table();
        let mut noted = Vec::new();
        for bot in &row.pairing.seats {
            let rated = table.rated.iter().find(|rated| rated.bot == *bot);
            let (Some(rated), Some(version)) = (rated, self.versions.get(bot)) else {
                continue;
            };
            let last = version
                .history
                .last()
                .and_then(|point| point.rating.as_ref());
            let last = last.map_or(0, |rating| u64::from(rating.matches));
            if rated.matches < last + 1 + rated.matches / POINTS_FOR_ALL {
                continue;
            }
            let mut version = version.clone();
            if version.history.len() >= MAX_POINTS {
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
            noted.push(version);
        }
        noted
    }
}
