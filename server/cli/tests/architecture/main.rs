//! Holds the map of the code to the code: which crate uses which, what they may have in their
//! trees, and under which licences. No network is needed: what cargo has fetched for the build is
//! enough.

#![allow(clippy::unwrap_used)]

mod arrows;
mod cargo;
mod circles;
mod forbidden;
mod licences;
mod long_functions;
mod pure_crates;
mod sources;
mod versions;
mod vocabulary;
