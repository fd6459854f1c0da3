//! The C# listing in docs/guides/bots/csharp.md, which is not compiled here: its messages, fields,
//! service, method and refusal reasons exist in the protocol.

use bridgemaster_proto::v1::RefusalReason;
use prost_reflect::{Kind, MessageDescriptor};

use crate::descriptors::{message, service};

const GUIDE: &str = include_str!("../../docs/guides/bots/csharp.md");

/// The message types of the listing's variables.
const VARIABLES: &[(&str, &str)] = &[
    ("response", "PlayResponse"),
    ("request", "DecisionRequest"),
    ("open", "DecisionRequest"),
    ("asked", "DecisionRequest"),
    ("ping", "Ping"),
    ("welcome", "Welcome"),
    ("hello", "Hello"),
];

fn listing() -> &'static str {
    let (_, from) = GUIDE.split_once("```csharp\n").unwrap();
    from.split_once("\n```").unwrap().0
}

/// The protocol message with this name, if any.
fn known(name: &str) -> Option<MessageDescriptor> {
    crate::descriptors::messages_of("bridgemaster.v1")
        .into_iter()
        .find(|message| message.name() == name)
}

/// A field's name as a property in C#.
fn property(field: &str) -> String {
    let mut property = String::new();
    // The oneof of an optional field starts with an underscore.
    for word in field.split('_').filter(|word| !word.is_empty()) {
        let (first, rest) = word.split_at(1);
        property.push_str(&first.to_uppercase());
        property.push_str(rest);
    }
    property
}

/// A property's message type, or `None` for other types; panics if the message has no such
/// property.
fn read(of: &MessageDescriptor, name: &str) -> Option<MessageDescriptor> {
    let field = of.fields().find(|field| property(field.name()) == name);
    let is_case = of.oneofs().any(|oneof| format!("{}Case", property(oneof.name())) == name);
    assert!(field.is_some() || is_case, "{} has no {name}", of.full_name());
    match field.map(|field| field.kind()) {
        Some(Kind::Message(message)) => Some(message),
        _ => None,
    }
}

/// Names joined by dots, such as `response.Ping`.
fn chains() -> impl Iterator<Item = Vec<&'static str>> {
    static DOTTED: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| listing().replace("?.", "."));
    let words =
        DOTTED.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '"'));
    words.map(|word| word.split('.').collect())
}

/// The properties that are set in each `new MESSAGE { PROPERTY = .. }`, with the message's name.
fn initialized() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut found = Vec::new();
    for rest in listing().split("new ").skip(1) {
        let Some((name, rest)) = rest.split_once('{') else {
            continue;
        };
        let mut depth = 0;
        let mut parts = rest.split(|c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth < 0
        });
        let outer = parts.next().and_then(|body| body.split('{').next());
        let set = outer
            .unwrap_or_default()
            .split(',')
            .filter_map(|part| part.split_once('='))
            .map(|(name, _)| name.trim());
        found.push((name.trim(), set.collect()));
    }
    found
}

#[test]
fn it_reads_only_existing_fields() {
    let mut reads = 0;
    for chain in chains() {
        let variable = VARIABLES.iter().find(|(name, _)| chain[0] == *name);
        let Some((_, holds)) = variable else {
            continue;
        };
        let mut at = known(holds);
        for name in chain[1..].iter().filter(|name| !name.is_empty()) {
            at = read(&at.unwrap(), name);
            reads += 1;
        }
    }
    assert!(reads > 12, "{reads} reads");
}

#[test]
fn it_sets_only_existing_fields() {
    let mut set = 0;
    for (name, properties) in initialized() {
        let Some(message) = known(name) else {
            continue;
        };
        for property in properties {
            read(&message, property);
            set += 1;
        }
    }
    assert!(set > 5, "{set} set");
}

#[test]
fn its_cases_are_entries_of_the_oneof() {
    let response = message("bridgemaster.v1.PlayResponse");
    let oneof = response.oneofs().next().unwrap();
    let entries: Vec<String> = oneof.fields().map(|field| property(field.name())).collect();
    let of_cases = chains().filter(|chain| chain.get(1) == Some(&"MessageOneofCase"));
    let cases: Vec<&str> = of_cases.map(|chain| chain[2]).collect();
    assert!(cases.len() > 2, "{cases:?}");
    for case in cases {
        assert!(entries.iter().any(|entry| entry == case), "{case}");
    }
}

#[test]
fn it_calls_an_existing_method() {
    assert!(listing().contains("new PlayService.PlayServiceClient(channel).Play(headers)"));
    let service = service("bridgemaster.v1.PlayService");
    let methods = service.methods();
    let names: Vec<String> = methods.map(|method| method.name().to_owned()).collect();
    assert!(names.contains(&"Play".to_owned()), "{names:?}");
}

#[test]
fn its_retryable_reasons_exist() {
    let (_, from) = listing().split_once("toRetry =\n[").unwrap();
    let (list, _) = from.split_once(']').unwrap();
    let reasons: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert!(reasons.len() > 5, "{reasons:?}");
    for reason in reasons {
        let full = format!("REFUSAL_REASON_{reason}");
        assert!(RefusalReason::from_str_name(&full).is_some(), "{reason}");
    }
}
