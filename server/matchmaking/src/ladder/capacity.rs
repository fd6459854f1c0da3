//! Limits the number of bots and versions on ladders. Versions are never removed from a ladder,
//! since its results refer to them.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bridgemaster_edge::{
    limits::{
        MAX_LADDER_BOTS, MAX_LADDER_VERSIONS, MAX_VERSIONS_OF_ALL_LADDERS, MAX_VERSIONS_OF_BOT,
        MAX_VERSIONS_OF_BOT_PER_DAY,
    },
    refusal::Refusal,
};
use bridgemaster_ladder::BotVersion;
use bridgemaster_proto::v1::RefusalReason;

/// The number of ms in a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// The limit that prevents a version from entering a ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CapacityExceeded {
    /// The number of bots on the ladder.
    Bots,
    /// The number of versions on the ladder, of all bots together.
    Versions,
    /// The number of versions of this bot.
    OfBot,
    /// The number of versions of this bot that entered within a day.
    OfBotToday,
    /// The number of versions on all ladders of the server.
    OfServer,
}

impl From<CapacityExceeded> for Refusal {
    fn from(exceeded: CapacityExceeded) -> Self {
        use CapacityExceeded as C;
        let (limit, value) = match exceeded {
            C::Bots => ("ladder_bots", MAX_LADDER_BOTS),
            C::Versions => ("ladder_versions", MAX_LADDER_VERSIONS),
            C::OfBot => ("ladder_versions_of_bot", MAX_VERSIONS_OF_BOT),
            C::OfBotToday => ("ladder_versions_of_bot_a_day", MAX_VERSIONS_OF_BOT_PER_DAY),
            C::OfServer => ("versions_of_all_ladders", MAX_VERSIONS_OF_ALL_LADDERS),
        };
        let (what, advice) = match exceeded {
            C::Bots => ("bots on a ladder", "wait for its next season"),
            C::Versions => ("versions on a ladder", "wait for its next season"),
            C::OfBot => ("versions of a bot", "attend with one of them"),
            C::OfBotToday => {
                ("versions of a bot within a day", "attend with one of them, or retry later")
            }
            C::OfServer => {
                ("versions on all ladders of the server", "attend with an earlier version")
            }
        };
        let message = format!("the maximum number of {what} is {value}: {advice}");
        Self::new(RefusalReason::LimitReached, message)
            .with("limit", limit)
            .with("value", value.to_string())
    }
}

/// The number of versions on all of a server's ladders.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerVersionCount(Arc<AtomicUsize>);

impl ServerVersionCount {
    /// Counts versions that entered before a restart.
    pub(super) fn add(&self, count: usize) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Reserves up to `requested` places. Returns the number of reserved places.
    pub(super) fn reserve(&self, requested: usize) -> usize {
        let grant = |used: usize| requested.min(MAX_VERSIONS_OF_ALL_LADDERS.saturating_sub(used));
        let (order, more) = (Ordering::Relaxed, |used| Some(used + grant(used)));
        // `more` never returns `None`.
        let before = self.0.fetch_update(order, order, more);
        before.map_or(0, grant)
    }

    /// Releases reserved places that are not needed.
    pub(super) fn release(&self, count: usize) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }

    fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= MAX_VERSIONS_OF_ALL_LADDERS
    }
}

/// The times at which each bot's versions entered, by bot name.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryTimes(HashMap<String, Vec<u64>>);

impl EntryTimes {
    /// Records that a version has entered.
    pub(super) fn record(&mut self, name: &str, entered_unix_ms: u64) {
        let own = self.0.entry(name.to_owned()).or_default();
        own.push(entered_unix_ms);
    }

