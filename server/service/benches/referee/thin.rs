//! The messages of a bot that answers by index, reduced to the fields that it reads. The benchmark
//! measures the transport, so a bot must not cost more than a client of the ping-pong; all other
//! fields of a response are skipped.

use bridgemaster_proto::v1::PlayRequest;
use prost::{Message as _, bytes::Buf as _};
use tonic::{
    Status,
    codec::{BufferSettings, Codec, DecodeBuf, Decoder},
};
use tonic_prost::ProstEncoder;

/// `bridgemaster.v1.PlayResponse`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Response {
    /// `None` for any other kind of response.
    #[prost(message, optional, tag = "4")]
    pub(crate) request: Option<Request>,
    #[prost(message, optional, tag = "8")]
    pub(crate) ping: Option<Ping>,
}

/// `bridgemaster.v1.DecisionRequest`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Request {
    #[prost(uint32, tag = "1")]
    pub(crate) request_id: u32,
    #[prost(uint32, tag = "3")]
    pub(crate) legal_count: u32,
}

/// `bridgemaster.v1.Ping`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Ping {
    #[prost(uint64, tag = "1")]
    pub(crate) nonce: u64,
}

/// Encodes complete requests, decodes thin responses, and records the encoded size of each.
#[derive(Default)]
pub(crate) struct ThinCodec;

/// Decodes thin responses.
#[derive(Default)]
pub(crate) struct ThinDecoder;

impl Codec for ThinCodec {
    type Encode = PlayRequest;
    type Decode = (usize, Response);
    type Encoder = ProstEncoder<PlayRequest>;
    type Decoder = ThinDecoder;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::new(BufferSettings::default())
    }

    fn decoder(&mut self) -> ThinDecoder {
        ThinDecoder
    }
}

impl Decoder for ThinDecoder {
    type Item = (usize, Response);
    type Error = Status;

    fn decode(&mut self, bytes: &mut DecodeBuf<'_>) -> Result<Option<Self::Item>, Status> {
        let size = bytes.remaining();
        let response = Response::decode(bytes).map_err(|e| Status::internal(e.to_string()))?;
        Ok(Some((size, response)))
    }
}
