//! Authenticated callers and their permissions.
//!
//! The key that created a match, and the keys whose bots play in it, may read the match and its
//! replay. Reading other matches and replays needs the `read` or `admin` scope. Any key may read
//! results. `--public-read` grants some of these permissions without a key.
//!
//! A match may have a delay for spectators. The match's own parties, and keys with the `admin`
//! scope, see the match without delay.

use std::{future::pending, sync::Arc, time::Duration};

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_referee::BotIdentity;
use bridgemaster_store::{Key, KeyId, KeyName};
use parking_lot::Mutex;
use tokio::{select, time::sleep};

use super::{
    KeyScope,
    api_key::{check_key_valid, key_damaged, key_missing, key_unknown},
    key_ring::KeyRing,
};
use crate::{refusal::Refusal, wall_clock::now_unix_ms};

/// The identity of a call's sender, which determines what it may do.
#[derive(Clone)]
pub enum Caller {
    /// Any caller of a server without keys, or the organiser of a private server.
    Anyone,
    /// A bot that was started with a private server, and its key if it has one.
    StartedBot(Option<Arc<BotPermission>>),
    /// A caller without a key, who can read only public data.
    Guest(PublicRead),
    /// The holder of a key that was valid when the call started.
    Holder(AuthenticatedKey),
}

/// The permission of a started bot's key: to attend one queue under one name.
#[derive(Debug)]
pub struct BotPermission {
    pub(super) queue_id: String,
    pub(super) name: KeyName,
}

/// The maximum interval between checks of a key's expiry. The interval is limited because the wall
/// clock may be adjusted in the meantime.
const MAX_EXPIRY_CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Waits until the next check whether a key that has `left_ms` left has expired. Waits forever if
/// the key does not expire.
async fn expiry_check_due(left_ms: Option<i64>) {
    match left_ms {
        None => pending().await,
        Some(left_ms) => {
            let left = Duration::from_millis(left_ms.max(0).unsigned_abs());
            sleep(left.min(MAX_EXPIRY_CHECK_INTERVAL)).await;
        }
    }
}

/// The key with which a caller was authenticated. The key ring reports when the key is revoked or
/// expires.
#[derive(Clone)]
pub struct AuthenticatedKey {
    key: Arc<Key>,
    keys: Arc<KeyRing>,
    public: PublicRead,
}

impl AuthenticatedKey {
    pub(super) fn new(key: Arc<Key>, keys: Arc<KeyRing>, public: PublicRead) -> Self {
        Self { key, keys, public }
    }

    /// The server's public-read level.
    pub(super) fn public(&self) -> PublicRead {
        self.public
    }

    /// Completes with a refusal once the key is no longer valid.
    async fn until_revoked(&self) -> Refusal {
        let mut changes = self.keys.subscribe();
        loop {
            // Reads the cache, since a failing store must not end matches.
            let left_ms = match self.keys.cached_key(&self.key.id) {
                Some(key) => {
                    let now_unix_ms = now_unix_ms();
                    if let Err(refusal) = check_key_valid(&key, now_unix_ms) {
                        return refusal;
                    }
                    key.expires_at_unix_ms.map(|at| at.saturating_sub(now_unix_ms))
                }
                None if self.keys.is_damaged(&self.key.id) => return key_damaged(&self.key.id),
                None => return key_unknown(),
            };
            select! {
                changed = changes.changed() => if changed.is_err() {
                    // Cannot happen, since `self` keeps the ring and thereby the sender alive.
                    // Without a sender, no change would follow.
                    pending::<()>().await;
                },
                () = expiry_check_due(left_ms) => {}
            }
        }
    }
}

/// The matches that a caller may see.
#[derive(Clone, Copy, Debug)]
pub enum Visibility<'a> {
    /// All matches.
    All,
    /// Only matches in which the key with this name is a party.
    Of(&'a KeyName),
    /// No match.
    None,
}

