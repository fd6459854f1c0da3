//! Compiles the protocol with protox, so that no `protoc` has to be installed.

use std::{collections::BTreeMap, env, error::Error, fs, path::PathBuf};

// The names in the generated code are those of prost, which uses this crate.
use heck::{ToSnakeCase as _, ToUpperCamelCase as _};
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    field_descriptor_proto::{Label, Type},
};
use protox::prost_reflect::DescriptorPool;

/// The files of the services whose messages this project's programs use; all other files are
/// reached from them.
const ROOTS: &[&str] = &[
    "bridgemaster/v1/catalog.proto",
    "bridgemaster/v1/ladder_service.proto",
    "bridgemaster/v1/lobby_service.proto",
    "bridgemaster/v1/match_service.proto",
    "bridgemaster/v1/play.proto",
    "bridgemaster/v1/rules_service.proto",
    "bridgemaster/v1/seat_service.proto",
];

/// The files of the messages that servers store, or send to other servers of a cluster. They are
/// compiled but not part of the descriptors, since clients never see them.
const INTERNAL_ROOTS: &[&str] = &[
    "bridgemaster/internal/v1/finished_match.proto",
    "bridgemaster/internal/v1/journal_entry.proto",
    "bridgemaster/internal/v1/ladder.proto",
    "bridgemaster/internal/v1/match_header.proto",
    "bridgemaster/internal/v1/node_service.proto",
    "bridgemaster/internal/v1/note.proto",
];

/// The messages of error details. They are in the descriptors only: servers and clients have these
/// types from other libraries.
const ERROR_DETAILS: &[&str] = &["google/rpc/error_details.proto", "google/rpc/status.proto"];

/// Fields that would make every message around them large: a queue of responses reserves space for
/// the largest one in each slot.
const BOXED: &[&str] = &[
    ".bridgemaster.v1.GameChance.game",
    ".bridgemaster.v1.GameConfig.game",
    ".bridgemaster.v1.GameObservation.game",
    ".bridgemaster.v1.GameRequest.game",
    ".bridgemaster.v1.GameSetup.game",
    ".bridgemaster.v1.MatchStarted.config",
    ".bridgemaster.v1.RulesOperation.operation.load",
];

/// The prefixes of the packages whose messages implement `Fields`.
const PACKAGES_WITH_FIELDS: [&str; 3] =
    ["bridgemaster.games.", "bridgemaster.internal.v1", "bridgemaster.v1"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=proto/bridgemaster");
    println!("cargo::rerun-if-changed=proto/google");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(ROOTS.iter().chain(ERROR_DETAILS))?;
    let described = compiler.file_descriptor_set();
    // Unlike `described`, the encoded descriptors and the pool have the options of `refusal.proto`.
    let encoded = compiler.encode_file_descriptor_set();
    fs::write(out.join("descriptors.binpb"), encoded)?;
    let refusals = refusal_options(&compiler.descriptor_pool())?;
    fs::write(out.join("refusals.rs"), refusals)?;
    // The paths of all methods, as in calls.
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
        // Messages need no transport. A program that has one passes it to the client.
        .build_transport(false)
        .codec_path("crate::codec::SmallBufferCodec")
        // Sorted maps, so that equal messages have equal bytes.
        .btree_map(".")
        .include_file("packages.rs");
    for field in BOXED {
        builder = builder.boxed(field);
    }
    let compiled = protox::compile(ROOTS.iter().chain(INTERNAL_ROOTS), ["proto"])?;
    fs::write(out.join("fields.rs"), fields(&compiled))?;
    fs::write(out.join("legal_decision.rs"), legal_decision(&compiled))?;
    builder.compile_fds(compiled)?;
    Ok(())
}

