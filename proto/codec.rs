//! The codec of the generated services: prost with small buffers.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// Buffer that each call starts with in each direction, in bytes; it grows with the messages. A
/// request has about 600 bytes, and a server holds thousands of streams that mostly wait: with
/// the usual 8 KiB, their empty buffers would be most of its memory.
const BUFFER_BYTES: usize = 1024;

/// Encoded messages of a stream are handed on once there are so many bytes; tonic's own value.
const YIELD_BYTES: usize = 32 * 1024;

/// Encodes `T` and decodes `U`.
#[derive(Debug)]
pub(crate) struct SmallBufferCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SmallBufferCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for SmallBufferCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(BufferSettings::new(BUFFER_BYTES, YIELD_BYTES))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(BufferSettings::new(BUFFER_BYTES, YIELD_BYTES))
    }
}