impl Caller {
    /// Checks that the caller has a scope.
    pub fn require_scope(&self, scope: KeyScope) -> Result<(), Refusal> {
        if self.has_scope(scope) {
            return Ok(());
        }
        Err(Refusal::new(
            RefusalReason::ScopeMissing,
            format!("the API key lacks the `{scope}` scope; use a key with that scope"),
        )
        .with("scope", scope.as_str()))
    }

    /// Returns whether the caller has a scope.
    pub fn has_scope(&self, scope: KeyScope) -> bool {
        match self {
            Self::Anyone => true,
            Self::Guest(_) => false,
            Self::StartedBot(_) => matches!(scope, KeyScope::Play | KeyScope::Rules),
            Self::Holder(holder) => {
                let mut scopes = holder.key.scopes.iter();
                scopes.any(|held| held.as_str() == scope.as_str())
            }
        }
    }

    /// Returns whether the caller is a bot that was started with a private server.
    pub fn is_started_bot(&self) -> bool {
        matches!(self, Self::StartedBot(_))
    }

    /// Returns whether the caller's key allows attending this queue.
    pub fn may_attend(&self, queue_id: &str) -> bool {
        match self {
            Self::StartedBot(key) => key.as_ref().is_some_and(|key| key.queue_id == queue_id),
            Self::Anyone | Self::Guest(_) | Self::Holder(_) => true,
        }
    }

    /// The identifier of the caller's key.
    pub fn key_id(&self) -> Option<&KeyId> {
        match self {
            Self::Anyone | Self::Guest(_) | Self::StartedBot(_) => None,
            Self::Holder(holder) => Some(&holder.key.id),
        }
    }

    /// The name of the caller's key.
    pub fn key_name(&self) -> Option<&KeyName> {
        match self {
            Self::Anyone | Self::Guest(_) | Self::StartedBot(None) => None,
            Self::StartedBot(Some(key)) => Some(&key.name),
            Self::Holder(holder) => Some(&holder.key.name),
        }
    }

    /// The owner of the caller's key; empty without keys. An owner can have several keys.
    pub fn owner(&self) -> String {
        match self {
            Self::Anyone | Self::Guest(_) | Self::StartedBot(_) => String::new(),
            Self::Holder(holder) => holder.key.owner().to_owned(),
        }
    }

    /// Returns the identity of the caller's bot. If the caller has a key, the bot has the name of
    /// the key.
    pub fn bot(&self, mut bot: BotIdentity) -> BotIdentity {
        if let Some(name) = self.key_name() {
            bot.name = name.as_str().to_owned();
        }
        bot
    }

    /// Completes with a refusal once the caller's key is revoked or has expired.
    pub async fn until_revoked(&self) -> Refusal {
        match self {
            Self::Anyone | Self::Guest(_) | Self::StartedBot(_) => pending().await,
            // Boxed to keep other callers' streams small.
            Self::Holder(holder) => Box::pin(holder.until_revoked()).await,
        }
    }
}

/// The bot that made a refused call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallingBot {
    /// The bot in a seat, which is identified by a ticket that was presented on the same
    /// connection.
    Seat {
        /// The identifier of the match.
        match_id: String,
        /// The number of the seat, from 0.
        seat: u32,
    },
    /// The bot whose key has this name.
    Key(String),
    /// A bot that presented neither a ticket nor a key.
    Unknown,
}

/// The bot whose ticket was presented last on a connection. It is stored per connection and not per
/// address, because a later connection from the same port may be another bot's. Clones share the
/// value.
#[derive(Clone, Debug, Default)]
pub struct ConnectionBot(Arc<Mutex<Option<CallingBot>>>);

impl ConnectionBot {
    /// Records the bot whose ticket was presented last.
    pub fn set(&self, bot: CallingBot) {
        *self.0.lock() = Some(bot);
    }

