//! Checks the structure of the code: which crates may use each other, which external crates they
//! may depend on, and under which licences. The network is not needed, since cargo has already
//! downloaded all packages for the build.

#![allow(clippy::unwrap_used)]

mod cargo;
mod cycles;
mod forbidden;
mod layers;
mod licences;
mod long_functions;
mod pure_crates;
mod sources;
mod versions;
mod vocabulary;
