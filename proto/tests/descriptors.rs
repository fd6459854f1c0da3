//! The descriptors that reflection and ProtoJSON use.

use std::sync::LazyLock;

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::DESCRIPTORS;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, ServiceDescriptor};
use serde_json::Value;

fn pool() -> &'static DescriptorPool {
    static POOL: LazyLock<DescriptorPool> =
        LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).unwrap());
    &POOL
}

pub(crate) fn message(name: &str) -> MessageDescriptor {
    pool().get_message_by_name(name).unwrap()
}

pub(crate) fn service(name: &str) -> ServiceDescriptor {
    pool().get_service_by_name(name).unwrap()
}

/// The descriptors of a package's messages.
pub(crate) fn messages_of(package: &str) -> Vec<MessageDescriptor> {
    let messages = pool().all_messages();
    messages.filter(|message| message.package_name() == package).collect()
}

/// Parses a message from its ProtoJSON.
pub(crate) fn from_json<M: Message + Default>(name: &str, json: &Value) -> M {
    let message = DynamicMessage::deserialize(message(name), json).unwrap();
    message.transcode_to().unwrap()
}

#[test]
fn the_descriptors_have_every_service() {
    let services: Vec<String> =
        pool().services().map(|service| service.full_name().to_owned()).collect();
    for service in ["CatalogService", "MatchService", "PlayService"] {
        assert!(services.contains(&format!("bridgemaster.v1.{service}")), "{services:?}");
    }
}

#[test]
fn stored_messages_are_not_in_the_descriptors() {
    let files: Vec<String> = pool().files().map(|file| file.name().to_owned()).collect();
    assert!(files.iter().any(|file| file.ends_with("play.proto")));
    assert!(!files.iter().any(|file| file.contains("internal")), "{files:?}");
}

#[test]
fn every_game_has_an_entry_in_every_message_of_a_game() {
    for name in
        ["GameConfig", "GameSetup", "GameObservation", "GameDecision", "GameEvent", "GameRequest"]
    {
        let message = message(&format!("bridgemaster.v1.{name}"));
        let entries: Vec<String> = message.fields().map(|field| field.name().to_owned()).collect();
        // The entries after them belong to games whose rules are not in the list yet.
        let listed = &entries[..entries.len().min(GAME_IDS.len())];
        assert_eq!(listed, GAME_IDS, "{name}");
    }
}
