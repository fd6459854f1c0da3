//! Converts protocol messages to canonical proto JSON.

use anyhow::Context as _;
use bridgemaster_proto::{DESCRIPTORS, escape::escape_json};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};

/// Returns a message from the `bridgemaster.v1` package as pretty-printed JSON, with a final line
/// break. Fields with default values are omitted, and characters that are not printable are
/// escaped.
pub(super) fn to_json<M: Message>(name: &str, message: &M) -> anyhow::Result<String> {
    let pool = DescriptorPool::decode(DESCRIPTORS)?;
    let descriptor = pool
        .get_message_by_name(&format!("bridgemaster.v1.{name}"))
        .with_context(|| format!("the protocol has no message {name}"))?;
    let mut dynamic = DynamicMessage::new(descriptor);
    dynamic.transcode_from(message)?;
    let mut json = Vec::new();
    let mut serializer = serde_json::Serializer::pretty(&mut json);
    dynamic.serialize_with_options(&mut serializer, &SerializeOptions::new())?;
    json.push(b'\n');
    Ok(escape_json(&String::from_utf8(json)?).into_owned())
}
