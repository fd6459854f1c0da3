//! Checks the code against the tables in `ARCHITECTURE.md`: which crate may use which, which other
//! crates may be in their trees, and under which licences. No network is needed: the packages that
//! cargo has fetched for the build are enough.

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
