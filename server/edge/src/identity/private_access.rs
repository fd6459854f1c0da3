//! Access control of a private server, which a command runs for the bots that it starts. The
//! command has the organiser's key, and may make any call. A bot has a ticket, or a key for one
//! queue, and may make only the calls that it needs to play.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_proto::{METHODS, v1::RefusalReason};
use bridgemaster_store::{InvalidText, KeyId, KeyName, SecretHash};
use parking_lot::Mutex;
use tonic::codegen::http::HeaderMap;

use super::{
    ApiKey, Caller, CallingBot, KeyScope,
    api_key::{key_unknown, presented_key},
    caller::BotPermission,
    page_links::PageLinks,
};
use crate::refusal::Refusal;

/// Methods for all started bots: those that need a ticket, and those that need no credentials.
const BOT_METHODS: [&str; 13] = [
    "/bridgemaster.v1.PlayService/Play",
    "/bridgemaster.v1.SeatService/WatchSeat",
    "/bridgemaster.v1.SeatService/Decide",
    "/bridgemaster.v1.SeatService/ResignSeat",
    "/bridgemaster.v1.CatalogService/ListGames",
    "/bridgemaster.v1.CatalogService/GetServerInfo",
    "/bridgemaster.v1.RulesService/ListLegalDecisions",
    "/bridgemaster.v1.RulesService/ApplyDecisions",
    "/bridgemaster.v1.RulesService/SampleStates",
    "/bridgemaster.v1.RulesService/GetOutcome",
    "/bridgemaster.v1.RulesService/GetObservation",
    "/bridgemaster.v1.RulesService/ConvertNotation",
    "/bridgemaster.v1.RulesService/OpenSession",
];
/// Additional methods for started bots with a key for a queue.
const ATTENDING_BOT_METHODS: [&str; 4] = [
    "/bridgemaster.v1.LobbyService/Attend",
    "/bridgemaster.v1.LobbyService/UpdateAttendance",
    "/bridgemaster.v1.LobbyService/LeaveQueue",
    "/bridgemaster.v1.LobbyService/DeclineOffer",
];
/// Path prefixes of health checks and reflection. These services disclose nothing about matches.
const PUBLIC_PREFIXES: [&str; 2] = ["/grpc.health.", "/grpc.reflection."];

/// The maximum number of separate counters, one per bot and method. Refusals beyond them share a
/// counter.
const MAX_REFUSED_ENTRIES: usize = 4096;

/// Access control of a private server. Clones share the keys.
#[derive(Clone, Debug)]
pub struct PrivateAccess(Arc<PrivateState>);

#[derive(Debug)]
struct PrivateState {
    organiser: ApiKey,
    organiser_hash: SecretHash,
    page: PageLinks,
    bots: Mutex<BTreeMap<KeyId, (SecretHash, Arc<BotPermission>)>>,
    refused: Mutex<BTreeMap<(CallingBot, &'static str), u64>>,
}

/// The number of refused calls that a started bot made to one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCalls {
    /// The bot that made the calls.
    pub bot: CallingBot,
    /// The method's path; empty for methods that do not exist in the protocol.
    pub method: &'static str,
    /// The number of refused calls since the last report.
    pub count: u64,
}

impl PrivateAccess {
    /// Generates new keys from the system's random source.
    #[must_use]
    pub fn generate() -> Self {
        let organiser = ApiKey::generate();
        Self(Arc::new(PrivateState {
            organiser_hash: organiser.secret_hash(),
            organiser,
            page: PageLinks::generate(),
            bots: Mutex::default(),
            refused: Mutex::default(),
        }))
    }

    /// The key that permits any call. The command that runs the server owns this key and must keep
    /// it in memory only.
    #[must_use]
    pub fn organiser_key(&self) -> &ApiKey {
        &self.0.organiser
    }

    /// Issues a key for a started bot. With this key the bot may attend this queue under this name.
    ///
    /// # Errors
    /// Returns an error if `name` is not a valid name of a key.
    pub fn issue_bot_key(&self, queue_id: &str, name: &str) -> Result<ApiKey, InvalidText> {
        let key = ApiKey::generate();
        let bot =
            Arc::new(BotPermission { queue_id: queue_id.to_owned(), name: KeyName::new(name)? });
        let stored = (key.secret_hash(), bot);
        self.0.bots.lock().insert(key.id().clone(), stored);
        Ok(key)
    }