    /// Checks the capacity for a new version of a bot.
    pub(super) fn check(
        &self,
        bot: &BotVersion,
        versions: usize,
        quota: &ServerVersionCount,
        now_unix_ms: u64,
    ) -> Result<(), CapacityExceeded> {
        let own = self.0.get(&bot.name).map_or(&[][..], Vec::as_slice);
        let is_of_today = |entered: &&u64| **entered + DAY_MS > now_unix_ms;
        if own.is_empty() && self.0.len() >= MAX_LADDER_BOTS {
            return Err(CapacityExceeded::Bots);
        }
        if versions >= MAX_LADDER_VERSIONS {
            return Err(CapacityExceeded::Versions);
        }
        if own.len() >= MAX_VERSIONS_OF_BOT {
            return Err(CapacityExceeded::OfBot);
        }
        if own.iter().filter(is_of_today).count() >= MAX_VERSIONS_OF_BOT_PER_DAY {
            return Err(CapacityExceeded::OfBotToday);
        }
        if quota.is_full() {
            return Err(CapacityExceeded::OfServer);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_edge::limits::{MAX_BOT_TEXT_CHARS, MAX_RATING_POINTS};
    use bridgemaster_proto::v1::{
        GetLadderBotResponse, LadderVersion, Rating, RatingPoint, Standing,
    };
    use prost::Message as _;

    use super::*;

    fn check(entered: &EntryTimes, bot: &str, now_unix_ms: u64) -> Result<(), CapacityExceeded> {
        let versions = entered.0.values().map(Vec::len).sum();
        let bot = BotVersion::new(bot, "new");
        entered.check(&bot, versions, &ServerVersionCount::default(), now_unix_ms)
    }

    #[test]
    fn the_versions_of_a_bot_are_limited_in_all_and_per_day() {
        let mut entered = EntryTimes::default();
        let now = 10 * DAY_MS;
        for _ in 0..MAX_VERSIONS_OF_BOT_PER_DAY {
            assert_eq!(check(&entered, "ada", now), Ok(()));
            entered.record("ada", now);
        }
        assert_eq!(check(&entered, "ada", now + 1), Err(CapacityExceeded::OfBotToday));
        assert_eq!(check(&entered, "bob", now), Ok(()), "another bot");
        assert_eq!(check(&entered, "ada", now + DAY_MS), Ok(()));
        while entered.0["ada"].len() < MAX_VERSIONS_OF_BOT {
            entered.record("ada", now);
        }
        assert_eq!(check(&entered, "ada", 2 * now), Err(CapacityExceeded::OfBot));
    }

    #[test]
    fn the_bots_and_versions_of_a_ladder_and_of_a_server_are_limited() {
        let mut entered = EntryTimes::default();
        for bot in 0..MAX_LADDER_BOTS {
            entered.record(&format!("bot-{bot}"), 0);
        }
        assert_eq!(check(&entered, "new", DAY_MS), Err(CapacityExceeded::Bots));
        assert_eq!(check(&entered, "bot-1", DAY_MS), Ok(()), "a bot that has entered before");
        for bot in 0..MAX_LADDER_VERSIONS - MAX_LADDER_BOTS {
            entered.record(&format!("bot-{bot}"), 0);
        }
        assert_eq!(check(&entered, "bot-1", DAY_MS), Err(CapacityExceeded::Versions));
        let all = ServerVersionCount::default();
        all.add(MAX_VERSIONS_OF_ALL_LADDERS - 3);
        assert_eq!(all.reserve(2), 2);
        assert_eq!(all.reserve(2), 1);
        assert_eq!(all.reserve(2), 0);
        let bot = BotVersion::new("ada", "1");
        let refused = EntryTimes::default().check(&bot, 0, &all, 0);
        assert_eq!(refused, Err(CapacityExceeded::OfServer));
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
            standing: Some(Standing {
                bot_name: text.clone(),
                bot_version: text.clone(),
                owner: text.clone(),
                rating,
                detail: text,
                ..Standing::default()
            }),
            history: vec![RatingPoint { at_unix_ms: u64::MAX, rating }; MAX_RATING_POINTS],
            entered_unix_ms: u64::MAX,
        };
        let versions = vec![version; MAX_VERSIONS_OF_BOT];
        let bytes = GetLadderBotResponse { versions }.encoded_len();
        assert!(bytes < 3 << 20, "{bytes}, and clients accept 4 MiB");
    }
}
