//! API keys in the form that their holders use: an identifier and a secret, the scopes of a key,
//! and the refusals of invalid keys.

use std::{collections::HashMap, fmt, str::FromStr};

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{Key, KeyId, Scope, SecretHash};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use tonic::codegen::http::HeaderMap;
use unicode_security::skeleton;

use crate::{random::system_bytes, refusal::Refusal};

/// The metadata key in which a call presents its API key.
pub const KEY_METADATA: &str = "x-bridgemaster-key";

/// The prefix of every key, by which secret scanners find leaked keys.
const PREFIX: &str = "bmk";
/// The length of the secret in bytes. 256 random bits cannot be guessed.
const SECRET_BYTES: usize = 32;

/// An API key with its secret. The key's text is `bmk_ID_SECRET`, where `ID` has 16 lower-case hex
/// digits and `SECRET` has 64.
///
/// ```
/// use bridgemaster_edge::identity::ApiKey;
///
/// let key = ApiKey::generate();
/// let again: ApiKey = key.reveal().parse()?;
/// assert_eq!(again.id(), key.id());
/// assert_eq!(format!("{key:?}"), format!("ApiKey({}, ..)", key.id()));
/// # Ok::<(), bridgemaster_edge::identity::InvalidApiKey>(())
/// ```
#[derive(Clone)]
pub struct ApiKey {
    id: KeyId,
    secret: [u8; SECRET_BYTES],
}

/// The error for a text that is not an API key. It does not repeat the text, which might be a
/// mistyped secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an API key has the form bmk_ID_SECRET, where SECRET has {} hex digits", 2 * SECRET_BYTES)]
pub struct InvalidApiKey;

impl ApiKey {
    /// Generates a key from the system's random source.
    ///
    /// # Panics
    /// If the system has no random source.
    pub fn generate() -> Self {
        let id = format!("{:016x}", u64::from_le_bytes(system_bytes()));
        Self {
            id: KeyId::new(id).expect("16 hex digits are an identifier"),
            secret: system_bytes(),
        }
    }

    /// The key's identifier, which is not secret.
    pub fn id(&self) -> &KeyId {
        &self.id
    }

    /// Returns the hash under which the secret is stored. Plain SHA-256 suffices: slow hashes and
    /// salts are for secrets that can be guessed, and 256 random bits cannot.
    pub fn secret_hash(&self) -> SecretHash {
        SecretHash::new(Sha256::digest(self.secret).into())
    }

    /// Returns the whole text of the key, including the secret. Only the key's holder should see
    /// this text.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}_{}_{}", self.id, hex::encode(self.secret))
    }

    /// Returns whether the secret has this hash, in constant time.
    pub(super) fn has_hash(&self, stored: &SecretHash) -> bool {
        let own = self.secret_hash();
        own.as_bytes()[..].ct_eq(&stored.as_bytes()[..]).into()
    }
}

impl FromStr for ApiKey {
    type Err = InvalidApiKey;

    fn from_str(text: &str) -> Result<Self, InvalidApiKey> {
        let rest = text.strip_prefix(PREFIX).and_then(|t| t.strip_prefix('_'));
        // The last underscore separates the parts, since the secret contains none.
        let (id, secret) = rest.and_then(|t| t.rsplit_once('_')).ok_or(InvalidApiKey)?;
        Ok(Self {
            id: KeyId::new(id).map_err(|_| InvalidApiKey)?,
            secret: from_hex(secret).ok_or(InvalidApiKey)?,
        })
    }
}

/// Omits the secret.
impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({}, ..)", self.id)
    }
}

fn from_hex(text: &str) -> Option<[u8; SECRET_BYTES]> {
    // The `hex` crate also accepts upper-case digits.
    if text.bytes().any(|digit| digit.is_ascii_uppercase()) {
        return None;
    }
    let mut bytes = [0; SECRET_BYTES];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

/// A permission of an API key. A key has any number of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyScope {
    /// Takes seats with tickets, as the bot that the key is named after.
    Play,
    /// Creates matches, groups and queues.
    Create,
    /// Reads other callers' matches and replays.
    Read,
    /// Manages other callers' matches and queues, and runs ladders.
    Admin,
    /// Calls `RulesService`.
    Rules,
}

/// The error for a text that is not a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("unknown scope; the scopes are play, create, read, admin and rules")]
pub struct UnknownScope;

impl KeyScope {
    /// All scopes, in the order in which they are documented.
    pub const ALL: [Self; 5] = [Self::Play, Self::Create, Self::Read, Self::Admin, Self::Rules];

