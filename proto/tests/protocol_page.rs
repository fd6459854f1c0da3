//! The reference of the protocol agrees with it: every reason is listed, and the messages of the
//! example match are valid.

use std::collections::BTreeSet;

use bridgemaster_games::old_london_bridge::{Config, OldLondonBridge};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        DecisionRequest, FaultAction, FaultReason, PlayRequest, PlayResponse, RefusalReason,
        decision::Choice, play_request, play_response,
    },
};
use prost::Message;
use prost_reflect::{DynamicMessage, SerializeOptions};
use serde_json::Value;

use crate::descriptors::{from_json, message};

type Olb = OldLondonBridge;

const REFUSALS: &str = include_str!("../../docs/reference/refusals.md");
const EXAMPLE: &str = include_str!("../../docs/reference/example-match.md");

/// The names in backticks in the first column of all tables.
fn rows() -> Vec<&'static str> {
    let cells = REFUSALS.lines().filter_map(|line| line.strip_prefix("| `"));
    cells.filter_map(|cell| cell.split_once('`')).map(|(name, _)| name).collect()
}

/// An enum's value names from number 1 on, without their prefix. Numbers can be skipped.
fn names<E: TryFrom<i32>>(prefix: &str, name: fn(&E) -> &'static str) -> Vec<&'static str> {
    let values = (1..100).filter_map(|number| E::try_from(number).ok());
    values.map(|value| name(&value).strip_prefix(prefix).unwrap()).collect()
}

/// The messages of the example, in order: name and JSON.
fn exchange() -> Vec<(&'static str, Value)> {
    let blocks = EXAMPLE.split("```json ").skip(1);
    blocks
        .map(|block| {
            let (name, rest) = block.split_once('\n').unwrap();
            let (json, _) = rest.split_once("```").unwrap();
            (name, serde_json::from_str(json).unwrap())
        })
        .collect()
}

fn requests() -> Vec<PlayRequest> {
    let of_bot = exchange().into_iter().filter(|(name, _)| *name == "PlayRequest");
    of_bot.map(|(_, json)| from_json("bridgemaster.v1.PlayRequest", &json)).collect()
}

fn responses() -> Vec<PlayResponse> {
    let of_server = exchange().into_iter().filter(|(name, _)| *name == "PlayResponse");
    of_server.map(|(_, json)| from_json("bridgemaster.v1.PlayResponse", &json)).collect()
}

fn decision_request() -> DecisionRequest {
    let request = responses().into_iter().find_map(|response| match response.message {
        Some(play_response::Message::DecisionRequest(request)) => Some(request),
        _ => None,
    });
    request.unwrap()
}

#[test]
fn the_tables_have_every_reason_and_action_once_and_nothing_else() {
    let expected = [
        names("REFUSAL_REASON_", RefusalReason::as_str_name),
        names("FAULT_REASON_", FaultReason::as_str_name),
        names("FAULT_ACTION_", FaultAction::as_str_name),
    ];
    assert_eq!(rows(), expected.concat());
}

#[test]
fn the_exchange_is_canonical_proto_json() {
    let kinds: BTreeSet<&str> = exchange().iter().map(|(name, _)| *name).collect();
    assert_eq!(kinds, BTreeSet::from(["PlayRequest", "PlayResponse"]));
    for (name, json) in exchange() {
        let descriptor = message(&format!("bridgemaster.v1.{name}"));
        let parsed = DynamicMessage::deserialize(descriptor.clone(), &json).unwrap();
        let sent = DynamicMessage::decode(descriptor, parsed.encode_to_vec().as_slice()).unwrap();
        let mut again = Vec::new();
        let mut serializer = serde_json::Serializer::new(&mut again);
        sent.serialize_with_options(&mut serializer, &SerializeOptions::new()).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&again).unwrap(), json);
    }
}

#[test]
fn the_request_of_the_exchange_is_readable_by_the_rules() {
    let request = decision_request();
    let game = request.game.unwrap();
    let (_, legal) = Olb::request_from_wire(&game, &Config::default()).unwrap();
    assert_eq!(legal.len(), request.legal_count as usize);
    assert!(!Olb::request_events_from_wire(&game).unwrap().is_empty());
}

#[test]
fn the_answers_of_the_exchange_are_as_described() {
    let request = decision_request();
    let answers: Vec<Choice> = requests()
        .into_iter()
        .filter_map(|message| match message.message {
            Some(play_request::Message::Decision(decision)) => {
                assert_eq!(decision.request_id, request.request_id);
                decision.choice
            }
            _ => None,
        })
        .collect();
    let last = request.legal_count - 1;
    let last_in_full = request.game.unwrap().legal_decision(last as usize);
    let expected =
        [Choice::Index(last + 1), Choice::Decision(last_in_full.unwrap()), Choice::Index(last)];
    assert_eq!(answers, expected);
}

#[test]
fn the_counted_messages_of_the_exchange_ascend() {
    let counted: Vec<u32> =
        responses().iter().map(|response| response.sequence).filter(|number| *number > 0).collect();
    assert!(counted.is_sorted_by(|a, b| a < b), "{counted:?}");
    assert_eq!(counted.first(), Some(&1));
}