    /// Returns the bot whose ticket was presented last, if any.
    pub fn get(&self) -> Option<CallingBot> {
        self.0.lock().clone()
    }
}

/// Read access without a key on a server with keys. Each level includes all lower levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublicRead {
    /// No access: each call needs a key.
    #[default]
    None,
    /// Ladders: standings, head-to-head results, and results of matches.
    Results,
    /// In addition, match lists, and matches in play.
    Matches,
    /// In addition, replays of finished matches.
    All,
}

/// A kind of data that other callers created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAccess {
    /// Ladders and their results.
    Results,
    /// Matches in play, and finished matches.
    Matches,
    /// Replays of matches, and positions that are computed from replays. Replays and positions
    /// disclose hidden information, and so are available only once a match has ended.
    Replays,
}

impl ReadAccess {
    /// The lowest public-read level that includes this kind of data.
    fn public(self) -> PublicRead {
        match self {
            Self::Results => PublicRead::Results,
            Self::Matches => PublicRead::Matches,
            Self::Replays => PublicRead::All,
        }
    }
}

impl Caller {
    /// Returns whether the caller may read other callers' data of this kind.
    pub fn may_read(&self, access: ReadAccess) -> bool {
        match self {
            Self::Anyone => true,
            Self::StartedBot(_) => false,
            Self::Guest(public) => *public >= access.public(),
            Self::Holder(holder) => {
                access == ReadAccess::Results
                    || self.has_scope(KeyScope::Read)
                    // A caller who manages matches has to read them.
                    || self.has_scope(KeyScope::Admin)
                    || holder.public() >= access.public()
            }
        }
    }

    /// Returns the matches that the caller may see.
    pub fn visible(&self) -> Visibility<'_> {
        match self.key_name() {
            _ if self.may_read(ReadAccess::Matches) => Visibility::All,
            Some(name) => Visibility::Of(name),
            None => Visibility::None,
        }
    }

    /// Returns whether lists may show the caller an unreadable match of `maker`. `maker` is `None`
    /// if the key that created the match is unknown.
    pub fn may_list_unreadable(&self, maker: Option<&KeyName>) -> bool {
        let may_act = self.has_scope(KeyScope::Read) || self.has_scope(KeyScope::Admin);
        may_act || (maker.is_some() && maker == self.key_name())
    }

    /// Returns whether the caller sees a match without the spectators' delay. `is_of` returns
    /// whether the key with this name is a party of the match; callers without a key never are.
    pub fn sees_undelayed(&self, is_of: impl FnOnce(&KeyName) -> bool) -> bool {
        match self {
            Self::Anyone | Self::Guest(_) | Self::StartedBot(_) => false,
            Self::Holder(_) => {
                self.has_scope(KeyScope::Admin) || self.key_name().is_some_and(is_of)
            }
        }
    }

    /// Checks that the caller may read other callers' data of this kind.
    ///
    /// # Errors
    /// Returns an error if a key is missing, or lacks the `read` scope.
    pub fn require_read(&self, access: ReadAccess) -> Result<(), Refusal> {
        if self.may_read(access) {
            return Ok(());
        }
        Err(match self {
            Self::Guest(_) | Self::StartedBot(_) => key_missing(),
            Self::Anyone | Self::Holder(_) => Refusal::new(
                RefusalReason::ScopeMissing,
                "without the `read` scope a key sees only matches that it created or in which its bot \
                 has a seat",
            )
            .with("scope", KeyScope::Read.as_str()),
        })
    }

    /// Checks that a guest may read this kind of data. With a key, access depends on the match.
    ///
    /// # Errors
    /// Returns an error if a key is missing.
    pub fn require_guest_read(&self, access: ReadAccess) -> Result<(), Refusal> {
        match self {
            Self::Guest(_) | Self::StartedBot(_) => self.require_read(access),
            Self::Anyone | Self::Holder(_) => Ok(()),
        }
    }
}
