//! How many bots and versions a ladder has room for. Each stays for as long as the ladder: results
//! belong to versions.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bridgemaster_ladder::BotVersion;
use bridgemaster_proto::v1::RefusalReason;

use crate::{
    limits::{
        MAX_LADDER_BOTS, MAX_LADDER_VERSIONS, MAX_VERSIONS, MAX_VERSIONS_OF_BOT,
        MAX_VERSIONS_OF_BOT_A_DAY,
    },
    refusal::Refusal,
};

/// A day, in ms.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Why a version does not enter a ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoRoom {
    /// The ladder has as many bots as it may.
    Bots,
    /// It has as many versions of all bots.
    Versions,
    /// It has as many versions of this bot.
    OfBot,
    /// As many versions of this bot have entered within a day.
    OfBotToday,
    /// The server has as many versions on all ladders.
    OfServer,
}

impl From<NoRoom> for Refusal {
    fn from(no_room: NoRoom) -> Self {
        let (limit, value, message) = match no_room {
            NoRoom::Bots => (
                "ladder_bots",
                MAX_LADDER_BOTS,
                format!("the ladder has {MAX_LADDER_BOTS} bots, the most"),
            ),
            NoRoom::Versions => (
                "ladder_versions",
                MAX_LADDER_VERSIONS,
                format!(
                    "the ladder has {MAX_LADDER_VERSIONS} versions of bots, the most: new ones \
                     wait for its next season"
                ),
            ),
            NoRoom::OfBot => (
                "ladder_versions_of_bot",
                MAX_VERSIONS_OF_BOT,
                format!(
                    "the ladder has {MAX_VERSIONS_OF_BOT} versions of this bot, the most: attend \
                     with one of them"
                ),
            ),
            NoRoom::OfBotToday => (
                "ladder_versions_of_bot_a_day",
                MAX_VERSIONS_OF_BOT_A_DAY,
                format!(
                    "{MAX_VERSIONS_OF_BOT_A_DAY} versions of this bot have entered within a day, \
                     the most: attend with one that has, or come back later"
                ),
            ),
            NoRoom::OfServer => (
                "versions_of_all_ladders",
                MAX_VERSIONS,
                format!("the ladders of the server have {MAX_VERSIONS} versions of bots, the most"),
            ),
        };
        Self::new(RefusalReason::LimitReached, message)
            .with("limit", limit)
            .with("value", value.to_string())
    }
}

/// How many versions the ladders of a server have.
#[derive(Clone, Debug, Default)]
pub(super) struct AllVersions(Arc<AtomicUsize>);

impl AllVersions {
    /// Counts those that an earlier server let in.
    pub(super) fn add(&self, count: usize) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Takes places for so many; gives for how many there is room.
    pub(super) fn take(&self, wanted: usize) -> usize {
        let room = |taken: usize| wanted.min(MAX_VERSIONS.saturating_sub(taken));
        let (order, more) = (Ordering::Relaxed, |taken| Some(taken + room(taken)));
        // It always gives a number.
        let before = self.0.fetch_update(order, order, more);
        before.map_or(0, room)
    }

    /// Gives back places that are not taken after all.
    pub(super) fn give_back(&self, count: usize) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }

    fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= MAX_VERSIONS
    }
}

/// When the versions of each bot entered, by its name.
#[derive(Clone, Debug, Default)]
pub(super) struct Entered(HashMap<String, Vec<u64>>);

impl Entered {
    /// A version has entered.
    pub(super) fn note(&mut self, name: &str, entered_unix_ms: u64) {
        let own = self.0.entry(name.to_owned()).or_default();
        own.push(entered_unix_ms);
    }

