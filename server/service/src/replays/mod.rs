//! Replays of ended matches: the key that signs them, their export to a folder, and their retention
//! in the store.

mod backfill;
mod exporter;
mod folder;
mod retention;
pub(crate) mod signing_key;
mod withheld;

pub(crate) use exporter::ReplayExporter;
pub(crate) use folder::ReplayFolder;
pub use folder::withheld_replays;
pub use retention::KeepReplays;
pub(crate) use retention::Retention;
pub(crate) use withheld::{WithholdReason, WithholdReasonUnknown, WithholdingPolicy};
