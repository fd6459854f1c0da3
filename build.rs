//! Compiles the protocol with protox, so that no `protoc` has to be installed.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message as _;
use prost_types::{FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};

/// The files with the services that are served; all others are reached through them.
const ROOTS: &[&str] = &[
    "bridgemaster/v1/catalog.proto",
    "bridgemaster/v1/lobby_service.proto",
    "bridgemaster/v1/match_service.proto",
    "bridgemaster/v1/play.proto",
];

/// The services that no program of ours has yet. Only described: reflection tells of them, and calls
/// for them are answered as not supported.
const NOT_BUILT: &[&str] = &[
    "bridgemaster/v1/contest_service.proto",
    "bridgemaster/v1/ladder_service.proto",
    "bridgemaster/v1/rules_service.proto",
    "bridgemaster/v1/seat_service.proto",
];

/// The files of what a server keeps on disk. They are compiled, but no part of the descriptors:
/// nobody outside is told of them.
const INTERNAL_ROOTS: &[&str] = &[
    "bridgemaster/internal/v1/finished_match.proto",
    "bridgemaster/internal/v1/journal_entry.proto",
    "bridgemaster/internal/v1/match_header.proto",
    "bridgemaster/internal/v1/note.proto",
];

/// What the details of a refusal are made of. Not compiled, only described: servers and clients
/// have these types from libraries of their own.
const DETAILS: &[&str] = &["google/rpc/error_details.proto", "google/rpc/status.proto"];

/// Fields that would make every message around them large: a queue of responses keeps
/// room for the largest of them in each of its places.
const BOXED: &[&str] = &[
    ".bridgemaster.v1.GameChance.game",
    ".bridgemaster.v1.GameConfig.game",
    ".bridgemaster.v1.GameObservation.game",
    ".bridgemaster.v1.GameRequest.game",
    ".bridgemaster.v1.GameSetup.game",
    ".bridgemaster.v1.MatchStarted.config",
];

/// What the packages of the games begin with.
const GAME_PACKAGES: &str = "bridgemaster.games.";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=proto/bridgemaster");
    println!("cargo::rerun-if-changed=proto/google");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let described = protox::compile(ROOTS.iter().chain(NOT_BUILT).chain(DETAILS), ["proto"])?;
    fs::write(out.join("descriptors.binpb"), described.encode_to_vec())?;
    // The paths of all methods, as calls name them.
    let services = described.file.iter().flat_map(|file| {
        let of_package = |name: &str| format!("/{}.{name}", file.package());
        let services = file.service.iter();
        services.map(move |service| (of_package(service.name()), service))
    });
    let methods = services.flat_map(|(service, described)| {
        let methods = described.method.iter();
        methods.map(move |method| format!("{service}/{}", method.name()))
    });
    let methods: Vec<String> = methods.collect();
    fs::write(out.join("methods.rs"), format!("&{methods:?}"))?;
    let mut builder = tonic_prost_build::configure()
        // Messages need no transport; who has one gives it to the client.
        .build_transport(false)
        .codec_path("crate::codec::SmallBufferCodec")
        // So that equal messages have equal bytes.
        .btree_map(".")
        .include_file("packages.rs");
    for field in BOXED {
        builder = builder.boxed(field);
    }
    let compiled = protox::compile(ROOTS.iter().chain(INTERNAL_ROOTS), ["proto"])?;
    fs::write(out.join("oneofs.rs"), oneofs(&compiled))?;
    builder.compile_fds(compiled)?;
    Ok(())
}

/// Implements `Oneof` for every `oneof` of the games' messages: the names of the entries, which
/// the generated types do not tell.
fn oneofs(compiled: &FileDescriptorSet) -> String {
    let mut code = String::new();
    let of_games = |file: &&FileDescriptorProto| file.package().starts_with(GAME_PACKAGES);
    for file in compiled.file.iter().filter(of_games) {
        let package = file.package().replace('.', "::");
        for message in &file.message_type {
            for (i, oneof) in (0..).zip(&message.oneof_decl) {
                let fields = message.field.iter();
                // A field that is `optional` is alone in a oneof of the compiler's own.
                let entries = fields.filter(|f| f.oneof_index == Some(i) && !f.proto3_optional());
                let names: Vec<&str> = entries.map(FieldDescriptorProto::name).collect();
                if names.is_empty() {
                    continue;
                }
                let module = lower_snake(message.name());
                let name = upper_camel(oneof.name());
                let arms = names.iter().map(|name| {
                    let variant = upper_camel(name);
                    format!("Self::{variant}(_) => \"{name}\",")
                });
                let arms: String = arms.collect();
                code += &format!(
                    "impl crate::games::Oneof for {package}::{module}::{name} {{
                        const ENTRIES: &'static [&'static str] = &{names:?};
                        fn entry(&self) -> &'static str {{ match self {{ {arms} }} }}
                    }}\n"
                );
            }
        }
    }
    code
}

/// The name of a type in the generated code.
fn upper_camel(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    words.collect()
}

/// The name of a module in the generated code.
fn lower_snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
