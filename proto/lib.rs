//! The Bridgemaster protocol: the types and services that `build.rs` generates from the files
//! under `proto/`, and, behind the feature `games`, the conversions between them and the rules.
//!
//! [`v1`] is the package `bridgemaster.v1`; every game has a package of its own under [`games`].
//! `proto/PROTOCOL.md` tells the conversation. [`internal`] is what a server keeps on disk: no part
//! of the protocol.

#![forbid(unsafe_code)]

/// The generated packages, nested as protobuf nests them, so that they can refer to one another.
#[allow(clippy::all, missing_docs, rustdoc::all, unreachable_pub)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/packages.rs"));
    #[cfg(feature = "games")]
    include!(concat!(env!("OUT_DIR"), "/fields.rs"));
}

mod codec;
pub mod games;
pub mod outside;

pub use codec::{BytesCodec, BytesEncoder};
#[doc(inline)]
pub use generated::bridgemaster::v1;

/// What a server keeps on disk, and never sends.
pub mod internal {
    #[doc(inline)]
    pub use super::generated::bridgemaster::internal::v1;
}

/// Revision of the protocol that these types speak. Raised when an old client and a new server
/// would misunderstand each other although every message can be decoded.
pub const PROTOCOL_REVISION: u32 = 1;

/// The `.proto` files of the protocol as an encoded `google.protobuf.FileDescriptorSet`, for
/// reflection and for proto JSON; those of `google.rpc` are among them, so that the details of a
/// refusal can be read too.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.binpb"));

/// The paths of all methods of the protocol, such as `/bridgemaster.v1.PlayService/Play`. A server
/// need not have each of them.
pub const METHODS: &[&str] = include!(concat!(env!("OUT_DIR"), "/methods.rs"));
