//! Messages of the protocol as canonical proto JSON.

use anyhow::Context as _;
use bridgemaster_proto::{DESCRIPTORS, outside::escape_json};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};

/// The JSON of a message of the package `bridgemaster.v1`, in lines for people, the last with its
/// line break. Fields that have their default value are left out, as the canonical form does. What is not printable in a text is escaped.
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
