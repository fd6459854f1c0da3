//! Compiles the protocol with protox, so that no `protoc` has to be installed.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message as _;

/// The files that nothing imports; all others are reached through them.
const ROOTS: &[&str] = &[
    "bridgemaster/v1/catalog.proto",
    "bridgemaster/v1/match_service.proto",
    "bridgemaster/v1/play.proto",
];

/// The files of what a server keeps on disk. They are compiled, but no part of the descriptors:
/// nobody outside is told of them.
const INTERNAL_ROOTS: &[&str] = &[
    "bridgemaster/internal/v1/finished_match.proto",
    "bridgemaster/internal/v1/journal_entry.proto",
    "bridgemaster/internal/v1/match_header.proto",
];

/// What the details of a refusal are made of. Not compiled, only described: servers and clients
/// have these types from libraries of their own.
const DETAILS: &[&str] = &["google/rpc/error_details.proto", "google/rpc/status.proto"];

/// Entries of games that would make every message around them large: a queue of responses keeps
/// room for the largest of them in each of its places.
const BOXED: &[&str] = &[
    ".bridgemaster.v1.GameChance.game",
    ".bridgemaster.v1.GameConfig.game",
    ".bridgemaster.v1.GameObservation.game",
    ".bridgemaster.v1.GameSetup.game",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=proto/bridgemaster");
    println!("cargo::rerun-if-changed=proto/google");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let described = protox::compile(ROOTS.iter().chain(DETAILS), ["proto"])?;
    fs::write(out.join("descriptors.binpb"), described.encode_to_vec())?;
    let mut builder = tonic_prost_build::configure()
        .codec_path("crate::codec::SmallBufferCodec")
        .include_file("packages.rs");
    for field in BOXED {
        builder = builder.boxed(field);
    }
    let compiled = protox::compile(ROOTS.iter().chain(INTERNAL_ROOTS), ["proto"])?;
    builder.compile_fds(compiled)?;
    Ok(())
}