/// Generates the methods that return the advice and the gRPC code of a refusal, from the options of
/// the same names.
///
/// # Errors
/// Returns an error if a reason lacks a valid option.
fn refusal_options(pool: &DescriptorPool) -> Result<String, String> {
    let option = |name: &str| {
        let option = pool.get_extension_by_name(&format!("bridgemaster.v1.{name}"));
        option.ok_or_else(|| format!("refusal.proto lacks the option {name}"))
    };
    let (of_advice, of_code) = (option("advice")?, option("grpc_code")?);
    let (mut advices, mut codes) = (String::new(), String::new());
    // The first reason, UNSPECIFIED, is never sent.
    let reasons = pool.get_enum_by_name("bridgemaster.v1.RefusalReason");
    let reasons = reasons.ok_or("refusal.proto lacks RefusalReason")?;
    for reason in reasons.values().skip(1) {
        let (number, options) = (reason.number(), reason.options());
        let lacks =
            |option: &str| format!("refusal.proto: {} lacks a valid {option}", reason.name());
        let advice = options.get_extension(&of_advice).as_enum_number();
        let advice = advice.filter(|advice| *advice != 0);
        let advice = advice.ok_or_else(|| lacks("advice"))?;
        advices += &format!("{number} => {advice},");
        let code = options.get_extension(&of_code);
        let code = code.as_str().filter(|code| !["", "OK"].contains(code));
        let code = code.ok_or_else(|| lacks("grpc_code"))?;
        // For an unknown code, the generated code does not compile.
        let variant = code.to_upper_camel_case();
        codes += &format!("{number} => tonic::Code::{variant},");
    }
    Ok(format!(
        "impl bridgemaster::v1::RefusalReason {{
            /// Returns the advice for this reason: its option `advice` in `refusal.proto`.
            pub fn advice(self) -> bridgemaster::v1::RefusalAdvice {{
                let advice = match self as i32 {{ {advices} _ => 0 }};
                bridgemaster::v1::RefusalAdvice::try_from(advice).unwrap_or_default()
            }}
            /// Returns the gRPC code of this reason: its option `grpc_code` in `refusal.proto`.
            pub fn grpc_code(self) -> tonic::Code {{
                match self as i32 {{ {codes} _ => tonic::Code::Unknown }}
            }}
        }}"
    ))
}

/// Generates the function that takes a decision out of the list of a request, for any game. Each
/// entry of `GameRequest` is named like that of `GameDecision`.
fn legal_decision(compiled: &FileDescriptorSet) -> String {
    let messages = compiled.file.iter().flat_map(|file| &file.message_type);
    let requests = messages.filter(|message| message.name() == "GameRequest");
    let arms = requests.flat_map(|message| &message.field).map(|entry| {
        let game = entry.name().to_upper_camel_case();
        format!(
            "game_request::Game::{game}(request) => {{
                let decision = request.legal_decisions.get(index).cloned()?;
                game_decision::Game::{game}(decision)
            }}"
        )
    });
    let arms: String = arms.collect();
    format!(
        "fn legal_decision(
            request: &game_request::Game,
            index: usize,
        ) -> Option<game_decision::Game> {{
            Some(match request {{ {arms} }})
        }}"
    )
}

