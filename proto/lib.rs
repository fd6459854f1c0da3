//! The Bridgemaster protocol: the messages and services that `build.rs` generates from the files
//! under `proto/`. Behind the `games` feature, the crate also contains the conversions between the
//! messages and the rules.
//!
//! [`v1`] is the package `bridgemaster.v1`, and every game has its own package under [`games`].
//! `proto/PROTOCOL.md` describes the protocol. [`internal`] contains the messages that servers
//! store or send to other servers in a cluster; these messages are not part of the protocol.

#![forbid(unsafe_code)]

/// The generated packages, nested as in protobuf, so that they can refer to one another.
#[allow(clippy::all, missing_docs, rustdoc::all, unreachable_pub)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/packages.rs"));
    include!(concat!(env!("OUT_DIR"), "/refusals.rs"));
    #[cfg(feature = "games")]
    include!(concat!(env!("OUT_DIR"), "/fields.rs"));
}

mod codec;
#[cfg(feature = "games")]
mod decoded_size;
pub mod escape;
pub mod games;

pub use codec::{BytesCodec, BytesEncoder};
#[cfg(feature = "games")]
pub use decoded_size::{Budget, Content, DecodedSizeError, Measured, check_decoded_size};
#[doc(inline)]
pub use generated::bridgemaster::v1;

/// The messages that servers store, or send to other servers of a cluster.
pub mod internal {
    #[doc(inline)]
    pub use super::generated::bridgemaster::internal::v1;
}

/// The protocol revision that these types implement. It increases when an old client and a new
/// server would misunderstand each other although they can decode every message.
pub const PROTOCOL_REVISION: u32 = 1;

/// The `.proto` files of the protocol as an encoded `google.protobuf.FileDescriptorSet`, for
/// reflection and for ProtoJSON. It includes the files of `google.rpc`, for the details of
/// refusals.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.binpb"));

impl v1::TimeControl {
    /// Creates a Fischer time control with these times, in ms.
    pub const fn fischer(bank_ms: u32, increment_ms: u32, cap_ms: u32) -> Self {
        let fischer = v1::FischerTimeControl { bank_ms, increment_ms, cap_ms: Some(cap_ms) };
        Self { kind: Some(v1::time_control::Kind::Fischer(fischer)) }
    }
}

impl v1::Charge {
    /// Returns the bot's thinking time, charged or not, in µs.
    pub fn thinking_us(&self) -> u64 {
        self.charged_us.saturating_add(self.uncharged_us)
    }
}

impl v1::ClockUse {
    /// Returns the bot's thinking time for all requests, charged or not, in µs.
    pub fn thinking_us(&self) -> u64 {
        self.charged_us.saturating_add(self.uncharged_us)
    }
}

/// The paths of all methods in the protocol, such as `/bridgemaster.v1.PlayService/Play`. A server
/// can implement only some of these methods.
pub const METHODS: &[&str] = include!(concat!(env!("OUT_DIR"), "/methods.rs"));
