//! Checks the code against the tables in `ARCHITECTURE.md`: which crate may use which, which other
//! crates it may depend on, and under which licences. The network is not needed, since cargo has
//! already downloaded all packages for the build.

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