/// Generates what the types of prost lack: implementations of `Fields` and `Measured` for each
/// message, and one of `Oneof` with the entry names for every `oneof`.
fn fields(compiled: &FileDescriptorSet) -> String {
    let mut code = String::new();
    let types = message_types(compiled);
    for file in compiled.file.iter().filter(has_fields) {
        let package = file.package().replace('.', "::");
        for message in &file.message_type {
            let mut of_message = String::new();
            for (i, oneof) in (0..).zip(&message.oneof_decl) {
                let entries = message.field.iter();
                // An `optional` field is alone in a oneof generated by the compiler.
                let entries = entries.filter(|f| f.oneof_index == Some(i) && !f.proto3_optional());
                let entries: Vec<_> = entries.collect();
                if entries.is_empty() {
                    continue;
                }
                let names: Vec<&str> = entries.iter().map(|entry| entry.name()).collect();
                let arms = names.iter().map(|name| {
                    let variant = name.to_upper_camel_case();
                    format!("Self::{variant}(_) => \"{name}\",")
                });
                let arms: String = arms.collect();
                let fields =
                    entries.iter().map(|entry| field(&entry.name().to_upper_camel_case(), entry));
                let fields: String = fields.collect();
                let path = format!(
                    "{package}::{}::{}",
                    message.name().to_snake_case(),
                    oneof.name().to_upper_camel_case()
                );
                code += &format!(
                    "impl crate::games::Oneof for {path} {{
                        const ENTRIES: &'static [&'static str] = &{names:?};
                        fn entry(&self) -> &'static str {{ match self {{ {arms} }} }}
                    }}\n"
                );
                code += &implementation(&path, &fields);
                // The entry that is written has the field number, not the oneof.
                of_message += &format!("(\"{}\", crate::games::Field::new(0)),", oneof.name());
            }
            let alone = message.field.iter();
            let alone = alone.filter(|f| f.oneof_index.is_none() || f.proto3_optional());
            of_message.extend(alone.map(|f| field(f.name(), f)));
            let path = format!("{package}::{}", message.name());
            code += &implementation(&path, &of_message);
            code += &measured(&path, message, &types);
        }
    }
    code
}

/// Returns whether the messages of a file implement `Fields` and `Measured`.
fn has_fields(file: &&FileDescriptorProto) -> bool {
    PACKAGES_WITH_FIELDS.iter().any(|package| file.package().starts_with(package))
}

/// Returns the Rust types of all messages, by their names. The entries of maps have no type.
fn message_types(compiled: &FileDescriptorSet) -> BTreeMap<String, String> {
    let files = compiled.file.iter().filter(has_fields);
    let messages = files.flat_map(|file| {
        let (package, module) = (file.package(), file.package().replace('.', "::"));
        let messages = file.message_type.iter().map(|message| message.name());
        messages.map(move |name| (format!(".{package}.{name}"), format!("{module}::{name}")))
    });
    messages.collect()
}

/// Generates an implementation of `Fields`.
fn implementation(path: &str, fields: &str) -> String {
    format!(
        "impl crate::games::Fields for {path} {{
            const FIELDS: &'static [(&'static str, crate::games::Field)] = &[{fields}];
        }}\n"
    )
}

/// Generates an implementation of `Measured`.
fn measured(path: &str, message: &DescriptorProto, types: &BTreeMap<String, String>) -> String {
    let arms = message.field.iter().filter_map(|field| {
        let content = match types.get(field.type_name()) {
            Some(path) => format!("Message(crate::decoded_size::measure::<{path}>)"),
            None if is_number_list(field) => "Numbers".to_owned(),
            None => return None,
        };
        Some(format!("{} => crate::decoded_size::Content::{content},", field.number()))
    });
    let arms: String = arms.collect();
    format!(
        "impl crate::decoded_size::Measured for {path} {{
            fn content(field_number: u32) -> crate::decoded_size::Content {{
                match field_number {{ {arms} _ => crate::decoded_size::Content::Other }}
            }}
        }}\n"
    )
}

fn is_number_list(field: &FieldDescriptorProto) -> bool {
    let is_number = !matches!(field.r#type(), Type::String | Type::Bytes | Type::Message);
    field.label() == Label::Repeated && is_number
}

/// Generates the name of a field and its encoding.
fn field(name: &str, field: &FieldDescriptorProto) -> String {
    let mut form = String::new();
    if field.r#type() == Type::Sint32 {
        form += ".zigzag()";
    }
    if is_number_list(field) {
        form += ".packed()";
    }
    if field.oneof_index.is_some() {
        form += ".present()";
    }
    let number = field.number();
    format!("(\"{name}\", crate::games::Field::new({number}){form}),")
}
