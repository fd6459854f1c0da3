//! Who makes a call, and what that allows.

use std::{future::pending, sync::Arc, time::Duration};

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_referee::BotIdentity;
use bridgemaster_store::{Key, KeyId, KeyName};
use tokio::{select, time::sleep};

use super::{
    KeyScope, PublicRead,
    key_refusals::{check_good, damaged, unknown},
    key_ring::KeyRing,
};
use crate::{refusal::Refusal, wall_clock::now_unix_ms};

/// Who makes a call.
#[derive(Clone)]
pub(crate) enum Caller {
    /// Anyone: the server asks for no keys.
    Anyone,
    /// One who shows no key where keys are asked for, and looks at what everybody may see.
    Guest(PublicRead),
    /// The holder of a key that was in force when the call began.
    Holder(KeyHolder),
}

/// Longest time after which is looked again whether the time of a key is over: the calendar's clock
/// may be set.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Waits until the time of a key may be over, of which so much is left; for ever without an end.
async fn time_to_look(left_ms: Option<i64>) {
    match left_ms {
        None => pending().await,
        Some(left_ms) => {
            let left = Duration::from_millis(left_ms.max(0).unsigned_abs());
            sleep(left.min(LOOK_AGAIN)).await;
        }
    }
}

#[derive(Clone)]
pub(crate) struct KeyHolder {
    key: Arc<Key>,
    keys: Arc<KeyRing>,
    public: PublicRead,
}

impl KeyHolder {
    pub(super) fn new(key: Arc<Key>, keys: Arc<KeyRing>, public: PublicRead) -> Self {
        Self { key, keys, public }
    }

    /// What everybody may look at.
    pub(super) fn public(&self) -> PublicRead {
        self.public
    }

    /// Why the key is not good any more, once it is not.
    async fn refused(&self) -> Refusal {
        let mut changes = self.keys.changes();
        loop {
            // As it was read last: a store that fails must not end matches.
            let left_ms = match self.keys.last_known(&self.key.id) {
                Some(key) => {
                    let now_unix_ms = now_unix_ms();
                    if let Err(refusal) = check_good(&key, now_unix_ms) {
                        return refusal;
                    }
                    key.expires_at_unix_ms
                        .map(|at| at.saturating_sub(now_unix_ms))
                }
                None if self.keys.is_damaged(&self.key.id) => return damaged(&self.key.id),
                None => return unknown(),
            };
            select! {
                changed = changes.changed() => if changed.is_err() {
                    // The ring is held by this holder, so it is there.
                    pending::<()>().await;
                },
                () = time_to_look(left_ms) => {}
            }
        }
    }
}

impl Caller {
    /// Makes sure that the caller may do what needs `scope`.
    pub(crate) fn require(&self, scope: KeyScope) -> Result<(), Refusal> {
        if self.may(scope) {
            return Ok(());
        }
        Err(Refusal::new(
            RefusalReason::ScopeMissing,
            format!("the API key does not have the scope {scope}"),
        )
        .with("scope", scope.as_str()))
    }

    /// Whether the caller may do what needs `scope`.
    pub(crate) fn may(&self, scope: KeyScope) -> bool {
        match self {
            Self::Anyone => true,
            Self::Guest(_) => false,
            Self::Holder(holder) => {
                let mut scopes = holder.key.scopes.iter();
                scopes.any(|held| held.as_str() == scope.as_str())
            }
        }
    }

    /// The identifier of the caller's key.
    pub(crate) fn key_id(&self) -> Option<&KeyId> {
        match self {
            Self::Anyone | Self::Guest(_) => None,
            Self::Holder(holder) => Some(&holder.key.id),
        }
    }

    /// The name of the caller's key.
    pub(crate) fn name(&self) -> Option<&KeyName> {
        match self {
            Self::Anyone | Self::Guest(_) => None,
            Self::Holder(holder) => Some(&holder.key.name),
        }
    }

    /// Who has the caller's key: one owner may have many. Empty without keys.
    pub(crate) fn owner(&self) -> String {
        match self {
            Self::Anyone | Self::Guest(_) => String::new(),
            Self::Holder(holder) => holder.key.owner().to_owned(),
        }
    }

    /// The bot that says to be `bot`: with a key, the name is the key's.
    pub(crate) fn bot(&self, mut bot: BotIdentity) -> BotIdentity {
        if let Some(name) = self.name() {
            bot.name = name.as_str().to_owned();
        }
        bot
    }

    /// Completes with a refusal when the caller's key is revoked.
    pub(crate) async fn refused(&self) -> Refusal {
        match self {
            Self::Anyone | Self::Guest(_) => pending().await,
            // Boxed, so that streams of others are small.
            Self::Holder(holder) => Box::pin(holder.refused()).await,
        }
    }
}
