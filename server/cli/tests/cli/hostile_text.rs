//! Tests that untrusted text in the output of every command cannot move the cursor, change colours
//! or text direction, hide text, or start a line.
//!
//! The text is put into every field of a replay that can contain text. The fields are found by
//! reflection, so new fields are covered without a change here, as are fields that a command starts
//! to print. `hostile_server` does the same for the responses of a server.

use std::{collections::BTreeSet, fs};

use bridgemaster_proto::{
    DESCRIPTORS,
    escape::is_printable,
    v1::{Fault, FaultRecord, Record, Replay, record},
};
use bridgemaster_replay::{decode, encode_unsigned};
use prost_reflect::{DescriptorPool, DynamicMessage, Kind, ReflectMessage as _, Value};

use crate::{
    kit::program::{Ran, quoted, run},
    sample_replay,
};

/// A text that moves the cursor, clears the screen, sets the title and colours, reverses the text
/// direction, hides text, and starts a line that looks like another message.
pub(crate) const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\u{200b}\u{feff}\u{e0041}\r\n\
     FORGED\u{85}FORGED\u{2028}FORGED\tx";

/// Checks the output of a run.
#[track_caller]
pub(crate) fn assert_clean(what: &str, ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        let raw = text.chars().find(|c| !is_printable(*c) && *c != '\n');
        assert_eq!(raw, None, "{what}: {text:?}");
        let forged = text.lines().find(|line| line.trim_start().starts_with("FORGED"));
        assert_eq!(forged, None, "{what}: {text}");
    }
}

fn sample() -> Replay {
    decode(&fs::read(sample_replay()).unwrap()).unwrap().replay
}

/// Runs every command that reads a replay file.
fn assert_shown_clean(what: &str, replay: &Replay) -> [Ran; 4] {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, encode_unsigned(replay)).unwrap();
    let review = "review --seat 0 --states 2 --costliest-states 2";
    ["show", "verify", "export --json", review].map(|command| {
        let ran = run(format!("replay {command} {}", file.path().display()));
        assert_clean(&format!("{what}, {command}"), &ran);
        ran
    })
}

#[test]
fn names_versions_details_and_identifiers_are_shown_with_escapes() {
    let mut replay = sample();
    HOSTILE.clone_into(&mut replay.match_id);
    HOSTILE.clone_into(&mut replay.server_version);
    replay.data_notes.push(HOSTILE.to_owned());
    for entry in &mut replay.records {
        if let Some(record::Record::Seat(seat)) = &mut entry.record {
            let seat = seat.seat.as_mut().unwrap();
            HOSTILE.clone_into(&mut seat.bot_name);
            HOSTILE.clone_into(&mut seat.bot_version);
        }
    }
    let result = replay.result.as_mut().unwrap();
    HOSTILE.clone_into(&mut result.match_id);
    for seat in &mut result.seats {
        HOSTILE.clone_into(&mut seat.bot_name);
        HOSTILE.clone_into(&mut seat.bot_version);
    }
    let [shown, verified, exported, _] = assert_shown_clean("names", &replay);
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    assert!(shown.out.contains("\\u{1b}[2J"), "{}", shown.out);
    // The replay is valid, because the rules do not depend on names.
    assert_eq!(verified.code, Some(0), "{}", verified.err);
    assert!(verified.out.contains("match \\u{1b}[2J"), "{}", verified.out);
    let json: serde_json::Value = serde_json::from_str(&exported.out).unwrap();
    assert_eq!(json["matchId"], HOSTILE, "JSON has the same text");

    let fault = FaultRecord {
        seat: 0,
        fault: Some(Fault { detail: HOSTILE.to_owned(), ..Fault::default() }),
    };
    replay.records.push(Record {
        number: replay.records.len() as u32,
        at_ms: replay.records.last().unwrap().at_ms,
        record: Some(record::Record::Fault(fault)),
    });
    let [shown, ..] = assert_shown_clean("a fault", &replay);
    assert!(shown.out.contains("FAULT"), "{}", shown.out);
}

/// Visits a message and all messages in it.
fn each_message(message: &mut DynamicMessage, visit: &mut impl FnMut(&mut DynamicMessage)) {
    visit(message);
    for field in message.descriptor().fields() {
        if !message.has_field(&field) || !matches!(field.kind(), Kind::Message(_)) {
            continue;
        }
        let inner: Vec<&mut Value> = match message.get_field_mut(&field) {
            Value::List(items) => items.iter_mut().collect(),
            Value::Map(entries) => entries.values_mut().collect(),
            other => vec![other],
        };
        for value in inner {
            if let Value::Message(inner) = value {
                each_message(inner, visit);
            }
        }
    }
}

#[test]
fn every_text_of_a_replay_is_escaped_in_every_output() {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let descriptor = pool.get_message_by_name("bridgemaster.v1.Replay").unwrap();
    let mut whole = DynamicMessage::new(descriptor.clone());
    whole.transcode_from(&sample()).unwrap();
    let mut fields = BTreeSet::new();
    each_message(&mut whole, &mut |message| {
        for field in message.descriptor().fields() {
            if matches!(field.kind(), Kind::String) && !field.is_map() {
                fields.insert(field.full_name().to_owned());
            }
        }
    });
    assert!(fields.len() > 12, "{fields:?}");
    for name in &fields {
        let mut hostile = whole.clone();
        // Puts the text into every message that has the field.
        each_message(&mut hostile, &mut |message| {
            let descriptor = message.descriptor();
            let mut fields = descriptor.fields();
            if let Some(field) = fields.find(|field| field.full_name() == name) {
                let text = Value::String(HOSTILE.to_owned());
                let text = if field.is_list() { Value::List(vec![text]) } else { text };
                message.set_field(&field, text);
            }
        });
        let hostile: Replay = hostile.transcode_to().unwrap();
        assert_shown_clean(name, &hostile);
    }
}

#[test]
fn the_standard_error_of_a_bot_is_shown_with_escapes() {
    // The program prints no text before the last line.
    let says = "printf '\\033[2J\\033]0;t\\007\\302\\233\\342\\200\\256\\r\\tFORGED\\nFORGED\\n' >&2; exit 3";
    let bot = format!("sh -c {}", quoted(says));
    let ran = run(format!("demo --bots {}", quoted(&format!("random,{bot}"))));
    assert!(ran.err.contains("\\u{1b}[2J"), "{}", ran.all());
    assert_clean("demo", &ran);
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("r.xml");
    let check = "check-bot --only refused-answer --junit";
    let ran = run(format!("{check} {} -- {bot}", junit.display()));
    assert!(ran.out.contains("\\u{1b}[2J"), "{}", ran.all());
    assert_clean("check-bot", &ran);
    let xml = fs::read_to_string(junit).unwrap();
    let mut raw = xml.chars().filter(|c| !is_printable(*c) && !"\n\t".contains(*c));
    assert_eq!(raw.next(), None, "{xml:?}");
}
