//! The bodies of the fuzz targets, which `server/service/tests/corpus` also runs without a fuzzer.

#[cfg(feature = "wire")]
pub mod decoder;
pub mod editions;
pub mod notation;
#[allow(dead_code, reason = "the simulation uses more of it")]
#[path = "../../server/match/tests/simulation/oracle/mod.rs"]
mod oracle;
mod playout;
pub mod referee;
#[cfg(feature = "wire")]
pub mod replay;
#[path = "../../server/referee/tests/toy/mod.rs"]
mod toy;