    /// Revokes the key of a bot that is no longer running.
    pub fn revoke_bot_key(&self, id: &KeyId) {
        self.0.bots.lock().remove(id);
    }

    /// Removes and returns the counts of refused calls, for the bots that pass a predicate.
    pub fn take_refused_calls(&self, predicate: impl Fn(&CallingBot) -> bool) -> Vec<RefusedCalls> {
        let mut refused = self.0.refused.lock();
        let taken = refused.extract_if(.., |(bot, _), _| predicate(bot));
        let call = |((bot, method), count)| RefusedCalls { bot, method, count };
        taken.map(call).collect()
    }

    /// The links that give browsers access to the page.
    #[must_use]
    pub fn page(&self) -> &PageLinks {
        &self.0.page
    }

    pub(super) fn is_organiser(&self, presented: &ApiKey) -> bool {
        presented.has_hash(&self.0.organiser_hash)
    }

    /// Authenticates the caller of a call. A key of another server is ignored, since a bot might
    /// have it for other purposes.
    pub(super) fn caller(&self, metadata: &HeaderMap) -> Caller {
        let Ok(presented) = presented_key(metadata) else {
            return Caller::StartedBot(None);
        };
        if self.is_organiser(&presented) {
            return Caller::Anyone;
        }
        let bot = self.0.bots.lock().get(presented.id()).cloned();
        let bot = bot.filter(|(hash, _)| presented.has_hash(hash));
        Caller::StartedBot(bot.map(|(_, bot)| bot))
    }

    /// Checks that the caller may call the method with this path. Returns whether the caller
    /// presented the organiser's key.
    pub fn check_method(
        &self,
        metadata: &HeaderMap,
        path: &str,
    ) -> Result<bool, Box<ForbiddenForBot>> {
        let is_public = |prefix: &&str| path.starts_with(prefix);
        if BOT_METHODS.contains(&path) || PUBLIC_PREFIXES.iter().any(is_public) {
            return Ok(false);
        }
        match (self.caller(metadata), presented_key(metadata)) {
            (Caller::StartedBot(Some(_)), _) if ATTENDING_BOT_METHODS.contains(&path) => Ok(false),
            (Caller::StartedBot(Some(bot)), _) => Err(Box::new(ForbiddenForBot {
                bot: CallingBot::Key(bot.name.as_str().to_owned()),
                refusal: Refusal::new(
                    RefusalReason::ScopeMissing,
                    format!(
                        "{path} is reserved for the program that started the bots; the key of a bot \
                         only allows it to attend its queue"
                    ),
                )
                .with("scope", KeyScope::Admin.as_str()),
            })),
            (Caller::StartedBot(None), presented) => Err(Box::new(ForbiddenForBot {
                bot: CallingBot::Unknown,
                refusal: match presented {
                    Ok(_) => key_unknown(),
                    Err(refusal) if refusal.reason() == RefusalReason::KeyMissing => Refusal::new(
                        RefusalReason::KeyMissing,
                        format!(
                            "{path} is reserved for the program that started the bots; a bot plays \
                             its seats with its ticket"
                        ),
                    ),
                    Err(refusal) => refusal,
                },
            })),
            _ => Ok(true),
        }
    }

    /// Counts a refused call.
    pub fn record_refused(&self, bot: CallingBot, path: &str) {
        let known = METHODS.iter().find(|method| **method == path);
        let method = known.copied().unwrap_or_default();
        let mut refused = self.0.refused.lock();
        let kind = if refused.len() < MAX_REFUSED_ENTRIES {
            (bot, method)
        } else {
            (CallingBot::Unknown, "")
        };
        let count = refused.entry(kind).or_default();
        *count = count.saturating_add(1);
    }
}

/// A call that a started bot may not make.
pub struct ForbiddenForBot {
    /// The bot that made the call, if a key identifies it.
    pub bot: CallingBot,
    /// The refusal of the call.
    pub refusal: Refusal,
}