    /// The name of the scope, as in `--scope play`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Create => "create",
            Self::Read => "read",
            Self::Admin => "admin",
            Self::Rules => "rules",
        }
    }

    /// Converts the scope for the store.
    pub fn to_scope(self) -> Scope {
        Scope::new(self.as_str()).expect("a lower-case word is the text of a scope")
    }
}

impl FromStr for KeyScope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        found.ok_or(UnknownScope)
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the refusal of a call without a key.
pub(super) fn key_missing() -> Refusal {
    Refusal::new(
        RefusalReason::KeyMissing,
        format!("an API key is required in the metadata `{KEY_METADATA}`"),
    )
}

/// Checks that a key is valid at this time, in ms since 1970 UTC.
pub(super) fn check_key_valid(key: &Key, now_unix_ms: i64) -> Result<(), Refusal> {
    let id = &key.id;
    if !key.is_in_force() {
        let message = format!("the API key {id} was revoked; ask the operator for a new key");
        return Err(Refusal::new(RefusalReason::KeyRevoked, message));
    }
    if key.has_expired(now_unix_ms) {
        let message = format!("the API key {id} has expired; ask the operator for a new key");
        return Err(Refusal::new(RefusalReason::KeyExpired, message));
    }
    Ok(())
}

/// Returns the refusal of a call with an unknown key or a wrong secret.
pub(super) fn key_unknown() -> Refusal {
    Refusal::new(
        RefusalReason::KeyUnknown,
        "the API key is unknown to this server; check the key, or ask the operator for a new one",
    )
}

/// Returns the refusal of a call whose key is damaged in the store. The secret cannot be verified,
/// but the identifier may be shown, since it is not secret.
pub(super) fn key_damaged(id: &KeyId) -> Refusal {
    Refusal::damaged(format!("the stored API key {id} is damaged; ask the operator for a new key"))
}

/// Returns the refusal of a call while the store is unreadable and the key is not cached.
pub(super) fn keys_unreadable() -> Refusal {
    Refusal::new(
        RefusalReason::KeysUnreadable,
        "the server cannot read its API keys at present; retry later",
    )
}

/// Parses the key that a call presents. The key's text is never logged or repeated.
pub(super) fn presented_key(metadata: &HeaderMap) -> Result<ApiKey, Refusal> {
    let refused = |message: String| Refusal::new(RefusalReason::KeyMissing, message);
    let mut values = metadata.get_all(KEY_METADATA).iter();
    let value = values.next().ok_or_else(key_missing)?;
    if values.next().is_some() {
        return Err(refused(format!(
            "the metadata has more than one `{KEY_METADATA}`; send one key"
        )));
    }
    let text = value
        .to_str()
        .map_err(|_| refused(format!("the metadata `{KEY_METADATA}` is not ASCII text")))?;
    text.trim().parse().map_err(|_| key_unknown())
}

/// Names, in which those that people might confuse are found without comparing each pair.
/// Confusable names differ only in case, in the white space between words, or in letters that look
/// alike, such as Latin and Cyrillic ones (Unicode Technical Standard 39). Each name has a holder,
/// such as a key.
///
/// ```
/// use bridgemaster_edge::identity::ConfusableNames;
///
/// let mut names = ConfusableNames::default();
/// names.insert("bob", "key 1");
/// assert_eq!(names.find("Bob"), Some(("bob", &"key 1")));
/// assert!(names.find("b\u{43e}b").is_some()); // Cyrillic
/// assert!(names.find("bob").is_none() && names.find("rob").is_none());
/// ```
#[derive(Debug)]
pub struct ConfusableNames<T> {
    by_skeleton: HashMap<String, Vec<(String, T)>>,
}

impl<T> Default for ConfusableNames<T> {
    fn default() -> Self {
        Self { by_skeleton: HashMap::new() }
    }
}

impl<T: Clone> ConfusableNames<T> {
    /// Adds a name.
    pub fn insert(&mut self, name: &str, holder: T) {
        for skeleton in skeletons(name) {
            let names = self.by_skeleton.entry(skeleton).or_default();
            // One of the two names differs from the name that is looked up.
            if names.len() < 2 && names.iter().all(|(other, _)| other != name) {
                names.push((name.to_owned(), holder.clone()));
            }
        }
    }

    /// Returns a name that is confusable with `name`, but not equal to it, and its holder.
    pub fn find(&self, name: &str) -> Option<(&str, &T)> {
        let skeletons = skeletons(name);
        let mut names = skeletons.iter().filter_map(|one| self.by_skeleton.get(one)).flatten();
        let (other, holder) = names.find(|(other, _)| other != name)?;
        Some((other, holder))
    }
}