    /// Makes sure that there is room for a new version of a bot.
    pub(super) fn check(
        &self,
        bot: &BotVersion,
        versions: usize,
        all: &AllVersions,
        now_unix_ms: u64,
    ) -> Result<(), NoRoom> {
        let own = self.0.get(&bot.name).map_or(&[][..], Vec::as_slice);
        let is_of_today = |entered: &&u64| **entered + DAY_MS > now_unix_ms;
        if own.is_empty() && self.0.len() >= MAX_LADDER_BOTS {
            return Err(NoRoom::Bots);
        }
        if versions >= MAX_LADDER_VERSIONS {
            return Err(NoRoom::Versions);
        }
        if own.len() >= MAX_VERSIONS_OF_BOT {
            return Err(NoRoom::OfBot);
        }
        if own.iter().filter(is_of_today).count() >= MAX_VERSIONS_OF_BOT_A_DAY {
            return Err(NoRoom::OfBotToday);
        }
        match all.is_full() {
            true => Err(NoRoom::OfServer),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{
        GetLadderBotResponse, LadderVersion, Rating, RatingPoint, Standing as Shown,
    };
    use prost::Message as _;

    use super::*;
    use crate::limits::{MAX_BOT_TEXT_CHARS, MAX_RATING_POINTS};

    fn check(entered: &Entered, bot: &str, now_unix_ms: u64) -> Result<(), NoRoom> {
        let versions = entered.0.values().map(Vec::len).sum();
        let bot = BotVersion::new(bot, "new");
        entered.check(&bot, versions, &AllVersions::default(), now_unix_ms)
    }

    #[test]
    fn a_bot_has_so_many_versions_and_so_many_of_a_day() {
        let mut entered = Entered::default();
        let now = 10 * DAY_MS;
        for _ in 0..MAX_VERSIONS_OF_BOT_A_DAY {
            assert_eq!(check(&entered, "ada", now), Ok(()));
            entered.note("ada", now);
        }
        assert_eq!(check(&entered, "ada", now + 1), Err(NoRoom::OfBotToday));
        assert_eq!(check(&entered, "bob", now), Ok(()), "another bot");
        assert_eq!(check(&entered, "ada", now + DAY_MS), Ok(()));
        while entered.0["ada"].len() < MAX_VERSIONS_OF_BOT {
            entered.note("ada", now);
        }
        assert_eq!(check(&entered, "ada", 2 * now), Err(NoRoom::OfBot));
    }

    #[test]
    fn a_ladder_and_a_server_have_so_many_bots_and_versions() {
        let mut entered = Entered::default();
        for bot in 0..MAX_LADDER_BOTS {
            entered.note(&format!("bot-{bot}"), 0);
        }
        assert_eq!(check(&entered, "new", DAY_MS), Err(NoRoom::Bots));
        assert_eq!(
            check(&entered, "bot-1", DAY_MS),
            Ok(()),
            "of a bot that is there"
        );
        for bot in 0..MAX_LADDER_VERSIONS - MAX_LADDER_BOTS {
            entered.note(&format!("bot-{bot}"), 0);
        }
        assert_eq!(check(&entered, "bot-1", DAY_MS), Err(NoRoom::Versions));
        let all = AllVersions::default();
        all.add(MAX_VERSIONS - 3);
        assert_eq!(all.take(2), 2);
        assert_eq!(all.take(2), 1);
        assert_eq!(all.take(2), 0);
        let bot = BotVersion::new("ada", "1");
        let refused = Entered::default().check(&bot, 0, &all, 0);
        assert_eq!(refused, Err(NoRoom::OfServer));
    }

    #[test]
    fn all_versions_of_a_bot_fit_into_a_message() {
        let text = "\u{10000}".repeat(MAX_BOT_TEXT_CHARS);
        let rating = Some(Rating {
            elo: -1234.5,
            elo_low: -2345.6,
            elo_high: 3456.7,
            confidence: 0.95,
            rank_best: u32::MAX,
            rank_worst: u32::MAX,
            matches: u32::MAX,
        });
        let version = LadderVersion {
            standing: Some(Shown {
                bot_name: text.clone(),
                bot_version: text.clone(),
                owner: text.clone(),
                rating,
                detail: text,
                ..Shown::default()
            }),
            history: vec![
                RatingPoint {
                    at_unix_ms: u64::MAX,
                    rating,
                };
                MAX_RATING_POINTS
            ],
            entered_unix_ms: u64::MAX,
        };
        let versions = vec![version; MAX_VERSIONS_OF_BOT];
        let bytes = GetLadderBotResponse { versions }.encoded_len();
        assert!(bytes < 3 << 20, "{bytes}, and clients take 4 MiB");
    }
}
