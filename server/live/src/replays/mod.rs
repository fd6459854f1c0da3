//! Replays of finished matches: the key that signs them, their export to a folder, and their
//! retention in the store.

mod backfill;
mod exporter;
mod folder;
mod retention;
mod withheld;

use bridgemaster_edge::random::{SecretError, load_or_create_secret, system_bytes};
use bridgemaster_replay::SigningKey;
use bridgemaster_store::Store;

pub use exporter::ReplayExporter;
pub use folder::ReplayFolder;
pub use folder::withheld_replays;
pub use retention::KeepReplays;
pub use retention::Retention;
pub use withheld::WithholdingPolicy;
pub(crate) use withheld::{WithholdReason, WithholdReasonUnknown};

/// The name of the signing key in the store.
const SIGNING_KEY_NAME: &str = "replay_signing_key";

/// Generates a key that signs replays and lasts as long as the process.
pub fn generate_signing_key() -> SigningKey {
    SigningKey::new(&system_bytes())
}

/// Loads the key with which the servers of a store sign replays.
///
/// # Errors
/// Returns an error if the store fails, or the stored secret is damaged.
pub async fn load_signing_key(store: &dyn Store) -> Result<SigningKey, SecretError> {
    let purpose = "the key that signs replays";
    let secret = load_or_create_secret(store, SIGNING_KEY_NAME, purpose).await?;
    Ok(SigningKey::new(&secret))
}