/// Returns the skeletons (UTS 39) of a name: of the name itself, of its lower-case form and of its
/// upper-case form. All three are needed because case matters for confusables: only the capital `I`
/// of `Ivan` is confusable with `l`.
fn skeletons(name: &str) -> [String; 3] {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = |text: &str| skeleton(text).collect::<String>();
    [
        bare(&name.to_lowercase()),
        bare(&bare(&name).to_lowercase()),
        bare(&bare(&name.to_uppercase()).to_lowercase()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_confusable(one: &str, other: &str) -> bool {
        let mut names = ConfusableNames::default();
        names.insert(one, ());
        names.find(other).is_some()
    }

    #[test]
    fn two_keys_differ_in_identifier_and_secret() {
        let (one, other) = (ApiKey::generate(), ApiKey::generate());
        assert_ne!(one.id(), other.id());
        assert!(one.has_hash(&one.secret_hash()));
        assert!(!one.has_hash(&other.secret_hash()));
    }

    #[test]
    fn a_key_has_a_fixed_prefix_an_identifier_and_256_bits() {
        let text = ApiKey::generate().reveal();
        let parts: Vec<&str> = text.split('_').collect();
        assert_eq!(parts[0], "bmk");
        assert_eq!((parts[1].len(), parts[2].len(), parts.len()), (16, 64, 3));
    }

    #[test]
    fn a_text_that_differs_in_one_digit_is_another_key_or_none() {
        let key = ApiKey::generate();
        let text = key.reveal();
        let last = if text.ends_with('0') { '1' } else { '0' };
        let other: ApiKey = format!("{}{last}", &text[..text.len() - 1]).parse().unwrap();
        assert!(!other.has_hash(&key.secret_hash()));
        let bad = [
            String::new(),
            "bmk".to_owned(),
            "bmk__".to_owned(),
            text[1..].to_owned(),
            text[..text.len() - 1].to_owned(),
            format!("{text}0"),
            text.to_uppercase(),
            text.replace("bmk_", "bmk_a b"),
            format!("bmk_k_{}", "é".repeat(32)),
        ];
        for text in bad {
            assert_eq!(text.parse::<ApiKey>().err(), Some(InvalidApiKey), "{text}");
        }
    }

    #[test]
    fn every_scope_is_read_back_from_its_name_and_named_in_the_error() {
        for scope in KeyScope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
            assert_eq!(scope.to_scope().as_str(), scope.as_str());
            assert!(UnknownScope.to_string().contains(scope.as_str()));
        }
        assert_eq!("root".parse::<KeyScope>(), Err(UnknownScope));
    }

    #[test]
    fn confusable_names_are_recognised() {
        for (one, other) in [
            ("bob", "Bob"),
            ("bob", "BOB"),
            // Cyrillic: one letter, and the whole name in capitals.
            ("bob", "b\u{43e}b"),
            ("bob", "\u{412}\u{41e}\u{412}"),
            // Greek capitals.
            ("anton", "\u{391}\u{39d}\u{3a4}\u{39f}\u{39d}"),
            // Digits and letters.
            ("team 1", "team l"),
            ("Ill", "lll"),
            ("b0b", "Bob"),
            // A confusable of the letter's other case.
            ("alice", "AL1CE"),
            ("ivan", "lvan"),
            ("modern", "modem"),
            // Composed and decomposed letters, full-width letters, other spaces, and invisible
            // characters.
            ("Zo\u{eb}", "Zoe\u{308}"),
            ("bob", "\u{ff42}ob"),
            ("a b", "a\u{a0}b"),
            ("a b", "a  b"),
            ("bob", "bo\u{fe0f}b"),
            ("\u{df}", "\u{1e9e}"),
        ] {
            assert!(are_confusable(one, other), "{one:?} {other:?}");
            assert!(are_confusable(other, one), "{other:?} {one:?}");
        }
    }

    #[test]
    fn distinguishable_names_are_not_confusable() {
        for (one, other) in [
            ("bob", "rob"),
            ("bob", "bobby"),
            ("bot2", "bot3"),
            ("bot10", "bot11"),
            ("Zo\u{eb}", "Zoe"),
            ("a b", "ab"),
            ("\u{6a4b}", "\u{6a2b}"),
        ] {
            assert!(!are_confusable(one, other), "{one:?} {other:?}");
        }
    }
}
